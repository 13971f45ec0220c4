package agentclient_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/agui/sse"
)

var update = flag.Bool("update", false, "rewrite what the edge cases give")

// TestEdgeCases runs testdata/edge, one file for each row of the table of edge
// cases in protocol section 9. A file says what the protocol's own client does,
// what this one does and why, and has for each situation X:
//
//	-- wire X --    the answer; a line that begins with { is a frame, sent as "data: {...}" and an empty line
//	-- http X --    how it is sent, see [directives]
//	-- before X --  what the conversation holds: events, and "user ID TEXT"
//
// and in "want" what comes of it: the run, the page, the notes and the error, and
// what a strict client says when it says more.
//
// Rows 38 to 40 are about the next run: what holds them is named in their files
// and lives in package interrupt (TestRule09EveryPhaseButNoneBlocks,
// TestRule23EndOfTheResumedRun, TestRule24Failures, TestRule18WhatAClaimNeeds).
func TestEdgeCases(t *testing.T) {
	files, err := filepath.Glob("testdata/edge/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if row := filepath.Base(file)[:2]; row != fmt.Sprintf("%02d", i+1) {
			t.Fatalf("%s is where row %d should be", file, i+1)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(strings.Fields(string(a.Comment))) < 10 {
				t.Error("the file does not say why")
			}
			parts := map[string]string{}
			var got strings.Builder
			for _, f := range a.Files {
				parts[f.Name] = string(f.Data)
			}
			for _, f := range a.Files {
				if what, situation, _ := strings.Cut(f.Name, " "); what == "wire" {
					if situation != "" {
						fmt.Fprintf(&got, "%s:\n", situation)
						situation = " " + situation
					}
					got.WriteString(edge(t, string(f.Data), parts["http"+situation], parts["before"+situation]))
				}
			}
			if *update {
				setFile(a, "want", got.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got.String() != parts["want"] {
				t.Errorf("got\n%s\nwant\n%s", got.String(), parts["want"])
			}
		})
	}
	if len(files) != 46 {
		t.Errorf("%d rows, want 46", len(files))
	}
}

func setFile(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}

// edge runs one situation and says what came of it.
func edge(t *testing.T, wire, how, before string) string {
	d := parseDirectives(t, how)
	c := conversation.New()
	for line := range strings.Lines(before) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "user "); ok {
			id, text, _ := strings.Cut(rest, " ")
			c.AddMessage(agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)})
			continue
		}
		ev, err := agui.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		c.Apply(ev)
	}
	c.BeginRun("r")
	failed := d.run(t, wire, false, c)
	switch {
	case failed == nil:
	case failed.Kind == agentclient.KindAborted:
		c.EndRun(conversation.RunStopped)
	case failed.Kind == agentclient.KindTruncated:
		c.EndRun(conversation.RunTruncated)
	default:
		c.EndRun(conversation.RunFailed)
	}
	out := describe(c)
	if failed != nil {
		out += "error " + kindAndFrame(failed) + "\n"
	}
	if strict := d.run(t, wire, true, conversation.New()); strict != nil && (failed == nil || strict.Kind != failed.Kind) {
		out += "strict " + kindAndFrame(strict) + "\n"
	}
	return out
}

func (d directives) run(t *testing.T, wire string, strict bool, c *conversation.Conversation) (failed *agentclient.Error) {
	// Without a stop nothing but the client may end the request.
	ctx, stop := context.WithoutCancel(t.Context()), func() {}
	if d.stops {
		ctx, stop = context.WithCancel(ctx)
		defer stop()
	}
	answer := d.answer(wire)
	client := serve(t, agentclient.Config{Strict: strict, SSE: sse.Limits{MaxFrame: d.limit}}, func(w http.ResponseWriter, r *http.Request) {
		if d.stops && d.stop == 0 {
			stop()
		}
		answer(w, r)
	})
	n := 0
	for got, err := range client.Run(ctx, agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if err != nil {
			if !errors.As(err, &failed) {
				t.Fatal(err)
			}
			continue
		}
		c.Apply(got.Event)
		if n++; d.stops && n == d.stop {
			stop()
		}
	}
	return failed
}
