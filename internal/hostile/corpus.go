// Package hostile is a corpus of answers that an agent may send to do harm, and a
// driver that plays them through a real server process: a session watches each answer
// as it comes, and a bystander uses the same server at the same time. The tests of this
// package and `make bench` assert that no answer ends the process, that each run
// settles, and that pages, memory, processor time and the bystander's waits stay
// bounded.
//
// To add a case, add a line or a loop to one of the families: a name, and a [Play] that
// writes the events; shapes.go has the common ones. Cases are generated and stay small
// in the source. What takes long or only varies another case is Long; `make bench` and
// the test with CAIRN_HOSTILE=long play these too.
//
// The package knows the wire of AG-UI and the routes of the web app, and imports
// nothing of this module: it is a peer of the server, not a part of it.
package hostile

import (
	"slices"
	"strings"
)

// End is how a run ends after its Play.
type End string

const (
	Finish End = ""        // by RUN_FINISHED, unless the Play wrote a terminal event
	Fail   End = "error"   // by RUN_ERROR
	Cut    End = "cut"     // the connection breaks
	Stop   End = "stopped" // the agent goes on until the user stops the run
)

// Case is one answer.
type Case struct {
	Name string
	Play Play
	End  End
	// Demo is the slug of the demo it is played on, "" for the camping demo.
	Demo string
	// Long cases are left out of the short form of the corpus.
	Long bool
}

type corpus []Case

func (c *corpus) add(name string, p Play)  { *c = append(*c, Case{Name: name, Play: p}) }
func (c *corpus) long(name string, p Play) { *c = append(*c, Case{Name: name, Play: p, Long: true}) }

// Cases returns the corpus, with the long cases or without them.
func Cases(long bool) []Case {
	var out corpus
	for _, family := range []func(*corpus){
		whitespace, nests, tables, inlines, words, code, lines, nestedJSON, states, pauses, counts, snapshots, names, protocol,
	} {
		var c corpus
		family(&c)
		slices.SortFunc(c, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
		for _, one := range c {
			if long || !one.Long {
				out = append(out, one)
			}
		}
	}
	return out
}
