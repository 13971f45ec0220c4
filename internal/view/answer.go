package view

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"cairn/agentclient/interrupt"
	"cairn/internal/jsontext"
)

// These patterns separate questions from requests for approval when the agent sends no
// schema of the answer. A question is text, and there is nothing to approve.
var (
	// forApproval are the words with which approval is asked.
	forApproval = regexp.MustCompile(`(?i)approv|confirm|permission|consent|authori[sz]|\ballow\b|\bproceed\b|tool_call`)
	// wordsOf are the members of a question that hold its words, optionsOf those that hold
	// the answers to choose from, and besides what else a question may say. Any other
	// member is something to decide on.
	wordsOf   = []string{"question", "prompt", "message", "query", "text"}
	optionsOf = []string{"options", "choices"}
	besides   = []string{"type", "kind", "reason", "id", "title", "description", "placeholder", "toolCallId", "runId"}
)

// question returns the words of a request that wants an answer in words, and the answers
// it names, if it does. It is asked about requests without a schema of the answer.
func question(p interrupt.Pending) (words string, options []string, ok bool) {
	if p.ToolCallID != "" || p.ToolName != "" && p.ToolName != p.Reason { // some profiles read one as the other
		return "", nil, false
	}
	words = message(p)
	var from []map[string]json.RawMessage // where options may be named
	for _, raw := range []json.RawMessage{p.Payload, p.Args} {
		members, isText := map[string]json.RawMessage{}, ""
		switch {
		case json.Unmarshal(raw, &isText) == nil && isText != "":
			words = cmp.Or(words, shortText(raw))
			continue
		case json.Unmarshal(raw, &members) != nil:
			continue
		}
		for name, value := range members {
			switch {
			case slices.Contains(wordsOf, name), slices.Contains(optionsOf, name):
			case name == "reason" || name == "type" || name == "kind":
				if forApproval.Match(value) {
					return "", nil, false
				}
			case !slices.Contains(besides, name):
				return "", nil, false
			}
		}
		for _, name := range wordsOf {
			var said string
			if json.Unmarshal(members[name], &said) == nil {
				words = cmp.Or(words, shortText(members[name]))
			}
		}
		from = append(from, members)
	}
	for _, members := range append(from, p.Metadata, p.Extra) {
		for _, name := range optionsOf {
			if options == nil {
				options = stringsOf(members[name])
			}
		}
	}
	if words == "" || forApproval.MatchString(words) || forApproval.MatchString(p.Reason) {
		return "", nil, false
	}
	return words, options, true
}

// stringsOf is a list of texts, nil when the value is anything else.
func stringsOf(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) != nil || slices.Contains(list, "") {
		return nil
	}
	return list
}

// answerSchema is the schema of an answer in words, or of one of the options.
func answerSchema(options []string) json.RawMessage {
	if len(options) == 0 {
		return json.RawMessage(`{"type":"string"}`)
	}
	return jsontext.Must(map[string]any{"type": "string", "enum": options})
}
