package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/logtest"
)

func TestSendStoresTheMessageAndTheRun(t *testing.T) {
	w := newWorld(t, nil)
	w.send("m1", "Hi")
	th := w.settled()
	if th.Run.Failure != nil || len(th.Conversation.Entries()) != 2 {
		t.Fatalf("run %+v, %d entries", th.Run, len(th.Conversation.Entries()))
	}
	in := w.agent.requests()[0]
	if in.ThreadID != id || in.RunID != th.Run.ID || len(in.Messages) != 1 || string(in.State) != "{}" {
		t.Fatalf("input %+v", in)
	}
	w.send("m2", "And?")
	w.settled()
	if in := w.agent.requests()[1]; len(in.Messages) != 3 {
		t.Fatalf("the second run was sent %d messages, want the full history", len(in.Messages))
	}
}

func TestSameFormTwiceIsOneMessage(t *testing.T) {
	w := newWorld(t, nil)
	w.send("m1", "Hi")
	w.settled()
	w.send("m1", "Hi")
	if n := len(w.agent.requests()); n != 1 {
		t.Fatalf("%d requests", n)
	}
	if err := w.Send(t.Context(), id, "m1", "Something else"); !errors.Is(err, ErrIDTaken) {
		t.Fatalf("another text under the same id: %v", err)
	}
}

func TestOneRunPerThread(t *testing.T) {
	w := newWorld(t, nil)
	release := make(chan struct{})
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		<-release
		return answer(ctx, in, yield)
	}
	w.send("m1", "Hi")
	if err := w.Send(t.Context(), id, "m2", "Again"); !errors.Is(err, ErrRunning) {
		t.Fatalf("second message: %v", err)
	}
	close(release)
	if th := w.settled(); th.Messages != 1 {
		t.Fatalf("%d messages", th.Messages)
	}
}

func TestStopEndsTheRequestAndKeepsTheText(t *testing.T) {
	w := newWorld(t, nil)
	speaking, gone := make(chan struct{}), make(chan struct{})
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Half"}`)
		close(speaking)
		<-ctx.Done()
		close(gone)
		return &agentclient.Error{Kind: agentclient.KindAborted, Err: ctx.Err()}
	}
	w.send("m1", "Hi")
	<-speaking
	w.untilEntries(2)
	if err := w.Stop(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-gone
	th := w.settled()
	if m := th.Conversation.Entries()[1].Message; m.Text() != "Half" || m.Status != "stopped" || th.Run.Failure != nil {
		t.Fatalf("%q %s %+v", m.Text(), m.Status, th.Run)
	}
	if err := w.Stop(t.Context(), id); err != nil {
		t.Fatalf("nothing to stop: %v", err)
	}
}

func TestCloseEndsRuns(t *testing.T) {
	w := newWorld(t, nil)
	speaking := make(chan struct{})
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		close(speaking)
		<-ctx.Done()
		return &agentclient.Error{Kind: agentclient.KindAborted, Err: ctx.Err()}
	}
	w.send("m1", "Hi")
	<-speaking
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeShutdown {
		t.Fatalf("run %+v", th.Run)
	}
	if err := w.Send(t.Context(), id, "m2", "Hi"); !errors.Is(err, ErrClosing) {
		t.Fatalf("after close: %v", err)
	}
}

func TestSendAgainCountsOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.agent.play = func(context.Context, agui.RunAgentInput, func(string) bool) error {
		return &agentclient.Error{Kind: agentclient.KindTruncated}
	}
	w.send("m1", "Hi")
	failure := w.settled().Run.Failure
	if err := w.Retry(t.Context(), id, failure.Record); err != nil {
		t.Fatal(err)
	}
	w.untilRequests(2)
	if again := w.settled().Run.Failure; again.Record == failure.Record {
		t.Fatal("the second failure has the first one's name")
	}
	if err := w.Retry(t.Context(), id, failure.Record); !errors.Is(err, ErrNothingToRetry) {
		t.Fatalf("the same request again: %v", err)
	}
}

