package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// posted answers fields in their order; "-" is a field that was not posted.
func posted(values ...string) func(int) (string, bool) {
	return func(i int) (string, bool) {
		if i >= len(values) || values[i] == "-" {
			return "", false
		}
		return values[i], true
	}
}

// TestAnAnswerOfEachForm: what is posted becomes an answer, or a sentence that says
// what to change.
func TestAnAnswerOfEachForm(t *testing.T) {
	for _, c := range []struct{ schema, posted, want string }{
		{"", "", `{"approved":true}`},
		{`{"type":"boolean"}`, "", `true`},
		{money, "47.5", `{"approved":true}`},
		{money, "47.50", `{"approved":true}`},
		{money, "40", `{"approved":true,"amount":40}`},
		{money, "040.10", `{"approved":true,"amount":40.1}`},
		{money, "4e1", `{"approved":true,"amount":40}`},
		{money, "0.01", `{"approved":true,"amount":0.01}`},
		{money, "47.49", `{"approved":true,"amount":47.49}`},
		{money, "0", "!Amount must be more than 0."},
		{money, "-1", "!Amount must be more than 0."},
		{money, "100000.01", "!Amount must be at most 100000."},
		{money, "1.005", "!Amount can have at most 2 digits after the point."},
		{money, "a lot", "!Amount is not a number"},
		{money, "0x10", "!Amount is not a number"},
		{money, "NaN", "!Amount is not a number"},
		{money, "1e999", "!Amount is not a number"},
		{money, "1,000", "!Amount is not a number"},
		{money, " ", "!Please fill in Amount."},
		{money, "-", "!Please fill in Amount."},
		{edited, "North Pines|2", `{"approved":true}`},
		{edited, "North Pines|3", `{"approved":true,"editedArgs":{"site":"North Pines","nights":3,"amount":47.5}}`}, // all of them are replaced
		{edited, "|3", "!Please fill in Site."},
		{edited, "A|0", "!Nights must be at least 1."},
		{edited, "A|1.5", "!Nights is not a whole number."},
		{`{"type":"integer"}`, "12345678901234567", `12345678901234567`},
		{`{"type":"number","multipleOf":0.05}`, "0.12", "! must be a multiple of 0.05."},
		{`{"enum":["a",2,null,{"b":1}]}`, "3", `{"b":1}`},
		{`{"enum":["a",2]}`, "1", `2`},
		{`{"enum":["a",2]}`, "2", "!Please choose one of the options"},
		{`{"enum":["a",2]}`, "a", "!Please choose one of the options"},
		{`{"enum":["a",2]}`, "", "!Please choose something"},
		{`{"type":"string","minLength":3,"maxLength":5}`, "ab", "!at least 3 characters"},
		{`{"type":"string","minLength":3,"maxLength":5}`, "äöüßé", `"äöüßé"`},
		{`{"type":"string","maxLength":5}`, "abcdef", "!at most 5 characters"},
		{`{"type":"string","pattern":"^[a-z]+$"}`, "A1", "!does not have the form"},
		{`{"type":"string","pattern":"^[a-z]+$"}`, "abc", `"abc"`},
		{`{"type":"string","pattern":"(?=x)"}`, "A1", `"A1"`},     // not RE2: the agent's to check
		{`{"type":"string","pattern":"^.{1000}$"}`, "A1", `"A1"`}, // slow: the same
		{`{"type":"string","format":"date"}`, "2026-02-30", "!is not a date"},
		{`{"type":"string","format":"date"}`, "2026-02-28", `"2026-02-28"`},
		{`{"type":"string","format":"email"}`, "Ada <ada@example.org>", "!not an e-mail address"},
		{`{"type":"string","format":"email"}`, "ada@example.org", `"ada@example.org"`},
		{`{"type":"string"}`, "<b>&\"\xff", "!could not be read"},
		{`{"type":"string"}`, "<b>&\"\r\n", `"<b>&\"\n"`},
		{`{"type":["string","null"]}`, "", `null`},
		{`{"type":"array","items":{"type":"string"}}`, `["a"]`, `["a"]`},
		{`{"type":"array","items":{"type":"string"}}`, `[1]`, "!does not fit what the agent asks for (type: 1 has type \"integer\", want \"string\")."},
		{`{"type":"array"}`, `["a"`, "!is not valid JSON"},
		{`{"type":"array"}`, strings.Repeat("[", 99) + strings.Repeat("]", 99), "!is not valid JSON"},
		{either, "|", "!does not fit what the agent asks for."},
		{either, "|because", `{"approved":true,"why":"because"}`},
		{`{"properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean"}}}`, "-", `{"approved":true}`},
		{`{"properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean"}}}`, "on", `{"approved":true,"notify":true}`},
		{`{"properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean"}},"required":["notify"]}`, "-", `{"approved":true,"notify":false}`},
		{`{"properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean","default":true}}}`, "on", `{"approved":true,"notify":true}`},
		{`{"properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean","default":true}}}`, "-", `{"approved":true,"notify":false}`},
		{`{"properties":{"site":{"type":"string"}}}`, "", `{"site":""}`}, // it was there and was taken away
		{`{"properties":{"site":{"type":"string"}}}`, "-", "!Site is missing."},
		{`{"properties":{"site":{"type":"string"}}}`, "North Pines", `{}`},
	} {
		f := New(json.RawMessage(c.schema), json.RawMessage(trip), json.RawMessage(trip))
		got, err := f.Read(posted(strings.Split(c.posted, "|")...))
		var p *Problem
		switch says, bad := strings.CutPrefix(c.want, "!"); {
		case bad && (!errors.As(err, &p) || !strings.Contains(p.Text, says)):
			t.Errorf("%s of %q: %s, %v; want %q", c.schema, c.posted, got, err, says)
		case !bad && (err != nil || string(got) != c.want):
			t.Errorf("%s of %q: %s, %v; want %s", c.schema, c.posted, got, err, c.want)
		}
	}
}

