package conversation_test

import (
	"fmt"
	"strings"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// feed applies events as an agent sends them, one a line.
func feed(chat *conversation.Conversation, lines string) {
	for line := range strings.Lines(lines) {
		if ev, err := agui.Decode([]byte(strings.TrimSpace(line))); err == nil {
			chat.Apply(ev)
		}
	}
}

// Each event says what it changed, which is what a page has to draw again.
func Example() {
	chat := conversation.New()
	chat.AddMessage(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hello")})
	chat.BeginRun("run-1")
	for _, ev := range []agui.Event{
		&agui.RunStarted{RunID: "run-1"},
		&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: "m1", Delta: "Good morning"},
		&agui.RunFinished{RunID: "run-1"},
	} {
		c := chat.Apply(ev)
		fmt.Println("entries", c.Keys, "run", c.Run, chat.Run().Status)
	}
	for _, e := range chat.Entries() {
		fmt.Println(e.Message.Role, e.Message.Status, e.Message.Text())
	}
	// Output:
	// entries [] run false running
	// entries [] run false running
	// entries [2] run false running
	// entries [2] run true finished
	// user complete Hello
	// assistant complete Good morning
}

// A call is announced, its arguments arrive in pieces, and its result comes when
// the tool has run. The end of the call is not its result.
func ExampleConversation_toolCalls() {
	chat := conversation.New()
	show := func() {
		c := chat.Entry(1).ToolCall
		fmt.Printf("%s %s %s -> %q\n", c.Name, c.Status, c.Args(), c.Result)
	}
	feed(chat, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
		{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"weather"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"at\":"}`)
	show()
	feed(chat, `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"\"Oslo\"}"}
		{"type":"TOOL_CALL_END","toolCallId":"c1"}`)
	show()
	feed(chat, `{"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"4 degrees"}`)
	show()
	// Output:
	// weather running {"at": -> ""
	// weather running {"at":"Oslo"} -> ""
	// weather complete {"at":"Oslo"} -> "4 degrees"
}

// The state that a run delivered stays, also when the run fails.
func ExampleConversation_State() {
	chat := conversation.New()
	chat.BeginRun("run-1")
	feed(chat, `{"type":"RUN_STARTED","threadId":"t","runId":"run-1"}
		{"type":"STATE_SNAPSHOT","snapshot":{"items":["tent"]}}
		{"type":"RUN_FINISHED","threadId":"t","runId":"run-1"}`)
	chat.BeginRun("run-2")
	feed(chat, `{"type":"RUN_STARTED","threadId":"t","runId":"run-2"}
		{"type":"STATE_DELTA","delta":[{"op":"add","path":"/items/-","value":"stove"}]}`)
	fmt.Println(string(chat.State()))
	feed(chat, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/nothing/here"}]}`)
	fmt.Println("diverged:", chat.Diverged())
	feed(chat, `{"type":"RUN_ERROR","message":"out of quota"}`)
	fmt.Println(chat.Run().Status, string(chat.State()))
	// Output:
	// {"items":["tent","stove"]}
	// diverged: true
	// failed {"items":["tent","stove"]}
}

// A subagent has a timeline of its own and knows the call that delegated to it.
func ExampleConversation_subagents() {
	chat := conversation.New()
	feed(chat, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
		{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"research"}
		{"type":"TOOL_CALL_END","toolCallId":"c1"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","parentToolCallId":"c1"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","role":"assistant","delta":"Three huts ","subagentRunId":"s1"}
		{"type":"TEXT_MESSAGE_CHUNK","delta":"are open.","subagentRunId":"s1"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}
		{"type":"TOOL_CALL_RESULT","messageId":"r1","toolCallId":"c1","content":"3 huts"}
		{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	for _, e := range chat.Entries() {
		if s := e.Subagent; s != nil {
			fmt.Println(s.Name, s.Status, "for call", s.ToolCallID)
			for _, inner := range s.Entries {
				fmt.Println("  ", inner.Message.Text())
			}
		}
		if c := e.ToolCall; c != nil && !chat.Delegated(c.ID) {
			fmt.Println("a plain call", c.Name)
		}
	}
	// Output:
	// researcher complete for call c1
	//    Three huts are open.
}
