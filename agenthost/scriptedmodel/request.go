package scriptedmodel

import (
	"encoding/json"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// request is what the script uses of a request, whichever API it came by.
type request struct {
	Model    string
	Messages []message
	Tools    []script.Tool
	NoTools  bool   // tool_choice "none"
	Forced   string // the one tool that has to be called
	OneCall  bool   // parallel_tool_calls is false
	Format   *script.Schema
	Stream   bool
	// Lenient is set when part of the history is known by reference only, so
	// that a call or its result may be missing here.
	Lenient bool
}

type message struct {
	Role   string // system, developer, user, assistant or tool
	Text   string
	Calls  []script.Call
	CallID string // of a tool's result
}

// readTurn finds what counts of a request, and what its last user message asks
// of the model.
func readTurn(req *request) (script.Turn, directive) {
	t := script.Turn{Tools: req.Tools, Forced: req.Forced, Format: req.Format}
	if req.NoTools {
		t.Tools = nil
	}
	lastUser := -1
	for i, m := range req.Messages {
		switch m.Role {
		case "system", "developer":
			t.Systems = append(t.Systems, m.Text)
		case "user":
			lastUser = i
		}
	}
	if lastUser < 0 {
		return t, directive{}
	}
	var d directive
	t.User, d = readDirective(req.Messages[lastUser].Text)
	t.Two = d.two && !req.OneCall
	t.Asked, t.Before = asked(req.Messages[:lastUser])
	calls, said := map[string]script.Call{}, map[string]string{}
	for _, m := range req.Messages[lastUser+1:] {
		for _, c := range m.Calls {
			calls[c.ID], said[c.ID] = c, m.Text
		}
		if m.Role == "tool" {
			c := calls[m.CallID]
			t.Steps = append(t.Steps, script.Step{Tool: c.Name, Args: c.Arguments, Result: m.Text, Said: said[m.CallID]})
		}
	}
	return t, d
}

// asked finds the assistant's words right before the end of the history and, if
// they are a question, the user's message it was about, which may have been an
// answer to a question itself.
func asked(history []message) (question, before string) {
	for len(history) > 0 {
		last := history[len(history)-1]
		history = history[:len(history)-1]
		switch {
		case last.Role == "assistant" && len(last.Calls) == 0 && question == "":
			question = last.Text
			if !strings.HasSuffix(strings.TrimSpace(question), "?") {
				return question, ""
			}
		case last.Role == "assistant" && !strings.HasSuffix(strings.TrimSpace(last.Text), "?"), last.Role == "tool":
			return question, before
		case last.Role == "user" && question == "":
			return "", ""
		case last.Role == "user":
			text, _ := readDirective(last.Text)
			before = strings.TrimSuffix(text+". "+before, ". ")
			if len(before) > 2000 {
				return question, before
			}
		}
	}
	return question, before
}

// formatOf reads a json_schema or json_object format; nil means words.
func formatOf(kind string, schema json.RawMessage) *script.Schema {
	if kind != "json_schema" && kind != "json_object" {
		return nil
	}
	var s script.Schema
	_ = s.UnmarshalJSON(schema) // takes anything
	return &s
}
