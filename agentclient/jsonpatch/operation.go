package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// This file reads RFC 6902 patches and RFC 6901 pointers.

var (
	errNotPatch = errors.New("not a patch")
	errUnknown  = errors.New("unknown operation")
	errTooMany  = errors.New("too many operations")
)

// operation is one step of a patch, its pointers checked.
type operation struct {
	op, path, from string
	value          json.RawMessage
}

// parsePatch reads a patch, whose member names are those of the RFC to the
// letter. Other members are ignored.
func parsePatch(delta json.RawMessage) (ops []operation, unknown int, err error) {
	delta = bytes.TrimSpace(delta)
	if string(delta) == "null" {
		return nil, 0, nil
	}
	if !json.Valid(delta) || delta[0] != '[' {
		return nil, 0, errNotPatch
	}
	i := -1
	for _, raw := range Each(delta) {
		if i++; i == maxOperations {
			return nil, unknown, errTooMany
		}
		op, err := parseOperation(raw)
		switch {
		case errors.Is(err, errUnknown):
			unknown++
		case err != nil:
			return nil, unknown, fmt.Errorf("operation %d: %w", i, err)
		default:
			ops = append(ops, op)
		}
	}
	return ops, unknown, nil
}

func parseOperation(raw json.RawMessage) (op operation, err error) {
	if raw[0] != '{' {
		return op, errNotPatch
	}
	var kind, path, from json.RawMessage
	for name, value := range Each(raw) {
		switch name {
		case "op":
			kind = value
		case "path":
			path = value
		case "from":
			from = value
		case "value":
			op.value = value
		}
	}
	if kind == nil {
		return op, errUnknown
	}
	if kind[0] != '"' {
		return op, errNotPatch
	}
	needsFrom, needsValue := false, false
	switch op.op = unquote(kind); op.op {
	case "add", "replace", "test":
		needsValue = true
	case "move", "copy":
		needsFrom = true
	case "remove":
	default:
		return op, errUnknown
	}
	var ok bool
	if op.path, ok = pointer(path); !ok {
		return op, errors.New("no valid path")
	}
	if op.from, ok = pointer(from); !ok && needsFrom {
		return op, errors.New("no valid from")
	}
	if op.value == nil && needsValue {
		return op, errors.New("no value")
	}
	return op, nil
}

// pointer reads a JSON pointer (RFC 6901).
func pointer(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	p := unquote(raw)
	if p != "" && p[0] != '/' {
		return "", false
	}
	for i := 0; i < len(p); i++ {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return "", false
		}
	}
	return p, true
}

// unescape returns the name a token of a pointer stands for.
func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
