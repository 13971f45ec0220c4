package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agui"
)

// TestTokensAreCounted: at the end of a run, and at a pause where the recorded
// runtime counts there too.
func TestTokensAreCounted(t *testing.T) {
	usage := &agui.TokenUsage{InputTokens: 7, OutputTokens: 4, TotalTokens: 11}
	for name, tc := range map[string]struct {
		d      Dialect
		member string
		pauses bool
	}{
		"protocol":         {d: Protocol{}, member: `"inputTokens":7`, pauses: true},
		"mastra":           {d: Mastra{}, member: `"inputTokens":7`},
		"strands":          {d: Strands{}, member: `"inputTokens":7`, pauses: true},
		"maf":              {d: AgentFramework{}, member: `"input_token_count":7`, pauses: true},
		"langgraph":        {d: LangGraph{}, member: `"inputTokens":7`, pauses: true},
		"langgraph-native": {d: LangGraph{Native: true}, member: `"inputTokens":7`, pauses: true},
	} {
		counts := func(end func(EventWriter) []agui.Event) bool {
			v := tc.d.NewWriter(Run{ThreadID: "t", RunID: "r", NewID: func() string { return "m" }})
			v.Suspended(Suspension{Call: Call{"c", "n", json.RawMessage("{}")}, Payload: json.RawMessage("1")})
			return strings.Contains(strings.Join(told(t, end(v)), ""), tc.member)
		}
		if !counts(func(v EventWriter) []agui.Event { return v.Finished(usage) }) {
			t.Errorf("%s: not at the end", name)
		}
		if got := counts(func(v EventWriter) []agui.Event { return v.Interrupted(usage) }); got != tc.pauses {
			t.Errorf("%s: at a pause %v, want %v", name, got, tc.pauses)
		}
	}
}
