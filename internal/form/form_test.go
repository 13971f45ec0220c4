package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fieldsOf writes a form's fields in one line each.
func fieldsOf(f Form) string {
	var all []string
	for _, x := range f.Fields {
		s := fmt.Sprintf("%s %s", x.Kind, x.Label)
		if x.Group != "" {
			s = x.Legend + ": " + s
		}
		if x.MustFill() {
			s += "*"
		}
		if x.Value != "" {
			s += "=" + x.Value
		}
		if len(x.Options) > 0 {
			s += " " + strings.Join(x.Options, "|")
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// TestAFormOfEachSchema walks what a schema may ask for and what is shown of it.
func TestAFormOfEachSchema(t *testing.T) {
	for name, c := range map[string]struct {
		schema, payload, args string
		asks                  bool
		want                  string
	}{
		"none":                        {"", "", "", true, ""},
		"Mastra's":                    {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"approved":{"type":"boolean"}},"additionalProperties":false}`, "", "", true, ""},
		"an object of anything":       {`{"type":"object"}`, "", "", true, ""},
		"not JSON":                    {`{`, "", "", true, ""},
		"not a schema":                {`[1]`, "", "", true, ""},
		"yes or no":                   {`{"type":"boolean"}`, "", "", true, ""},
		"a text":                      {`{"type":"string","title":"Name","maxLength":40}`, "", "", false, "text Name*"},
		"a long text":                 {`{"type":"string","maxLength":400}`, "", "", false, "area Your answer*"},
		"a number":                    {`{"type":"integer","minimum":1,"maximum":14}`, "", "", false, "number Your answer*"},
		"a choice":                    {`{"enum":["small","large"],"default":"large"}`, "", "", false, "select Your answer*=1 small|large"},
		"a list":                      {`{"type":"array","items":{"type":"string"}}`, "", "", false, "json Your answer*"},
		"one of several":              {`{"oneOf":[{"type":"string"},{"type":"number"}]}`, "", "", false, "json Your answer*"},
		"no approved":                 {`{"properties":{"colour":{"enum":["red","blue"]}},"required":["colour"]}`, "", "", false, "select Colour* red|blue"},
		"approved that is no boolean": {`{"properties":{"approved":{"enum":["yes","no"]}},"required":["approved"]}`, "", "", false, "select Approved* yes|no"},
		"each kind": {`{"type":"object","properties":{"approved":{"type":"boolean"},"notify":{"type":"boolean","default":true},"level":{"enum":[1,2.5]},
			"only":{"const":"x"},"nights":{"type":"integer","minimum":1},"price":{"type":"number"},"day":{"type":"string","format":"date"},
			"mail":{"type":"string","format":"email"},"note":{"type":"string","title":"A note"}},"required":["approved","nights"]}`,
			`{"price":12.5}`, `{"nights":2}`, true,
			"check Notify=on; select Level 1|2.5; select Only x; number Nights*=2; number Price*=12.5; date Day; email Mail; text A note"},
		"arguments to edit": {`{"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object","title":"Arguments","properties":{"site":{"type":"string"},"nights":{"type":"integer"}}}}}`,
			"", `{"site":"North Pines","nights":2}`, true, "Arguments: text Site=North Pines; Arguments: number Nights*=2"},
		"arguments that nothing is said of": {`{"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"}}}`,
			"", `{"site":"North Pines","nights":2,"late":false,"tags":["a"]}`, true,
			"Edited args: text Site=North Pines; Edited args: number Nights*=2; Edited args: check Late; Edited args: json Tags*=[\n  \"a\"\n]"},
		"left out where it cannot be shown": {`{"properties":{"approved":{"type":"boolean"},"tags":{"type":"array"},"ref":{"$ref":"#/$defs/x"},"note":{"type":"string"}}}`, "", "", true, "text Note"},
		"JSON where it must be":             {`{"properties":{"approved":{"type":"boolean"},"tags":{"type":"array"}},"required":["tags"]}`, "", "", true, "json Tags*"},
		"required without a schema":         {`{"properties":{"approved":{"type":"boolean"}},"required":["other"]}`, "", "", false, "json Your answer*"},
		"too many":                          {many(30, ""), "", "", true, strings.TrimSuffix(strings.Repeat("text X; ", 20), "; ")},
		"too many that are required":        {many(30, `,"required":["x29"]`), "", "", false, "json Your answer*"},
		"too many options":                  {`{"enum":[` + strings.TrimSuffix(strings.Repeat("1,", 101), ",") + `]}`, "", "", false, "json Your answer*"},
		"too large":                         {`{"type":"string","title":"` + strings.Repeat("x", maxSchema) + `"}`, "", "", true, ""},
		"too deep":                          {strings.Repeat(`{"properties":{"a":`, 20) + "{}" + strings.Repeat("}}", 20), "", "", true, ""},
		"the words of another":              {`{"type":"string","title":"` + strings.Repeat("é", 60) + `"}`, "", "", false, "text " + strings.Repeat("é", 50) + "…*"},
		"money":                             {`{"properties":{"approved":{"type":"boolean"},"amount":{"type":"number","exclusiveMinimum":0,"maximum":100000,"multipleOf":0.01}}}`, `{"amount":47.5}`, "", true, "number Amount*=47.50"},
		"a member without a name":           {`{"properties":{"approved":{"type":"boolean"},"":{"type":"object","properties":{"approved":{"type":"string"}}}}}`, "", "", true, ""},
		"or null":                           {`{"type":["string","null"]}`, "", "", false, "text Your answer"},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(json.RawMessage(c.schema), json.RawMessage(c.payload), json.RawMessage(c.args))
			got := fieldsOf(f)
			if strings.HasPrefix(name, "too many") {
				for i := range 10 {
					got = strings.ReplaceAll(got, strconv.Itoa(i), "")
				}
				got = strings.ReplaceAll(got, " ;", ";")
			}
			if got != c.want || f.Asks != c.asks {
				t.Errorf("asks %t: %s\nwant %t: %s", f.Asks, got, c.asks, c.want)
			}
		})
	}
}

func many(n int, more string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"x%d":{"type":"string"}`, i))
	}
	return `{"properties":{"approved":{"type":"boolean"},` + strings.Join(all, ",") + `}` + more + `}`
}

