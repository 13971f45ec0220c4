package agui

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Some producers document an interrupt that is named and filled as an answer is.
func TestInterruptOfTheOlderShape(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"older", `{"interruptId":"i1","value":{"a":1}}`, `{"id":"i1","reason":"","metadata":{"value":{"a":1}}}`},
		{"older, without a value", `{"interruptId":"i1","value":null,"reason":"r"}`, `{"id":"i1","reason":"r"}`},
		{"the protocol's", `{"id":"i1","reason":"r","metadata":{"a":1}}`, `{"id":"i1","reason":"r","metadata":{"a":1}}`},
		{"both ids", `{"id":"i1","interruptId":"i2"}`, `{"id":"i1","reason":""}`},
		{"a value of its own beside the older one", `{"id":"i1","value":2,"metadata":{"value":1}}`, `{"id":"i1","reason":"","metadata":{"value":1}}`},
		{"null", `null`, `{"id":"","reason":""}`},
	} {
		var it Interrupt
		if err := json.Unmarshal([]byte(tc.in), &it); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
	for _, bad := range []string{`{"id":7}`, `{"id":"i","interruptId":{}}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), new(Interrupt)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// Members beside the standard ones are kept as they came, told, and not written.
func TestInterruptKeepsWhatItDoesNotKnow(t *testing.T) {
	in := `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[` +
		`{"id":"i","reason":"r","value":[1, 2],"interruptId":"j","metadata":{"value":0},"ID":7,"request\u0049nfo":{"a":null}},{"id":"k","reason":"r"}]}}`
	var d Decoder
	raw := []byte(in)
	ev, err := d.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw) // nothing is shared
	interrupts := ev.(*RunFinished).Outcome.Interrupts
	want := map[string]string{"value": "[1, 2]", "interruptId": `"j"`, "ID": "7", "requestInfo": `{"a":null}`}
	for name, value := range want {
		if got := string(interrupts[0].Extra[name]); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	if len(interrupts[0].Extra) != len(want) || interrupts[1].Extra != nil {
		t.Errorf("%q, %q", interrupts[0].Extra, interrupts[1].Extra)
	}
	var told []string
	for _, diag := range d.Diagnostics() {
		told = append(told, diag.String())
	}
	wantTold := []string{`outcome.interrupts[0]: unknown member "ID"; kept`, `outcome.interrupts[0]: unknown member "requestInfo"; kept`}
	if !slices.Equal(told, wantTold) {
		t.Errorf("told %q", told)
	}
	out, err := Encode(ev)
	if err != nil || strings.Contains(string(out), "requestInfo") {
		t.Errorf("wrote %s, %v", out, err)
	}
	older := `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"interruptId":"i","reason":"r","value":1}]}}`
	if ev, err = d.Decode([]byte(older)); err != nil || ev.(*RunFinished).Outcome.Interrupts[0].Extra != nil {
		t.Errorf("%+v, %v", ev, err)
	}
	if told := d.Diagnostics(); len(told) != 3 || told[1].String() != "outcome.interrupts[0].interruptId: read as id" ||
		told[2].String() != "outcome.interrupts[0].value: read as metadata.value" {
		t.Errorf("told %q", told)
	}
}
