package agentclient

import (
	"cairn/agentclient/conversation"
)

// Asked reports whether an approval is about the call, so that its result is shown there.
// A call that the pause names and the approval does not list has no result there.
func (s *Session) Asked(toolCallID string) bool {
	in := s.askedIn(toolCallID)
	if in.approval == nil || in.listed {
		return in.listed
	}
	e := s.Conversation.Entry(s.Conversation.CallKey(toolCallID))
	return e != nil && e.ToolCall != nil && !e.ToolCall.HasResult
}

// Unanswered reports whether the call waits for an answer that will not come: nobody can
// answer, or the user went on without.
func (s *Session) Unanswered(toolCallID string) bool {
	a := s.askedIn(toolCallID).approval
	return a != nil && (a.Refused != nil || a.Left != "")
}

// asked is the last approval that is about a call, and whether it lists the call.
type asked struct {
	approval *Approval
	listed   bool
}

func (s *Session) askedIn(toolCallID string) asked {
	if s.asked == nil {
		s.asked = map[string]asked{}
		for _, a := range s.approvals {
			for _, id := range a.calls {
				s.asked[id] = asked{a, false}
			}
			for _, p := range a.Pending {
				s.asked[p.ToolCallID] = asked{a, true}
			}
		}
		delete(s.asked, "")
	}
	return s.asked[toolCallID]
}

// rename keeps approvals at the calls that they were about.
func (s *Session) rename(r conversation.Renamed) {
	s.asked = nil
	for _, a := range s.approvals {
		for i := range a.Pending {
			if a.Pending[i].ToolCallID == r.From {
				a.Pending[i].ToolCallID = r.To
				s.touch(a.Key)
			}
		}
		for i, id := range a.calls {
			if id == r.From {
				a.calls[i] = r.To
			}
		}
	}
}
