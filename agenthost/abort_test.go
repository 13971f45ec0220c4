package agenthost_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// TestTwoRunsOnOneThread: the second is refused while the first goes on.
func TestTwoRunsOnOneThread(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{text: "one two", hang: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := http.DefaultClient.Do(s.request(ctx, s.input("t1", "hello")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	readUntil(t, resp.Body, "TEXT_MESSAGE_CHUNK")
	wantError(t, s.run(s.input("t1", "hello again")), "thread_busy")
	s.model.says(modelAnswer{text: "fine"})
	if got := text(s.run(s.input("t2", "hello"))); got != "fine" {
		t.Errorf("another thread returned %q", got)
	}
}

func readUntil(t *testing.T, body interface{ Read([]byte) (int, error) }, want string) {
	t.Helper()
	var got strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(got.String(), want) {
		n, err := body.Read(buf)
		got.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v before %s, after %s", err, want, got.String())
		}
	}
}

// TestClientGoneStopsTheModel: the model's server, which would go on for ever, sees its
// client leave when the run's client has left.
func TestClientGoneStopsTheModel(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{text: "one two", hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := http.DefaultClient.Do(s.request(ctx, s.input("t1", "hello")))
	if err != nil {
		t.Fatal(err)
	}
	readUntil(t, resp.Body, "TEXT_MESSAGE_CHUNK")
	cancel()
	_ = resp.Body.Close()
	<-s.model.left
}

// TestAbortAndSendAgain: a client that leaves and sends on the same thread right
// away is answered, however often.
func TestAbortAndSendAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 20 {
		s.model.says(modelAnswer{text: "one two", hang: true})
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := http.DefaultClient.Do(s.request(ctx, s.input("t1", "hello")))
		if err != nil {
			t.Fatal(err)
		}
		readUntil(t, resp.Body, "TEXT_MESSAGE_CHUNK")
		s.model.says(modelAnswer{text: "fine"})
		cancel()
		if events := s.run(s.input("t1", "hello")); text(events) != "fine" {
			t.Fatalf("the next run returned %s", types(events))
		}
		_ = resp.Body.Close()
		<-s.model.left
	}
}
