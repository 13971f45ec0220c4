package rules

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

const (
	started  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"
	finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
	failed   = `{"type":"RUN_ERROR","message":"disk /dev/sda1 is full","code":"E1"}` + "\n"
	asks     = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"confirm"}]}}` + "\n"
	hello    = `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"Hello"}` + "\n"
	over = `{"type":"TEXT_MESSAGE_END","messageId":"a"}` + "\n"
)

func user(id, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
}

func TestRule36TheMessageIsShownBeforeTheRun(t *testing.T) {
	th := newThread(t)
	th.AddMessage(user("u1", "Hi"))
	want(t, "before the run", th.page(), "user u1 complete: Hi")
	th.run("r1", started+hello)
	th.AddMessage(user("u2", "Rather this"))
	th.run("r2", started+finished)
	want(t, "after a newer run", th.page(), `
		user u1 complete: Hi
		assistant a interrupted: Hello
		user u2 complete: Rather this`)
	th.run("r3", started+finished) // a run without a message of the user's
	if th.Run().Status != conversation.RunFinished {
		t.Error(th.Run().Status)
	}
}

func TestRule37EventsBelongToTheirRun(t *testing.T) {
	th := newThread(t).run("r1", started+asks)
	if _, err := th.pause.Claim(1, "r2", json.RawMessage(`true`), noon); err != nil {
		t.Fatal(err)
	}
	th.run("r2", started+finished)
	// Whatever the answered run still says opens nothing, under its id or none.
	for _, late := range events(t, asks) {
		if th.pause.Observe(late, "r1") {
			t.Error("a late outcome opened a pause")
		}
	}
	notes := th.NoteCount()
	th.more("r2", hello)
	want(t, "after the end", th.page(), "")
	if th.NoteCount() == notes {
		t.Error("events after the end of a run are not noted")
	}

	client, _ := serve(t, agenttest.Events(&agui.RunStarted{}, &agui.RunFinished{}, &agui.Custom{Name: "late"}))
	var types []agui.EventType
	for ev, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, ev.Event.Head().Type)
	}
	if len(types) != 2 {
		t.Errorf("got %v; a run ends with its first terminal event", types)
	}
}

func TestRule38TheServersRunIDMayDiffer(t *testing.T) {
	other := `{"type":"RUN_FINISHED","threadId":"t","runId":"the-servers-own"}`
	th := newThread(t).run("r1", started+asks)
	if _, err := th.pause.Claim(1, "r2", json.RawMessage(`true`), noon); err != nil {
		t.Fatal(err)
	}
	th.run("r2", started+other)
	if th.Run().Status != conversation.RunFinished || th.Run().ID != "r2" || th.pause.Blocked() {
		t.Errorf("%+v, %s", th.Run(), th.pause.Phase())
	}
	th.run("r3", started+failed)
	if th.Run().Status != conversation.RunFailed {
		t.Errorf("%+v", th.Run())
	}
}

func TestRule39Outcomes(t *testing.T) {
	for outcome, status := range map[string]conversation.RunStatus{
		``:                                conversation.RunFinished,
		`,"outcome":null`:                 conversation.RunFinished,
		`,"outcome":{"type":"success"}`:   conversation.RunFinished,
		`,"outcome":{"type":"cancelled"}`: conversation.RunCancelled,
		`,"outcome":{"type":"interrupt"}`: conversation.RunFailed,
	} {
		end := `{"type":"RUN_FINISHED","threadId":"t","runId":"r"` + outcome + `}`
		th := newThread(t).run("r1", started+`{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}`+"\n"+end)
		if th.Run().Status != status || string(th.State()) != `{"n":1}` {
			t.Errorf("outcome %q: %s, state %s", outcome, th.Run().Status, th.State())
		}
	}
	for _, bad := range []string{`"paused"`, `{"type":"interrupt","interrupts":{}}`} {
		if _, err := agui.Decode([]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":` + bad + `}`)); err == nil {
			t.Errorf("outcome %s was read", bad)
		}
	}
	th := newThread(t).run("r1", started+`{"type":"CUSTOM","name":"on_interrupt","value":"{}"}`+"\n"+finished)
	if th.Run().Status != conversation.RunInterrupted || th.pause.Phase() != interrupt.PhasePending {
		t.Errorf("a plain end after a pause: %s, %s", th.Run().Status, th.pause.Phase())
	}
}

func TestRule40ARunErrorKeepsTheState(t *testing.T) {
	th := newThread(t).run("r1", started+`{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}`+"\n"+finished)
	th.run("r2", started+`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2}]}`+"\n"+failed)
	if got := string(th.State()); got != `{"n":2}` {
		t.Errorf("state %s", got)
	}
	// The agent's own words are kept apart from all that a page shows.
	if e := th.Run().Error; e.Message != "disk /dev/sda1 is full" || e.Code != "E1" {
		t.Errorf("error %+v", e)
	}
	want(t, "page", th.page(), "")
}

