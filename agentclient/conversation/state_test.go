package conversation_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

func delta(ops string) string {
	return `{"type":"STATE_DELTA","delta":` + ops + `}` + "\n"
}

// TestStateDelta applies one patch to one state. want "" is a patch that fails:
// the state stays and Diverged is set.
func TestStateDelta(t *testing.T) {
	tests := []struct{ name, state, patch, want, notes string }{
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`, ""},
		{"replace a member", `{"a":1,"b":2}`, `[{"op":"replace","path":"/a","value":{"x":null}}]`, `{"a":{"x":null},"b":2}`, ""},
		{"remove a member", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`, ""},
		{"deep", `{"p":{"items":[{"n":"tent"}]}}`, `[{"op":"add","path":"/p/items/-","value":{"n":"lantern"}},{"op":"replace","path":"/p/items/0/n","value":"hut"}]`, `{"p":{"items":[{"n":"hut"},{"n":"lantern"}]}}`, ""},
		{"move between members", `{"a":{"x":1},"b":{}}`, `[{"op":"move","from":"/a/x","path":"/b/y"}]`, `{"a":{},"b":{"y":1}}`, ""},
		{"copy a member", `{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/0","value":0}]`, `{"a":[1],"b":[0,1]}`, ""},
		{"test passes", `{"a":1}`, `[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`, ""},
		{"escaped names", `{"a/b":1,"m~n":1}`, `[{"op":"replace","path":"/a~1b","value":2},{"op":"replace","path":"/m~0n","value":3}]`, `{"a/b":2,"m~n":3}`, ""},
		{"null value", `{"a":1}`, `[{"op":"replace","path":"/a","value":null}]`, `{"a":null}`, ""},
		{"add at the end of an array", `{"a":[1]}`, `[{"op":"add","path":"/a/1","value":2}]`, `{"a":[1,2]}`, ""},
		{"replace the whole", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`, ""},
		{"remove the whole", `{"a":1}`, `[{"op":"remove","path":""}]`, `null`, ""},
		{"an array at the root", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`, ""},
		{"nothing", `{"a":1}`, `[]`, `{"a":1}`, ""},
		{"markup is left as it is", `{}`, `[{"op":"add","path":"/a","value":"<b>&"}]`, `{"a":"<b>&"}`, ""},
		{"unknown operation is left out", `{"a":1}`, `[{"op":"increment","path":"/a"},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`, "1.6"},

		{"all or nothing", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/x"}]`, "", "6.5"},
		{"missing member", `{"a":1}`, `[{"op":"replace","path":"/x","value":2}]`, "", "6.5"},
		{"missing parent", `{"a":1}`, `[{"op":"add","path":"/x/y","value":2}]`, "", "6.5"},
		{"index past the end", `{"a":[1]}`, `[{"op":"add","path":"/a/3","value":2}]`, "", "6.5"},
		{"negative index", `{"a":[1]}`, `[{"op":"remove","path":"/a/-1"}]`, "", "6.5"},
		{"failed test", `{"a":1}`, `[{"op":"test","path":"/a","value":2}]`, "", "6.5"},
		{"null state", `null`, `[{"op":"add","path":"/a","value":2}]`, "", "6.5"},
		{"through a null", `{"a":null}`, `[{"op":"add","path":"/a/b","value":2}]`, "", "6.5"},
		{"through a string", `{"a":"x"}`, `[{"op":"add","path":"/a/b","value":2}]`, "", "6.5"},
		{"into itself", `{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, "", "6.5"},
		{"no slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, "", "6.5"},
		{"bare tilde", `{"a~":1}`, `[{"op":"remove","path":"/a~"}]`, "", "6.5"},
		{"empty name", `{"a":{"":1}}`, `[{"op":"move","from":"/a/","path":"/a/x"}]`, "", "6.5"},
		{"no value", `{"a":1}`, `[{"op":"add","path":"/b"}]`, "", "6.5"},
		{"no path", `{"a":1}`, `[{"op":"remove"}]`, "", "6.5"},
		{"no from", `{"a":1}`, `[{"op":"copy","path":"/b"}]`, "", "6.5"},
		{"copying without end", `{"a":"` + strings.Repeat("x", 1<<10) + `","b":[]}`, `[` + strings.Repeat(`{"op":"add","path":"/b/-","value":0},{"op":"copy","from":"/b","path":"/b/-"},{"op":"copy","from":"/b","path":"/b/-"},`, 40) + `{"op":"test","path":"/a","value":0}]`, "", "6.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation.New()
			apply(t, c, started+state(tt.state)+delta(tt.patch))
			want, diverged := tt.want, false
			if want == "" {
				want, diverged = tt.state, true
			}
			if got := string(c.State()); got != want || c.Diverged() != diverged {
				t.Errorf("state %s, diverged %v; want %s, %v", got, c.Diverged(), want, diverged)
			}
			check(t, c, "", tt.notes)
		})
	}
}

func TestStateIsATransaction(t *testing.T) {
	c := conversation.New()
	want := func(when, live, committed string, diverged bool) {
		t.Helper()
		if string(c.State()) != live || string(c.Committed()) != committed || c.Diverged() != diverged {
			t.Errorf("%s: %s, %s, %v; want %s, %s, %v", when, c.State(), c.Committed(), c.Diverged(), live, committed, diverged)
		}
	}
	want("new", `{}`, `{}`, false)
	apply(t, c, started+state(`{"a":1}`))
	want("in the run", `{"a":1}`, `{}`, false)
	apply(t, c, finished)
	want("finished", `{"a":1}`, `{"a":1}`, false)
	apply(t, c, started+delta(`[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b","value":3}]`))
	want("patched", `{"a":2,"b":3}`, `{"a":1}`, false)
	apply(t, c, delta(`[{"op":"remove","path":"/x"}]`))
	want("failed patch", `{"a":2,"b":3}`, `{"a":1}`, true)
	apply(t, c, delta(`[{"op":"remove","path":"/b"}]`))
	want("later patch", `{"a":2}`, `{"a":1}`, true)
	apply(t, c, `{"type":"RUN_ERROR","message":"x"}`)
	want("failed run", `{"a":1}`, `{"a":1}`, false)
	apply(t, c, started+state(`{"a":5}`)+`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}}`)
	want("interrupted", `{"a":5}`, `{"a":5}`, false)
	apply(t, c, "!begin r\n"+state(`null`)+"!end truncated")
	want("truncated", `{"a":5}`, `{"a":5}`, false)
}

// TestPatchThatCannotBeComparedFails: json-patch 5.9.11 panics on these.
func TestPatchThatCannotBeComparedFails(t *testing.T) {
	for _, state := range []string{`{"a":[1]}`, `{"a":[null]}`, `{"a":[[null]]}`} {
		c := conversation.New()
		c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(state)})
		c.Apply(&agui.StateDelta{Delta: json.RawMessage(`[{"op":"test","path":"/a","value":[null]}]`)})
		if got := string(c.State()); got != state {
			t.Errorf("%s became %s", state, got)
		}
		if state == `{"a":[1]}` && !c.Diverged() {
			t.Errorf("%s: a failed test did not diverge", state)
		}
	}
}

// TestCopiesAreBounded: a few bytes of patch must not make gigabytes of state.
func TestCopiesAreBounded(t *testing.T) {
	c := conversation.New()
	big, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 1<<19)})
	c.Apply(&agui.StateSnapshot{Snapshot: big})
	for i := range 200 {
		c.Apply(&agui.StateDelta{Delta: json.RawMessage(fmt.Sprintf(`[{"op":"copy","from":"/a","path":"/b%d"}]`, i))})
	}
	if size := len(c.State()); size > 20<<20 || !c.Diverged() {
		t.Fatalf("%d bytes of state, diverged %t", size, c.Diverged())
	}
	c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(`{"a":1}`)})
	c.Apply(&agui.StateDelta{Delta: json.RawMessage(`[{"op":"copy","from":"/a","path":"/b"}]`)})
	if string(c.State()) != `{"a":1,"b":1}` {
		t.Fatalf("after a snapshot: %s", c.State())
	}
}

// TestIdsKeepNoFrame: what a message keeps of its events is its text and its id.
func TestIdsKeepNoFrame(t *testing.T) {
	var events agui.Decoder
	events.Owns = true
	c := conversation.New()
	raw := strings.Repeat("x", 50<<10)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 400 {
		for _, e := range []string{
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant","rawEvent":%q}`, i, raw),
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m%d","delta":"hi"}`, i),
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_END","messageId":"m%d"}`, i),
		} {
			ev, err := events.Decode([]byte(e))
			if err != nil {
				t.Fatal(err)
			}
			c.Apply(ev)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 4<<20 {
		t.Fatalf("400 messages of two bytes hold %d bytes", held)
	}
	runtime.KeepAlive(c)
}
