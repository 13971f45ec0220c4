package agui

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestMemberNames(t *testing.T) {
	for m, name := range memberNames {
		if memberOf([]byte(name)) != member(m) {
			t.Errorf("%s is not member %d", name, m)
		}
	}
}

// flatEvents hold each event the fast reader is for, as producers write them.
var flatEvents = []string{
	`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","name":"n","timestamp":1700000000000,"metadata":{"a":null}}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a \"b\"\n\u00e9 \ud83d\ude00 \/\b\f\r\t\\","rawEvent":{"x":[1,2.5e-3,true,null,"\u0041"]}}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"user","name":"n","delta":"☃"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":null,"role":null,"name":null,"delta":null,"timestamp":null,"rawEvent":null,"metadata":null}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"t","parentMessageId":"m"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"t","parentMessageId":"m","delta":""}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"ok","role":"tool"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"text","text":"x"}]}`,
	`{"type":"REASONING_START","messageId":"m"}`, `{"type":"REASONING_END","messageId":"m"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"hm"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"m"}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","delta":"hm"}`,
	`{"type":"STEP_STARTED","stepName":"x"}`, `{"type":"STEP_FINISHED","stepName":"x"}`,
	`{"type":"STATE_SNAPSHOT","snapshot":null}`,
	`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":{"b":[]}}, {"op":"remove","path":"/c"}]}`,
	`{"type":"RAW","event":{"a":1},"source":"x"}`, `{"type":"CUSTOM","name":"x","value":"v"}`,
}

// oddEvents are right and wrong at the edges of what the fast reader takes.
var oddEvents = []string{
	`{"delta":"a","type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`,
	" {\t\"type\" : \"TEXT_MESSAGE_END\" ,\r\n \"messageId\": \"m\" } ",
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a","delta":"b","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a","delta":null,"messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"\ud83d","delta":"b\u0041","messageId":"\u0041","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":7,"delta":"a","messageId":"m","type":"TEXT_MESSAGE_CHUNK"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":{"a":1},"metadata":{"b":2}}`,
	"{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"abcdefghijkl\x1fmnopqrstuvwxyz\"}",
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a","Delta":"b","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","d\u0065lta":"a","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","type":"REASONING_END"}`,
	`{"type":"\u0052AW","event":1}`, `{"type":"RAW","event":01}`, `{"type":"RAW","event":-}`, `{"type":"RAW","event":1.}`,
	`{"type":"RAW","event":[1,]}`, `{"type":"RAW","event":{"a":1,}}`, `{"type":"RAW","event":nul}`, `{"type":"RAW"}`, `{}`, `{"type":"RAW","event":1}x`,
	`{"type":"TEXT_MESSAGE_END","messageId":7}`, `{"type":"TEXT_MESSAGE_END","messageId":"m","name":7,"new":[{"a":"b"}]}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":-12}`, `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":99999999999999999999}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":"1"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":[]}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ud83d"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"\ude00","delta":"\ude00\ud83dx\ud83d\ud83d\ude00\ud83d\n"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","Delta":"\ud83d"}`, "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\xed\xa0\xbd \xff\"}",
	"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\x01\"}", `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":null}`,
	"{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\",\"metadata\":{\"a\xff\xff\":1,\"a\xff\":2,\"b\\ud83d\xff\":3}}",
	`{"type":"RAW","event":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
}

// TestFastReads keeps the fast reader from quietly refusing all.
func TestFastReads(t *testing.T) {
	for _, in := range flatEvents {
		if _, odd, ok := readFast([]byte(in), nil); !ok || odd && !strings.Contains(in, "null") {
			t.Errorf("%s: read %v, odd %v", in, ok, odd)
		}
	}
}

// Deep nesting is left to readAny.
func TestFastIsNotDeep(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 2: false} {
		in := `{"type":"RAW","event":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
		if _, _, ok := readFast([]byte(in), nil); ok != want {
			t.Errorf("%d deep: read %v", depth, ok)
		}
		if _, err := Decode([]byte(in)); err != nil {
			t.Error(err)
		}
	}
}