func TestRule41StateStays(t *testing.T) {
	const change = `{"type":"STATE_SNAPSHOT","snapshot":{"n":2}}` + "\n"
	for name, end := range map[string]func(*thread){
		"RUN_ERROR": func(th *thread) { th.more("r2", failed) },
		"cancelled": func(th *thread) {
			th.more("r2", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`)
		},
		"stopped":   func(th *thread) { th.EndRun(conversation.RunStopped) },
		"truncated": func(th *thread) { th.EndRun(conversation.RunTruncated) },
		"not sent":  func(th *thread) { th.EndRun(conversation.RunFailed) },
		"displaced": func(th *thread) { th.BeginRun("r3") },
	} {
		th := newThread(t).run("r1", started+`{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}`+"\n"+finished)
		th.run("r2", started+hello+change)
		end(th)
		if string(th.State()) != `{"n":2}` {
			t.Errorf("%s: %s", name, th.State())
		}
		if len(th.Entries()) != 1 {
			t.Errorf("%s: what was said is gone", name)
		}
	}
}

func TestRule42AnUnexpectedCloseIsNoSuccess(t *testing.T) {
	client, script := serve(t, agenttest.Turn{Steps: []agenttest.Action{
		agenttest.Emit(&agui.RunStarted{}), agenttest.Emit(&agui.TextMessageStart{MessageID: "a", Role: agui.RoleAssistant}),
		agenttest.Emit(&agui.TextMessageContent{MessageID: "a", Delta: "Hel"}), agenttest.Drop(),
	}})
	th := newThread(t).run("r1", started+asks)
	if _, err := th.pause.Claim(1, "r2", json.RawMessage(`true`), noon); err != nil {
		t.Fatal(err)
	}
	th.pause.Dispatched("r2")
	th.BeginRun("r2")
	var last *agentclient.Error
	for ev, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t", RunID: "r2"}) {
		if err != nil {
			if !errors.As(err, &last) {
				t.Fatal(err)
			}
			break
		}
		th.pause.Observe(ev.Event, "r2")
		th.Apply(ev.Event)
	}
	if last == nil || last.Kind != agentclient.KindTruncated || !last.Dispatched() {
		t.Fatalf("%v", last)
	}
	th.EndRun(conversation.RunTruncated)
	th.pause.RunEnded("r2", interrupt.EndedBroken)
	want(t, "page", th.page(), "assistant a error: Hel")
	if th.pause.Phase() != interrupt.PhaseRecoveryRequired || th.pause.Retryable() {
		t.Errorf("phase %s", th.pause.Phase())
	}
	if n := len(script.Requests()); n != 1 {
		t.Errorf("%d requests; a run is never repeated by itself", n)
	}
}

func TestRule43LeavingTheLoopEndsEverything(t *testing.T) {
	gone := make(chan struct{})
	client, _ := serve(t, agenttest.Turn{Steps: []agenttest.Action{
		agenttest.Emit(&agui.RunStarted{}),
		func(ctx context.Context, _ *agenttest.Stream) error { <-ctx.Done(); close(gone); return ctx.Err() },
	}})
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	<-gone // the agent sees its reader leave
}

func TestRule44StopIsNoFailure(t *testing.T) {
	client, _ := serve(t, agenttest.Turn{Steps: []agenttest.Action{
		agenttest.Emit(&agui.RunStarted{}), agenttest.Emit(&agui.TextMessageStart{MessageID: "a", Role: agui.RoleAssistant}),
		agenttest.Emit(&agui.TextMessageContent{MessageID: "a", Delta: "Hel"}),
		func(ctx context.Context, _ *agenttest.Stream) error { <-ctx.Done(); return ctx.Err() },
	}})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	th := newThread(t)
	th.BeginRun("r1")
	errorsSeen := 0
	for ev, err := range client.Run(ctx, agui.RunAgentInput{ThreadID: "t", RunID: "r1"}) {
		if err != nil {
			var e *agentclient.Error
			if !errors.As(err, &e) || e.Kind != agentclient.KindAborted {
				t.Errorf("%v", err)
			}
			errorsSeen++
			continue
		}
		th.Apply(ev.Event)
		if _, content := ev.Event.(*agui.TextMessageContent); content {
			stop()
		}
	}
	th.EndRun(conversation.RunStopped)
	if errorsSeen != 1 || th.Run().Status != conversation.RunStopped {
		t.Errorf("%d errors, run %s", errorsSeen, th.Run().Status)
	}
	want(t, "page", th.page(), "assistant a stopped: Hel")
}

func TestRule45ANewRunKeepsWhatIsOnThePage(t *testing.T) {
	th := newThread(t).run("r1", started+`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"delegate"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","parentToolCallId":"c1"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"found","subagentRunId":"s1"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"half"}
		`+failed)
	before := th.page()
	th.run("r2", started)
	want(t, "page", th.page(), before)
	if e := th.Run().Error; e.Message != "" {
		t.Errorf("the new run has the old run's error %+v", e)
	}
	if !th.Delegated("c1") {
		t.Error("the subagent lost its call")
	}
}
