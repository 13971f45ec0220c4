package agentclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// Why the last answer cannot be asked for anew.
var (
	// ErrNoAnswer: there is none, or it is not over, or it failed and is for a retry.
	ErrNoAnswer = errors.New("there is no answer to ask for again")
	// ErrHadEffect: the run carried a decision, called a tool or changed the shared
	// state, and what that did is done.
	ErrHadEffect = errors.New("the answer came with an effect that would happen again")
)

// Regenerable returns the run whose answer can be asked for anew: the last one, if it is over,
// said something and did nothing else.
func (s *Session) Regenerable() (runID string, err error) {
	if s.Run.ID == "" || s.Run.Open || s.Open() != nil || s.Run.Failure != nil || s.refused(s.Run.ID) {
		return "", ErrNoAnswer
	}
	if s.Run.Decision || !sameState(s.before, s.Conversation.State()) {
		return "", ErrHadEffect
	}
	said := false
	entries := s.Conversation.Entries()
	for i := len(entries) - 1; i >= 0; i-- {
		switch e := entries[i]; {
		case e.Message != nil && e.Message.Role == agui.RoleUser:
			i = 0 // what is before was not the run's
		case e.RunID != s.Run.ID:
		case e.ToolCall != nil, e.Subagent != nil:
			return "", ErrHadEffect
		case e.Message != nil && e.Message.Role == agui.RoleAssistant:
			said = said || e.Message.Len() > 0
		}
	}
	if !said {
		return "", ErrNoAnswer
	}
	return s.Run.ID, nil
}

// Replaced reports whether an entry is part of an answer that another took the place of.
// It stays in the log and is not shown or sent any more.
func (s *Session) Replaced(e *conversation.Entry) bool {
	return e.Message != nil && e.Message.Role != agui.RoleUser && s.replaced[e.RunID]
}

// replace takes the answer of a run off the page, for the run that begins.
func (s *Session) replace(runID string) {
	s.replaced[runID], s.skip[runID] = true, true
	s.tell(Effect{Kind: EffectOrder})
}

// settleReplaced puts the answer back that the run that has ended was to replace, when
// nothing took its place.
func (s *Session) settleReplaced(end EndData) {
	old := s.Run.Replaces
	if old == "" || end.Outcome == OutcomeFinished || end.Outcome == OutcomeStopped && s.said(s.Run.ID) {
		return
	}
	delete(s.replaced, old)
	delete(s.skip, old)
	s.tell(Effect{Kind: EffectOrder})
}

// sameState reports whether two states say the same, however they are written. One with
// nothing in it is none: some agents tell an empty one in every run
// (measured).
func sameState(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decodeState(a)
	y, errY := decodeState(b)
	return errX == nil && errY == nil && (reflect.DeepEqual(x, y) || empty(x) && empty(y))
}

func decodeState(raw json.RawMessage) (v any, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

// empty reports a value that holds nothing at any depth.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, member := range v {
			if !empty(member) {
				return false
			}
		}
		return true
	}
	return false
}

// said reports whether a run left text of the agent's.
func (s *Session) said(runID string) bool {
	for _, e := range s.Conversation.Entries() {
		if e.RunID == runID && e.Message != nil && e.Message.Role == agui.RoleAssistant && e.Message.Len() > 0 {
			return true
		}
	}
	return false
}
