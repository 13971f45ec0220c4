package scriptedmodel

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStructured: an answer's format and a forced tool are filled from what the
// message says, in both APIs.
func TestStructured(t *testing.T) {
	const (
		duplicate = "Refund a duplicate charge of $47.50 to cus_a8x2k"
		nullable  = `{"type":"object","properties":{"amount":{"anyOf":[{"type":"number"},{"type":"null"}]},"customer_id":{"type":["string","null"]},"reason":{"type":["string","null"]}},"required":["amount","customer_id","reason"],"additionalProperties":false}`
		nested    = `{"type":"object","properties":{"draft":{"$ref":"#/$defs/D"},"kind":{"type":"string","enum":["refund","other"]},"acknowledgement":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"customer_id":{"type":"string"},"amount":{"type":"number"}},"$defs":{"D":` + draftParams + `}}`
	)
	for _, c := range []struct {
		name, schema, user, want string
		words                    bool // is about the answer, not about a tool
	}{
		{"draft", draftParams, duplicate, `{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}`, false},
		{"nothing known", draftParams, "hello", `{"amount":0,"customer_id":"","reason":""}`, false},
		{"nothing known, nullable", nullable, "hello", `{"amount":null,"customer_id":null,"reason":null}`, false},
		{"nested", nested, duplicate, `{"acknowledgement":"I have drafted a refund of $47.50 to cus_a8x2k (Duplicate charge); it waits for an operator's approval.","amount":47.5,"customer_id":"cus_a8x2k","draft":{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"},"kind":"refund","tags":[]}`, true},
		{"recursive", `{"type":"object","properties":{"amount":{"type":"number"},"customer_id":{"type":"string"},"next":{"$ref":"#"}}}`, duplicate, deep(4), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := New(Config{NoDelay: true})
			user, err := json.Marshal(c.user)
			if err != nil {
				t.Fatal(err)
			}
			for name, body := range map[string]string{
				"chat format":      `{"model":"m","messages":[{"role":"user","content":` + string(user) + `}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + c.schema + `}}}`,
				"chat forced":      `{"model":"m","messages":[{"role":"user","content":` + string(user) + `}],"tool_choice":{"type":"function","function":{"name":"Draft"}},"tools":[{"type":"function","function":{"name":"Draft","parameters":` + c.schema + `}}]}`,
				"responses format": `{"model":"m","input":` + string(user) + `,"text":{"format":{"type":"json_schema","name":"x","schema":` + c.schema + `}}}`,
				"responses forced": `{"model":"m","input":` + string(user) + `,"tool_choice":{"type":"function","name":"Draft"},"tools":[{"type":"function","name":"Draft","parameters":` + c.schema + `}]}`,
			} {
				path := "/v1/chat/completions"
				if strings.HasPrefix(name, "responses") {
					path = "/v1/responses"
				}
				w := send(t.Context(), h, path, body)
				if c.words && strings.Contains(name, "forced") {
					continue // the script calls the tool by itself, with what a draft has
				}
				if got := answered(t, w.Body.Bytes()); got != c.want {
					t.Errorf("%s: %s\nwant %s", name, got, c.want)
				}
			}
		})
	}
	w := send(t.Context(), New(Config{NoDelay: true}), "/v1/chat/completions", `{"model":"m","messages":[`+msg("user", "hello")+`],"response_format":{"type":"json_object"}}`)
	if got := answered(t, w.Body.Bytes()); !strings.HasPrefix(got, `{"answer":"I am the`) {
		t.Errorf("json_object: %s", got)
	}
}

// deep is a recursive schema's value, cut at the depth a script follows it to.
func deep(n int) string {
	if n == 0 {
		return "{}"
	}
	return `{"amount":47.5,"customer_id":"cus_a8x2k","next":` + deep(n-1) + `}`
}

// answered is the text of an answer, or its first call's arguments.
func answered(t *testing.T, body []byte) string {
	t.Helper()
	var res struct {
		Choices []completionChoice
		Output  []outputItem
	}
	if err := json.Unmarshal(body, &res); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(res.Choices) == 1 && len(res.Choices[0].Message.ToolCalls) == 1:
		return res.Choices[0].Message.ToolCalls[0].Function.Arguments
	case len(res.Choices) == 1:
		return *res.Choices[0].Message.Content
	case len(res.Output) == 1 && res.Output[0].Arguments != nil:
		return *res.Output[0].Arguments
	case len(res.Output) == 1:
		return (*res.Output[0].Content)[0].Text
	}
	return string(body)
}
