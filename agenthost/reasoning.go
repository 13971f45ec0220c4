package agenthost

import (
	"github.com/google/uuid"

	"cairn/agui"
)

// reason sends a piece of the model's reasoning (protocol section 1.7). It is shown and
// not sent back to the model.
func (x *run) reason(delta string) error {
	var events []agui.Event
	if x.thought == "" {
		x.thought = "reasoning_" + uuid.NewString()
		events = append(events, &agui.ReasoningStart{MessageID: x.thought}, &agui.ReasoningMessageStart{MessageID: x.thought, Role: agui.RoleReasoning})
	}
	return x.out.send(append(events, &agui.ReasoningMessageContent{MessageID: x.thought, Delta: delta})...)
}

// endReasoning returns what closes the reasoning that goes on.
func (x *run) endReasoning() []agui.Event {
	if x.thought == "" {
		return nil
	}
	id := x.thought
	x.thought = ""
	return []agui.Event{&agui.ReasoningMessageEnd{MessageID: id}, &agui.ReasoningEnd{MessageID: id}}
}
