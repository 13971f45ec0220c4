package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a pattern, which is run as RE2 and only on the server: its length in
// bytes, and its weight.
const (
	maxPattern = 200
	maxProgram = 400
)

// rule holds a schema's constraints on one value.
type rule struct {
	min, max, step       *big.Rat // step is positive
	aboveMin, belowMax   bool     // the bound itself is excluded
	minLength, maxLength int
	pattern, format      string
	options              []json.RawMessage
	integer, null        bool
}

func ruleOf(all map[string]json.RawMessage) rule {
	r := rule{format: text(all["format"]), pattern: text(all["pattern"])}
	r.min, r.max = numberOf(all["minimum"]), numberOf(all["maximum"])
	if v := numberOf(all["exclusiveMinimum"]); v != nil && (r.min == nil || v.Cmp(r.min) >= 0) {
		r.min, r.aboveMin = v, true
	}
	if v := numberOf(all["exclusiveMaximum"]); v != nil && (r.max == nil || v.Cmp(r.max) <= 0) {
		r.max, r.belowMax = v, true
	}
	if v := numberOf(all["multipleOf"]); v != nil && v.Sign() > 0 {
		r.step = v
	}
	_ = json.Unmarshal(all["minLength"], &r.minLength)
	_ = json.Unmarshal(all["maxLength"], &r.maxLength)
	r.maxLength = max(0, r.maxLength)
	return r
}

// fits reports whether a text matches a pattern. It returns true for a pattern that is not
// checked: one that RE2 does not support, or that is too large.
func fits(pattern, text string) bool {
	if len(pattern) > maxPattern {
		return true
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || weight(tree) > maxProgram {
		return true
	}
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

// weight is about how many instructions a pattern's program has.
func weight(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// number reads a number that a person or a schema may mean; others are none.
func number(s string) *big.Rat {
	if len(s) > 40 || !decimal.MatchString(s) {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if a := math.Abs(v); err != nil || a > 1e21 || a != 0 && a < 1e-12 {
		return nil
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return r
}

func numberOf(raw json.RawMessage) *big.Rat { return number(string(bytes.TrimSpace(raw))) }

// write returns a number as JSON in decimal notation, without an exponent.
func write(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// begin writes a number with as many digits as its steps have: 47.50, not 47.5.
func (r rule) begin(v *big.Rat) string {
	switch {
	case v == nil:
		return ""
	case r.step == nil:
		return write(v)
	}
	digits, _ := v.FloatPrec()
	steps, _ := r.step.FloatPrec()
	return v.FloatString(max(digits, steps))
}

// newField makes the field of a value that begins as begin, which may be nil. held is
// false when the field cannot show that value, and begins empty.
func newField(name string, s schema, begin json.RawMessage) (f Field, held bool) {
	f = Field{Label: clip(cmp.Or(s.Title, Words(name)), maxLabel), Help: clip(s.Description, maxHelp), Kind: JSON, rule: s.rule}
	switch {
	case len(s.Enum) > 0 && len(s.Enum) <= maxOptions:
		f.Kind, f.options = Select, s.Enum
		for i, v := range s.Enum {
			f.Options = append(f.Options, clip(plain(v), maxLabel))
			if begin != nil && same(v, begin) {
				f.Value = strconv.Itoa(i)
			}
		}
	case len(s.Enum) > 0:
	case s.Type == "boolean":
		f.Kind = Check
		if string(begin) == "true" {
			f.Value = "on"
		}
		return f, string(begin) == "true" || string(begin) == "false"
	case s.Type == "number" || s.Type == "integer":
		f.Kind, f.integer = Number, s.Type == "integer"
		f.Signed = f.min == nil || f.min.Sign() < 0
		f.Value = f.begin(numberOf(begin))
	case s.Type == "string":
		var v string
		isText := json.Unmarshal(begin, &v) == nil
		switch {
		case s.format == "date":
			f.Kind = Date
		case s.format == "email":
			f.Kind = Email
		case s.maxLength > longText || len(v) > longText || strings.Contains(v, "\n"):
			f.Kind = Area
		default:
			f.Kind = Text
		}
		if isText = isText && f.canShow(v); isText {
			f.Value = v
		}
		return f, isText
	}
	if f.Kind == JSON && bounded(begin, maxBegin) {
		var b bytes.Buffer
		if json.Indent(&b, begin, "", "  ") == nil && utf8.RuneCount(b.Bytes()) <= maxText {
			f.Value = b.String()
		}
	}
	return f, f.Value != ""
}

// canShow reports whether a browser shows the text and posts it back unchanged.
func (f Field) canShow(v string) bool {
	if f.Kind == Date {
		_, err := time.Parse(time.DateOnly, v)
		return err == nil
	}
	return utf8.RuneCountInString(v) <= maxText && (v == "" || strings.TrimSpace(v) != "") &&
		!(f.Kind == Email && strings.TrimSpace(v) != v) &&
		!strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && !(r == '\n' && f.Kind == Area) })
}

// plain is a value without JSON's quotes.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil && string(v) != "null" {
		return s
	}
	return string(compact(v))
}

func compact(v json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// same reports whether two JSON values are equal as text or as numbers.
func same(a, b json.RawMessage) bool {
	if x, y := numberOf(a), numberOf(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	return plain(a) == plain(b) && (a[0] == '"') == (b[0] == '"')
}
