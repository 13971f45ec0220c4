package verify_test

import (
	"fmt"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// Chunks become the events they stand for; what breaks the order is named.
func Example() {
	v := verify.New(verify.Lenient)
	id, text := "m1", "Hello"
	for _, ev := range []agui.Event{
		&agui.RunStarted{RunID: "r"},
		&agui.TextMessageChunk{MessageID: &id, Delta: &text},
		&agui.ToolCallEnd{ToolCallID: "never-started"},
		&agui.RunFinished{RunID: "r"},
	} {
		events, violations := v.Feed(ev)
		for _, e := range events {
			fmt.Printf("%T\n", e)
		}
		for _, violation := range violations {
			fmt.Println("  breaks", violation.Rule)
		}
	}
	// Output:
	// *agui.RunStarted
	// *agui.TextMessageStart
	// *agui.TextMessageContent
	// *agui.TextMessageEnd
	// *agui.ToolCallEnd
	//   breaks R12
	// *agui.RunFinished
}