func TestFastIsReadAny(t *testing.T) {
	for _, in := range append(append([]string{}, flatEvents...), oddEvents...) {
		compareFast(t, []byte(in))
	}
	paths, _ := filepath.Glob("../agentclient/testdata/transcripts/*/*.sse")
	fast, all := 0, 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
				all++
				if compareFast(t, []byte(data)) {
					fast++
				}
			}
		}
	}
	if all == 0 || fast*10 < all*8 {
		t.Errorf("%d of %d captured events were read fast", fast, all)
	}
}

// compareFast reports whether the fast reader took raw, and fails when it returns
// other than readAny.
func compareFast(t *testing.T, raw []byte) bool {
	t.Helper()
	got, _, ok := readFast(raw, nil)
	last := new(recent)
	shared, _, also := readFast(bytes.Clone(raw), last)
	if again, _, ok := readFast(bytes.Clone(raw), last); ok != also || ok && !reflect.DeepEqual(again, shared) {
		t.Fatalf("%q:\nonce  %t %+v\ntwice %t %+v", raw, also, shared, ok, again)
	}
	if ok != also || ok && !reflect.DeepEqual(got, shared) {
		t.Fatalf("%q:\ncopied %t %+v\nshared %t %+v", raw, ok, got, also, shared)
	}
	if !ok {
		return false
	}
	want, err := readAny(raw, nil, false)
	if err != nil {
		t.Fatalf("%q: read %+v; readAny says %v", raw, got, err)
	}
	dropNull(&want.Head().RawEvent)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\nread    %+v\nreadAny %+v", raw, got, want)
	}
	return true
}

func FuzzFast(f *testing.F) {
	for _, in := range append(append([]string{}, flatEvents...), oddEvents...) {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		compareFast(t, raw)
		if string(raw) != before {
			t.Fatal("the input was changed")
		}
	})
}

func TestDecodeSharesNothing(t *testing.T) {
	for _, in := range append([]string{
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"hello","metadata":{"a":[1]}}]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":{"a":1},"outcome":{"type":"interrupt","interrupts":[{"id":"i","responseSchema":{"b":2},"odd":3}]}}`,
	}, flatEvents...) {
		raw := []byte(in)
		ev, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		for i := range raw {
			raw[i] = 'x'
		}
		want, _ := Decode([]byte(in))
		if !reflect.DeepEqual(ev, want) {
			t.Errorf("%s became %+v", in, ev)
		}
	}
}

func TestDecodeAllocations(t *testing.T) {
	for _, in := range []string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"f8e1102b-3195-4880","delta":"scattered\n","timestamp":1700000000000}`,
		`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","messageId":"f8e1102b-3195-4880","delta":"scattered "}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"f8e1102b-3195-4880","delta":"{\"a\":"}`,
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"f8e1102b-3195-4880","delta":"{\"a\":"}`,
	} {
		raw := []byte(in)
		if n := testing.AllocsPerRun(100, func() { _, _ = Decode(raw) }); n > 2 {
			t.Errorf("%s: %v allocations", in, n)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	seen := map[EventType]bool{}
	for _, in := range append([]string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"f8e1102b-3195-4880-b0e0-caee98e28f6d","delta":"scattered "}`,
		`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","messageId":"f8e1102b-3195-4880-b0e0-caee98e28f6d-agui-text","delta":"scattered "}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"Hello"},{"id":"n","role":"assistant","content":"Hi"}]}`,
	}, flatEvents...) {
		raw := []byte(in)
		ev, err := Decode(raw)
		if err != nil {
			b.Fatal(err)
		}
		if seen[ev.Head().Type] {
			continue
		}
		seen[ev.Head().Type] = true
		b.Run(string(ev.Head().Type), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Decode(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
