package agentclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agui"
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

// collect runs to the end and returns the types received and the error, and fails
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
		_, bad := got.Event.(*agui.Malformed)
		whole := bad || json.Valid(got.Raw) || len(got.Diagnostics) > 0
		if got.Frame != len(types)+1 || got.At.IsZero() || !whole {
			t.Errorf("event %d: frame %d at %v: %s", len(types)+1, got.Frame, got.At, got.Raw)
		}
		types = append(types, string(got.Event.Head().Type))
	}
	return types, failed
}
