package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/demos"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// upstream is an agent behind real HTTP that counts what it is asked and what it says.
type upstream struct {
	*httptest.Server
	requests, resumes atomic.Int32
	tokens            atomic.Int64
	arrived           chan agui.RunAgentInput // each request, when it is here
	gone              chan struct{}           // the connection of a request was closed
}

// serve starts one whose answers are what play writes.
func serve(t *testing.T, play func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput)) *upstream {
	u := &upstream{arrived: make(chan agui.RunAgentInput, 100), gone: make(chan struct{}, 100)}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in agui.RunAgentInput
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Errorf("a request that is none: %v", err)
			return
		}
		u.requests.Add(1)
		if decides(in) {
			u.resumes.Add(1)
		}
		u.arrived <- in
		play(u, w, r.Context(), in)
		if r.Context().Err() != nil {
			u.gone <- struct{}{}
		}
	}))
	t.Cleanup(u.Close)
	return u
}

// decides reports whether a request carries a decision.
func decides(in agui.RunAgentInput) bool {
	return len(in.Resume) > 0 || strings.Contains(string(in.ForwardedProps), `"resume"`)
}

// say writes one event, or does nothing once the connection is closed.
func say(w http.ResponseWriter, format string, args ...any) {
	fmt.Fprintf(w, "data: "+format+"\n\n", args...)
	_ = http.NewResponseController(w).Flush() // a closed connection says so in its context
}

func begin(w http.ResponseWriter, in agui.RunAgentInput) {
	w.Header().Set("Content-Type", "text/event-stream")
	say(w, `{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
}

// babble says a token after the other until the connection closes.
func babble(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
	begin(w, in)
	for ctx.Err() == nil {
		say(w, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"word "}`)
		u.tokens.Add(1)
	}
}

// node is a runner with a client of its own, as another process would be.
func (u *upstream) node(t *testing.T, log threadlog.Log, options ...Option) *world {
	w := newWorld(t, log, options...)
	client, err := agentclient.New(agentclient.Config{URL: u.URL, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	d := demos.Mastra()
	w.upstreams = map[string]Upstream{demo: {Agent: client, Transport: d.Transport, Profile: d.Profile}}
	return w
}

// closed waits until a request's connection is closed.
func (u *upstream) closed(t *testing.T) {
	t.Helper()
	select {
	case <-u.gone:
	case <-time.After(time.Minute):
		t.Fatal("the connection is still open")
	}
}

// TestStopClosesTheConnection: wherever the answer stands, and the agent says nothing
// into it after.
func TestStopClosesTheConnection(t *testing.T) {
	hang := func(_ *upstream, _ http.ResponseWriter, ctx context.Context, _ agui.RunAgentInput) { <-ctx.Done() }
	for name, c := range map[string]struct {
		play func(*upstream, http.ResponseWriter, context.Context, agui.RunAgentInput)
		text bool // there is some before Stop
	}{
		"in the middle of the answer": {babble, true},
		"before the headers":          {hang, false},
		"before the first event": {func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			hang(u, w, ctx, in)
		}, false},
		"before the first token": {func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
			begin(w, in)
			hang(u, w, ctx, in)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := serve(t, c.play)
			w := u.node(t, openLog(t))
			w.send("m1", "Hi")
			<-u.arrived
			if c.text {
				w.untilEntries(2)
			}
			if err := w.Stop(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			u.closed(t)
			said := u.tokens.Load()
			th := w.settled()
			if th.Run.Failure != nil || th.Conversation.Run().Status != "stopped" || w.ends() != 1 {
				t.Errorf("run %+v %s", th.Run, th.Conversation.Run().Status)
			}
			if c.text {
				all := th.Conversation.Entries()
				if len(all) != 2 {
					t.Fatalf("%d entries of %d rows", len(all), th.Records)
				}
				if m := all[1].Message; m.Len() == 0 || m.Status != "stopped" || m.Len() > int(said)*len("word ") {
					t.Errorf("%d bytes of %d tokens, %s", m.Len(), said, m.Status)
				}
			}
			u.Close() // waits for its requests
			if more := u.tokens.Load() - said; more != 0 {
				t.Errorf("%d tokens after the connection was closed", more)
			}
			if after := w.folded().Records; after != th.Records {
				t.Errorf("%d rows after the end", after-th.Records)
			}
		})
	}
}

// slow is a log whose appends of text wait until they may go on.
type slow struct {
	threadlog.Log
	waiting, goOn chan struct{}
}

func (s *slow) Append(ctx context.Context, id string, expected int64, rows ...threadlog.Row) (int64, error) {
	if slices.ContainsFunc(rows, func(r threadlog.Row) bool { return strings.Contains(string(r.Data), "word") }) {
		select {
		case s.waiting <- struct{}{}:
		default:
		}
		<-s.goOn
	}
	return s.Log.Append(ctx, id, expected, rows...)
}

// TestStopDoesNotWaitForTheLog: a disk that hangs does not keep the agent talking.
func TestStopDoesNotWaitForTheLog(t *testing.T) {
	u := serve(t, babble)
	log := &slow{memory.New().Open(), make(chan struct{}, 1), make(chan struct{})}
	w := u.node(t, log)
	w.send("m1", "Hi")
	<-log.waiting
	stopped := make(chan error, 1)
	go func() { stopped <- w.Stop(t.Context(), id) }() // ends when the log goes on
	u.closed(t)
	select {
	case err := <-stopped:
		t.Errorf("Stop came back before the end was stored: %v", err)
	default:
	}
	close(log.goOn)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	th := w.folded()
	if all := th.Conversation.Entries(); th.Run.Open || th.Conversation.Run().Status != "stopped" || len(all) != 2 || all[1].Message.Len() == 0 {
		t.Errorf("run %+v, %d entries, %d rows", th.Run, len(all), th.Records)
	}
}

// TestStopOnAFullDisk: the caller learns why the page does not follow, and does not
// wait until there is room.
func TestStopOnAFullDisk(t *testing.T) {
	log := &full{Log: memory.New().Open()}
	log.failures.Store(1 << 30)
	w := newWorld(t, log)
	w.send("m1", "Hi")
	if err := w.Stop(t.Context(), id); !errors.Is(err, ErrUnrecorded) || !errors.Is(err, threadlog.ErrFull) {
		t.Fatalf("Stop: %v", err)
	}
	log.failures.Store(0)
	if th := w.settled(); th.Run.Open {
		t.Fatalf("run %+v", th.Run)
	}
}

// TestStopWhileTheRunBegins: a run that is not in the log yet can be stopped.
func TestStopWhileTheRunBegins(t *testing.T) {
	u := serve(t, babble)
	log := &beginning{memory.New().Open(), make(chan struct{}), make(chan struct{})}
	w := u.node(t, log)
	sent := make(chan error, 1)
	go func() { sent <- w.Send(t.Context(), id, "m1", "Hi") }() // ends when the log goes on
	<-log.waiting
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // only ask
	_ = w.Stop(ctx, id)
	close(log.goOn)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if th := w.settled(); th.Conversation.Run().Status != "stopped" || u.requests.Load() != 0 {
		t.Errorf("%s after %d requests", th.Conversation.Run().Status, u.requests.Load())
	}
}

// beginning is a log whose first row waits.
type beginning struct {
	threadlog.Log
	waiting, goOn chan struct{}
}

func (b *beginning) Append(ctx context.Context, id string, expected int64, rows ...threadlog.Row) (int64, error) {
	if expected == 0 {
		close(b.waiting)
		<-b.goOn
	}
	return b.Log.Append(ctx, id, expected, rows...)
}
