package form

import (
	"encoding/json"
	"testing"
)

func TestSaidDescribesAnswer(t *testing.T) {
	for _, c := range []struct{ schema, answer, want string }{
		{money, `{"approved":true}`, ""},
		{money, `{"approved":true,"amount":40}`, "amount 40"},
		{edited, `{"approved":true,"editedArgs":{"site":"North Pines","nights":3}}`, "nights 3"},
		{either, `{"approved":true,"note":"<b>","why":"x"}`, "note “<b>” and why “x”"},
		{`{"enum":["red","blue"],"title":"Colour"}`, `"red"`, "colour red"},
		{`{"type":"array"}`, `["a"]`, "your answer as you wrote it"},
	} {
		if got := New(json.RawMessage(c.schema), json.RawMessage(trip)).Said(json.RawMessage(c.answer)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.answer, c.schema, got, c.want)
		}
	}
}