func TestRowsThatDoNotFoldAreSkipped(t *testing.T) {
	log := openLog(t)
	w := newWorld(t, log)
	odd := threadlog.Row{Kind: threadlog.KindClaim, RunID: "r0", Data: json.RawMessage(`{"generation":9}`)}
	if _, err := log.Append(t.Context(), id, 0, odd); err != nil {
		t.Fatal(err)
	}
	w.send("m1", "Hi")
	if th := w.settled(); th.Skipped != 1 || th.Run.Failure != nil {
		t.Fatalf("skipped %d, run %+v", th.Skipped, th.Run)
	}
}

func TestRunsAreSentTheStateThatIsShown(t *testing.T) {
	w := newWorld(t, nil)
	w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		yield(`{"type":"STATE_SNAPSHOT","snapshot":{"list":["tent"]}}`)
		yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`, in.RunID))
		return nil
	}
	w.send("m1", "Hi")
	w.settled()
	w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		yield(`{"type":"STATE_SNAPSHOT","snapshot":{"list":[]}}`)
		return &agentclient.Error{Kind: agentclient.KindTruncated}
	}
	w.send("m2", "Again")
	w.settled()
	w.send("m3", "And again")
	w.untilRequests(3)
	w.settled()
	for i, want := range []string{`{}`, `{"list":["tent"]}`, `{"list":[]}`} {
		if got := string(w.agent.requests()[i].State); got != want {
			t.Errorf("request %d was sent %s, want %s", i, got, want)
		}
	}
}

// TestARunThatIsLettingGoIsWaitedFor: its end is in the log, so a caller that saw that
// may already be here with the next message.
func TestARunThatIsLettingGoIsWaitedFor(t *testing.T) {
	w := newWorld(t, nil)
	run, _, err := w.claim(id, "r1")
	if err != nil {
		t.Fatal(err)
	}
	release := sync.OnceFunc(func() { w.release(run) })
	t.Cleanup(release) // also when the test fails: Close waits for it
	if claimed, busy, err := w.claim(id, "r2"); claimed != nil || busy != run.begun || err != nil {
		t.Fatalf("while it starts: %v, %v, %v", claimed, busy, err)
	}
	close(run.begun)
	if _, _, err := w.claim(id, "r2"); !errors.Is(err, ErrRunning) {
		t.Fatalf("while it runs: %v", err)
	}
	w.mu.Lock()
	run.ending = true
	w.mu.Unlock()
	if claimed, busy, err := w.claim(id, "r2"); claimed != nil || busy != run.done || err != nil {
		t.Fatalf("while it ends: %v, %v, %v", claimed, busy, err)
	}
	release()
	<-run.done
	w.send("m1", "Hi")
	w.settled()
}

// TestALongThreadTakesNoMoreMessages: what one run may add is bounded by the client, what
// runs add up to is bounded here.
func TestALongThreadTakesNoMoreMessages(t *testing.T) {
	w := newWorld(t, nil)
	w.send("m1", "Hi")
	seq := w.settled().Records
	raw := json.RawMessage(`{"type":"RAW","event":"` + strings.Repeat("x", 8<<20) + `"}`)
	for range maxThread/len(raw) + 1 {
		last, err := w.log.Append(t.Context(), id, seq, threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: raw})
		if err != nil {
			t.Fatal(err)
		}
		seq = last
	}
	if err := w.Send(t.Context(), id, "m2", "More"); !errors.Is(err, ErrTooLong) {
		t.Errorf("sent: %v", err)
	}
	if err := w.Regenerate(t.Context(), id, ""); !errors.Is(err, ErrTooLong) {
		t.Errorf("regenerated: %v", err)
	}
}

// TestWakesThatComeLate: runs go on right after each other on a store that wakes after its
// writes returned.
func TestWakesThatComeLate(t *testing.T) {
	w := newWorld(t, logtest.Late(openLog(t)))
	w.agent.play = asks
	w.send("m1", "Reserve")
	a := w.settled().Open()
	w.agent.play = answer
	if err := w.Decide(t.Context(), id, a.Generation, one(true)); err != nil {
		t.Fatal(err)
	}
	w.untilRequests(2)
	w.settled()
	w.send("m2", "Thanks")
	w.untilRequests(3)
	if th := w.settled(); th.Open() != nil || th.Messages != 2 || th.Run.Failure != nil {
		t.Errorf("%d messages, run %+v", th.Messages, th.Run)
	}
}
