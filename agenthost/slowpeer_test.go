package agenthost_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/agenthost"
)

// silentPeer sends the head of a request that promises a body, and nothing of the body.
// It returns the status of the answer once the server has closed the connection.
func silentPeer(t *testing.T, addr, method, path string, length int, header ...string) int {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// Nothing but the server ends this: it stayed open for minutes.
	if err := conn.SetDeadline(time.Now().Add(25 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n\r\n", method, path, length, strings.Join(header, "\r\n"))
	from := bufio.NewReader(conn)
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Fatalf("the answer breaks off: %v", err)
	}
	if rest, err := io.ReadAll(from); err != nil || len(rest) > 0 {
		t.Errorf("status %d: the connection stays open: %q, %v", resp.StatusCode, rest, err)
	}
	return resp.StatusCode
}

// TestRefusedPeersAreClosed: a refused request gets its answer and the end of its
// connection without its body.
func TestRefusedPeersAreClosed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token, run := "X-Internal-Token: "+testToken, "/agent/mastra"
	for _, tc := range []struct {
		name, method, path string
		header             []string
		length, status     int
	}{
		{"no token", "POST", run, []string{"X-A: b"}, 1000, 401},
		{"bad token", "POST", run, []string{"X-Internal-Token: wrong"}, 1000, 401},
		{"large body", "POST", run, []string{"X-Internal-Token: wrong"}, 1 << 30, 401},
		{"unknown path", "POST", "/nowhere", []string{token}, 1000, 404},
		{"unknown topic", "POST", "/agent/nope", []string{token}, 1000, 404},
		{"method", "PUT", run, []string{token}, 1000, 404},
		{"content type", "POST", run, []string{token, "Content-Type: text/plain"}, 1000, 415},
		{"accept", "POST", run, []string{token, "Accept: text/html"}, 1000, 406},
		{"too large", "POST", run, []string{token}, 1 << 30, 413},
		{"health with a body", "GET", "/ok", []string{"X-A: b"}, 1000, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := silentPeer(t, s.server.Listener.Addr().String(), tc.method, tc.path, tc.length, tc.header...); got != tc.status {
				t.Errorf("status %d, want %d", got, tc.status)
			}
		})
	}
}

func TestRefusedPeersWhileStopping(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if err := s.host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := silentPeer(t, s.server.Listener.Addr().String(), "POST", "/agent/mastra", 1000, "X-Internal-Token: "+testToken); got != 503 {
		t.Errorf("status %d", got)
	}
}

// TestSlowBody: a body that does not arrive in time is refused with 408.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	host, err := agenthost.New(agenthost.Config{Token: testToken, Store: s.store, ReadTimeout: 50 * time.Millisecond,
		Agents: map[string]*agenthost.Agent{"a": toolAgent()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	defer server.Close()
	if got := silentPeer(t, server.Listener.Addr().String(), "POST", "/agent/a", 1000, "X-Internal-Token: "+testToken); got != 408 {
		t.Errorf("status %d", got)
	}
}

// deadlines records the read deadlines that a handler sets.
type deadlines struct {
	*httptest.ResponseRecorder
	set []bool // whether each is one
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, !at.IsZero())
	return nil
}

// TestReadDeadlineEndsWithTheBody: a run may last longer than its body may take.
func TestReadDeadlineEndsWithTheBody(t *testing.T) {
	s := newAgentService(t, toolAgent())
	s.model.says(modelAnswer{text: "hi"})
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.host.ServeHTTP(w, s.request(t.Context(), s.input("t1", "hello")))
	if fmt.Sprint(w.set) != "[true false]" || w.Code != 200 {
		t.Errorf("status %d, deadlines set: %v", w.Code, w.set)
	}
}
