package agentclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agui"
)

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
