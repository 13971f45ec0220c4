package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Names are exact at every depth: a variant in other letters is another member,
// and neither takes the place of the right one nor hides it.
func TestNamesAreExact(t *testing.T) {
	inputs := append([]string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"tools":[{"name":"n","description":"d"}],"context":[{"description":"d","value":"v"}],"forwardedProps":{},"resume":[{"interruptId":"i","status":"resolved"}]}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","message":"m","metadata":{"a":1}}]},"usage":[{"inputTokens":1}]}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"a"}}]}]}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"a","content":{},"replace":false}`,
	}, flatEvents...)
	for _, in := range inputs {
		want, err := Decode([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range []func(string) string{strings.ToUpper, func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }} {
			dressed := addVariants([]byte(in), variant)
			got, err := Decode(dressed)
			if err != nil {
				t.Fatalf("%s: %v", dressed, err)
			}
			if f, ok := got.(*RunFinished); ok && f.Outcome != nil {
				for i := range f.Outcome.Interrupts {
					f.Outcome.Interrupts[i].Extra = nil
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", dressed, got, want)
			}
		}
	}
	for _, in := range []string{`{"Type":"TEXT_MESSAGE_END","messageId":"m"}`, `{"TYPE":"RAW"}`} {
		if ev, err := Decode([]byte(in)); !errors.Is(err, ErrNotEvent) {
			t.Errorf("%s: %+v, %v", in, ev, err)
		}
	}
	var in RunAgentInput
	if err := json.Unmarshal([]byte(`{"threadId":"t","ThreadID":"x","messages":[{"id":"m","ID":"x","ROLE":"x"}],"Resume":[{}]}`), &in); err != nil {
		t.Fatal(err)
	}
	if in.ThreadID != "t" || in.Messages[0].ID != "m" || in.Messages[0].Role != "" || in.Resume != nil {
		t.Errorf("%+v", in)
	}
	parts, left := Content{Raw: json.RawMessage(`[{"type":"text","text":"a","TEXT":7},{"type":"text","Text":"a"},{"type":"image","source":{"Type":"url","value":"x"}}]`)}.Parts()
	if len(parts) != 1 || parts[0].Text != "a" || len(left) != 2 {
		t.Errorf("%+v, %v", parts, left)
	}
	if err := validatePatch("delta", json.RawMessage(`[{"op":"remove","path":"/a","Op":"x","PATH":7}]`), false); err != nil {
		t.Error(err)
	}
	if err := validatePatch("delta", json.RawMessage(`[{"Op":"remove","path":"/a"}]`), false); err == nil {
		t.Error("Op was taken for op")
	}
}

// addVariants puts beside each member of described objects, before and after it,
// one of a name in other letters that no member could hold.
func addVariants(raw []byte, variant func(string) string) []byte {
	var out bytes.Buffer
	s := scanner{b: raw, deepest: maxDepth}
	var value func(bool)
	value = func(opaque bool) {
		switch c := s.peek(); {
		case c == '{' && !opaque:
			out.WriteByte('{')
			first := true
			for more := s.enter('{', '}'); more; more = s.next('}') {
				name := string(s.key())
				if !first {
					out.WriteByte(',')
				}
				first = false
				other := `"` + variant(name) + `":[[7]],`
				out.WriteString(other + `"` + name + `":`)
				value(name == "metadata" || name == "rawEvent" || name == "content" || name == "snapshot" || name == "delta" ||
					name == "event" || name == "value" || name == "forwardedProps")
				out.WriteString(`,` + strings.TrimSuffix(other, ","))
			}
			out.WriteByte('}')
		case c == '[' && !opaque:
			out.WriteByte('[')
			first := true
			for more := s.enter('[', ']'); more; more = s.next(']') {
				if !first {
					out.WriteByte(',')
				}
				first = false
				value(false)
			}
			out.WriteByte(']')
		default:
			start := s.i
			s.value(0)
			out.Write(raw[start:s.i])
		}
	}
	value(false)
	return out.Bytes()
}

// Errors speak of the protocol: event, member, JSON types, and no more of what
// came than the beginning of a number.
func TestErrorsSpeakOfTheProtocol(t *testing.T) {
	long := strings.Repeat("7", 1000)
	for _, tt := range []struct{ in, want string }{
		{`{"type":"TEXT_MESSAGE_END","messageId":1}`, "TEXT_MESSAGE_END: messageId: want a string, found the number 1"},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":` + long + `}`, "TEXT_MESSAGE_CONTENT: delta: want a string, found the number " + long[:24] + "…"},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{"secret":"x"}}`, "TEXT_MESSAGE_CONTENT: delta: want a string, found an object"},
		{`{"type":"TEXT_MESSAGE_CHUNK","role":true}`, "TEXT_MESSAGE_CHUNK: role: want a string, found a boolean"},
		{`{"type":"RUN_ERROR","message":["x"],"timestamp":1.5}`, "RUN_ERROR: message: want a string, found an array"},
		{`{"type":"RUN_ERROR","message":"x","timestamp":"now"}`, "RUN_ERROR: timestamp: want an integer, found a string"},
		{`{"type":"RUN_ERROR","message":"x","timestamp":1e300}`, "RUN_ERROR: timestamp: want an integer, found the number 1e300"},
		{`{"type":"RUN_ERROR","message":"x","metadata":[]}`, "RUN_ERROR: metadata: want an object, found an array"},
		{`{"type":"RUN_ERROR","message":"x","usage":[{},{"inputTokens":1.5}]}`, "RUN_ERROR: usage[1].inputTokens: want an integer, found the number 1.5"},
		{`{"type":"RUN_FINISHED","outcome":"success"}`, "RUN_FINISHED: outcome: want an object, found a string"},
		{`{"type":"RUN_FINISHED","outcome":{"interrupts":[{"interruptId":{}}]}}`, "RUN_FINISHED: outcome.interrupts[0].interruptId: want a string, found an object"},
		{`{"type":"MESSAGES_SNAPSHOT","messages":{}}`, "MESSAGES_SNAPSHOT: messages: want an array, found an object"},
		{`{"type":"RUN_STARTED","input":{"tools":["` + long + `"]}}`, "RUN_STARTED: input.tools[0]: want an object, found a string"},
		{`{"type":"RUN_STARTED","input":{"tools":[{"name":7}]}}`, "RUN_STARTED: input.tools[0].name: want a string, found the number 7"},
		{`{"type":"ACTIVITY_SNAPSHOT","replace":"yes"}`, "ACTIVITY_SNAPSHOT: replace: want true or false, found a string"},
		{`{"type":"SUBAGENT_FINISHED","outcome":{"interruptIds":[{}]}}`, "SUBAGENT_FINISHED: outcome.interruptIds[0]: want a string, found an object"},
		{`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":7}`, "THINKING_TEXT_MESSAGE_CONTENT: delta: want a string, found the number 7"},
		{`{"type":7}`, "not an AG-UI event: type: want a string, found the number 7"},
		{`["` + long + `"]`, "not an AG-UI event: want an object, found an array"},
		{`{"type":"RAW","type":null}`, "not an AG-UI event: no type"},
		{`{"type":"` + long, "not an AG-UI event: unexpected end of JSON input"},
	} {
		var d Decoder
		_, err := d.Decode([]byte(tt.in))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.80s:\ngot  %v\nwant %s", tt.in, err, tt.want)
		}
		var wrong *MemberError
		if !strings.Contains(tt.want, "JSON") && !strings.Contains(tt.want, "no type") && !errors.As(err, &wrong) {
			t.Errorf("%.80s: %T", tt.in, err)
		}
	}
	if _, left := (Content{Raw: json.RawMessage(`[{"type":"image","source":{"type":"url","value":7}}]`)}).Parts(); len(left) != 1 ||
		left[0].String() != "[0]: source.value: want a string, found the number 7; left out" {
		t.Errorf("%v", left)
	}
	var in RunAgentInput
	if err := json.Unmarshal([]byte(`{"messages":[{"id":7}]}`), &in); err == nil || err.Error() != "messages[0].id: want a string, found the number 7" {
		t.Error(err)
	}
}

