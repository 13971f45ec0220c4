package agenthost

import (
	"strings"

	"github.com/google/uuid"

	"cairn/agui"
)

// maxCallID is the most bytes of a call's id, which every event of the call repeats.
const maxCallID = 256

// callIDs are the ids of calls that a thread has used, according to its client and the
// store. The calls of a run and of its children get ids that are not among them.
type callIDs map[string]bool

// mint returns the id for a call: that of the model server, or a new one when it is
// empty, too long or used before. Small model servers count from zero in every answer.
func (ids callIDs) mint(id string) string {
	if id == "" || len(id) > maxCallID || ids[id] {
		id = "call_" + strings.ReplaceAll(uuid.NewString(), "-", "") // within maxSentID
	}
	ids[id] = true
	return id
}

// add adds the ids of a conversation with the model.
func (ids callIDs) add(list []Message) {
	for _, m := range list {
		for _, c := range m.ToolCalls {
			ids[c.ID] = true
		}
	}
}

// usedIDs returns the ids in the messages of a client and in a thread's interrupts.
func usedIDs(sent []agui.Message, interrupts []Interrupt) callIDs {
	ids := callIDs{}
	for _, m := range sent {
		for _, c := range m.ToolCalls {
			ids[c.ID] = true
		}
		ids[m.ToolCallID] = true
	}
	for _, in := range interrupts {
		ids[in.ToolCallID] = true
	}
	return ids
}
