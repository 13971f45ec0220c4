package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/jsontext"
)

// Problem is the reason why a posted form is no answer: a sentence with the correction.
type Problem struct {
	// Field is the number of the field in its form, -1 for the whole of it.
	Field int
	Text  string
}

func (p *Problem) Error() string { return p.Text }

// problemf returns a problem of the field that is read.
func problemf(format string, a ...any) error { return &Problem{-1, fmt.Sprintf(format, a...)} }

// Read returns the answer to the question. get returns the posted text of the field with
// that number. An error is a [*Problem].
//
// A member that is optional and still has what the agent itself said, or
// nothing, is left out: approving without a change says no more than that.
func (f Form) Read(get func(field int) (string, bool)) (json.RawMessage, error) {
	if f.bare && f.Asks {
		return json.RawMessage("true"), nil
	}
	var members []member
	if f.Asks {
		members = append(members, member{approved, json.RawMessage("true")})
	}
	for i := 0; i < len(f.Fields); {
		name, end := f.Fields[i].member, i+1
		for f.Fields[i].Group != "" && end < len(f.Fields) && f.Fields[end].Group == f.Fields[i].Group {
			end++
		}
		if f.Fields[i].Group != "" {
			name = f.Fields[i].Group
		}
		value, err := f.value(i, end, get)
		if err != nil {
			return nil, err
		}
		if f.bare {
			return f.checked(value)
		}
		if value != nil {
			members = append(members, member{name, value})
		}
		i = end
	}
	return f.checked(object(members))
}

// value reads the field i, or the group of fields from i to end.
func (f Form) value(i, end int, get func(int) (string, bool)) (json.RawMessage, error) {
	if f.Fields[i].Group == "" {
		text, there := get(i)
		value, changed, err := f.Fields[i].read(text, there)
		if err != nil {
			return nil, &Problem{i, err.Error()}
		}
		if !changed && f.Fields[i].omissible() {
			return nil, nil
		}
		return value, nil
	}
	var parts []member
	touched := false
	for n := i; n < end; n++ {
		text, there := get(n)
		value, changed, err := f.Fields[n].read(text, there)
		if err != nil {
			return nil, &Problem{n, err.Error()}
		}
		touched = touched || changed
		if value != nil {
			parts = append(parts, member{f.Fields[n].member, value})
		}
	}
	if f.Fields[i].optional && !touched {
		return nil, nil
	}
	return object(append(parts, f.kept[f.Fields[i].Group]...)), nil
}

// Decline is the answer that refuses; nil when there is no way to say no but to
// withdraw from the question. It keeps the words a person has written, and whatever
// is wrong with the rest never holds a refusal back.
func (f Form) Decline(get func(field int) (string, bool)) json.RawMessage {
	switch {
	case !f.Asks:
		return nil
	case f.bare:
		return json.RawMessage("false")
	}
	members := []member{{approved, json.RawMessage("false")}}
	for i, field := range f.Fields {
		text, there := get(i)
		value, changed, err := field.read(text, there)
		if field.Group != "" || err != nil || value == nil {
			continue
		}
		if field.Required && !field.known || changed && (field.Kind == Text || field.Kind == Area) {
			members = append(members, member{field.member, value})
		}
	}
	return object(members)
}

// omissible: what the field began with need not be said.
func (f Field) omissible() bool {
	return !f.always && (f.known || f.Value == "")
}

