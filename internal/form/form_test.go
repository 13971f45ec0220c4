package form

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
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

const (
	money  = `{"properties":{"approved":{"type":"boolean"},"amount":{"type":"number","exclusiveMinimum":0,"maximum":100000,"multipleOf":0.01}}}`
	edited = `{"properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object","properties":{"site":{"type":"string"},"nights":{"type":"integer","minimum":1}},"required":["site"]}}}`
	trip   = `{"site":"North Pines","nights":2,"amount":47.5}`
	either = `{"properties":{"approved":{"type":"boolean"},"note":{"type":"string"},"why":{"type":"string"}},"anyOf":[{"required":["note"]},{"required":["why"]}]}`
)
