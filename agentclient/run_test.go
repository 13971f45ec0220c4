package agentclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/agui/sse"
)

const (
	started  = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	chunk    = "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"hi\"}\n\n"
	finished = "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	failed   = "data: {\"type\":\"RUN_ERROR\",\"message\":\"x\"}\n\n"
	token    = "t0psecret-value"
)

// serve starts an agent that is stopped with the test, and a client for it. No
// connection may be open then that the client does not keep for later, and no
// goroutine be left.
func serve(t *testing.T, cfg agentclient.Config, handler http.HandlerFunc) *agentclient.Client {
	t.Helper()
	before := runtime.NumGoroutine()
	var connections sync.Map // open ones
	count := func() (n int) {
		connections.Range(func(_, _ any) bool { n++; return true })
		return n
	}
	srv := httptest.NewUnstartedServer(handler)
	srv.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if connections.Store(c, true); state == http.StateClosed || state == http.StateHijacked {
			connections.Delete(c)
		}
	}
	srv.Start()
	t.Cleanup(func() {
		srv.Client().CloseIdleConnections()
		eventually(t, func() bool { return count() == 0 }, func() string { return fmt.Sprint(count(), " connections open") })
		srv.Close()
		eventually(t, func() bool { return runtime.NumGoroutine() <= before }, func() string {
			return fmt.Sprintf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		})
	})
	cfg.URL, cfg.HTTPClient = srv.URL, srv.Client()
	client, err := agentclient.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually waits for what happens beside the test.
func eventually(t *testing.T, ok func() bool, otherwise func() string) {
	t.Helper()
	tick, deadline := time.NewTicker(time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal(otherwise())
		}
	}
}

