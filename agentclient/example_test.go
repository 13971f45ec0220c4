package agentclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// talk sends one message, shows what the agent says as it says it, and approves what it
// asks for.
func talk(ctx context.Context, agent *agentclient.Client, text string) error {
	s := agentclient.NewSession(agentclient.SessionConfig{ThreadID: "thread-1"})
	turn, err := s.Send("run-1", "u1", text, time.Now())
	for err == nil && turn.RunID != "" {
		for effects, failed := range agent.Converse(ctx, s, turn) {
			show(s, effects)
			err = failed
		}
		turn = agentclient.Turn{}
		if asked := s.Open(); asked != nil && err == nil {
			fmt.Println("approved:", asked.Pending[0].Message)
			turn, err = s.Decide("run-2", asked.Generation, agentclient.Alike(1, true), time.Now())
		}
	}
	return err
}

// show prints the messages that changed.
func show(s *agentclient.Session, effects []agentclient.Effect) {
	for _, e := range effects {
		if e.Kind != agentclient.EffectEntry {
			continue
		}
		if m := s.Conversation.Entry(e.Key).Message; m != nil {
			fmt.Println(m.Role, m.Status, m.Text())
		}
	}
}

// A conversation from the first line to the last. The agent is a scripted one: it asks
// before it books.
func Example() {
	agent := httptest.NewServer(agenttest.NewScript(
		agenttest.Events(
			&agui.RunStarted{},
			&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: "m1", Delta: "One moment"},
			&agui.TextMessageContent{MessageID: "m1", Delta: ", Ada."},
			&agui.TextMessageEnd{MessageID: "m1"},
			&agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{
				{ID: "i1", Reason: "confirmation", Message: "Book the site for $72?"},
			}}},
		),
		agenttest.Events(
			&agui.RunStarted{},
			&agui.TextMessageStart{MessageID: "m2", Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: "m2", Delta: "Booked."},
			&agui.TextMessageEnd{MessageID: "m2"},
			&agui.RunFinished{},
		),
	))
	defer agent.Close()

	client, err := agentclient.New(agentclient.Config{URL: agent.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := talk(context.Background(), client, "Hi, I am Ada. Book it."); err != nil {
		fmt.Println(err)
	}
	// Output:
	// assistant streaming One moment
	// assistant streaming One moment, Ada.
	// assistant complete One moment, Ada.
	// approved: Book the site for $72?
	// assistant streaming Booked.
	// assistant complete Booked.
}

// A tool of our own: it is offered with the run, the agent calls it, and its
// result goes with the next run.
func ExampleClient_Run_tools() {
	script := agenttest.NewScript(
		agenttest.Events(
			&agui.RunStarted{},
			&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "local_time"},
			&agui.ToolCallArgs{ToolCallID: "c1", Delta: `{"zone":"UTC"}`},
			&agui.ToolCallEnd{ToolCallID: "c1"},
			&agui.RunFinished{},
		),
		agenttest.Events(
			&agui.RunStarted{},
			&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: "m1", Delta: "It is noon."},
			&agui.TextMessageEnd{MessageID: "m1"},
			&agui.RunFinished{},
		),
	)
	agent := httptest.NewServer(script)
	defer agent.Close()
	client, err := agentclient.New(agentclient.Config{URL: agent.URL})
	if err != nil {
		fmt.Println(err)
		return
	}

	chat := conversation.New()
	chat.AddMessage(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("What time is it?")})
	for n, waiting := 1, true; waiting && n <= 3; n++ {
		input := agui.RunAgentInput{
			ThreadID: "thread-1", RunID: fmt.Sprintf("run-%d", n), Messages: chat.History(),
			Tools: []agui.Tool{{Name: "local_time", Description: "The time in a zone", Parameters: []byte(`{"type":"object"}`)}},
		}
		chat.BeginRun(input.RunID)
		for received, err := range client.Run(context.Background(), input) {
			if err != nil {
				fmt.Println(err)
				return
			}
			chat.Apply(received.Event)
		}
		waiting = false
		for _, e := range chat.Entries() {
			if c := e.ToolCall; c != nil && c.Name == "local_time" && !c.HasResult {
				fmt.Println("call", c.Name, c.Args())
				chat.AddMessage(agui.Message{ID: "result-" + c.ID, Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent("12:00")})
				waiting = true
			}
		}
	}
	for _, m := range script.Requests()[1].Input.Messages {
		text := m.Content.Text()
		for _, c := range m.ToolCalls {
			text += c.Function.Name
		}
		fmt.Println("sent:", m.Role, text)
	}
	// Output:
	// call local_time {"zone":"UTC"}
	// sent: user What time is it?
	// sent: assistant local_time
	// sent: tool 12:00
}

// Only a request that never left can be sent again without a second thought.
func ExampleError_Dispatched() {
	gone := httptest.NewServer(nil)
	gone.Close()
	cuts := httptest.NewServer(agenttest.NewScript(agenttest.Turn{Steps: []agenttest.Action{
		agenttest.Emit(&agui.RunStarted{}), agenttest.Drop(),
	}}))
	defer cuts.Close()

	for _, url := range []string{gone.URL, cuts.URL} {
		client, err := agentclient.New(agentclient.Config{URL: url})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, err := range client.Run(context.Background(), agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
			var failed *agentclient.Error
			if errors.As(err, &failed) {
				fmt.Println(failed.Kind, "- may have acted:", failed.Dispatched())
			}
		}
	}
	// Output:
	// connect - may have acted: false
	// truncated - may have acted: true
}
