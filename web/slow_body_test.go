package web_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// waiting is a server whose read deadlines never come by themselves: a request that
// waits for its body waits for ever, or until the test says that the deadline came.
type waiting struct {
	*site
	armed chan *armed
}

// armed is the answer of a request that waits for its body until the deadline.
type armed struct {
	http.ResponseWriter
	test  *waiting
	until atomic.Pointer[time.Time]
}

func (a *armed) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *armed) SetReadDeadline(t time.Time) error {
	a.until.Store(&t)
	if t.After(time.Now()) {
		a.test.armed <- a
		return nil
	}
	return http.NewResponseController(a.ResponseWriter).SetReadDeadline(t)
}

// expire is what the network does when the deadline comes.
func (a *armed) expire() error {
	return http.NewResponseController(a.ResponseWriter).SetReadDeadline(time.Unix(1, 0))
}

func newWaiting(t *testing.T) *waiting {
	s := newSite(t)
	w := &waiting{s, make(chan *armed, 16)}
	app := s.Config.Handler
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(&armed{ResponseWriter: rw, test: w}, r)
	}))
	t.Cleanup(srv.Close)
	w.site = &site{srv, t, s.log, s.hub, s.runner, s.reach}
	return w
}

// send opens a connection and sends the head of a request with the browser's cookies,
// then nothing more.
func (w *waiting) send(b *browser, head string) net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // only of a server that waits
	if b != nil {
		at, _ := url.Parse(w.URL)
		for _, c := range b.client.Jar.Cookies(at) {
			head += "Cookie: " + c.String() + "\r\n"
		}
	}
	if _, err := fmt.Fprintf(conn, "%sHost: %s\r\n\r\n", head, w.Listener.Addr()); err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// answered reads an answer, and that the connection ends behind it.
func answered(conn net.Conn) (status int, body string, err error) {
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, "", err
	}
	if !res.Close {
		return res.StatusCode, "", errors.New("it does not say that the connection ends")
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		return res.StatusCode, "", fmt.Errorf("behind the answer: %.100q, %v", rest, err)
	}
	return res.StatusCode, string(text), nil
}

// TestARefusedRequestIsClosedAtOnce: a client that announces a body and sends none gets the
// refusal and the end of the connection, without waiting for the body.
func TestARefusedRequestIsClosedAtOnce(t *testing.T) {
	w := newWaiting(t)
	b := w.browser()
	thread := "/t/" + strings.TrimPrefix(b.start("Hello"), "/mastra/t/")
	stranger := w.browser()
	stranger.open()
	const form, body = "Content-Type: application/x-www-form-urlencoded\r\n", "Content-Length: 1000\r\n"
	for _, tt := range []struct {
		name    string
		browser *browser
		head    string
		status  int
	}{
		{"cross-origin", b, "POST " + thread + "/messages HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n" + form + body, 403},
		{"cross-origin, chunked", b, "POST " + thread + "/messages HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\nTransfer-Encoding: chunked\r\n", 403},
		{"cross-origin, asks before it sends", b, "POST " + thread + "/messages HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\nExpect: 100-continue\r\n" + body, 403},
		{"no session", nil, "POST " + thread + "/messages HTTP/1.1\r\n" + form + body, 401},
		{"another session", stranger, "POST " + thread + "/rename HTTP/1.1\r\n" + form + body, 404},
		{"no page", nil, "POST /no/such/page HTTP/1.1\r\n" + body, 404},
		{"no method", nil, "POST /threads HTTP/1.1\r\n" + body, 405},
		{"no method of ours", nil, "PUT /mastra HTTP/1.1\r\n" + body, 405},
		{"too large", b, "POST " + thread + "/messages HTTP/1.1\r\n" + form + "Content-Length: 5000000\r\n", 413},
		{"too large, a new conversation", nil, "POST /mastra/messages HTTP/1.1\r\n" + form + "Content-Length: 5000000\r\n", 413},
		{"no form", b, "POST " + thread + "/messages HTTP/1.1\r\n" + body, 400},
		{"GET", b, "GET /mastra HTTP/1.1\r\n" + body, 400},
		{"GET, chunked", nil, "GET /mastra HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", 400},
		{"a stream", b, "GET " + thread + "/stream HTTP/1.1\r\n" + body, 400},
		{"old client", nil, "POST /no/such/page HTTP/1.0\r\nConnection: keep-alive\r\n" + body, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, text, err := answered(w.send(tt.browser, tt.head))
			if err != nil || status != tt.status {
				t.Errorf("%d, %v, want %d: %.200s", status, err, tt.status, text)
			}
			<-w.armed // its deadline was set, and did not have to come
		})
	}
	conn := w.send(nil, "HEAD /mastra HTTP/1.1\r\n"+body)
	if all, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 400 ") || !strings.HasSuffix(string(all), "\r\n\r\n") {
		t.Errorf("HEAD: %q, %v", all, err)
	}
}

