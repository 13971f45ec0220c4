package conversation_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/agui/sse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const transcripts = "../testdata/transcripts/mastra"

// events reads a captured stream.
func events(t testing.TB, path string) []agui.Event {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []agui.Event
	r := sse.NewReader(f, sse.Limits{})
	for {
		frame, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			t.Fatalf("%s frame %d: %v", path, frame.Number, err)
		}
		out = append(out, ev)
	}
}

// input reads the request of a captured stream.
func input(t testing.TB, path string) agui.RunAgentInput {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var request struct{ Body agui.RunAgentInput }
	if err := json.Unmarshal(raw, &request); err != nil {
		t.Fatal(err)
	}
	return request.Body
}

// replay applies captured runs one after the other, as an application would.
func replay(t testing.TB, names ...string) *conversation.Conversation {
	t.Helper()
	c := conversation.New()
	for _, name := range names {
		matches, _ := filepath.Glob(filepath.Join(transcripts, name+"-*.sse"))
		if len(matches) != 1 {
			t.Fatalf("%s: %d captures", name, len(matches))
		}
		in := input(t, strings.TrimSuffix(matches[0], ".sse")+".request.json")
		for _, m := range in.Messages {
			if m.Role == agui.RoleUser {
				c.AddMessage(m)
			}
		}
		c.BeginRun(in.RunID)
		for _, ev := range events(t, matches[0]) {
			c.Apply(ev)
		}
	}
	return c
}

func TestCapturedMastra(t *testing.T) {
	for _, chain := range []string{
		"01-02", "03", "05", "05-06", "10", "10-11", "14-15", "65-66", "11", "73", "75", "76", "77", "80", "84", "89", "91",
	} {
		t.Run(chain, func(t *testing.T) {
			got := summary(replay(t, strings.Split(chain, "-")...))
			golden(t, filepath.Join("testdata", "mastra-"+chain+".golden"), got)
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to accept)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// summary writes a conversation as text, one line per thing.
func summary(c *conversation.Conversation) string {
	var b strings.Builder
	run := c.Run()
	fmt.Fprintf(&b, "run %s", run.Status)
	if run.Error.Message != "" {
		fmt.Fprintf(&b, " error %q", run.Error.Message)
	}
	b.WriteString("\n\n")
	writeEntries(&b, c.Entries(), "")
	fmt.Fprintf(&b, "\nstate %s\ndiverged %v\n", c.State(), c.Diverged())
	b.WriteString("\nhistory\n")
	for _, m := range c.History() {
		raw, err := json.Marshal(m)
		fmt.Fprintf(&b, "%s\n", raw)
		if err != nil {
			fmt.Fprintf(&b, "ERROR %v\n", err)
		}
	}
	for i, n := range c.Notes() {
		if i == 0 {
			b.WriteString("\nnotes\n")
		}
		fmt.Fprintf(&b, "%d %s %s\n", n.Seq, n.Rule, n.Text)
	}
	return b.String()
}

func writeEntries(b *strings.Builder, entries []*conversation.Entry, indent string) {
	for _, e := range entries {
		fmt.Fprintf(b, "%s#%d ", indent, e.Key)
		switch {
		case e.Message != nil:
			m := e.Message
			fmt.Fprintf(b, "%s %s %q", m.Role, m.Status, m.Text())
			if m.Content() != nil {
				fmt.Fprintf(b, " %s %s", m.ActivityType, m.Content())
			}
		case e.ToolCall != nil:
			tc := e.ToolCall
			fmt.Fprintf(b, "tool %q %s args %s", tc.Name, tc.Status, tc.Args())
			if tc.HasResult {
				fmt.Fprintf(b, " result %s", tc.Result)
			}
		case e.Subagent != nil:
			s := e.Subagent
			fmt.Fprintf(b, "subagent %q %s for %q", s.Name, s.Status, s.ToolCallID)
			if s.Error != "" {
				fmt.Fprintf(b, " error %q", s.Error)
			}
		default:
			fmt.Fprintf(b, "marker %v", e.Marker)
		}
		b.WriteString("\n")
		if e.Subagent != nil {
			writeEntries(b, e.Subagent.Entries, indent+"  ")
		}
	}
}
