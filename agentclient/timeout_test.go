package agentclient_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agentclient"
	"cairn/agui"
)

// pipeTransport answers with the header after a delay and then with what is
// written to the pipe; it honours the context as net/http does. No sockets, so
// that time can be simulated.
type pipeTransport struct {
	delay time.Duration
	body  func(ctx context.Context, w *io.PipeWriter)
}

func (p pipeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(p.delay):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	pr, pw := io.Pipe()
	context.AfterFunc(req.Context(), func() { _ = pr.CloseWithError(req.Context().Err()) })
	go p.body(req.Context(), pw) // ends when its text is written, the pipe closed or the request over
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: pr, Request: req}, nil
}

func TestRunTimeouts(t *testing.T) {
	say := func(ctx context.Context, w *io.PipeWriter, pause time.Duration, texts ...string) {
		for i, text := range texts {
			if i > 0 {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return
				}
			}
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	const asked = started
	earlier, earlierEnd := strings.ReplaceAll(started, `"r"`, `"before"`), strings.ReplaceAll(finished, `"r"`, `"before"`)
	tests := []struct {
		name   string
		delay  time.Duration
		body   func(context.Context, *io.PipeWriter)
		think  time.Duration // what the caller does with an event
		cancel time.Duration
		events int
		kind   agentclient.Kind
		after  time.Duration
	}{
		{name: "no answer", delay: time.Hour, kind: agentclient.KindConnect, after: 5 * time.Second},
		{name: "slow but steady", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 9*time.Second, started, ": ping\n\n", chunk, finished)
		}, events: 3, after: 27*time.Second + 250*time.Millisecond},
		{name: "stalled", body: func(ctx context.Context, w *io.PipeWriter) { say(ctx, w, 11*time.Second, started, finished) }, events: 1, kind: agentclient.KindStalled, after: 10 * time.Second},
		{name: "silent from the start", body: func(context.Context, *io.PipeWriter) {}, kind: agentclient.KindStalled, after: 10 * time.Second},
		{name: "the caller may be slow", think: time.Minute, body: func(ctx context.Context, w *io.PipeWriter) { say(ctx, w, 0, started, finished) }, events: 2, after: 2*time.Minute + 250*time.Millisecond},
		{name: "the answer stays open after its end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, asked, finished)
		}, events: 2, after: 250 * time.Millisecond},
		{name: "after an error too", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, asked, failed)
		}, events: 2, after: 250 * time.Millisecond},
		{name: "an error without a run", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, failed)
		}, events: 1, after: 250 * time.Millisecond},
		{name: "only the end is under another id", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, asked, strings.ReplaceAll(finished, `"r"`, `"server"`))
		}, events: 2, after: 250 * time.Millisecond},
		{name: "without ids", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, frameOf(`{"type":"RUN_STARTED"}`), frameOf(`{"type":"RUN_FINISHED"}`))
		}, events: 2, after: 250 * time.Millisecond},
		{name: "a run of its own", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, earlier, earlierEnd)
		}, events: 2, after: time.Second},
		{name: "earlier runs, and the one asked for later", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 900*time.Millisecond, earlier+earlierEnd, earlier+failed, asked, chunk, finished)
		}, events: 7, after: 4*900*time.Millisecond + 250*time.Millisecond},
		{name: "a pause in the run that was asked for", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 9*time.Second, earlier+earlierEnd+asked, chunk, finished)
		}, events: 5, after: 18*time.Second + 250*time.Millisecond},
		{name: "another run after the one asked for", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 200*time.Millisecond, asked+finished, earlier, chunk, earlierEnd)
		}, events: 5, after: 600*time.Millisecond + 250*time.Millisecond},
		{name: "an error late after the end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 200*time.Millisecond, asked, finished, failed)
		}, events: 3, after: 450 * time.Millisecond},
		{name: "keep-alives without end after the end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 100*time.Millisecond, slices.Concat([]string{asked + finished}, slices.Repeat([]string{": ping\n\n"}, 1000))...)
		}, events: 2, after: 250 * time.Millisecond},
		{name: "words without end after the end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 100*time.Millisecond, slices.Concat([]string{asked + finished}, slices.Repeat([]string{chunk}, 1000))...)
		}, events: 4, after: 250 * time.Millisecond},
		{name: "ends without end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 100*time.Millisecond, slices.Concat([]string{asked + finished}, slices.Repeat([]string{failed}, 1000))...)
		}, events: 4, after: 250 * time.Millisecond},
		{name: "a flood after the end", body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, slices.Concat([]string{asked + finished}, slices.Repeat([]string{frameOf(strings.Repeat("x", 8<<10))}, 1000))...)
		}, events: 2},
		{name: "a slow caller loses nothing of what follows the end", think: time.Minute, body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, asked+finished+earlier+chunk+failed)
		}, events: 5, after: 5*time.Minute + 250*time.Millisecond},
		{name: "the caller leaves after the end", cancel: 100 * time.Millisecond, body: func(ctx context.Context, w *io.PipeWriter) {
			say(ctx, w, 0, asked, finished)
		}, events: 2, after: 100 * time.Millisecond},
		{name: "aborted", cancel: time.Second, body: func(ctx context.Context, w *io.PipeWriter) { say(ctx, w, 0, started) }, events: 1, kind: agentclient.KindAborted, after: time.Second},
		{name: "aborted before the answer", cancel: time.Second, delay: time.Hour, kind: agentclient.KindAborted, after: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := agentclient.New(agentclient.Config{
					URL: "http://agent.test", HTTPClient: &http.Client{Transport: pipeTransport{tt.delay, tt.body}},
					ConnectTimeout: 5 * time.Second, StallTimeout: 10 * time.Second,
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				begun, events := time.Now(), 0
				var failed *agentclient.Error
				for _, err := range client.Run(ctx, agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
					if err != nil {
						failed, _ = err.(*agentclient.Error)
						continue
					}
					events++
					time.Sleep(tt.think) // simulated
				}
				var kind agentclient.Kind
				if failed != nil {
					kind = failed.Kind
					if !failed.Dispatched() {
						t.Error("says the request was not sent, which it cannot know")
					}
				}
				if took := time.Since(begun); events != tt.events || kind != tt.kind || took != tt.after {
					t.Errorf("%d events, kind %q, after %v; want %d, %q, %v", events, kind, took, tt.events, tt.kind, tt.after)
				}
			})
		})
	}
}
