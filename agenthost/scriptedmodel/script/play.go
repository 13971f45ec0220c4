package script

import (
	"slices"
	"strings"

	"cairn/internal/jsontext"
)

// Act is one thing a script does about a message: a tool call with how to speak
// of its result, or just words.
type Act struct {
	Tool string
	// Args that the tool's schema does not know are left out. Nil means there is
	// nothing to call the tool for, and Text is the answer.
	Args map[string]any
	// Prompt fills a required text argument that Args does not have.
	Prompt string
	Text   string // in front of the call, or the answer
	Report func(Step) string
}

// Say is an act of words.
func Say(text string) []Act { return []Act{{Text: text}} }

// Play goes through the acts in order. Each takes at most one tool call; results
// of this turn belong to the acts in the order their tools were called. The
// first act without its result becomes the next call, and when none is left the
// sentences about all of them are the answer. So a tool that fails is reported,
// never called again.
func Play(t Turn, acts []Act) Reply {
	var said []string
	steps := slices.Clone(t.Steps)
	take := func(name string) (Step, bool) {
		i := slices.IndexFunc(steps, func(s Step) bool { return s.Tool != "" && s.Tool == name })
		if i < 0 {
			return Step{}, false
		}
		s := steps[i]
		steps = slices.Delete(steps, i, i+1)
		return s, true
	}
	say := func(text string) {
		if text != "" {
			said = append(said, text)
		}
	}
	for _, a := range acts {
		if a.Tool == "" {
			say(a.Text)
			continue
		}
		offered, ok := t.Tool(a.Tool)
		name := offered.Name
		if !ok {
			name = a.Tool
		}
		if s, done := take(name); done {
			say(a.Report(s))
			continue
		}
		if !ok {
			say("I cannot do that here, because no " + a.Tool + " tool is offered.")
			continue
		}
		if a.Args == nil {
			say(a.Text)
			continue
		}
		return Reply{Text: a.Text, Calls: []Call{NewCall(offered, a.Args, a.Prompt)}}
	}
	return Reply{Text: strings.Join(said, " ")}
}

// Together is Play with all the acts' tools called at once, in parallel.
func Together(t Turn, acts []Act) Reply {
	if len(t.Steps) > 0 {
		return Play(t, acts)
	}
	var reply Reply
	for _, a := range acts {
		if offered, ok := t.Tool(a.Tool); ok {
			reply.Calls = append(reply.Calls, NewCall(offered, a.Args, a.Prompt))
		}
	}
	return reply
}

// NewCall is a call of the tool with the arguments its schema wants.
func NewCall(tool Tool, args map[string]any, prompt string) Call {
	return Call{Name: tool.Name, Arguments: JSON(tool.Schema.Fit(args, prompt))}
}

// JSON encodes what a script made, which holds strings, numbers and valid JSON
// only, so it panics on anything else.
func JSON(v any) string {
	return string(jsontext.Must(v))
}
