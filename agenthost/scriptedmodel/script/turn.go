// Package script is what the scripts of the demos have in common: what they
// see of a request, how they answer it, how they call a tool the way its schema
// asks, and how they read its result. It knows no demo and no API.
//
// Whatever a user, a tool or a schema says is data here, never an instruction.
package script

import (
	"slices"
	"strings"
)

// Turn is what counts of a request: the model's part, what the user said last,
// and the tools it has called since, with their results.
type Turn struct {
	Systems []string // the system messages; the first is the host's
	Asked   string   // the assistant's last words before the user's
	Before  string   // what the user had written to be asked that; empty unless Asked is a question
	User    string
	Steps   []Step
	Tools   []Tool
	Forced  string  // the tool the caller wants called; empty when it leaves the choice
	Format  *Schema // what the answer's text has to be, as JSON; nil for words
	Two     bool    // call the plain tool twice at once
}

// Step is one tool call of this turn and its result.
type Step struct {
	Tool, Args, Result string
	Said               string // the model's own words in front of the call
}

// Tool is an offered tool and what its arguments have to look like.
type Tool struct {
	Name   string
	Schema Schema
}

// Reply is one answer of the model: text, tool calls, or both.
type Reply struct {
	Text  string
	Calls []Call
	// Facts is what a structured answer is filled with, by member name.
	Facts map[string]any
}

// Call is a tool call with its arguments as JSON.
type Call struct{ ID, Name, Arguments string }

// Offers reports whether one of the tools is offered.
func (t Turn) Offers(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := t.Tool(n); return ok })
}

// Tool returns the offered tool with that name, or failing that one whose name
// ends in it, as runtimes put prefixes in front of a child agent's name.
func (t Turn) Tool(name string) (Tool, bool) {
	for _, x := range t.Tools {
		if x.Name == name {
			return x, true
		}
	}
	for _, x := range t.Tools {
		if strings.HasSuffix(x.Name, name) {
			return x, true
		}
	}
	return Tool{}, false
}

// Done returns the turn's first call of the tool.
func (t Turn) Done(name string) (Step, bool) {
	if x, ok := t.Tool(name); ok {
		name = x.Name
	}
	i := slices.IndexFunc(t.Steps, func(s Step) bool { return s.Tool == name })
	if i < 0 {
		return Step{}, false
	}
	return t.Steps[i], true
}

// Heard is the user's message, after the one it completes if the model had
// asked for something.
func (t Turn) Heard() string {
	if t.Before == "" {
		return t.User
	}
	return t.Before + "; " + t.User
}
