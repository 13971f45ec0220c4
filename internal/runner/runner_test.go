package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/demos"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/sqlite"
)

const (
	demo  = "mastra"
	id    = "7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10"
	pause = `{"type":"CUSTOM","name":"on_interrupt","value":"{\"type\":\"mastra_suspend\",\"toolCallId\":\"call_1\",\"toolName\":\"reserve_campsite\",\"suspendPayload\":{\"site\":\"North Pines\",\"nights\":2,\"total_usd\":90},\"args\":{},\"runId\":\"RUN\"}"}`
	ended = `{"type":"RUN_FINISHED","threadId":"t","runId":"RUN","outcome":{"type":"interrupt","interrupts":[{"id":"RUN::call_1","reason":"mastra:tool_suspend","toolCallId":"call_1"}]}}`
)

// agent is an upstream made of a function that yields raw events.
type agent struct {
	mu     sync.Mutex
	inputs []agui.RunAgentInput
	play   func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error
}

func (a *agent) Run(ctx context.Context, in agui.RunAgentInput) iter.Seq2[agentclient.Received, error] {
	a.mu.Lock()
	a.inputs = append(a.inputs, in)
	a.mu.Unlock()
	return func(yield func(agentclient.Received, error) bool) {
		open := true
		err := a.play(ctx, in, func(raw string) bool {
			ev, err := agui.Decode([]byte(raw))
			open = open && err == nil && yield(agentclient.Received{Event: ev, Raw: json.RawMessage(raw), At: time.Now()}, nil)
			return open
		})
		if err != nil && open {
			yield(agentclient.Received{}, err)
		}
	}
}

func (a *agent) requests() []agui.RunAgentInput {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]agui.RunAgentInput(nil), a.inputs...)
}

type world struct {
	*Runner
	t     *testing.T
	log   threadlog.Log
	agent *agent
}

func newWorld(t *testing.T, log threadlog.Log, options ...Option) *world {
	t.Helper()
	if log == nil {
		log = openLog(t)
	}
	a := &agent{play: answer}
	d := demos.Mastra()
	r := New(log, map[string]Upstream{demo: {Agent: a, Transport: d.Transport, Profile: d.Profile}}, slog.New(slog.DiscardHandler), options...)
	r.endRetry = time.Millisecond
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := log.Create(t.Context(), threadlog.Thread{ID: id, Owner: "o", Demo: demo}); err != nil && !errors.Is(err, threadlog.ErrExists) {
		t.Fatal(err)
	}
	return &world{r, t, log, a}
}

func openLog(t *testing.T) threadlog.Log {
	t.Helper()
	log, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "threads.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

// answer is a plain run.
func answer(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
	started(in, yield)
	yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a` + in.RunID + `","role":"assistant","delta":"Hello."}`)
	yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID))
	return nil
}

func started(in agui.RunAgentInput, yield func(string) bool) {
	yield(fmt.Sprintf(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID))
}

// asks pauses for an approval.
func asks(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
	started(in, yield)
	for _, raw := range []string{pause, ended} {
		yield(replace(raw, in.RunID))
	}
	return nil
}

func replace(raw, run string) string {
	out := ""
	for i := 0; i < len(raw); i++ {
		if i+3 <= len(raw) && raw[i:i+3] == "RUN" && (i+3 == len(raw) || raw[i+3] != '_') {
			out += run
			i += 2
			continue
		}
		out += string(raw[i])
	}
	return out
}

