package agui

import (
	"encoding/json"
	"fmt"
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
// that 1.0 requires and raw lacks: those without omitempty or a tag that says so.
// What is kept as JSON is the producer's own, and not looked into.
type inspector struct {
	*reporter
	s scanner
}

// field is a member of a struct; bit is its own in the struct.
type field struct {
	of       reflect.Type
	bit      uint64
	required bool
}

// fields are the members of each struct an event may hold, by name in JSON.
var fields = func() map[reflect.Type]map[string]field {
	all := map[reflect.Type]map[string]field{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
			add(t.Elem())
		case t.Kind() == reflect.Struct && t != reflect.TypeFor[Content]() && all[t] == nil:
			all[t] = map[string]field{}
			for _, f := range reflect.VisibleFields(t) {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous || name == "-" {
					continue
				}
				required := !strings.Contains(options, "omit") && f.Tag.Get("agui") != "optional"
				all[t][name] = field{f.Type, 1 << len(all[t]), required}
				add(f.Type)
			}
		}
	}
	for t := range types {
		add(t)
	}
	return all
}()

// inspect looks through raw, which was read into a value of type t.
func (r *reporter) inspect(raw []byte, t reflect.Type) {
	in := inspector{reporter: r, s: scanner{b: raw}}
	in.s.space()
	in.value("", "", t)
}

// value looks through the value of a member, whose path is made only if it has
// members of its own.
func (in *inspector) value(path, name string, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	known := fields[t]
	switch c := in.peek(); {
	case c == '{' && known != nil:
		in.object(join(path, name), known)
	case c == '[' && t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]():
		path, i := join(path, name), 0
		for more := in.s.enter('[', ']'); more; more = in.s.next(']') {
			in.value(path, "["+strconv.Itoa(i)+"]", t.Elem())
			i++
		}
	default:
		in.s.value(0)
	}
}

func (in *inspector) object(path string, known map[string]field) {
	var seen uint64
	for more := in.s.enter('{', '}'); more; more = in.s.next('}') {
		key := in.s.key()
		if in.s.escaped {
			var text strings.Builder
			unescape(&text, key, false)
			key = []byte(text.String())
		}
		f, ok := known[string(key)]
		if !ok {
			in.report(path, "unknown member %s; ignored", quote(string(key)))
			in.s.value(0)
			continue
		}
		if in.peek() != 'n' || f.of == reflect.TypeFor[json.RawMessage]() {
			seen |= f.bit
		}
		in.value(path, string(key), f.of)
	}
	if in.s.bad {
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
		in.report(join(path, name), "required, but missing")
	}
}

// peek gives the first byte of the value to come, 0 at the end.
func (in *inspector) peek() byte {
	if in.s.i < len(in.s.b) {
		return in.s.b[in.s.i]
	}
	return 0
}

func join(path, name string) string {
	if path == "" || strings.HasPrefix(name, "[") {
		return path + name
	}
	return path + "." + name
}
