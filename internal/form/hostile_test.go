package form

import (
	"encoding/json"
	"strings"
	"testing"
)

// hostile are schemas that ask for much work, or for none that ends.
var hostile = []string{
	`{"$ref":"#"}`,
	`{"type":"object","properties":{"approved":{"type":"boolean"},"a":{"$ref":"#"}},"required":["a"]}`,
	`{"type":"string","pattern":"(a+)+$"}`,
	`{"type":"string","pattern":"` + strings.Repeat(`.{1000}`, 28) + `"}`,
	`{"type":"string","pattern":"((((a{9}){9}){9}){9}){9}"}`,
	`{"type":"number","minimum":1e999999999,"multipleOf":1e-999999999}`,
	`{"type":"number","multipleOf":0}`, `{"type":"number","multipleOf":-1}`,
	`{"type":"string","maxLength":-5,"minLength":1e99}`,
	`{"enum":[]}`, `{"enum":{}}`, `{"required":"approved","properties":[]}`, `{"type":["null"]}`, `{"type":7}`,
	`{"properties":{"":{"type":"string"},"approved":{"type":"boolean"},"approved":{"type":"string"}}}`,
	`{"properties":{"__proto__":{"type":"string"},"decision":{"type":"string"},"q0-decision":true}}`,
	`{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"anyOf":[{},{}]},`, 300), ",") + `]}`,
	`{"type":"array","uniqueItems":true}`,
	`{"type":"array","items":{"allOf":[{}` + strings.Repeat(",{}", 5000) + `]}}`,
	`{"not":{"not":{"not":{"not":{}}}},"type":"string"}`,
	"{\"type\":\"string\",\"title\":\"\xff\"}",
}

// maxAllocs bounds the work of one form, counted by what it allocates.
const maxAllocs = 1_000_000

func TestAHostileSchemaIsLittleWork(t *testing.T) {
	long := strings.Repeat("a", maxText-1) + "!"
	for _, schema := range hostile {
		allocs := testing.AllocsPerRun(1, func() {
			f := New(json.RawMessage(schema), json.RawMessage(trip))
			for _, text := range []string{long, "1", "[" + strings.TrimSuffix(strings.Repeat("1,", 4000), ",") + "]"} {
				_, _ = f.Read(func(int) (string, bool) { return text, true })
			}
		})
		if allocs > maxAllocs {
			t.Errorf("%.80s allocates %v times", schema, allocs)
		}
	}
	large := json.RawMessage(`{"x":[1` + strings.Repeat(",1", 1<<20) + `]}`)
	if allocs := testing.AllocsPerRun(1, func() { New(json.RawMessage(many(200, "")), large, large) }); allocs > maxAllocs/10 {
		t.Errorf("many members of a large payload allocate %v times", allocs)
	}
}

// FuzzForm: whatever the schema and what is posted, a form is small, and an answer is
// JSON.
func FuzzForm(f *testing.F) {
	for _, s := range append(hostile, money, edited, either, many(30, "")) {
		f.Add(s, trip, "North Pines")
		f.Add(s, "", "3")
	}
	f.Fuzz(func(t *testing.T, schema, payload, text string) {
		form := New(json.RawMessage(schema), json.RawMessage(payload), json.RawMessage(payload))
		if len(form.Fields) > maxFields {
			t.Fatalf("%d fields", len(form.Fields))
		}
		for _, x := range form.Fields {
			if len(x.Label) > maxLabel+4 || len(x.Help) > maxHelp+4 || len(x.Legend) > maxLabel+4 || len(x.Options) > maxOptions {
				t.Fatalf("field %+v", x)
			}
		}
		get := func(i int) (string, bool) { return text, true }
		began := func(i int) (string, bool) { return form.Fields[i].Value, true }
		for _, from := range []func(int) (string, bool){get, began} {
			answer, err := form.Read(from)
			if err == nil && !json.Valid(answer) {
				t.Fatalf("answer %q", answer)
			}
			if no := form.Decline(from); no != nil && !json.Valid(no) {
				t.Fatalf("refusal %q", no)
			}
			if err == nil {
				form.Said(answer)
			}
		}
	})
}
