package conformance_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestApply: the messages and the state that a stream leaves.
func TestApply(t *testing.T) {
	play(t, "apply", func(t *testing.T, c testCase) (want, got string) {
		var messages, activities []string
		for _, raw := range c.WantMessages {
			var m struct{ Role agui.Role }
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			if m.Role == agui.RoleActivity {
				activities = append(activities, canonical(t, raw))
			} else {
				messages = append(messages, canonical(t, raw))
			}
		}
		return left(messages, activities, canonical(t, c.WantState)), folded(t, c.Messages, c.State, c.Events)
	})
}

// left is what a stream leaves, as text. Activities are apart: they are no part of
// what a run is sent.
func left(messages, activities []string, state string) string {
	return strings.Join(slices.Concat(messages, activities, []string{"state " + state}), "\n")
}

// folded is what a stream leaves in a conversation that begins with these messages
// and this state. Many streams of the suite are pieces of a run: a run is begun for
// those that do not begin one.
func folded(t *testing.T, messages []agui.Message, state json.RawMessage, events []json.RawMessage) string {
	c := conversation.New()
	for _, m := range messages {
		c.AddMessage(m)
	}
	if state != nil {
		c.Apply(&agui.RunStarted{})
		c.Apply(&agui.StateSnapshot{Snapshot: state})
		c.Apply(&agui.RunFinished{})
	}
	for i, raw := range events {
		ev, err := agui.Decode(raw)
		if err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		if _, begins := ev.(*agui.RunStarted); i == 0 && !begins {
			c.Apply(&agui.RunStarted{})
		}
		c.Apply(ev)
	}
	var history []string
	for _, m := range c.History() {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, canonical(t, text))
	}
	return left(history, activities(t, c.Entries(), ""), canonical(t, c.State()))
}

// activities are those of a timeline, at any depth; tag names the subagent whose
// timeline it is.
func activities(t *testing.T, entries []*conversation.Entry, tag string) []string {
	var out []string
	for _, e := range entries {
		if e.Subagent != nil {
			out = append(out, activities(t, e.Subagent.Entries, e.Subagent.RunID)...)
		}
		if m := e.Message; m != nil && m.Role == agui.RoleActivity {
			text, err := json.Marshal(agui.Message{
				ID: m.ID, Role: m.Role, ActivityType: m.ActivityType, SubagentRunID: tag, Metadata: m.Metadata,
				Content: agui.Content{Raw: m.Content()},
			})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, canonical(t, text))
		}
	}
	return out
}
