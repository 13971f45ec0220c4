package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// slowly is the server's side of a stream whose peer does not read. The test says
// when its write deadline has come.
type slowly struct {
	http.ResponseWriter
	deadline atomic.Pointer[time.Time]
	writing  atomic.Bool
}

func (s *slowly) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *slowly) SetWriteDeadline(t time.Time) error {
	s.deadline.Store(&t)
	return nil
}

func (s *slowly) Write(b []byte) (int, error) {
	s.writing.Store(true)
	defer s.writing.Store(false)
	return s.ResponseWriter.Write(b)
}

func (s *slowly) FlushError() error {
	s.writing.Store(true)
	defer s.writing.Store(false)
	return http.NewResponseController(s.ResponseWriter).Flush()
}

// expire is what the network does when the deadline comes.
func (s *slowly) expire() error {
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Unix(1, 0))
}

// TestSlowPeerDoesNotDelayOthers: over TCP, one tab reads and another does not.
// The first gets every change while the server is stuck in a write to the second; the
// write's deadline ends the second; and when it connects again it has missed nothing.
func TestSlowPeerDoesNotDelayOthers(t *testing.T) {
	s := newSite(t)
	app := s.Config.Handler
	began, ended := make(chan *slowly, 1), make(chan struct{})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Peer") != "slow" {
			app.ServeHTTP(w, r)
			return
		}
		defer close(ended)
		slow := &slowly{ResponseWriter: w}
		began <- slow
		app.ServeHTTP(slow, r)
	}))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10) // or the kernel takes megabytes for a peer that takes none
		return ctx
	}
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(s.hub.Close) // before it, or the open streams keep it

	b := s.browser()
	id := strings.TrimPrefix(b.start("Hello there"), "/mastra/t/")
	b.site = &site{srv, t, s.log, s.hub, s.runner, s.reach}
	reader := b.frames(id)
	peer, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	_ = peer.(*net.TCPConn).SetReadBuffer(4 << 10)
	req, _ := http.NewRequest("GET", srv.URL+"/t/"+id+"/stream?pane=run", nil)
	req.Header.Set("X-Peer", "slow")
	for _, c := range b.client.Jar.Cookies(req.URL) {
		req.AddCookie(c)
	}
	if err := req.Write(peer); err != nil {
		t.Fatal(err)
	}
	slow := <-began

	const messages = 12
	say := func(i int) {
		t.Helper()
		text := fmt.Sprintf("message-%d-%s", i, strings.Repeat("x ", 8<<10))
		row := thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: fmt.Sprint("m", i), Text: text})
		if _, err := s.log.Append(t.Context(), id, int64(i), row); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(b.next(reader).Data, fmt.Sprintf("message-%d-", i)) {
		}
	}
	for i := 1; i <= messages; i++ {
		say(i)
	}
	select {
	case <-ended:
		t.Fatal("the peer that does not read was dropped before its deadline")
	default:
	}
	if !slow.writing.Load() {
		t.Fatal("the server is not stuck: the test shows nothing")
	}
	if d := slow.deadline.Load(); d == nil || time.Until(*d) > 10*time.Second {
		t.Fatalf("its write deadline is %v", d)
	}
	if err := slow.expire(); err != nil {
		t.Fatal(err)
	}
	<-ended
	_, _ = io.Copy(io.Discard, peer) // what lay in the buffers, then the end, or a reset
	say(messages + 1)

	again := b.frames(id)
	first := b.next(again)
	for i := 1; i <= messages+1; i++ {
		if n := strings.Count(first.Data, fmt.Sprintf("message-%d-", i)); n != 1 {
			t.Errorf("after it connected again message %d is there %d times", i, n)
		}
	}
}
