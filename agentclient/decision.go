package agentclient

import (
	"encoding/json"
	"slices"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// Verdict is the person's answer to one request.
type Verdict struct {
	Approved bool `json:"approved"`
	// Answer is what is sent for it. Without one the person withdrew from the question,
	// which is less than a no: only the protocol's array can say it, and elsewhere it is
	// sent as a no.
	Answer json.RawMessage `json:"answer,omitempty"`
}

var yes, no = json.RawMessage(`{"approved":true}`), json.RawMessage(`{"approved":false}`)

// Alike is the same verdict on each of n requests, in no other words than yes or no.
func Alike(n int, approved bool) []Verdict {
	v := Verdict{approved, no}
	if approved {
		v.Answer = yes
	}
	return slices.Repeat([]Verdict{v}, n)
}

func approved(each []Verdict) bool {
	return !slices.ContainsFunc(each, func(v Verdict) bool { return !v.Approved })
}

// Answer is what is sent for one decision on all that is pending.
func Answer(pending []interrupt.Pending, approved bool) json.RawMessage {
	return answer(pending, Alike(max(1, len(pending)), approved), false)
}

// Answer is what is sent for the verdicts on what the open question asks, of which
// there are as many: over the protocol's own array an entry for each of several, and
// for one that cannot be said by its bare answer.
func (s *Session) Answer(a *Approval, each []Verdict) json.RawMessage {
	return answer(a.Pending, each, s.Interrupts.Batch())
}

func answer(pending []interrupt.Pending, each []Verdict, batch bool) json.RawMessage {
	if len(each) == 1 && (!batch || each[0].Answer != nil && each[0].Answer[0] != '[') {
		if each[0].Answer == nil {
			return no
		}
		return each[0].Answer
	}
	entries := make([]agui.ResumeEntry, len(pending))
	for i, p := range pending {
		entries[i] = agui.ResumeEntry{InterruptID: p.ID, Status: agui.ResumeResolved, Payload: each[i].Answer}
		if each[i].Answer == nil {
			entries[i].Status = agui.ResumeCancelled
		}
	}
	raw, err := json.Marshal(entries)
	if err != nil {
		return no // strings and valid JSON always encode
	}
	return raw
}
