package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads JSON into the structs of this package. encoding/json would take
// "MESSAGEID" for messageId, while names in AG-UI are exact; it merges a member
// given twice, where the last one counts; and its errors speak of Go.

// maxElements bounds the arrays of one value, all together, that are read into
// structs: three bytes of JSON make a message of hundreds. Arrays that are kept as
// JSON have no such bound.
const maxElements = 100_000

// unmarshal reads b, valid JSON, into what to points to.
func unmarshal(b []byte, to any) error { return unmarshalEvent(b, to, "", nil, false) }

// unmarshalEvent is unmarshal for an event of type t. With shares, values that stay JSON
// are parts of b and not copies.
func unmarshalEvent(b []byte, to any, t EventType, rep *reporter, shares bool) error {
	r := reader{reporter: rep, s: scanner{b: b, deepest: math.MaxInt}, room: maxElements, spares: t != "", shares: shares}
	r.s.space()
	r.value(reflect.ValueOf(to).Elem())
	if r.err != nil {
		r.err.Type = t
		return r.err
	}
	return nil
}

// step is one on the way to a value: a member, or an element when it has no name.
type step struct {
	name  string
	index int
}

// reader reads valid JSON. It reports members that the Go type has no field for,
// and fields that 1.0 requires and the JSON lacks: those without omitempty or a tag
// that says so. What is kept as JSON is the producer's own, and not looked into.
type reader struct {
	*reporter
	s    scanner
	path []step // to the value being read
	room int    // how many more elements the arrays may have
	// spares reports whether a message or a call in a list that cannot be read is left out, so
	// that one bad row does not cost the others. What we are asked with is read whole or not.
	spares bool
	shares bool         // values that stay JSON are parts of the input
	err    *MemberError // the first, where reading ends
}

// at returns where the reader is, or what member of it.
func (r *reader) at(member ...step) string {
	text := ""
	for _, s := range slices.Concat(r.path, member) {
		switch {
		case s.name == "":
			text += "[" + strconv.Itoa(s.index) + "]"
		case text == "":
			text = s.name
		default:
			text += "." + s.name
		}
	}
	return text
}

// member reads the value of a member or an element.
func (r *reader) member(s step, v reflect.Value) {
	r.path = append(r.path, s)
	r.value(v)
	r.path = r.path[:len(r.path)-1]
}

// of reports whether the value being read is that of a member of this name.
func (r *reader) of(name string) bool {
	return len(r.path) > 0 && r.path[len(r.path)-1].name == name
}