// settled waits until the thread's run is over and gives the thread.
func (w *world) settled() *thread.Thread {
	w.t.Helper()
	for range w.log.Follow(w.t.Context(), id) {
		t, _, err := w.fold(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if t.Run.ID != "" && !t.Run.Open {
			return t
		}
	}
	w.t.Fatal("the log closed")
	return nil
}

func (w *world) send(messageID, text string) {
	w.t.Helper()
	if err := w.Send(w.t.Context(), id, messageID, text); err != nil {
		w.t.Fatal(err)
	}
}

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

// untilEntries waits until the log folds to n entries.
func (w *world) untilEntries(n int) {
	w.t.Helper()
	for range w.log.Follow(w.t.Context(), id) {
		th, _, err := w.fold(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(th.Conversation.Entries()) >= n {
			return
		}
	}
}

func TestRecoverEndsWhatACrashLeftOpen(t *testing.T) {
	log := openLog(t)
	w := newWorld(t, log)
	rows := []threadlog.Row{
		thread.NewRow(threadlog.KindUser, "", thread.UserData{ID: "m1", Text: "Hi"}),
		thread.NewRow(threadlog.KindRun, "r1", thread.RunData{Reason: thread.ReasonMessage}),
	}
	if _, err := log.Append(t.Context(), id, 0, rows...); err != nil {
		t.Fatal(err)
	}
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	th := w.settled()
	if th.Run.Failure == nil || th.Run.Failure.End.How != thread.EndShutdown || !th.Run.Failure.Retryable() {
		t.Fatalf("failure %+v", th.Run.Failure)
	}
	if err := w.Retry(t.Context(), id, 0); err != nil {
		t.Fatal(err)
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
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.How != thread.EndShutdown {
		t.Fatalf("run %+v", th.Run)
	}
	if err := w.Send(t.Context(), id, "m2", "Hi"); !errors.Is(err, ErrClosing) {
		t.Fatalf("after close: %v", err)
	}
}

// full is a log whose disk is full for some appends.
type full struct {
	threadlog.Log
	failures atomic.Int32
}

func (f *full) Append(ctx context.Context, th string, expected int64, rows ...threadlog.Row) (int64, error) {
	if rows[0].Kind != threadlog.KindUser && f.failures.Add(-1) >= 0 {
		return 0, threadlog.ErrFull
	}
	return f.Log.Append(ctx, th, expected, rows...)
}

func TestFullDiskEndsTheRunAndIsRecordedWhenThereIsRoom(t *testing.T) {
	f := &full{Log: openLog(t)}
	f.failures.Store(4)
	w := newWorld(t, f)
	w.send("m1", "Hi")
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.How != thread.EndLog {
		t.Fatalf("run %+v", th.Run)
	}
}

func TestErrorsOfTheClientBecomeEnds(t *testing.T) {
	for _, c := range []struct {
		err  *agentclient.Error
		want thread.How
	}{
		{&agentclient.Error{Kind: agentclient.KindStatus, Status: 401}, thread.EndRefused},
		{&agentclient.Error{Kind: agentclient.KindNotSSE}, thread.EndNotStream},
		{&agentclient.Error{Kind: agentclient.KindTruncated}, thread.EndTruncated},
		{&agentclient.Error{Kind: agentclient.KindStalled}, thread.EndStalled},
		{&agentclient.Error{Kind: agentclient.KindMalformed}, thread.EndMalformed},
		{&agentclient.Error{Kind: agentclient.KindTooLarge}, thread.EndTooLarge},
	} {
		if got := endOf(context.Background(), fmt.Errorf("run: %w", c.err)); got.How != c.want || got.Status != c.err.Status {
			t.Errorf("%v: %+v", c.err.Kind, got)
		}
	}
}

func TestSendAgainCountsOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.agent.play = func(context.Context, agui.RunAgentInput, func(string) bool) error {
		return &agentclient.Error{Kind: agentclient.KindTruncated}
	}
	w.send("m1", "Hi")
	failure := w.settled().Run.Failure
	if err := w.Retry(t.Context(), id, failure.Seq); err != nil {
		t.Fatal(err)
	}
	w.untilRequests(2)
	if again := w.settled().Run.Failure; again.Seq == failure.Seq {
		t.Fatal("the second failure has the first one's name")
	}
	if err := w.Retry(t.Context(), id, failure.Seq); !errors.Is(err, ErrNothingToRetry) {
		t.Fatalf("the same request again: %v", err)
	}
}

func TestOneUnreadableThreadDoesNotStopTheOthers(t *testing.T) {
	log := openLog(t)
	w := newWorld(t, log)
	const other = "11111111-1111-4111-8111-111111111111"
	if err := log.Create(t.Context(), threadlog.Thread{ID: other, Owner: "o", Demo: "gone"}); err != nil {
		t.Fatal(err)
	}
	for _, th := range []string{id, other} {
		if _, err := log.Append(t.Context(), th, 0, thread.NewRow(threadlog.KindRun, "r1", thread.RunData{Reason: thread.ReasonMessage})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if th := w.settled(); th.Run.Failure == nil {
		t.Fatal("the readable thread was not recovered")
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
	if th := w.settled(); len(th.Skipped) != 1 || th.Run.Failure != nil {
		t.Fatalf("skipped %v, run %+v", th.Skipped, th.Run)
	}
}

func TestRunsAreSentTheCommittedState(t *testing.T) {
	w := newWorld(t, nil)
	w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		yield(`{"type":"STATE_SNAPSHOT","snapshot":{"list":["tent"]}}`)
		yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"t","runId":%q}`, in.RunID))
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
	for i, want := range []string{`{}`, `{"list":["tent"]}`, `{"list":["tent"]}`} {
		if got := string(w.agent.requests()[i].State); got != want {
			t.Errorf("request %d was sent %s, want %s", i, got, want)
		}
	}
}

// TestARunThatIsLettingGoIsWaitedFor: its end is in the log, so whoever saw that
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
