package script

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func schema(t testing.TB, text string) Schema {
	t.Helper()
	var s Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFit(t *testing.T) {
	for name, c := range map[string]struct {
		schema, prompt string
		args           map[string]any
		want           string
	}{
		"no schema":           {`{}`, "p", map[string]any{"a": 1}, `{"a":1}`},
		"no object":           {`true`, "p", map[string]any{"a": 1}, `{"a":1}`},
		"unknown left out":    {`{"properties":{"a":{}}}`, "", map[string]any{"a": 1, "b": 2}, `{"a":1}`},
		"missing":             {`{"required":["b"]}`, "", map[string]any{"a": 1}, `{"a":1,"b":null}`},
		"missing, nullable":   {`{"properties":{"a":{},"b":{"type":["string","null"]},"c":{"anyOf":[{"type":"object"},{"type":"null"}]}},"required":["b","c"]}`, "p", nil, `{"b":null,"c":null}`},
		"missing, not null":   {`{"properties":{"b":{"type":"string"},"c":{"type":"integer"},"d":{"type":"boolean"}},"required":["b","c","d"]}`, "p", nil, `{"b":"","c":0,"d":false}`},
		"the prompt":          {`{"properties":{"question":{"type":"string"},"threadId":{"type":"string"}},"required":["question","threadId"]}`, "p", nil, `{"question":"p","threadId":""}`},
		"list as text":        {`{"properties":{"a":{"type":"string"}}}`, "", map[string]any{"a": []string{"Ada", "Grace"}}, `{"a":"Ada and Grace"}`},
		"text as list":        {`{"properties":{"a":{"type":"array"}}}`, "", map[string]any{"a": "Ada"}, `{"a":["Ada"]}`},
		"number as text":      {`{"properties":{"a":{"type":"string"}}}`, "", map[string]any{"a": 12.5}, `{"a":"12.5"}`},
		"object as text":      {`{"properties":{"a":{"type":"string"}}}`, "", map[string]any{"a": map[string]any{"b": "<"}}, `{"a":"{\"b\":\"<\"}"}`},
		"by reference":        {`{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/B"}}},"B":{"type":"array"}}}`, "", map[string]any{"a": "x", "z": 1}, `{"a":["x"]}`},
		"reference to itself": {`{"$ref":"#"}`, "", map[string]any{"a": 1}, `{"a":1}`},
		"reference to naught": {`{"$ref":"#/x/y"}`, "", map[string]any{"a": 1}, `{"a":1}`},
		"reference elsewhere": {`{"$ref":"file.json"}`, "", map[string]any{"a": 1}, `{"a":1}`},
	} {
		if got := JSON(schema(t, c.schema).Fit(c.args, c.prompt)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFillIsBounded: a schema that asks for more of itself at every step.
func TestFillIsBounded(t *testing.T) {
	var props []string
	for _, n := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		props = append(props, `"`+n+`":{"$ref":"#"}`)
	}
	got := JSON(schema(t, `{"type":"object","properties":{`+strings.Join(props, ",")+`}}`).Fill(nil))
	if n := strings.Count(got, ":"); n > 30*maxValues {
		t.Errorf("%d values", n)
	}
}

func TestPlay(t *testing.T) {
	report := func(s Step) string { return "did " + s.Result + "." }
	acts := []Act{{Tool: "a", Args: map[string]any{}, Report: report}, {Text: "By the way."}, {Tool: "b", Args: map[string]any{}, Text: "now", Report: report}, {Tool: "a", Args: map[string]any{}, Report: report}}
	turn := Turn{Tools: []Tool{{Name: "pre-a"}, {Name: "b"}}}
	for _, want := range []string{" pre-a", "now b", " pre-a", "did 0. By the way. did 1. did 2."} {
		rep := Play(turn, acts)
		got := rep.Text
		if len(rep.Calls) == 1 {
			got += " " + rep.Calls[0].Name
			turn.Steps = append(turn.Steps, Step{Tool: rep.Calls[0].Name, Result: string(rune('0' + len(turn.Steps)))})
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]float64{
		"$220": 220, "it was $1,234.50!": 1234.5, "220 dollars": 220, "USD 5": 5, "€ 7.25": 7.25, "12 bucks": 12, "6 people": 0, "$0": 0, "$": 0, "27-inch for $340": 340,
	} {
		if got, ok := Amount(text); got != want && (ok || want != 0) {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for n, want := range map[float64]string{0.5: "$0.50", 47.5: "$47.50", 999: "$999.00", 1500: "$1,500.00", 1234567.891: "$1,234,567.89"} {
		if got := Dollars(n); got != want {
			t.Errorf("%v: %s", n, got)
		}
	}
	for text, want := range map[string]string{
		"Tuesday": "Tuesday", "on tues or Thurs": "Tuesday Thursday", "Monday's or mondays": "Monday", "the sun sat": "", "Sunday, Saturday": "Sunday Saturday", "friday friday": "Friday",
	} {
		if got := strings.Join(Weekdays(text), " "); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// FuzzSchema holds what a schema makes of arguments to being JSON, soon.
func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"type":["string","null"]}},"required":["a","b","c"],"$defs":{"A":{"anyOf":[{"type":"null"},{"$ref":"#"}]}}}`)
	f.Add(`{"$ref":"#","allOf":[{"enum":[1,"x"]}],"const":null}`)
	f.Add(`{"properties":{"text":{"type":"object","properties":{"text":{"type":"array"}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s Schema
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		began := time.Now()
		facts := map[string]any{"a": 1, "text": "x", "b": []string{"y"}, "": nil}
		for _, v := range []any{s.Fit(facts, "p"), s.Fill(facts)} {
			if !json.Valid([]byte(JSON(v))) {
				t.Errorf("%v is no JSON", v)
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
	})
}