func (r *reader) value(v reflect.Value) {
	c := r.s.peek()
	switch t := v.Type(); {
	case t == rawType:
		v.SetBytes(r.json())
		return
	case c == 'n':
		r.raw()
		v.SetZero()
		if r.reporter != nil && v.Kind() == reflect.Map { // metadata
			r.report(r.at(), "null; read as absent")
		}
		return
	case t == contentType:
		v.Field(0).SetBytes(r.json())
		return
	case t == interruptType:
		var in wireInterrupt
		r.value(reflect.ValueOf(&in).Elem())
		v.Set(reflect.ValueOf(in.modern(r)))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		r.value(p.Elem())
		v.Set(p)
	case reflect.Struct:
		if r.is(c == '{', "an object") {
			r.object(v)
		}
	case reflect.Slice:
		if !r.is(c == '[', "an array") {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		for n, more := 0, r.s.enter('[', ']'); more && r.err == nil; n, more = n+1, r.s.next(']') {
			if r.room--; r.room < 0 {
				r.wrong(fmt.Sprintf("at most %d elements in all", maxElements), "more")
				return
			}
			i, before := v.Len(), r.s
			v.Grow(1)
			v.SetLen(i + 1)
			if r.spares && spared[v.Type()] == "tool call" && r.s.peek() == 'n' {
				r.report(r.at(step{index: n}), "null; tool call left out")
				r.raw()
				v.SetLen(i)
				continue
			}
			r.member(step{index: n}, v.Index(i))
			if r.err != nil && r.spares && r.room >= 0 && spared[v.Type()] != "" {
				r.report(r.err.Path, "want %s, found %s; %s left out", r.err.Want, r.err.Found, spared[v.Type()])
				v.SetLen(i)
				r.err, r.s = nil, before
				r.raw()
			}
		}
	case reflect.Map:
		if r.is(c == '{', "an object") {
			m := map[string]json.RawMessage{}
			for more := r.s.enter('{', '}'); more; more = r.s.next('}') {
				name := string(r.name())
				m[name] = r.json()
			}
			v.Set(reflect.ValueOf(m))
		}
	case reflect.String:
		if r.is(c == '"', "a string") {
			raw := r.raw()
			v.SetString(text(raw, r.s.escaped, r.of("delta")))
		}
	case reflect.Bool:
		if r.is(c == 't' || c == 'f', "true or false") {
			r.raw()
			v.SetBool(c == 't')
		}
	case reflect.Int64:
		if r.is(c == '-' || c >= '0' && c <= '9', "an integer") {
			v.SetInt(r.integer())
		}
	default:
		panic("agui: no reading of " + v.Type().String()) // a struct has a field of a new kind
	}
}

// spared are the lists in which an element that cannot be read is left out.
var spared = map[reflect.Type]string{reflect.TypeFor[[]Message](): "message", reflect.TypeFor[[]ToolCall](): "tool call"}

// is makes sure of the type of the value to come, and steps over one that is wrong.
func (r *reader) is(ok bool, want string) bool {
	if !ok {
		raw := r.raw()
		r.wrong(want, found(raw))
	}
	return ok
}

func (r *reader) wrong(want, found string) {
	r.err = &MemberError{Path: r.at(), Want: want, Found: found}
}

func (r *reader) object(v reflect.Value) {
	known := fields[v.Type()]
	v.SetZero()
	var seen uint64
	for more := r.s.enter('{', '}'); more && r.err == nil; more = r.s.next('}') {
		name := r.name()
		f, ok := known[string(name)]
		if !ok {
			r.unknown(v, string(name), r.raw())
			continue
		}
		if f.raw || r.s.peek() != 'n' {
			seen |= f.bit
		}
		r.member(step{name: f.name}, v.FieldByIndex(f.index))
	}
	if r.reporter == nil || r.err != nil {
		return
	}
	var missing []string
	for name, f := range known {
		if f.required && seen&f.bit == 0 {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		r.report(r.at(step{name: name}), "required, but missing")
	}
}

// unknown keeps a member that 1.0 does not have where there is a place for it.
func (r *reader) unknown(v reflect.Value, name string, value []byte) {
	what := "ignored"
	if in, ok := v.Addr().Interface().(*wireInterrupt); ok {
		in.keep(name, bytes.Clone(value))
		what = "kept"
	}
	if r.reporter != nil {
		r.report(r.at(), "unknown member %s; %s", quote(name), what)
	}
}

// name reads the name of a member, up to the value.
func (r *reader) name() []byte {
	start := r.s.i
	key := r.s.key()
	if !r.s.escaped && utf8.Valid(key) {
		return key
	}
	return []byte(text(r.s.b[start:start+len(key)+2], r.s.escaped, false))
}

// raw steps over a value and returns it, as it is in the input.
func (r *reader) raw() []byte {
	start := r.s.i
	r.s.value(0)
	return r.s.b[start:r.s.i]
}

// json steps over a value and returns it for an event to keep.
func (r *reader) json() []byte {
	raw := r.raw()
	if !r.shares {
		return bytes.Clone(raw)
	}
	return slices.Clip(raw)
}

// text returns the text of a JSON string.
func text(raw []byte, escaped, keepHalves bool) string {
	in := raw[1 : len(raw)-1]
	switch {
	case !utf8.Valid(in):
		var s string
		_ = json.Unmarshal(raw, &s) // it is a string
		return s
	case !escaped:
		return string(in)
	}
	var b strings.Builder
	unescape(&b, in, keepHalves)
	return b.String()
}

// integer reads a number. A timestamp may have a fraction, as 0.0.x allowed.
func (r *reader) integer() int64 {
	raw := r.raw()
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err == nil {
		return n
	}
	if r.of("timestamp") {
		if x, err := strconv.ParseFloat(string(raw), 64); err == nil && math.Abs(x) <= maxInteger {
			if r.reporter != nil {
				r.report(r.at(), "no integer; its fraction is left out")
			}
			return int64(x)
		}
	}
	r.wrong("an integer", found(raw))
	return 0
}