// TestARefusalIsNeverHeldBack: what is wrong with a field does not keep a person from
// saying no, and what they wrote goes with it.
func TestARefusalIsNeverHeldBack(t *testing.T) {
	for _, c := range []struct{ schema, posted, want string }{
		{"", "", `{"approved":false}`},
		{`{"type":"boolean"}`, "", `false`},
		{`{"type":"string"}`, "words", ``},
		{money, "a lot", `{"approved":false}`},
		{money, "40", `{"approved":false}`},
		{edited, "Elsewhere|3", `{"approved":false}`},
		{either, "too dear|", `{"approved":false,"note":"too dear"}`},
		{`{"properties":{"approved":{"type":"boolean"},"why":{"type":"string"}},"required":["why"]}`, "", `{"approved":false}`},
	} {
		f := New(json.RawMessage(c.schema), json.RawMessage(trip))
		if got := f.Decline(posted(strings.Split(c.posted, "|")...)); string(got) != c.want {
			t.Errorf("%s of %q: %s, want %s", c.schema, c.posted, got, c.want)
		}
	}
}

// TestWhatNoFieldHolds: what the agent said and no field can show keeps nobody from
// approving, is not changed by a browser, and goes along when the rest is edited.
func TestWhatNoFieldHolds(t *testing.T) {
	const args = `{"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"}}}`
	text := strings.Repeat("x", maxText+1)
	var many []string
	for i := range maxFields + 5 {
		many = append(many, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	for name, c := range map[string]struct {
		schema, args string
		fields       int
		edit, want   string // the first field, and what editedArgs is then
	}{
		"no arguments":        {args, ``, 0, "", ``},
		"null":                {args, `null`, 0, "", ``},
		"none":                {args, `{}`, 0, "", ``},
		"a list":              {args, `[1]`, 0, "", ``},
		"too large":           {args, `{"n":1,"a":"` + strings.Repeat("x", maxBegin) + `"}`, 0, "", ``},
		"a long text":         {args, `{"n":1,"a":"` + text + `"}`, 1, "2", `{"n":2,"a":"` + text + `"}`},
		"a long list":         {args, `{"a":["` + text + `"],"n":1}`, 1, "2", `{"n":2,"a":["` + text + `"]}`},
		"a long list alone":   {args, `{"a":["` + text + `"]}`, 0, "", ``},
		"a carriage return":   {args, `{"n":1,"a":"b\rc"}`, 1, "2", `{"n":2,"a":"b\rc"}`},
		"a NUL":               {args, `{"n":1,"a":"b\u0000c"}`, 1, "2", `{"n":2,"a":"b\u0000c"}`},
		"blanks":              {args, `{"n":1,"a":"  "}`, 1, "2", `{"n":2,"a":"  "}`},
		"null inside":         {args, `{"n":1,"a":null}`, 1, "2", `{"n":2,"a":null}`},
		"a number too great":  {args, `{"n":1,"a":1e99}`, 1, "2", `{"n":2,"a":1e99}`},
		"many":                {args, "{" + strings.Join(many, ",") + "}", maxFields, "2", strings.Replace("{"+strings.Join(many, ",")+"}", `"m0":0`, `"m0":2`, 1)},
		"of no schema":        {edited, `{"site":"A","nights":2,"card":"x"}`, 2, "B", `{"site":"B","nights":2,"card":"x"}`},
		"a date that is none": {`{"properties":{"approved":{"type":"boolean"},"editedArgs":{"properties":{"n":{"type":"number"},"day":{"type":"string","format":"date"}}}}}`, `{"n":1,"day":"soon"}`, 1, "2", `{"n":2,"day":"soon"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(json.RawMessage(c.schema), json.RawMessage(c.args))
			if len(f.Fields) != c.fields {
				t.Fatalf("%d fields, want %d", len(f.Fields), c.fields)
			}
			first := ""
			get := func(i int) (string, bool) {
				if i == 0 && first != "" {
					return first, true
				}
				return f.Fields[i].Value, f.Fields[i].Value != ""
			}
			if got, err := f.Read(get); err != nil || string(got) != `{"approved":true}` {
				t.Errorf("left as it is: %.200s, %v", got, err)
			}
			if first = c.edit; first == "" {
				return
			}
			if got, err := f.Read(get); err != nil || string(got) != `{"approved":true,"editedArgs":`+c.want+`}` {
				t.Errorf("edited: %.200s, %v", got, err)
			}
		})
	}
	// A member of the answer's own begins empty then, and need not be filled in.
	f := New(json.RawMessage(`{"properties":{"approved":{"type":"boolean"},"level":{"enum":["a","b"]}}}`), json.RawMessage(`{"level":"gold"}`))
	if x := f.Fields[0]; x.Required || x.Value != "" {
		t.Errorf("field %+v", x)
	}
}