// The last of two members of one name counts, wholly, as in every other client.
func TestTheLastMemberCounts(t *testing.T) {
	ev, err := Decode([]byte(`{"type":"RUN_FINISHED","threadId":"a","threadId":null,"outcome":{"type":"success","pendingToolCallIds":["c"]},"outcome":{"type":"cancelled"},"metadata":{"a":1},"metadata":{"b":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	f := ev.(*RunFinished)
	if f.ThreadID != "" || f.Outcome.Type != OutcomeCancelled || f.Outcome.PendingToolCallIDs != nil || len(f.Metadata) != 1 || f.Metadata["b"] == nil {
		t.Errorf("%+v %+v", f, f.Outcome)
	}
	ev, err = Decode([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","toolCalls":[{"id":"c","function":{"name":"a","arguments":"{}"},"function":{"name":"b"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if call := ev.(*MessagesSnapshot).Messages[0].ToolCalls[0]; call.Function != (Function{Name: "b"}) {
		t.Errorf("%+v", call)
	}
	in := RunAgentInput{ThreadID: "old", RunID: "old"}
	if err := json.Unmarshal([]byte(`{"threadId":"new"}`), &in); err != nil || in.ThreadID != "new" || in.RunID != "" {
		t.Errorf("%+v, %v", in, err)
	}
}

// TestElementsAreBounded: a few megabytes of empty elements must not become
// gigabytes of structs.
func TestElementsAreBounded(t *testing.T) {
	many := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	message := `{"type":"MESSAGES_SNAPSHOT","messages":[` + many(`{}`, 3) + `,{"toolCalls":[` + many(`{}`, maxElements-4)
	for in, want := range map[string]string{
		message + `]}]}`:    "",
		message + `,{}]}]}`: "MESSAGES_SNAPSHOT: messages[3].toolCalls: want at most 100000 elements in all, found more",
		`{"type":"RUN_FINISHED","outcome":{"type":"interrupt","interrupts":[` + many(`null`, maxElements+1) + `]}}`: "RUN_FINISHED: outcome.interrupts: want at most 100000 elements in all, found more",
		`{"type":"RAW","event":[` + many(`0`, maxElements+1) + `]}`:                                                 "",
	} {
		switch _, err := Decode([]byte(in)); {
		case err == nil && want != "", err != nil && err.Error() != want:
			t.Errorf("%.60s: %v, want %q", in, err, want)
		}
	}
	content := Content{Raw: json.RawMessage(`[` + many(`{}`, maxElements+1) + `]`)}
	if parts, left := content.Parts(); len(parts) != 0 || len(left) != 1 || left[0].String() != "want at most 100000 elements in all, found more; left out" {
		t.Errorf("%d parts, %v", len(parts), left)
	}
}

// Null is a value where any JSON may stand, and nothing is missing there.
func TestNullIsNotMissing(t *testing.T) {
	var d Decoder
	for _, in := range []string{`{"type":"STATE_SNAPSHOT","snapshot":null,"x":1}`, `{"type":"RAW","event":null,"x":1}`} {
		if _, err := d.Decode([]byte(in)); err != nil || len(d.Diagnostics()) != 1 {
			t.Errorf("%s: %v, %v", in, d.Diagnostics(), err)
		}
	}
}
