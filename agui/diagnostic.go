package agui

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Diagnostic is something in an event that was left out, or read otherwise than
// 1.0 says, without the event being refused.
type Diagnostic struct {
	// Path is where, such as messages[3].role; empty is the event itself.
	Path string
	What string
}

// maxDiagnostics bounds what one event may have reported; the last says so.
const maxDiagnostics = 32

func (d Diagnostic) String() string {
	if d.Path == "" {
		return d.What
	}
	return d.Path + ": " + d.What
}

// reporter collects diagnostics. A nil one ignores them.
type reporter struct{ found []Diagnostic }

func (r *reporter) report(path, format string, args ...any) {
	switch {
	case r == nil || len(r.found) > maxDiagnostics:
	case len(r.found) == maxDiagnostics:
		r.found = append(r.found, Diagnostic{What: "and more"})
	default:
		r.found = append(r.found, Diagnostic{Path: path, What: fmt.Sprintf(format, args...)})
	}
}

// quote shows a name the agent chose, bounded.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}

// inspector reports members of raw that the Go type has no field for, and fields
// that 1.0 requires and raw lacks: those without omitempty. What is kept as JSON
// is the producer's own, and not looked into.
type inspector struct {
	*reporter
	s      scanner
	fields map[reflect.Type]map[string]field
}

type field struct {
	of       reflect.Type
	required bool
}

// inspect looks through raw, which was read into a value of type t.
func (r *reporter) inspect(raw []byte, t reflect.Type) {
	in := inspector{reporter: r, s: scanner{b: raw}, fields: map[reflect.Type]map[string]field{}}
	in.value("", t)
}

func (in *inspector) value(path string, t reflect.Type) {
	in.s.space()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	c := byte(0)
	if in.s.i < len(in.s.b) {
		c = in.s.b[in.s.i]
	}
	switch {
	case c == '{' && t.Kind() == reflect.Struct && t != reflect.TypeFor[Content]():
		in.object(path, t)
	case c == '[' && t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]():
		i := 0
		for more := in.s.enter('[', ']'); more; more = in.s.next(']') {
			in.value(path+"["+strconv.Itoa(i)+"]", t.Elem())
			i++
		}
	default:
		in.s.value(0)
	}
}

func (in *inspector) object(path string, t reflect.Type) {
	known := in.of(t)
	seen := make(map[string]bool, len(known))
	for more := in.s.enter('{', '}'); more; more = in.s.next('}') {
		key := in.s.key()
		name := string(key)
		if in.s.escaped {
			var text strings.Builder
			unescape(&text, key, false)
			name = text.String()
		}
		f, ok := known[name]
		if !ok {
			in.report(path, "unknown member %s; ignored", quote(name))
			in.s.value(0)
			continue
		}
		seen[name] = in.s.i < len(in.s.b) && (in.s.b[in.s.i] != 'n' || f.of == reflect.TypeFor[json.RawMessage]())
		in.value(join(path, name), f.of)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name].required && !seen[name] && !in.s.bad {
			in.report(join(path, name), "required, but missing")
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// of gives the members of a struct by their names in JSON.
func (in *inspector) of(t reflect.Type) map[string]field {
	known, ok := in.fields[t]
	if !ok {
		known = map[string]field{}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "-" {
				continue
			}
			known[name] = field{f.Type, !strings.Contains(options, "omit") && f.Tag.Get("agui") != "optional"}
		}
		in.fields[t] = known
	}
	return known
}