// read returns the value, nil for none, and whether it differs from the initial value.
// The error's text is shown to the user.
func (f Field) read(text string, there bool) (value json.RawMessage, changed bool, err error) {
	if f.Kind == Check {
		on := there && text != ""
		return json.RawMessage(strconv.FormatBool(on)), on != (f.Value == "on"), nil
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if f.Kind != Area && f.Kind != JSON && f.Kind != Text || strings.TrimSpace(text) == "" {
		text = strings.TrimSpace(text)
	}
	changed = text != strings.ReplaceAll(f.Value, "\r\n", "\n")
	words := f.Kind == Text || f.Kind == Area
	switch {
	case !utf8.ValidString(text):
		return nil, false, problemf("%s holds characters that could not be read.", f.Label)
	case utf8.RuneCountInString(text) > maxText:
		return nil, false, problemf("%s is too long: at most %d characters.", f.Label, maxText)
	case text == "" && f.Required && f.null:
		return json.RawMessage("null"), changed, nil
	case text == "" && f.Required && f.Kind == Select:
		return nil, false, problemf("Please choose something for %s.", f.Label)
	case text == "" && f.Required:
		return nil, false, problemf("Please fill in %s.", f.Label)
	case !there: // not taken away, but not on the page that was posted
		return nil, false, problemf("%s is missing. Please reload the page.", f.Label)
	case text == "" && words && f.known && changed:
		return json.RawMessage(`""`), true, nil
	case text == "":
		return nil, changed, nil
	}
	value, err = f.parse(text)
	if f.Kind == Number && err == nil {
		changed = f.Value == "" || !same(value, json.RawMessage(f.Value))
	}
	return value, changed, err
}

func (f Field) parse(text string) (json.RawMessage, error) {
	switch f.Kind {
	case Number:
		return f.number(text)
	case Select:
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(f.options) {
			return nil, problemf("Please choose one of the options for %s.", f.Label)
		}
		return compact(f.options[i]), nil
	case JSON:
		if !bounded(json.RawMessage(text), 4*maxText) {
			return nil, problemf("%s is not valid JSON.", f.Label)
		}
		return compact(json.RawMessage(text)), nil
	}
	n := utf8.RuneCountInString(text)
	switch {
	case f.maxLength > 0 && n > f.maxLength:
		return nil, problemf("%s is too long: at most %d characters.", f.Label, f.maxLength)
	case n < f.minLength:
		return nil, problemf("%s is too short: at least %d characters.", f.Label, f.minLength)
	case !fits(f.pattern, text):
		return nil, problemf("%s does not have the form that is asked for.", f.Label)
	}
	if f.Kind == Date {
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, problemf("%s is not a date, such as 2026-03-31.", f.Label)
		}
	}
	if f.Kind == Email {
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return nil, problemf("%s is not an e-mail address.", f.Label)
		}
	}
	return jsontext.Must(text), nil
}

func (f Field) number(text string) (json.RawMessage, error) {
	v := number(text)
	switch {
	case v == nil:
		return nil, problemf("%s is not a number, such as 12.50.", f.Label)
	case f.integer && !v.IsInt():
		return nil, problemf("%s is not a whole number.", f.Label)
	case f.min != nil && f.aboveMin && v.Cmp(f.min) <= 0:
		return nil, problemf("%s must be more than %s.", f.Label, write(f.min))
	case f.min != nil && v.Cmp(f.min) < 0:
		return nil, problemf("%s must be at least %s.", f.Label, write(f.min))
	case f.max != nil && f.belowMax && v.Cmp(f.max) >= 0:
		return nil, problemf("%s must be less than %s.", f.Label, write(f.max))
	case f.max != nil && v.Cmp(f.max) > 0:
		return nil, problemf("%s must be at most %s.", f.Label, write(f.max))
	case f.step != nil && !v.Quo(v, f.step).IsInt():
		if n, _ := f.step.FloatPrec(); n > 0 && write(f.step) == "0."+strings.Repeat("0", n-1)+"1" {
			return nil, problemf("%s can have at most %d digits after the point.", f.Label, n)
		}
		return nil, problemf("%s must be a multiple of %s.", f.Label, write(f.step))
	}
	return json.RawMessage(write(number(text))), nil
}

func object(members []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(jsontext.Must(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// checked holds the whole answer against the schema.
func (f Form) checked(answer json.RawMessage) (json.RawMessage, error) {
	err := check(f.schema, answer)
	if err == nil {
		return answer, nil
	}
	p := &Problem{-1, "The answer does not fit what the agent asks for" + detail(err) + "."}
	for i, field := range f.Fields {
		if field.Kind == JSON { // of which nothing was checked before
			p.Field = i
			break
		}
	}
	return nil, p
}

// detail is what the check found, without the names it has for parts of the schema.
func detail(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	for strings.HasPrefix(line, "validating ") {
		_, rest, more := strings.Cut(line, ": ")
		if !more {
			return ""
		}
		line = rest
	}
	if strings.Contains(line, "anonymous schema") {
		return ""
	}
	return " (" + clip(line, maxHelp) + ")"
}