// stream answers with an event stream of the given text.
func stream(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

// collect runs to the end and gives the types received and the error, and fails
// when anything follows an error.
func collect(t *testing.T, ctx context.Context, c *agentclient.Client) (types []string, failed *agentclient.Error) {
	t.Helper()
	for got, err := range c.Run(ctx, agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if failed != nil {
			t.Error("something came after the error")
		}
		if err != nil {
			if !errors.As(err, &failed) {
				t.Fatalf("%T is no *agentclient.Error", err)
			}
			continue
		}
		if got.Frame != len(types)+1 || got.At.IsZero() || !json.Valid(got.Raw) {
			t.Errorf("event %d: frame %d at %v: %s", len(types)+1, got.Frame, got.At, got.Raw)
		}
		types = append(types, string(got.Event.Head().Type))
	}
	return types, failed
}

func TestRunRequest(t *testing.T) {
	for _, tt := range []struct{ header, wantHeader, want string }{
		{"", "X-Internal-Token", token},
		{"authorization", "Authorization", "Bearer " + token},
	} {
		client := serve(t, agentclient.Config{Token: token, TokenHeader: tt.header}, func(w http.ResponseWriter, r *http.Request) {
			var in agui.RunAgentInput
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			if r.Method != "POST" || r.Header.Get(tt.wantHeader) != tt.want || r.Header.Get("Accept") != "text/event-stream" ||
				r.Header.Get("Content-Type") != "application/json" || in.ThreadID != "t" || in.ProtocolVersion != "1.0" || in.Tools == nil {
				t.Errorf("%s %v %+v", r.Method, r.Header, in)
			}
			stream(started+finished)(w, r)
		})
		if _, failed := collect(t, t.Context(), client); failed != nil {
			t.Error(failed)
		}
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name    string
		cfg     agentclient.Config
		answer  http.HandlerFunc
		events  int
		kind    agentclient.Kind // "" is no error
		status  int
		frame   int
		excerpt string
	}{
		{name: "finished", answer: stream(started + chunk + finished), events: 3},
		{name: "RUN_ERROR is an event", answer: stream(started + failed), events: 2},
		{name: "nothing after the terminal event counts", answer: stream(started + finished + "data: [DONE]\n\n" + started), events: 2},
		{name: "unterminated last frame", answer: stream(started + strings.TrimSpace(finished)), events: 2},
		{name: "keep-alives", answer: stream(": ping\n\n" + started + "data:\n\n" + finished), events: 2},
		{name: "unknown events are given", answer: stream(started + "data: {\"type\":\"NEW\"}\n\n" + finished), events: 3},
		{name: "no content type but a stream", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, started+finished)
		}, events: 2},

		{name: "truncated", answer: stream(started + chunk), events: 2, kind: agentclient.KindTruncated, status: 200},
		{name: "empty stream", answer: stream(""), kind: agentclient.KindTruncated, status: 200},
		{name: "cut in a frame", answer: stream(started + `data: {"type":"RUN_FIN`), events: 1, kind: agentclient.KindTruncated, status: 200, frame: 2, excerpt: `{"type":"RUN_FIN`},
		{name: "connection lost", answer: func(w http.ResponseWriter, r *http.Request) {
			stream(started+chunk)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, events: 2, kind: agentclient.KindTruncated, status: 200},
		{name: "malformed", answer: stream(started + "data: {oops}\n\n" + finished), events: 1, kind: agentclient.KindMalformed, status: 200, frame: 2, excerpt: "{oops}"},
		{name: "[DONE] too early", answer: stream(started + "data: [DONE]\n\n"), events: 1, kind: agentclient.KindMalformed, status: 200, frame: 2, excerpt: "[DONE]"},
		{name: "HTML", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>\n\n<p>Log in\r\n"+strings.Repeat("x", 1<<20))
		}, kind: agentclient.KindNotSSE, status: 200, excerpt: "<html> <p>Log in " + strings.Repeat("x", 512-len("<html>\n\n<p>Log in\r\n"))},
		{name: "JSON", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"ok":true}`)
		}, kind: agentclient.KindNotSSE, status: 200, excerpt: `{"ok":true}`},
		{name: "401 that repeats the token", cfg: agentclient.Config{Token: token}, answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, "bad token "+r.Header.Get("X-Internal-Token"))
		}, kind: agentclient.KindStatus, status: 401, excerpt: "bad token [secret]"},
		{name: "401 with the token at the cut", cfg: agentclient.Config{Token: token}, answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, strings.Repeat("x", 505)+r.Header.Get("X-Internal-Token")+"and more")
		}, kind: agentclient.KindStatus, status: 401, excerpt: strings.Repeat("x", 505) + "[secret"},
		{name: "500", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, kind: agentclient.KindStatus, status: 500},
		{name: "500 that looks like a stream", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(500)
			_, _ = io.WriteString(w, finished)
		}, kind: agentclient.KindStatus, status: 500, excerpt: strings.TrimSpace(finished)},
		{name: "204", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, kind: agentclient.KindStatus, status: 204},
		{name: "redirect is not followed", answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("followed a redirect")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, kind: agentclient.KindStatus, status: 307},
		{name: "too many bytes", cfg: agentclient.Config{MaxBytes: 100}, answer: stream(started + strings.Repeat(": "+strings.Repeat("x", 50)+"\n", 10)), events: 0, kind: agentclient.KindTooLarge, status: 200},
		{name: "too many events", cfg: agentclient.Config{MaxEvents: 2}, answer: stream(started + chunk + chunk + finished), events: 2, kind: agentclient.KindTooLarge, status: 200, frame: 3},
		{name: "too large a frame", cfg: agentclient.Config{SSE: sse.Limits{MaxFrame: 60}}, answer: stream(started + "data: " + strings.Repeat("x", 100) + "\n\n"), events: 1, kind: agentclient.KindTooLarge, status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			types, failed := collect(t, t.Context(), serve(t, tt.cfg, tt.answer))
			if len(types) != tt.events {
				t.Errorf("got %v, want %d events", types, tt.events)
			}
			if tt.kind == "" {
				if failed != nil {
					t.Errorf("failed: %v", failed)
				}
				return
			}
			if failed == nil {
				t.Fatal("did not fail")
			}
			if failed.Kind != tt.kind || failed.Status != tt.status || failed.Frame != tt.frame || failed.Excerpt != tt.excerpt {
				t.Errorf("got kind %q status %d frame %d excerpt %q, want %q %d %d %q", failed.Kind, failed.Status, failed.Frame, failed.Excerpt,
					tt.kind, tt.status, tt.frame, tt.excerpt)
			}
			if !failed.Dispatched() {
				t.Error("says the request was not sent")
			}
			if strings.Contains(failed.Error(), token) {
				t.Errorf("token in %q", failed)
			}
		})
	}
}

func TestRunNotDispatched(t *testing.T) {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := refused.Addr().String()
	_ = refused.Close()
	plain := httptest.NewServer(stream(started + finished))
	defer plain.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	for _, tt := range []struct {
		name, url string
		ctx       context.Context
		kind      agentclient.Kind
	}{
		{"connection refused", "http://" + address, t.Context(), agentclient.KindConnect},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), t.Context(), agentclient.KindConnect},
		{"context ended before", plain.URL, ended, agentclient.KindAborted},
	} {
		client, err := agentclient.New(agentclient.Config{URL: tt.url, HTTPClient: plain.Client()})
		if err != nil {
			t.Fatal(err)
		}
		_, failed := collect(t, tt.ctx, client)
		if failed == nil || failed.Kind != tt.kind || failed.Dispatched() {
			t.Errorf("%s: got %v, want %s and not dispatched", tt.name, failed, tt.kind)
		}
	}
	client, _ := agentclient.New(agentclient.Config{URL: plain.URL})
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{State: json.RawMessage("{")}) {
		var failed *agentclient.Error
		if !errors.As(err, &failed) || failed.Kind != agentclient.KindRequest || failed.Dispatched() {
			t.Errorf("input that is no JSON: %v", err)
		}
	}
}

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
		}, events: 3, after: 27*time.Second + 100*time.Millisecond},
		{name: "stalled", body: func(ctx context.Context, w *io.PipeWriter) { say(ctx, w, 11*time.Second, started, finished) }, events: 1, kind: agentclient.KindStalled, after: 10 * time.Second},
		{name: "silent from the start", body: func(context.Context, *io.PipeWriter) {}, kind: agentclient.KindStalled, after: 10 * time.Second},
		{name: "the caller may be slow", think: time.Minute, body: func(ctx context.Context, w *io.PipeWriter) { say(ctx, w, 0, started, finished) }, events: 2, after: 2*time.Minute + 100*time.Millisecond},
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
				for _, err := range client.Run(ctx, agui.RunAgentInput{}) {
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

func TestLeavingTheLoopClosesTheConnection(t *testing.T) {
	before := runtime.NumGoroutine()
	closed := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(started)(w, r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(closed)
	}))
	client, err := agentclient.New(agentclient.Config{URL: srv.URL, HTTPClient: srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("the agent was not told")
	}
	srv.Close() // closes the client's idle connections too
	eventually(t, func() bool { return runtime.NumGoroutine() <= before }, func() string {
		return fmt.Sprintf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	})
}

// After a run that ended well the connection is used again.
func TestConnectionIsReused(t *testing.T) {
	var addresses []string
	client := serve(t, agentclient.Config{}, func(w http.ResponseWriter, r *http.Request) {
		addresses = append(addresses, r.RemoteAddr)
		stream(started+finished+"data: [DONE]\n\n")(w, r)
	})
	for range 2 {
		if _, failed := collect(t, t.Context(), client); failed != nil {
			t.Fatal(failed)
		}
	}
	if len(addresses) != 2 || addresses[0] != addresses[1] {
		t.Errorf("connections from %v, want one", addresses)
	}
}

func TestTheTokenIsNeverPrinted(t *testing.T) {
	cfg := agentclient.Config{URL: "http://agent.test", Token: token, TokenHeader: "Authorization"}
	client, err := agentclient.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	logJSON := slog.New(slog.NewJSONHandler(&out, nil))
	for _, v := range []any{cfg, &cfg, client, *client, cfg.Token, &cfg.Token, struct{ Inner any }{client}, []any{cfg.Token}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %x\n", v, v, v, v, v, v)
		fmt.Fprintln(&out, v)
		log.Info("x", "v", v)
		logJSON.Info("x", "v", v)
	}
	for _, v := range []any{cfg.Token, map[string]any{"t": cfg.Token}} {
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(out.String(), token) || strings.Contains(out.String(), fmt.Sprintf("%x", token)) {
		t.Errorf("token in:\n%s", out.String())
	}
	if cfg.Token.Reveal() != token {
		t.Error("the token itself is lost")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, cfg := range []agentclient.Config{
		{}, {URL: "agent.test/run"}, {URL: "ftp://agent.test"}, {URL: "http://"}, {URL: "http://u:" + token + "@agent.test"},
		{URL: "http://agent.test/%zz?" + token}, {URL: "http://agent.test", Token: token + "\r\nX: y"},
	} {
		_, err := agentclient.New(cfg)
		if err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", cfg.URL, err)
		}
	}
}

// Captured streams come through whole, at any split of the bytes.
func TestRunCaptured(t *testing.T) {
	const dir = "testdata/transcripts/mastra"
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".sse") {
			continue
		}
		text, err := os.ReadFile(dir + "/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		client := serve(t, agentclient.Config{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for rest := text; len(rest) > 0; {
				n := min(37, len(rest))
				_, _ = w.Write(rest[:n])
				_ = http.NewResponseController(w).Flush()
				rest = rest[n:]
			}
		})
		types, failed := collect(t, t.Context(), client)
		// Those where the client left or the service was killed have no terminal event.
		whole := bytes.Contains(text, []byte(`"RUN_FINISHED"`)) || bytes.Contains(text, []byte(`"RUN_ERROR"`))
		if len(types) != strings.Count(string(text), "data: ") || whole != (failed == nil) ||
			failed != nil && failed.Kind != agentclient.KindTruncated {
			t.Errorf("%s: %d events, %v", f.Name(), len(types), failed)
		}
	}
}
