package interrupt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/agui"
)

// Profile says where a runtime puts what a person needs to decide. Each field is
// a list of dotted paths, tried in order; the first that leads to a value wins.
// A path starts at "legacy" (the decoded value of the notice) or at "native" (the
// interrupt as JSON, with the members the protocol does not have):
// "native.metadata.example.payload", "native.request", "legacy.0", "legacy".
// A string of JSON met on the way, or found at its end, is decoded once.
type Profile struct {
	// ToolName falls back to "legacy.toolName".
	ToolName []string
	// Payload has no fallback: without it a card can only name the tool.
	Payload []string
	// Args falls back to "legacy.args".
	Args []string
}

// Pending is one question that waits for a decision.
type Pending struct {
	// ID is opaque; that of a notice is made by the session and stable in its generation.
	ID         string
	ToolCallID string
	ToolName   string
	Reason     string
	Message    string
	// Payload and Args are what the profile found, nil when nothing.
	Payload, Args json.RawMessage
	// Schema is the JSON schema of the answer, nil when none was given.
	Schema json.RawMessage
	// Metadata and Extra hold what the interrupt says in its metadata and in members the
	// protocol does not have, for a card to show when the profile found nothing; nil when
	// there are none.
	Metadata, Extra map[string]json.RawMessage
	// ExpiresAt is as received, "" for never.
	ExpiresAt string
	// SubagentRunID names the subagent that asked, "" for the agent itself.
	SubagentRunID string
}

// Expired reports that the question can no longer be answered at now.
func (p Pending) Expired(now time.Time) bool { return expired(p.ExpiresAt, now) }

// Pending lists what the present pause asks: the notice's question over the
// command transports, the batch otherwise, and whichever there is when that one
// is missing. It is empty when nothing is asked or the answer has arrived. The
// caller must not change it.
func (s *Session) Pending() []Pending {
	if s.phase == PhaseNone || s.phase == PhaseAcknowledged {
		return nil
	}
	if s.shown == nil {
		s.shown = s.project()
	}
	return s.shown
}

func (s *Session) project() []Pending {
	commands := s.transport == TransportMastraCommand || s.transport == TransportLegacyCommand
	if s.hasLegacy && (commands || len(s.native) == 0) {
		return []Pending{s.fromNotice()}
	}
	list := make([]Pending, 0, len(s.native))
	callID, _ := s.noticeAddress()
	for _, it := range s.native {
		legacy := json.RawMessage(nil)
		if s.hasLegacy && (callID == it.ToolCallID || callID == "" && len(s.native) == 1) {
			legacy = s.legacy
		}
		list = append(list, s.profile.extract(fromInterrupt(it), it, legacy))
	}
	return list
}

// fromNotice shows the notice's question, with what a batch entry for the same
// call adds to it.
func (s *Session) fromNotice() Pending {
	callID, _ := s.noticeAddress()
	p := Pending{ID: "notice-" + strconv.Itoa(s.gen), ToolCallID: callID}
	var native agui.Interrupt
	i := slices.IndexFunc(s.native, func(it agui.Interrupt) bool {
		return it.ToolCallID == callID || len(s.native) == 1 && (callID == "" || it.ToolCallID == "")
	})
	if i >= 0 {
		native = s.native[i]
		id := p.ID
		p = fromInterrupt(native)
		p.ID = id
		if callID != "" {
			p.ToolCallID = callID
		}
	}
	var v map[string]json.RawMessage // names are exact
	message := s.legacy              // a question that is plain text, or neither
	if json.Unmarshal(s.legacy, &v) == nil {
		message = v["message"]
	}
	if r := stringOf(v["reason"]); r != "" {
		p.Reason = r
	}
	if m := stringOf(message); m != "" {
		p.Message = m
	}
	if p.Schema == nil {
		p.Schema = lookup(s.legacy, []string{"resumeSchema"})
	}
	return s.profile.extract(p, native, s.legacy)
}

func fromInterrupt(it agui.Interrupt) Pending {
	return Pending{
		ID: it.ID, ToolCallID: it.ToolCallID, Reason: it.Reason, Message: it.Message,
		Schema: it.ResponseSchema, ExpiresAt: it.ExpiresAt, SubagentRunID: it.SubagentRunID,
		Metadata: it.Metadata, Extra: it.Extra,
	}
}

// extract fills what the profile finds.
func (p Profile) extract(to Pending, it agui.Interrupt, legacy json.RawMessage) Pending {
	native := asJSON(it)
	find := func(paths []string, fallback ...string) json.RawMessage {
		for _, path := range slices.Concat(paths, fallback) {
			root, rest, deeper := strings.Cut(path, ".")
			var from json.RawMessage
			switch root {
			case "legacy":
				from = legacy
			case "native":
				from = native
			}
			var steps []string
			if deeper {
				steps = strings.Split(rest, ".")
			}
			if v := lookup(from, steps); v != nil {
				return v
			}
		}
		return nil
	}
	to.ToolName = stringOf(find(p.ToolName, "legacy.toolName"))
	to.Payload = find(p.Payload)
	to.Args = find(p.Args, "legacy.args")
	return to
}

// asJSON is the interrupt as it came, as far as it was kept; nil when it holds what
// is no JSON, which cannot come from the wire.
func asJSON(it agui.Interrupt) json.RawMessage {
	native, err := marshal(it)
	if err != nil || len(it.Extra) == 0 {
		return native
	}
	members := maps.Clone(it.Extra)
	if json.Unmarshal(native, &members) != nil { // what the protocol has wins
		return nil
	}
	if native, err = marshal(members); err != nil {
		return nil
	}
	return native
}

// lookup follows steps into a JSON value; nil when there is nothing or null.
func lookup(from json.RawMessage, steps []string) json.RawMessage {
	from = unwrap(from)
	if len(steps) == 0 {
		if payload(from) == nil {
			return nil
		}
		return from
	}
	switch step := steps[0]; {
	case len(from) == 0:
	case from[0] == '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(from, &object) == nil {
			return lookup(object[step], steps[1:])
		}
	case from[0] == '[':
		var array []json.RawMessage
		i, err := strconv.Atoi(step)
		if err == nil && json.Unmarshal(from, &array) == nil && i >= 0 && i < len(array) {
			return lookup(array[i], steps[1:])
		}
	}
	return nil
}

// unwrap decodes a string that holds a JSON object or array, one layer only.
func unwrap(v json.RawMessage) json.RawMessage {
	v = bytes.TrimSpace(v)
	text := strings.TrimSpace(stringOf(v))
	if text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return v
}

// String names the question for logs; it holds none of the agent's text.
func (p Pending) String() string { return fmt.Sprintf("interrupt %q of call %q", p.ID, p.ToolCallID) }