// TestALateBodyEndsWithItsDeadline: a form that is announced and does not arrive does
// nothing, is said to be late, and its connection ends.
func TestALateBodyEndsWithItsDeadline(t *testing.T) {
	w := newWaiting(t)
	b := w.browser()
	thread := "/t/" + strings.TrimPrefix(b.start("Hello"), "/mastra/t/")
	calls := len(w.runner.calls)
	for len(w.armed) > 0 {
		<-w.armed
	}
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, tt := range []struct {
		name, path, length string
		status             int
	}{
		{"a message", thread + "/messages", "Content-Length: 1000", http.StatusRequestTimeout},
		{"a message, chunked", thread + "/messages", "Transfer-Encoding: chunked", http.StatusRequestTimeout},
		{"the first message", "/mastra/messages", "Content-Length: 1000", http.StatusRequestTimeout},
		{"a title", thread + "/rename", "Content-Length: 1000", http.StatusRequestTimeout},
		{"a retry", thread + "/retry", "Content-Length: 1000", http.StatusRequestTimeout},
		{"a decision", thread + "/interrupts/1", "Content-Length: 1000", http.StatusRequestTimeout},
		{"a form that needs no body", thread + "/stop", "Content-Length: 1000", http.StatusNoContent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := w.send(b, "POST "+tt.path+" HTTP/1.1\r\nHX-Request: true\r\n"+form+tt.length+"\r\n")
			waits := <-w.armed
			if until := time.Until(*waits.until.Load()); until > 30*time.Second {
				t.Errorf("the body may take %v", until)
			}
			if err := waits.expire(); err != nil {
				t.Fatal(err)
			}
			status, text, err := answered(conn)
			if err != nil || status != tt.status || status == http.StatusRequestTimeout && !strings.Contains(text, "in time") {
				t.Errorf("%d %q, %v, want %d", status, text, err, tt.status)
			}
		})
	}
	if got := w.runner.calls[calls:]; len(got) != 1 || got[0] != "stop" {
		t.Errorf("the runner was called: %v", got)
	}
}

// TestConnectionsAreKept: a body that has arrived leaves no deadline behind, whether or
// not the handler read it, and the connection is used again.
func TestConnectionsAreKept(t *testing.T) {
	w := newWaiting(t)
	b := w.browser()
	thread := "/t/" + strings.TrimPrefix(b.start("Hello"), "/mastra/t/")
	for len(w.armed) > 0 {
		<-w.armed
	}
	for i, tt := range []struct {
		path   string
		form   url.Values
		status int
	}{
		{"/rename", url.Values{"title": {"Another"}}, 204},
		{"/stop", url.Values{"unread": {"form"}}, 204},
		{"/rename", url.Values{"title": {""}}, 422}, // refused after it was read
		{"/stop", nil, 204},
	} {
		reused := false
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
		req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "POST", w.URL+thread+tt.path, strings.NewReader(tt.form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("HX-Request", "true")
		res, err := b.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != tt.status || res.Close || i > 0 && !reused {
			t.Errorf("%s: %d, closed %t, reused %t", tt.path, res.StatusCode, res.Close, reused)
		}
		if tt.form == nil {
			continue // it has no body and no deadline
		}
		if a := <-w.armed; !a.until.Load().IsZero() {
			t.Errorf("%s: the deadline %v is left", tt.path, a.until.Load())
		}
	}
}
