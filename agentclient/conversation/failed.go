package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"cairn/agentclient/jsonpatch"
)

// SaysFailed reports whether a tool's result means that the tool failed. It is a JSON
// object, perhaps inside a JSON string, with one of
//
//	"error": true, or text or an object that is not empty
//	"isError": true, as MCP has it
//	"success": false or "ok": false
//	"status": "error" or "failed"
//
// Names are exact. What else there is, lists and counts of errors too, is the tool's data.
func SaysFailed(result string) bool {
	raw := bytes.TrimSpace([]byte(result))
	var inner string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inner) == nil {
		raw = bytes.TrimSpace([]byte(inner))
	}
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return false
	}
	var errored, isError, unsuccessful, notOK, status bool // the last of a name counts
	for name, value := range jsonpatch.Each(raw) {
		switch name {
		case "error":
			errored = saysError(value)
		case "isError", "is_error":
			isError = string(value) == "true"
		case "success":
			unsuccessful = string(value) == "false"
		case "ok":
			notOK = string(value) == "false"
		case "status":
			status = saysFailed(value)
		}
	}
	return errored || isError || unsuccessful || notOK || status
}

// saysError reports whether the value of "error" is one.
func saysError(v json.RawMessage) bool {
	if len(v) == 0 {
		return false
	}
	switch v[0] {
	case '"':
		var text string
		return json.Unmarshal(v, &text) == nil && strings.TrimSpace(text) != ""
	case '{':
		return len(bytes.TrimSpace(v[1:len(v)-1])) > 0
	}
	return string(v) == "true"
}

func saysFailed(status json.RawMessage) bool {
	var word string
	return len(status) < 32 && json.Unmarshal(status, &word) == nil && (strings.EqualFold(word, "error") || strings.EqualFold(word, "failed"))
}
