package agenthost

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// heard writes down what a listener hears.
type heard struct {
	strings.Builder
	said strings.Builder // the text alone
}

func (h *heard) add(format string, args ...any) error {
	_, err := fmt.Fprintf(h, format+"\n", args...)
	return err
}

func (h *heard) text(delta string) error {
	h.said.WriteString(delta)
	return h.add("text %s", delta)
}
func (h *heard) reasoning(delta string) error        { return h.add("reasoning %s", delta) }
func (h *heard) callStarted(c ToolCall) error        { return h.add("call %s", c.Name) }
func (h *heard) callArgs(c ToolCall, d string) error { return h.add("args of %s: %s", c.Name, d) }

// TestServersAsTheyAre reads answers of servers that differ from the API: what is heard
// while they come, the calls at the end, and the error's code.
func TestServersAsTheyAre(t *testing.T) {
	piece := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
	}
	call := func(members string) string { return piece(`{"tool_calls":[{` + members + `}]}`) }
	const (
		stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
		done = "data: [DONE]\n\n"
	)
	for _, tt := range []struct {
		name, body, heard string
		calls             string
		code              string
	}{
		{
			name: "numbered pieces",
			body: call(`"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}`) + call(`"index":1,"id":"b","function":{"name":"g","arguments":"{"}`) +
				call(`"index":0,"function":{"arguments":"{\"x\":1}"}`) + call(`"index":1,"function":{"arguments":"}"}`) + stop + done,
			heard: "call f\ncall g\nargs of g: {\nargs of f: {\"x\":1}\nargs of g: }\n", calls: `f{"x":1} g{}`,
		}, {
			name:  "whole calls, all number 0, with ids",
			body:  call(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`) + call(`"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}`) + stop + done,
			calls: `f{"x":1} f{"x":2}`,
		}, {
			name:  "whole calls, all number 0, without ids",
			body:  call(`"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}`) + call(`"index":0,"function":{"name":"f","arguments":"{\"x\":2}"}`) + call(`"index":0,"function":{"name":"g","arguments":"{}"}`) + stop + done,
			calls: `f{"x":1} f{"x":2} g{}`,
		}, {
			name:  "without numbers",
			body:  call(`"id":"a","function":{"name":"f","arguments":"{\"x\""}`) + call(`"function":{"arguments":":1}"}`) + call(`"id":"b","function":{"name":"g","arguments":"{}"}`) + stop + done,
			calls: `f{"x":1} g{}`,
		}, {
			name:  "several in one event without numbers or ids",
			body:  piece(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}},{"function":{"name":"g","arguments":"{}"}},{"function":{"name":"f","arguments":"{\"x\":3}"}}]}`) + stop,
			calls: `f{"x":1} g{} f{"x":3}`,
		}, {
			name:  "a name that comes again",
			body:  call(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}`) + call(`"index":0,"id":"a","function":{"name":"f","arguments":":1}"}`) + call(`"index":0,"function":{"name":"f","arguments":""}`) + stop + done,
			calls: `f{"x":1}`,
		}, {
			name:  "no arguments",
			body:  call(`"index":0,"id":"a","function":{"name":"f"}`) + call(`"index":0,"id":"a","function":{"name":"f","arguments":null}`) + stop + done,
			calls: `f{}`,
		}, {
			name:  "reasoning_content",
			body:  piece(`{"reasoning_content":"Hm"}`) + piece(`{"reasoning_content":null,"content":"Yes"}`) + stop + done,
			heard: "reasoning Hm\ntext Yes\n",
		}, {
			name:  "reasoning",
			body:  piece(`{"reasoning":"Hm","content":""}`) + piece(`{"content":"Yes"}`) + stop + done,
			heard: "reasoning Hm\ntext Yes\n",
		}, {
			name:  "no end but the reason",
			body:  piece(`{"content":"Yes"}`) + stop,
			heard: "text Yes\n",
		}, {
			name:  "no reason but the end",
			body:  piece(`{"content":"Yes"}`) + done,
			heard: "text Yes\n",
		}, {
			name: "an end and nothing else", body: done, code: "model_incomplete",
		}, {
			name:  "comments, CRLF, an event in two lines, no space, usage alone",
			body:  ": ping\r\n\r\nevent: chunk\r\ndata:{\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"Yes\"}}]}\r\n\r\n" + strings.Repeat(": ping\n\n", 500) + stop + `data: {"choices":[],"usage":{"prompt_tokens":1}}` + "\n\n" + done,
			heard: "text Yes\n",
		}, {
			name: "an error first", body: `data: {"error":{"message":"` + leak + `","code":500}}` + "\n\n" + done, code: "model_error",
		}, {
			name: "an error that is a text", body: `data: {"error":"` + leak + `"}` + "\n\n", code: "model_error",
		}, {
			name: "an error later", body: piece(`{"content":"Yes"}`) + `data: {"choices":[],"error":{"message":"` + leak + `"}}` + "\n\n" + done, heard: "text Yes\n", code: "model_incomplete",
		}, {
			name: "an error that is null", body: `data: {"error":null,"choices":[{"index":0,"delta":{"content":"Yes"}}]}` + "\n\n" + stop, heard: "text Yes\n",
		}, {
			name: "an error without its wrapping", body: `data: {"object":"error","message":"` + leak + `","type":"BadRequestError","code":400}` + "\n\n" + done, code: "model_error",
		}, {
			name: "an empty line of data to stay connected", body: "data:\n\n" + piece(`{"content":"Yes"}`) + "data: \n\n" + stop + done, heard: "text Yes\n",
		}, {
			name: "usage and no answer", body: `data: {"choices":[],"usage":{"prompt_tokens":1}}` + "\n\n" + done, code: "model_incomplete",
		}, {
			name:  "a reason in each piece",
			body:  `data: {"choices":[{"index":0,"delta":{"content":"Yes"},"finish_reason":"stop"}]}` + "\n\n" + piece(`{"content":"!"}`) + call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`) + stop + done,
			heard: "text Yes\ntext !\ncall f\nargs of f: {}\n", calls: "f{}",
		}, {
			name: "a page", body: "<html>" + leak + "</html>", code: "model_incomplete",
		}, {
			name: "a whole answer, not streamed", body: `{"choices":[{"index":0,"message":{"content":"Yes"},"finish_reason":"stop"}]}`, code: "model_incomplete",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(ModelConfig{BaseURL: "http://model.invalid/v1/", HTTPClient: &http.Client{Transport: sends{200, io.NopCloser(strings.NewReader(tt.body))}}})
			var h heard
			got, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, &h)
			if tt.code != "" {
				if told := asRunError(t.Context(), err); err == nil || told.code != tt.code || strings.Contains(told.message+told.Error(), "sk-") {
					t.Errorf("error %v, want %s", err, tt.code)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if tt.code == "" && got.text != h.said.String() {
				t.Errorf("text %q, streamed %q", got.text, &h.said)
			}
			if tt.heard != "" && h.String() != tt.heard {
				t.Errorf("heard\n%swant\n%s", &h, tt.heard)
			}
			var calls []string
			ids := map[string]bool{}
			for _, c := range got.calls {
				calls = append(calls, c.Name+c.Arguments)
				ids[c.ID] = true
			}
			if strings.Join(calls, " ") != tt.calls || len(ids) != len(calls) {
				t.Errorf("calls %q with ids %v, want %q", calls, ids, tt.calls)
			}
		})
	}
}
