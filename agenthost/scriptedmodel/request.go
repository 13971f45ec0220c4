package scriptedmodel

import (
	"encoding/json"
	"slices"
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
	messages := slices.DeleteFunc(slices.Clone(req.Messages), isContext)
	lastUser := -1
	for i, m := range messages {
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
	t.User, d = readDirective(messages[lastUser].Text)
	t.Two = d.two && !req.OneCall
	t.Asked, t.Before = asked(messages[:lastUser])
	calls, said := map[string]script.Call{}, map[string]string{}
	for _, m := range messages[lastUser+1:] {
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

// contextMark begins the message by which Microsoft's AG-UI bridge hands over the
// client's state as if the user had written it (measured).
const contextMark = "Application state supplied by the AG-UI client follows."

func isContext(m message) bool { return m.Role == "user" && strings.HasPrefix(m.Text, contextMark) }

// asked finds the assistant's words right before the end of the history and, if
// they are a question, the user's message it was about, which may have been an
// answer to a question itself.
func asked(history []message) (question, before string) {
	isQuestion := func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "?") }
	n := len(history) - 1
	for n >= 0 && (history[n].Role == "system" || history[n].Role == "developer") {
		n--
	}
	if n < 0 || history[n].Role != "assistant" || len(history[n].Calls) > 0 {
		return "", ""
	}
	question = history[n].Text
	for _, m := range slices.Backward(history[:n+1]) {
		switch {
		case m.Role == "assistant" && len(m.Calls) == 0 && !isQuestion(m.Text), len(before) > maxBefore:
			return question, before
		case m.Role == "user":
			text, _ := readDirective(m.Text)
			before = strings.TrimSuffix(text+"; "+before, "; ")
		}
	}
	return question, before
}

// maxBefore is how many bytes of earlier messages one answer may complete.
const maxBefore = 2000

// formatOf reads a json_schema or json_object format; nil means words.
func formatOf(kind string, schema json.RawMessage) *script.Schema {
	if kind != "json_schema" && kind != "json_object" {
		return nil
	}
	var s script.Schema
	_ = s.UnmarshalJSON(schema) // takes anything
	return &s
}
