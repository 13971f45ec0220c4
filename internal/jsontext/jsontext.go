// Package jsontext writes JSON without the escapes that only HTML needs: agents and people
// read "a<b", not "a\u003cb".
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Marshal is json.Marshal without the escapes of <, > and &.
func Marshal(v any) (json.RawMessage, error) { return encode(v, "") }

// MarshalIndent is Marshal with each level of the value indented.
func MarshalIndent(v any, indent string) (json.RawMessage, error) { return encode(v, indent) }

// Must is Marshal for values that always encode, such as strings and maps of them. It
// panics on others.
func Must(v any) json.RawMessage {
	raw, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("jsontext: %v", err))
	}
	return raw
}

func encode(v any, indent string) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
