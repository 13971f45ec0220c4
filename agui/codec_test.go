package agui_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/agui"
)

func TestDecode(t *testing.T) {
	id := "m"
	tests := []struct {
		name, in string
		want     agui.Event
		err      string
	}{
		{"type first", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`,
			&agui.TextMessageContent{Base: agui.Base{Type: agui.TypeTextMessageContent}, MessageID: "m", Delta: "a"}, ""},
		{"type last, spaced", `{ "messageId" : "m", "delta": "a", "type" : "TEXT_MESSAGE_CONTENT" }`,
			&agui.TextMessageContent{Base: agui.Base{Type: agui.TypeTextMessageContent}, MessageID: "m", Delta: "a"}, ""},
		{"the last of two types counts", `{"type":"TEXT_MESSAGE_END","messageId":"m","type":"REASONING_END"}`,
			&agui.ReasoningEnd{Base: agui.Base{Type: agui.TypeReasoningEnd}, MessageID: "m"}, ""},
		{"null is absent", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":null,"delta":null,"timestamp":null,"metadata":null}`,
			&agui.TextMessageChunk{Base: agui.Base{Type: agui.TypeTextMessageChunk}, MessageID: &id}, ""},
		{"null is absent in any JSON too", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":null,"outcome":null,"rawEvent":null}`,
			&agui.RunFinished{Base: agui.Base{Type: agui.TypeRunFinished}, ThreadID: "t", RunID: "r"}, ""},
		{"but not where null is a value", `{"type":"CUSTOM","name":"x","value":null}`,
			&agui.Custom{Base: agui.Base{Type: agui.TypeCustom}, Name: "x", Value: json.RawMessage("null")}, ""},
		{"unknown fields", `{"type":"TEXT_MESSAGE_END","messageId":"m","new":{}}`,
			&agui.TextMessageEnd{Base: agui.Base{Type: agui.TypeTextMessageEnd}, MessageID: "m"}, ""},
		{"unknown type", `{"type":"NEW","x":1}`,
			&agui.Unknown{Base: agui.Base{Type: "NEW"}, Raw: json.RawMessage(`{"type":"NEW","x":1}`)}, ""},
		{"wrong value", `{"type":"TEXT_MESSAGE_END","messageId":1}`, nil, "messageId"},
		{"no type", `{"messageId":"m"}`, nil, "not an AG-UI event"},
		{"empty type", `{"type":""}`, nil, "not an AG-UI event"},
		{"no object", `[1]`, nil, "not an AG-UI event"},
		{"null", `null`, nil, "not an AG-UI event"},
		{"no JSON", `{"type":"TEXT_MESSAGE_END",`, nil, "not an AG-UI event"},
		{"two documents", `{"type":"TEXT_MESSAGE_END","messageId":"m"}{}`, nil, "not an AG-UI event"},
		{"[DONE]", `[DONE]`, nil, "not an AG-UI event"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := agui.Decode([]byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, %v; want an error with %q", got, err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestEncodeFillsInTheType(t *testing.T) {
	raw, err := agui.Encode(&agui.TextMessageContent{MessageID: "m", Delta: "<a>\r\n\u2028"})
	want := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"<a>\r\n\u2028"}`
	if err != nil || string(raw) != want {
		t.Errorf("got %s, %v; want %s", raw, err, want)
	}
}

// Every captured event survives decoding and encoding as the same JSON value.
func TestCapturedEventsRoundTrip(t *testing.T) {
	paths, _ := filepath.Glob("../agentclient/testdata/transcripts/*/*.sse")
	if len(paths) == 0 {
		t.Fatal("no captured streams")
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok {
				continue
			}
			ev, err := agui.Decode([]byte(data))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			again, err := agui.Encode(ev)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var before, after any
			if json.Unmarshal([]byte(data), &before) != nil || json.Unmarshal(again, &after) != nil {
				t.Fatalf("%s: no JSON: %s", path, again)
			}
			before, after = meaning(before), meaning(after)
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s:\nread  %s\nwrote %s", path, data, again)
			}
		}
	}
}

// meaning drops the members that mean the same as absent ones: zero counts,
// empty texts, null, and lists of nothing.
func meaning(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			switch member := meaning(member).(type) {
			case nil:
				delete(v, k)
			case float64:
				if member == 0 {
					delete(v, k)
				}
			case string:
				if member == "" {
					delete(v, k)
				}
			case []any:
				if len(member) == 0 {
					delete(v, k)
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = meaning(v[i])
		}
	}
	return v
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}`, `{"delta":[],"type":"STATE_DELTA"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":""}]}}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"x"}]}]}`, `{"type":"\u0052AW","event":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ev, err := agui.Decode(raw)
		if err != nil {
			if ev != nil {
				t.Fatal("event and error")
			}
			return
		}
		if _, unknown := ev.(*agui.Unknown); unknown {
			return
		}
		// An event that may be written must be read again.
		out, err := agui.Encode(ev)
		if err != nil {
			return
		}
		if _, err := agui.Decode(out); err != nil && !errors.Is(err, agui.ErrNotEvent) {
			t.Fatalf("wrote %s: %v", out, err)
		} else if err != nil {
			t.Fatalf("wrote no event: %s", out)
		}
	})
}