// posted answers fields in their order; "-" is a field that was not posted.
func posted(values ...string) func(int) (string, bool) {
	return func(i int) (string, bool) {
		if i >= len(values) || values[i] == "-" {
			return "", false
		}
		return values[i], true
	}
}

const (
	money  = `{"properties":{"approved":{"type":"boolean"},"amount":{"type":"number","exclusiveMinimum":0,"maximum":100000,"multipleOf":0.01}}}`
	edited = `{"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object","properties":{"site":{"type":"string"},"nights":{"type":"integer","minimum":1}},"required":["site"]}}}`
	trip   = `{"site":"North Pines","nights":2,"amount":47.5}`
	either = `{"properties":{"approved":{"type":"boolean"},"note":{"type":"string"},"why":{"type":"string"}},"anyOf":[{"required":["note"]},{"required":["why"]}]}`
)

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
		{money, "0", "!Amount is too low: more than 0."},
		{money, "-1", "!Amount is too low"},
		{money, "100000.01", "!Amount is too high: at most 100000."},
		{money, "1.005", "!Amount must be a multiple of 0.01."},
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
		{edited, "A|0", "!Nights is too low: at least 1."},
		{edited, "A|1.5", "!Nights is not a whole number."},
		{`{"type":"integer"}`, "12345678901234567", `12345678901234567`},
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

func TestWhatWasApprovedInWords(t *testing.T) {
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

func TestAHostileSchemaIsQuick(t *testing.T) {
	long := strings.Repeat("a", maxText-1) + "!"
	for _, schema := range hostile {
		began := time.Now()
		f := New(json.RawMessage(schema), json.RawMessage(trip))
		for _, text := range []string{long, "1", "[" + strings.TrimSuffix(strings.Repeat("1,", 4000), ",") + "]"} {
			_, _ = f.Read(func(int) (string, bool) { return text, true })
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%.80s took %v", schema, took)
		}
	}
	began, large := time.Now(), json.RawMessage(`{"x":[1`+strings.Repeat(",1", 1<<20)+`]}`)
	for range 5 { // it is made anew for each page
		New(json.RawMessage(many(200, "")), large, large)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("many members of a large payload took %v", took)
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
