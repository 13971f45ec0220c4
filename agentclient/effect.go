package agentclient

import (
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// EffectKind is the kind of an [Effect].
type EffectKind uint8

const (
	// EffectEvent is one of the events that the applied one stands for: a chunk is
	// expanded (protocol section 4), any other event is itself. Event is set.
	EffectEvent EffectKind = iota + 1
	// EffectNote is a departure from the protocol. Note is set.
	EffectNote
	// EffectEntry is an entry of the conversation that was added or changed, always of
	// the top level. Key is set.
	EffectEntry
	// EffectOrder is a conversation whose entries were removed or reordered.
	EffectOrder
	// EffectState is a shared state that may be another one.
	EffectState
	// EffectStateRefused is a state delta that did not apply, of which nothing was
	// applied. Note says which operation and why.
	EffectStateRefused
	// EffectRun is a run that began, ended or changed otherwise.
	EffectRun
	// EffectAsked is an interrupt that was opened, EffectSettled one that was settled.
	// Approval is set.
	EffectAsked
	EffectSettled
)

// Effect is one thing that folding did to a session.
type Effect struct {
	Kind     EffectKind
	Key      int
	Event    agui.Event
	Note     conversation.Note
	Approval *Approval
}

// add records the conversation's changes, which are valid only until its next call.
func (s *Session) add(c conversation.Changes) {
	for _, ev := range c.Events {
		s.tell(Effect{Kind: EffectEvent, Event: ev})
	}
	for _, n := range c.Noted {
		s.tell(Effect{Kind: EffectNote, Note: n})
	}
	for _, r := range c.Renamed {
		s.rename(r)
	}
	for _, key := range c.Keys {
		s.touch(key)
	}
	if c.Structure {
		s.tell(Effect{Kind: EffectOrder})
	}
	if c.State {
		s.tell(Effect{Kind: EffectState})
	}
	if c.Refused != nil {
		s.tell(Effect{Kind: EffectStateRefused, Note: *c.Refused})
	}
	if c.Run {
		s.tell(Effect{Kind: EffectRun})
	}
}

func (s *Session) tell(e Effect) { s.effects = append(s.effects, e) }

func (s *Session) touch(key int) { s.tell(Effect{Kind: EffectEntry, Key: key}) }

// mark appends an entry of the session's own to the conversation.
func (s *Session) mark(m any) (key int) {
	c := s.Conversation.Mark(m)
	key = c.Keys[0]
	s.add(c)
	return key
}
