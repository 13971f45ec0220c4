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
	ended = `{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":"RUN","outcome":{"type":"interrupt","interrupts":[{"id":"RUN::call_1","reason":"mastra:tool_suspend","toolCallId":"call_1"}]}}`
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

// fold reads the whole thread anew.
func (w *world) fold(ctx context.Context, id string) (*agentclient.Session, error) {
	info, err := w.log.Thread(ctx, id)
	if err != nil {
		return nil, err
	}
	return thread.Read(ctx, w.log, id, Sessions(w.upstreams)(info.Demo))
}

// settled waits until the thread's run is over and returns the thread.
func (w *world) settled() *agentclient.Session {
	w.t.Helper()
	for range w.log.Follow(w.t.Context(), id) {
		t, err := w.fold(w.t.Context(), id)
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

// untilEntries waits until the log folds to n entries.
func (w *world) untilEntries(n int) {
	w.t.Helper()
	for range w.log.Follow(w.t.Context(), id) {
		th, err := w.fold(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(th.Conversation.Entries()) >= n {
			return
		}
	}
}
