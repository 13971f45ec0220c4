package conversation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cairn/agentclient/conversation"
)

func entriesText(entries []*conversation.Entry) string {
	var b strings.Builder
	writeEntries(&b, entries, "")
	return b.String()
}

// After every captured event a snapshot shows what the conversation does, and
// every earlier one what it showed.
func TestSnapshotOfCaptures(t *testing.T) {
	for _, path := range captures(t) {
		events := events(t, path)
		every := 1 + len(events)/60
		c := conversation.New()
		var kept []*conversation.Snapshot
		var want []string
		for i, ev := range events {
			c.Apply(ev)
			if i%every != 0 {
				continue
			}
			s := c.Snapshot()
			live := entriesText(c.Entries())
			if got := entriesText(s.Entries); got != live {
				t.Fatalf("%s, event %d: snapshot\n%s\nconversation\n%s", path, i+1, got, live)
			}
			kept, want = append(kept, s), append(want, live+string(s.State))
		}
		for i, s := range kept {
			if got := entriesText(s.Entries) + string(s.State); got != want[i] {
				t.Fatalf("%s: snapshot %d became\n%s\nfrom\n%s", path, i, got, want[i])
			}
		}
	}
}

// Unchanged entries are shared, changed ones are copied, also inside subagents.
func TestSnapshotShares(t *testing.T) {
	c := conversation.New()
	apply(t, c, started+textOf("m", "one")+`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"a"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"q","name":"b","parentSubagentRunId":"s"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"q","delta":"x"}`)
	before := c.Snapshot()
	apply(t, c, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"q","delta":"y"}`)
	middle := c.Snapshot()
	apply(t, c, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"o","subagentRunId":"q","delta":"z"}`)
	after := c.Snapshot()
	if before.Entries[0] != after.Entries[0] {
		t.Error("an entry that did not change was copied again")
	}
	const page = "#1 assistant complete \"one\"\n#2 subagent \"a\" running for \"\"\n  #3 subagent \"b\" running for \"\"\n    #4 assistant "
	for i, want := range []string{page + "streaming \"x\"\n", page + "streaming \"xy\"\n", page + "complete \"xy\"\n    #5 assistant streaming \"z\"\n"} {
		got := entriesText([]*conversation.Snapshot{before, middle, after}[i].Entries)
		if got = strings.ReplaceAll(got, `"a" pending`, `"a" running`); got != want {
			t.Errorf("snapshot %d:\n%swant:\n%s", i, got, want)
		}
	}
}

// A snapshot after every delta costs the same whatever text there is.
func TestSnapshotCost(t *testing.T) {
	cost := func(size int) float64 {
		c := conversation.New()
		apply(t, c, started+`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"`+strings.Repeat("x", size)+`"}
			{"type":"TEXT_MESSAGE_START","messageId":"m"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`+strings.Repeat("x", size)+`"}`)
		return testing.AllocsPerRun(100, func() {
			c.Apply(content("m"))
			_ = c.Snapshot()
		})
	}
	if small, large := cost(10), cost(1<<20); large > small+1 || large > 8 {
		t.Errorf("%v allocations, %v in a long message", small, large)
	}
}

// A snapshot keeps what an activity was; readers may look while patches go on.
func TestSnapshotOfAnActivity(t *testing.T) {
	c := conversation.New()
	apply(t, c, started+`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"t","content":{"n":0,"l":[]}}`)
	var readers sync.WaitGroup
	for i := range 20 {
		apply(t, c, fmt.Sprintf(`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"t","patch":[{"op":"replace","path":"/n","value":%d},{"op":"add","path":"/l/-","value":%d}]}`, i, i))
		s := c.Snapshot()
		readers.Go(func() {
			var got struct {
				N int
				L []int
			}
			if err := json.Unmarshal(s.Entries[0].Message.Content(), &got); err != nil || got.N != i || len(got.L) != i+1 {
				t.Errorf("snapshot %d: %s, %v", i, s.Entries[0].Message.Content(), err)
			}
		})
	}
	readers.Wait()
	// One that becomes another message has its content no more.
	apply(t, c, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"hi"}]}`)
	if m := c.Entries()[0].Message; m.Content() != nil || m.Text() != "hi" {
		t.Errorf("%q %s", m.Text(), m.Content())
	}
}
