package verify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// parse reads events written as TYPE field=value ..., one a line. Values are
// JSON when they look like it, else strings; they hold no spaces. "run" and
// "done" stand for RUN_STARTED and RUN_FINISHED of one run.
func parse(t testing.TB, script string) []agui.Event {
	t.Helper()
	var out []agui.Event
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		switch line {
		case "":
			continue
		case "run":
			line = "RUN_STARTED threadId=t runId=r"
		case "done":
			line = "RUN_FINISHED threadId=t runId=r"
		}
		words := strings.Fields(line)
		object := map[string]json.RawMessage{"type": json.RawMessage(fmt.Sprintf("%q", words[0]))}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			raw := json.RawMessage(value)
			if !json.Valid(raw) || key == "delta" && raw[0] == '{' {
				raw = json.RawMessage(fmt.Sprintf("%q", value))
			}
			object[key] = raw
		}
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := agui.Decode(raw)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, ev)
	}
	return out
}

// say writes an expanded event: its type and id, its tag, and what it adds.
func say(ev agui.Event) string {
	head := ev.Head()
	text := strings.ToLower(fmt.Sprintf("%T", ev)[len("*agui."):])
	switch e := ev.(type) {
	case *agui.TextMessageStart:
		text += " " + e.MessageID + " " + string(e.Role) + e.Name
	case *agui.TextMessageContent:
		text += " " + e.MessageID + " " + e.Delta
	case *agui.TextMessageEnd:
		text += " " + e.MessageID
	case *agui.ToolCallStart:
		text += " " + e.ToolCallID + " " + e.ToolCallName + e.ParentMessageID
	case *agui.ToolCallArgs:
		text += " " + e.ToolCallID + " " + e.Delta
	case *agui.ToolCallEnd:
		text += " " + e.ToolCallID
	case *agui.ReasoningMessageStart:
		text += " " + e.MessageID
	case *agui.ReasoningMessageContent:
		text += " " + e.MessageID + " " + e.Delta
	case *agui.ReasoningMessageEnd:
		text += " " + e.MessageID
	default:
		return text
	}
	if head.SubagentRunID != "" {
		text += " @" + head.SubagentRunID
	}
	for range head.Metadata {
		text += " +metadata"
	}
	if head.RawEvent != nil {
		text += " +raw"
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "  ", " "))
}

func sayAll(events []agui.Event) string {
	var out []string
	for _, ev := range events {
		out = append(out, say(ev))
	}
	return strings.Join(out, "; ")
}

// judge feeds a script to a lenient verifier and gives the rules broken and the
// events handed on, and checks that a strict one gives the same up to the first
// violation, that rule then, and nothing after.
func judge(t *testing.T, script string) (rules, out string) {
	t.Helper()
	lenient, strict := verify.New(verify.Lenient), verify.New(verify.Strict)
	var broken, handed []string
	for i, ev := range parse(t, script) {
		events, violations := lenient.Feed(ev)
		got := sayAll(events)
		sEvents, sViolations := strict.Feed(ev)
		switch {
		case len(broken) > 0:
			if len(sEvents) > 0 || len(sViolations) != 1 || sViolations[0].Rule != broken[0] {
				t.Errorf("event %d: strict went on after %s: %s %v", i+1, broken[0], sayAll(sEvents), sViolations)
			}
		case len(violations) > 0:
			if len(sViolations) != 1 || sViolations[0].Rule != violations[0].Rule {
				t.Errorf("event %d: strict %v, lenient %v", i+1, sViolations, violations)
			}
		default:
			_, isError := ev.(*agui.RunError)
			if (sayAll(sEvents) != got && !isError) || len(sViolations) > 0 {
				t.Errorf("event %d: strict %s %v, lenient %s", i+1, sayAll(sEvents), sViolations, got)
			}
		}
		for _, v := range violations {
			broken = append(broken, v.Rule)
			if v.Text == "" || strings.Contains(v.Text, "%!") {
				t.Errorf("text %q", v.Text)
			}
		}
		if got != "" {
			handed = append(handed, got)
		}
	}
	return strings.Join(broken, " "), strings.Join(handed, "; ")
}
