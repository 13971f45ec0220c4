package interrupt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// Profile names where a runtime puts what a person needs to decide. Each field is
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
	// Unread is true when the request, or what was read of the pause before it, is too
	// large to be looked through: Payload is then the whole notice, or nil, and ToolName
	// and Args are not known. Nobody should approve what was not read.
	Unread bool
}

// Count returns how many requests the pause has. It is more than [Session.Pending]
// lists when they are more than [MaxPending].
func (s *Session) Count() int {
	if n := len(s.Pending()); n < MaxPending {
		return n
	}
	return len(s.place)
}

// Expired reports whether the question can no longer be answered at now.
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
	notice, room := &tree{raw: s.legacy.Value}, maxRead
	for _, it := range s.native {
		legacy := (*tree)(nil)
		if s.hasLegacy && (callID == it.ToolCallID || callID == "" && len(s.native) == 1) {
			legacy = notice
		}
		list = append(list, s.profile.extract(fromInterrupt(it), it, legacy, &room))
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
	if len(s.legacy.Value) > maxRequest {
		p.Payload, p.Unread = s.legacy.Value, true
		return p
	}
	notice, room := &tree{raw: s.legacy.Value}, maxRead
	var v map[string]json.RawMessage // names are exact
	message := s.legacy.Value        // a question that is plain text, or neither
	if json.Unmarshal(s.legacy.Value, &v) == nil {
		message = v["message"]
	}
	if r := stringOf(v["reason"]); r != "" {
		p.Reason = r
	}
	if m := stringOf(message); m != "" {
		p.Message = m
	}
	if p.Schema == nil {
		p.Schema = notice.lookup("resumeSchema").value()
	}
	return s.profile.extract(p, native, notice, &room)
}

func fromInterrupt(it agui.Interrupt) Pending {
	return Pending{
		ID: it.ID, ToolCallID: it.ToolCallID, Reason: it.Reason, Message: it.Message,
		Schema: it.ResponseSchema, ExpiresAt: it.ExpiresAt, SubagentRunID: it.SubagentRunID,
		Metadata: it.Metadata, Extra: it.Extra,
	}
}

// extract fills what the profile finds, as long as there is room to read the request.
func (p Profile) extract(to Pending, it agui.Interrupt, legacy *tree, room *int) Pending {
	if legacy != nil && len(legacy.raw) > maxRequest {
		to.Payload, to.Unread = legacy.raw, true
		return to
	}
	size := interruptLen(it)
	if legacy != nil && !legacy.counted {
		size += len(legacy.raw)
	}
	if size > maxRequest || size > *room {
		to.Unread = true
		return to
	}
	*room -= size
	if legacy != nil {
		legacy.counted = true
	}
	native := &tree{raw: asJSON(it)}
	find := func(paths []string, fallback ...string) json.RawMessage {
		for _, path := range slices.Concat(paths, fallback) {
			root, rest, deeper := strings.Cut(path, ".")
			var from *tree
			switch root {
			case "legacy":
				from = legacy
			case "native":
				from = native
			}
			if deeper {
				from = from.lookup(strings.Split(rest, ".")...)
			}
			if v := from.value(); v != nil {
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
	native, err := jsontext.Marshal(it)
	if err != nil || len(it.Extra) == 0 {
		return native
	}
	members := maps.Clone(it.Extra)
	if json.Unmarshal(native, &members) != nil { // what the protocol has wins
		return nil
	}
	if native, err = jsontext.Marshal(members); err != nil {
		return nil
	}
	return native
}

// String names the question for logs; it holds none of the agent's text.
func (p Pending) String() string { return fmt.Sprintf("interrupt %q of call %q", p.ID, p.ToolCallID) }
