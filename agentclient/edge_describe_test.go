package agentclient_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
)

func kindAndFrame(e *agentclient.Error) string {
	out := string(e.Kind)
	if e.Status != 0 && e.Status != 200 {
		out += fmt.Sprintf(" %d", e.Status)
	}
	if e.Rule != "" {
		out += " " + e.Rule
	}
	if e.Frame != 0 {
		out += fmt.Sprintf(" at frame %d", e.Frame)
	}
	if e.Kind != agentclient.KindViolation && e.Excerpt != "" {
		out += fmt.Sprintf(" %q", e.Excerpt)
	}
	return out
}

// describe writes a conversation as text.
func describe(c *conversation.Conversation) string {
	var b strings.Builder
	run := c.Run()
	fmt.Fprintf(&b, "run %s", run.Status)
	if run.Error.Message != "" {
		fmt.Fprintf(&b, ": %s %s", run.Error.Message, run.Error.Code)
	}
	b.WriteString("\n")
	describeEntries(&b, c.Entries(), "")
	if s := string(c.State()); s != "{}" {
		fmt.Fprintf(&b, "state %s\n", s)
	}
	if c.Diverged() {
		b.WriteString("state diverged\n")
	}
	for _, n := range c.Notes() {
		fmt.Fprintf(&b, "note %d %s: %s\n", n.Seq, n.Rule, n.Text)
	}
	return b.String()
}

func describeEntries(b *strings.Builder, entries []*conversation.Entry, indent string) {
	for _, e := range entries {
		b.WriteString(indent)
		switch {
		case e.Message != nil:
			m := e.Message
			text, _ := json.Marshal(m.Text())
			fmt.Fprintf(b, "%s %s %s", m.Role, m.Status, text)
			if m.Content() != nil {
				fmt.Fprintf(b, " %s %s", m.ActivityType, m.Content())
			}
		case e.ToolCall != nil:
			tc := e.ToolCall
			fmt.Fprintf(b, "tool %s %s %q", tc.Name, tc.Status, tc.Args())
			if tc.HasResult {
				fmt.Fprintf(b, " result %q", tc.Result)
			}
		case e.Subagent != nil:
			fmt.Fprintf(b, "subagent %q %s %s", e.Subagent.Name, e.Subagent.Status, e.Subagent.Error)
		}
		b.WriteString("\n")
		if e.Subagent != nil {
			describeEntries(b, e.Subagent.Entries, indent+"  ")
		}
	}
}
