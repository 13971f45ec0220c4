package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"cairn/internal/jsontext"
)

// Encode writes one event as compact JSON on a single line, with its type filled
// in from the Go type, without HTML escaping. What it writes is 1.0 in Unicode: it
// fails when the event is not, naming the member. So it does for half a character
// at the end of a delta that was read; join deltas with [JoinSurrogates] before they
// are written.
func Encode(ev Event) ([]byte, error) {
	t, ok := types[reflect.TypeOf(ev)]
	if !ok {
		return nil, fmt.Errorf("cannot encode %T", ev)
	}
	ev.Head().Type = t
	ev, err := strict(ev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	raw, err := write(ev)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", t, err)
	}
	return raw, nil
}

// write is marshal of what is Unicode, and JSON where JSON is kept. What is not is
// an error naming the member, where encoding/json would put U+FFFD for each byte.
func write(v any) (json.RawMessage, error) {
	raw, err := jsontext.Marshal(v)
	// encoding/json writes U+FFFD as an escape when it put it there itself. The same
	// escape may stand in JSON that was kept, so the look has to be closer.
	if err != nil || bytes.Contains(raw, []byte(`\ufffd`)) || !utf8.Valid(raw) {
		if found := fault("", reflect.ValueOf(v)); found != nil {
			return nil, found
		}
	}
	return raw, err
}

// fault finds what write refuses.
func fault(at string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		return notText(at, v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			return fault(at, v.Elem())
		}
	case reflect.Slice:
		if v.Type() == rawType {
			return notJSON(at, v.Bytes())
		}
		for i := range v.Len() {
			if err := fault(at+"["+strconv.Itoa(i)+"]", v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map: // of JSON values
		for _, key := range v.MapKeys() {
			name := join(at, strings.ToValidUTF8(key.String(), "\uFFFD"))
			if err := notText(name, key.String()); err != nil {
				return err
			}
			if err := fault(name, v.MapIndex(key)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if v.Type() == contentType {
			return fault(at, v.Field(0))
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if err := fault(join(at, name), v.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func notText(at, s string) error {
	switch i, _ := half(s); {
	case utf8.ValidString(s):
		return nil
	case i >= 0:
		return fmt.Errorf("%s: holds half a character", at)
	}
	return fmt.Errorf("%s: is not UTF-8", at)
}

func notJSON(at string, raw json.RawMessage) error {
	switch {
	case len(raw) == 0: // absent
		return nil
	case !json.Valid(raw):
		return fmt.Errorf("%s: is not JSON: %w", at, syntax(raw))
	case !utf8.Valid(raw):
		return fmt.Errorf("%s: is not UTF-8", at)
	}
	return nil
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}
