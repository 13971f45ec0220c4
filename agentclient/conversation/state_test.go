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
		{"empty name", `{"a":{"":1}}`, `[{"op":"move","from":"/a/","path":"/a/x"},{"op":"add","path":"/","value":2}]`, `{"a":{"x":1},"":2}`, ""},
		{"a member goes and comes", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3}]`, `{"b":2,"a":3}`, ""},
		{"move onto itself", `{"a":[1]}`, `[{"op":"move","from":"/a/0","path":"/a/0"}]`, `{"a":[1]}`, ""},
		{"within what came", `{"a":[]}`, `[{"op":"add","path":"/a/-","value":{"n":[]}},{"op":"add","path":"/a/0/n/0","value":1}]`, `{"a":[{"n":[1]}]}`, ""},
		{"a copy is another", `{"a":[[1]]}`, `[{"op":"replace","path":"/a/0/0","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/b/0/0","value":3}]`, `{"a":[[2]],"b":[[3]]}`, ""},
		{"other members of an operation", `{}`, `[{"op":"add","path":"/a","value":1,"note":2}]`, `{"a":1}`, ""},
		{"markup is left as it is", `{}`, `[{"op":"add","path":"/a","value":"<b>&"}]`, `{"a":"<b>&"}`, ""},
		{"unknown operation is left out", `{"a":1}`, `[{"op":"increment","path":"/a"},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`, "1.6"},

		{"all undone", `{"a":{"x":1,"y":2},"l":[1,[2],3]}`, `[{"op":"remove","path":"/a/x"},{"op":"add","path":"/a/z","value":1},{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/0/-","value":1},{"op":"move","from":"/l/0","path":"/a/l"},{"op":"replace","path":"/l/0","value":4},{"op":"replace","path":"","value":[]},{"op":"remove","path":""},{"op":"test","path":"","value":1}]`, "", "6.5"},
		{"names are what they are", `{"a":1}`, `[{"OP":"add","path":"/b","value":1}]`, `{"a":1}`, "1.6"},
		{"a path is what it is", `{"a":1}`, `[{"op":"add","Path":"/b","value":1}]`, "", "6.5"},
		{"a value is what it is", `{"a":1}`, `[{"op":"replace","path":"/a","VALUE":1}]`, "", "6.5"},
		{"nesting without end", `{"a":` + strings.Repeat(`[`, 150) + strings.Repeat(`]`, 150) + `}`, `[{"op":"copy","from":"","path":"/a` + strings.Repeat(`/0`, 149) + `/-"}]`, "", "6.5"},
		{"index with a zero before", `{"a":[1,2]}`, `[{"op":"replace","path":"/a/01","value":3}]`, "", "6.5"},
		{"replace behind the end", `{"a":[1]}`, `[{"op":"replace","path":"/a/-","value":3}]`, "", "6.5"},
		{"an operation that is none", `{"a":1}`, `[1]`, "", "6.5"},
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
		{"into itself, where another item follows", `{"a":[{"b":1},{"c":2}]}`, `[{"op":"move","from":"/a/0","path":"/a/0/d"}]`, "", "6.5"},
		{"a value that nests without end", `{}`, `[{"op":"add","path":"/a","value":` + strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300) + `}]`, "", "6.5"},
		{"a path without end", strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300), `[{"op":"remove","path":"` + strings.Repeat(`/0`, 299) + `"}]`, "", "6.5"},
		{"no slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, "", "6.5"},
		{"bare tilde", `{"a~":1}`, `[{"op":"remove","path":"/a~"}]`, "", "6.5"},
		{"tilde of nothing", `{"a~2":1}`, `[{"op":"remove","path":"/a~2"}]`, "", "6.5"},
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

// TestEachEndKeepsTheState: what a run delivered of the state stays however it ends, and so
// does the doubt about it until the next snapshot.
func TestEachEndKeepsTheState(t *testing.T) {
	c := conversation.New()
	want := func(when, state string, diverged bool) {
		t.Helper()
		if string(c.State()) != state || c.Diverged() != diverged {
			t.Errorf("%s: %s, %v; want %s, %v", when, c.State(), c.Diverged(), state, diverged)
		}
	}
	want("new", `{}`, false)
	apply(t, c, started+state(`{"a":1}`))
	want("in the run", `{"a":1}`, false)
	apply(t, c, finished+started+delta(`[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b","value":3}]`))
	want("patched", `{"a":2,"b":3}`, false)
	apply(t, c, delta(`[{"op":"remove","path":"/x"}]`))
	want("failed patch", `{"a":2,"b":3}`, true)
	apply(t, c, delta(`[{"op":"remove","path":"/b"}]`))
	want("later patch", `{"a":2}`, true)
	apply(t, c, `{"type":"RUN_ERROR","message":"x"}`)
	want("failed run", `{"a":2}`, true)
	apply(t, c, started+state(`{"a":5}`)+`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}}`)
	want("interrupted", `{"a":5}`, false)
	for i, end := range []string{"!end truncated", "!end stopped", "!end failed", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`, started} {
		now := fmt.Sprintf(`{"a":%d}`, 10+i)
		apply(t, c, "!begin r\n"+started+state(now)+end)
		want(end, now, false)
	}
}

// TestStateTest compares a member with a value as RFC 6902 section 4.6 has it.
func TestStateTest(t *testing.T) {
	tests := []struct {
		have, want string
		same       bool
	}{
		{`1`, `1`, true}, {`1`, `2`, false}, {`1`, `1.0`, true}, {`100`, `1e2`, true}, {`0.001`, `1E-3`, true}, {`-0`, `0.0`, true},
		{`-1`, `1`, false}, {`10`, `1`, false}, {`1e999999999`, `10e999999998`, true}, {`1e99999999999`, `1e99999999998`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`1`, `"1"`, false}, {`"1"`, `1`, false},
		{`"a"`, `"\u0061"`, true}, {`"a"`, `"b"`, false}, {`"\ud83c\udfd5"`, `"🏕"`, true}, {`""`, `null`, false},
		{`null`, `null`, true}, {`null`, `false`, false}, {`true`, `true`, true}, {`true`, `false`, false},
		// json-patch 5.9.11 panics on these.
		{`[1]`, `[null]`, false}, {`[null]`, `[null]`, true}, {`[[null]]`, `[null]`, false}, {`[null]`, `[1]`, false}, {`[[null, 1]]`, `[[null,1.0]]`, true},
		{`[1,2]`, `[2,1]`, false}, {`[1,2]`, `[1]`, false}, {`[]`, `{}`, false}, {`[]`, `null`, false}, {`{}`, `{ }`, true},
		{`{"a":1,"b":[{}]}`, `{"b":[ {} ],"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false}, {`{"a":null}`, `{"b":null}`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false}, {`{"a":1,"a":2}`, `{"a":2}`, true}, {`{"A":1}`, `{"a":1}`, false},
	}
	for _, tt := range tests {
		for _, apart := range []bool{false, true} {
			c := conversation.New()
			apply(t, c, started+state(`{"a":`+tt.have+`}`))
			if apart && tt.have[0] == '[' {
				apply(t, c, delta(`[{"op":"add","path":"/a/0","value":7},{"op":"remove","path":"/a/0"}]`))
			}
			apply(t, c, delta(`[{"op":"test","path":"/a","value":`+tt.want+`}]`))
			if c.Diverged() == tt.same {
				t.Errorf("%s and %s: same is %v", tt.have, tt.want, !tt.same)
			}
		}
	}
	c := conversation.New()
	apply(t, c, started+state(`{"a":1}`)+delta(`[{"op":"test","path":"/b","value":null}]`))
	if !c.Diverged() {
		t.Error("a member that is not there is null")
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

// TestActivityCopiesAreBounded: of all activities together.
func TestActivityCopiesAreBounded(t *testing.T) {
	c := conversation.New()
	big, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 1<<19)})
	for a := range 5 {
		id := fmt.Sprint(a)
		c.Apply(&agui.ActivitySnapshot{MessageID: id, ActivityType: "t", Content: big})
		for i := range 20 {
			c.Apply(&agui.ActivityDelta{MessageID: id, ActivityType: "t", Patch: json.RawMessage(fmt.Sprintf(`[{"op":"copy","from":"/a","path":"/b%d"}]`, i))})
		}
	}
	size := 0
	for _, e := range c.Entries() {
		size += len(e.Message.Content())
	}
	if size > 20<<20 {
		t.Errorf("%d bytes of activities", size)
	}
	// Removed activities make room: by a snapshot of the activity, or of the messages.
	c.Apply(&agui.ActivitySnapshot{MessageID: "0", ActivityType: "t", Content: json.RawMessage(`{"a":1}`)})
	c.Apply(&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "0", Role: agui.RoleActivity, ActivityType: "t", Content: agui.Content{Raw: big}}}})
	before := c.NoteCount()
	for i := range 20 {
		c.Apply(&agui.ActivityDelta{MessageID: "0", ActivityType: "t", Patch: json.RawMessage(fmt.Sprintf(`[{"op":"copy","from":"/a","path":"/b%d"}]`, i))})
	}
	if c.NoteCount() != before {
		t.Errorf("no room: %v", c.Notes()[before:])
	}
}

// TestNothingKeepsItsFrame: what a message keeps of its events is its text and its id,
// a call its result.
func TestNothingKeepsItsFrame(t *testing.T) {
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
			fmt.Sprintf(`{"type":"TOOL_CALL_RESULT","messageId":"r%d","toolCallId":"c%d","content":"ok","rawEvent":%q}`, i, i, raw),
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
