package agenttest

import (
	"context"

	"cairn/agui"
)

// This file has the sequences of events that most scripts are made of.

// All does several actions in order.
func All(actions ...Action) Action {
	return func(ctx context.Context, out *Stream) error {
		for _, act := range actions {
			if err := act(ctx, out); err != nil {
				return err
			}
		}
		return nil
	}
}

// Start begins the run of the request.
func Start() Action { return Emit(&agui.RunStarted{}) }

// Say is an assistant's message that arrives in pieces.
func Say(messageID string, pieces ...string) Action {
	acts := []Action{Emit(&agui.TextMessageStart{MessageID: messageID, Role: agui.RoleAssistant})}
	for _, p := range pieces {
		acts = append(acts, Emit(&agui.TextMessageContent{MessageID: messageID, Delta: p}))
	}
	return All(append(acts, Emit(&agui.TextMessageEnd{MessageID: messageID}))...)
}

// Call is a tool call whose arguments, a JSON text, arrive in pieces.
func Call(callID, name string, args ...string) Action {
	acts := []Action{Emit(&agui.ToolCallStart{ToolCallID: callID, ToolCallName: name})}
	for _, a := range args {
		acts = append(acts, Emit(&agui.ToolCallArgs{ToolCallID: callID, Delta: a}))
	}
	return All(append(acts, Emit(&agui.ToolCallEnd{ToolCallID: callID}))...)
}

// Result is what a tool call came to. Its message id is the call's with "-result".
func Result(callID, content string) Action {
	return Emit(&agui.ToolCallResult{MessageID: callID + "-result", ToolCallID: callID, Content: agui.TextContent(content)})
}

// Finish ends the run of the request well.
func Finish() Action { return Emit(&agui.RunFinished{}) }

// Pause ends the run of the request with questions.
func Pause(interrupts ...agui.Interrupt) Action {
	return Emit(&agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: interrupts}})
}

// Fail ends the run with an error.
func Fail(message, code string) Action {
	return Emit(&agui.RunError{Message: message, Code: code})
}
