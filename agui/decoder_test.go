package agui_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cairn/agui"
)

func TestDecoderReadsThinkingAsReasoning(t *testing.T) {
	var d agui.Decoder
	var got []string
	for line := range strings.Lines(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"THINKING_START","title":"Plan","timestamp":5,"metadata":{"a":1},"rawEvent":{"x":1}}
{"type":"THINKING_TEXT_MESSAGE_START"}
{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm \ud83d"}
{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":null}
{"type":"THINKING_TEXT_MESSAGE_END"}
{"type":"THINKING_TEXT_MESSAGE_START"}
{"type":"THINKING_TEXT_MESSAGE_END"}
{"type":"THINKING_END","rawEvent":null}
{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"stray"}
{"type":"RUN_STARTED","threadId":"t","runId":"s"}
{"type":"THINKING_START"}`) {
		ev, err := d.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %v", ev.Head().Type, ev))
	}
	want := []string{
		"RUN_STARTED &{{RUN_STARTED 0  map[] []} t r   <nil>}",
		"REASONING_START &{{REASONING_START 5  map[a:[49]] [123 34 120 34 58 49 125]} thinking:r:1}",
		"REASONING_MESSAGE_START &{{REASONING_MESSAGE_START 0  map[] []} thinking:r:2 reasoning}",
		"REASONING_MESSAGE_CONTENT &{{REASONING_MESSAGE_CONTENT 0  map[] []} thinking:r:2 hm \xed\xa0\xbd}",
		"REASONING_MESSAGE_CONTENT &{{REASONING_MESSAGE_CONTENT 0  map[] []} thinking:r:2 }",
		"REASONING_MESSAGE_END &{{REASONING_MESSAGE_END 0  map[] []} thinking:r:2}",
		"REASONING_MESSAGE_START &{{REASONING_MESSAGE_START 0  map[] []} thinking:r:3 reasoning}",
		"REASONING_MESSAGE_END &{{REASONING_MESSAGE_END 0  map[] []} thinking:r:3}",
		"REASONING_END &{{REASONING_END 0  map[] []} thinking:r:1}",
		"REASONING_MESSAGE_CONTENT &{{REASONING_MESSAGE_CONTENT 0  map[] []} thinking:r:4 stray}",
		"RUN_STARTED &{{RUN_STARTED 0  map[] []} t s   <nil>}",
		"REASONING_START &{{REASONING_START 0  map[] []} thinking:s:1}",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %q\nwant %q", got[i], want[i])
		}
	}
	for _, in := range []string{`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":5}`, `{"type":"THINKING_START","timestamp":"x"}`} {
		if ev, err := d.Decode([]byte(in)); err == nil {
			t.Errorf("%s: %v", in, ev)
		}
	}
	if ev, err := agui.Decode([]byte(`{"type":"THINKING_END"}`)); err != nil || reflect.TypeOf(ev) != reflect.TypeFor[*agui.Unknown]() {
		t.Errorf("without what came before: %v, %v", ev, err)
	}
}

func TestDiagnostics(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":""}`, nil},
		{`{"type":"CUSTOM","name":"x","value":{"any":1},"rawEvent":{"any":1},"metadata":{"any":1}}`, nil},
		{`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":1,"more":1}]}`, nil},
		{`{"type":"TEXT_MESSAGE_END","messageId":"m","name":"n","x\u0041":1}`,
			[]string{`unknown member "name"; ignored`, `unknown member "xA"; ignored`}},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":null}`,
			[]string{"delta: required, but missing", "messageId: required, but missing"}},
		{`{"type":"CUSTOM","name":"x"}`, []string{"value: required, but missing"}},
		{`{"type":"CUSTOM","name":"x","value":null}`, nil},
		{`{"type":"NEW"}`, []string{`type: unknown event "NEW"`}},
		{`{"type":"THINKING_START","title":"x"}`, []string{"title: has no place in REASONING_START; ignored"}},
		{`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"assistant"}`, []string{`role: role "assistant"; read as reasoning`}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused","until":1}}`,
			[]string{`outcome: unknown member "until"; ignored`, `outcome.type: unknown outcome "paused"; kept`}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{}}`,
			[]string{"outcome.type: required, but missing", `outcome.type: unknown outcome ""; kept`}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"x"},{"id":"b","metadata":{"k":1}}]},"usage":[{"model":"m","cost":1}]}`,
			[]string{"outcome.interrupts[1].reason: required, but missing", `usage[0]: unknown member "cost"; ignored`}},
		{`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"x"}}`, []string{`outcome.type: unknown outcome "x"; kept`}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`, []string{"outcome.interrupts: at least one is required"}},
		{`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"tool"}`, []string{`role: no text message has role "tool"; kept`}},
		{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"robot"}`, []string{`role: no text message has role "robot"; kept`}},
		{`{"type":"RUN_ERROR","message":"x","subagentRunId":"s"}`, []string{"subagentRunId: has no place in RUN_ERROR; ignored"}},
		{`{"type":"SUBAGENT_STARTED","name":"x"}`, []string{"subagentRunId: required, but missing"}},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[]}}`, nil},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"robot"}]}}`,
			[]string{`input.messages[0].role: unknown role "robot"; message left out`}},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"user","content":[{"type":"text","text":"x"},{"type":"hologram"},{"type":"image","source":{"type":"smell","value":"x"}}]},{"id":"b"},{"id":"c","role":"assistant","toolCalls":[{"id":"d","function":{"name":"n","arguments":"","x":1}}]}]}`,
			[]string{`messages[1].role: required, but missing`, `messages[2].toolCalls[0].function: unknown member "x"; ignored`,
				`messages[2].toolCalls[0].type: required, but missing`, `messages[0].content[1]: part of unknown type "hologram"; left out`,
				`messages[0].content[2]: source of unknown type "smell"; left out`, `messages[1].role: unknown role ""; message left out`}},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[7,{"id":"a","role":"user","content":"x"},{"id":"b","role":7},"x",{"id":"c","role":"assistant","toolCalls":[null,{"id":{}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}]},{"id":"e","role":"assistant","toolCalls":7}]}`,
			[]string{`messages[0]: want an object, found the number 7; message left out`, `messages[2].role: want a string, found the number 7; message left out`,
				`messages[3]: want an object, found a string; message left out`, `messages[4].toolCalls[0]: null; tool call left out`, `messages[4].toolCalls[1].id: want a string, found an object; tool call left out`,
				`messages[5].toolCalls: want an array, found the number 7; message left out`}},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[[],{"id":"m","role":"user","content":"x"}]}}`,
			[]string{`input.messages[0]: want an object, found an array; message left out`}},
		{`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[7]}`, []string{"content[0]: not a content part; left out"}},
	} {
		var d agui.Decoder
		ev, err := d.Decode([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		var got []string
		for _, diag := range d.Diagnostics() {
			got = append(got, diag.String())
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.in, got, tt.want)
		}
		// The decoder reads what Decode reads.
		if plain, err := agui.Decode([]byte(tt.in)); err != nil || !strings.Contains(tt.in, "THINKING") && !reflect.DeepEqual(plain, ev) {
			t.Errorf("%s: Decode gives %+v, %v; a decoder %+v", tt.in, plain, err, ev)
		}
	}
}

func TestDiagnosticsAreBounded(t *testing.T) {
	in := `{"type":"RUN_ERROR","message":"x"`
	for i := range 1000 {
		in += fmt.Sprintf(`,"%s%d":1`, strings.Repeat("é", 100), i)
	}
	var d agui.Decoder
	if _, err := d.Decode([]byte(in + "}")); err != nil {
		t.Fatal(err)
	}
	found := d.Diagnostics()
	if len(found) != 33 || found[32].String() != "and more" || len(found[0].What) > 120 {
		t.Errorf("%d: %q … %q", len(found), found[0], found[len(found)-1])
	}
	if _, err := d.Decode([]byte(`{"type":"RUN_ERROR","message":"x"}`)); err != nil || len(d.Diagnostics()) != 0 {
		t.Errorf("%v, %v; want none", err, d.Diagnostics())
	}
}

// Readings of protocol sections 8 and 9 that the reference client refuses.
func TestLenientReadings(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":1.7e3}`, `{"type":"TEXT_MESSAGE_END","timestamp":1700,"messageId":"m"}`},
		{`{"type":"RUN_ERROR","message":"x","timestamp":1699.9,"code":null}`, `{"type":"RUN_ERROR","timestamp":1699,"message":"x"}`},
		{`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"assistant"}`, `{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`},
		{`{"type":"RUN_ERROR","message":"x","subagentRunId":"s"}`, `{"type":"RUN_ERROR","message":"x"}`},
		{`{"type":"REASONING_MESSAGE_START","messageId":"m"}`, `{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`},
		{`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":null}`, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"}`},
		{`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","result":null,"outcome":null}`, `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","parentRunId":null,"input":{"threadId":"t","runId":"r","state":null,"messages":[{"id":"m","role":"assistant","content":null,"toolCalls":null,"name":null}],"tools":[{"name":"n","description":"d","parameters":null,"metadata":null}],"context":null,"forwardedProps":null,"resume":[{"interruptId":"i","status":"resolved","payload":null}]}}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"assistant"}],"tools":[{"name":"n","description":"d"}],"context":[],"forwardedProps":{},"resume":[{"interruptId":"i","status":"resolved"}]}}`},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","message":null,"responseSchema":null,"metadata":null}]}}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":""}]}}`},
	} {
		ev, err := agui.Decode([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if out, err := agui.Encode(ev); err != nil || string(out) != tt.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", tt.in, out, err, tt.want)
		}
	}
	ev, err := agui.Decode([]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused"}}`))
	if err != nil || ev.(*agui.RunFinished).Outcome == nil || ev.(*agui.RunFinished).Outcome.Type != "paused" {
		t.Errorf("an unknown outcome reads as %+v, %v", ev, err)
	}
	for _, in := range []string{`{"type":"RUN_ERROR","message":"x","timestamp":1e300}`, `{"type":"RUN_ERROR","message":5,"timestamp":1.5}`, `{"type":"RUN_FINISHED","outcome":"success"}`} {
		if ev, err := agui.Decode([]byte(in)); err == nil {
			t.Errorf("%s: %+v", in, ev)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"type":"THINKING_START"}`), []byte(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"user","content":[{"type":"binary","id":"x"}]},{}]}`))
	f.Add([]byte(`{"type":"RUN_STARTED","runId":"r","input":{"resume":[{"payload":null}]}}`), []byte(`{"type":"RAW","timestamp":1.5,"event":[[]],"more":{"\u0061":[1]}}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var d agui.Decoder
		for _, raw := range [][]byte{first, second} {
			ev, err := d.Decode(raw)
			plain, perr := agui.Decode(raw)
			if u, ok := plain.(*agui.Unknown); ok && strings.HasPrefix(string(u.Type), "THINKING") {
				continue
			}
			if (err == nil) != (perr == nil) || !reflect.DeepEqual(ev, plain) {
				t.Fatalf("%q: a decoder gives %+v, %v; Decode %+v, %v", raw, ev, err, plain, perr)
			}
			for _, diag := range d.Diagnostics() {
				if _, err := json.Marshal(diag); err != nil || diag.String() == "" {
					t.Fatalf("%+v", diag)
				}
			}
		}
	})
}
