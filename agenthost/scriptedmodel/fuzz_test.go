package scriptedmodel

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// FuzzRequest sends any body to the chat API: it answers with JSON or with a
// stream that has its end.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(tripRequest(true, system(`{"packing_list":{"title":"T","items":[{"name":"tent","qty":1}]}}`), msg("user", "remove the tent"))))
	f.Add([]byte(tripRequest(false, msg("user", "hi"))))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"book it"},{"type":"image_url"}]}]}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"system","content":"trip planner Current working memory (JSON): {\"packing_list\":7}"},{"role":"user","content":"clear the list"}]}`))
	f.Add([]byte(`{"model":"m","response_format":{"type":"json_schema","json_schema":{"schema":` + draftParams + `}},"messages":[` + msg("user", "refund $5 to cus_1 [model: slow]") + `]}`))
	f.Add([]byte(`{"model":"m","stream":true,"tool_choice":{"type":"function","function":{"name":"x"}},"tools":[{"type":"function","function":{"name":"x","parameters":` + expenseParams + `}}],"messages":[` + msg("user", "File $5 at Joe's") + `]}`))
	fuzzPath(f, "/v1/chat/completions", "data: [DONE]\n\n")
}

// FuzzResponses sends any body to the Responses API.
func FuzzResponses(f *testing.F) {
	f.Add([]byte(`{"model":"m","stream":true,"input":"hello [model: two tools]","instructions":"You are a meeting scheduler","tools":[{"type":"function","name":"check_availability","parameters":{"type":"object","properties":{"day":{"type":"string"}}}}]}`))
	f.Add([]byte(`{"model":"m","previous_response_id":"resp_x","input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"}]}]}`))
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"Book a review on Monday"}]},{"type":"item_reference","id":"msg_x"},{"type":"function_call","call_id":"c","name":"check_availability","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"[\"10:00\"]"},{"type":"reasoning","id":"r"}],"tools":[{"type":"function","name":"check_availability"},{"type":"function","name":"book_meeting"},{"type":"web_search"}]}`))
	f.Add([]byte(`{"model":"m","input":"refund $5 to cus_1","text":{"format":{"type":"json_schema","schema":{"$ref":"#"}}},"tool_choice":{"name":"x"},"store":false}`))
	fuzzPath(f, "/v1/responses", "")
}

func fuzzPath(f *testing.F, path, end string) {
	h := New(Config{NoDelay: true})
	f.Fuzz(func(t *testing.T, body []byte) {
		if strings.Contains(strings.ToLower(string(body)), "drop") {
			return // the connection is cut, which a recorder has none of
		}
		w := send(t.Context(), h, path, string(body))
		if w.Code == 200 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
			if !strings.HasSuffix(w.Body.String(), end) || end == "" && !strings.Contains(w.Body.String(), "event: response.completed") {
				t.Error("stream without its end")
			}
			return
		}
		if b, _ := io.ReadAll(w.Body); !json.Valid(b) {
			t.Errorf("%d with no JSON: %q", w.Code, b)
		}
	})
}

// FuzzDemos says anything to the demos' agents: each answers with words or a call
// whose arguments are a JSON object, and never forgets to answer.
func FuzzDemos(f *testing.F) {
	for _, c := range conversations() {
		f.Add(c.said[0], strings.Join(c.said[1:], " "))
	}
	f.Add("Book \"\" with A at 99:99 on sunday for the team", "yes")
	f.Add("file $999999999999 at  , ()", "$")
	f.Fuzz(func(t *testing.T, first, second string) {
		if strings.Contains(strings.ToLower(first+second), "[model:") {
			return
		}
		for _, demo := range []string{"meeting", "expense", "refund", "small refund"} {
			h := demoHost(t, demo, "chat", false)
			for _, said := range []string{first, second} {
				calls, text := h.says(said)
				if strings.TrimSpace(text) == "" || len(text) > 3000 {
					t.Errorf("%s: %q is answered with %q", demo, said, text)
				}
				for _, c := range calls {
					_, args, _ := strings.Cut(c, " ")
					var m map[string]any
					if json.Unmarshal([]byte(args), &m) != nil {
						t.Errorf("%s: %q calls %s", demo, said, c)
					}
				}
			}
		}
	})
}
