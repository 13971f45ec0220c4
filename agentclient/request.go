package agentclient

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// This file asks for a run, up to the first byte of its events.

// post sends the request and waits for the answer's header.
func (r *run) post(payload []byte) (*http.Response, *Error) {
	// The transport asks for a connection before it sends anything; if it got none,
	// nothing was sent. A transport that does not say so may have sent it.
	var asked, got atomic.Bool
	traced := httptrace.WithClientTrace(r.ctx, &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, r.client.target(), bytes.NewReader(payload))
	if err != nil {
		return nil, &Error{Kind: KindRequest, Err: err, notSent: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	// Left alone, net/http asks for gzip, which servers buffer to compress.
	req.Header.Set("Accept-Encoding", "identity")
	if token := r.client.secret(); token != "" {
		req.Header.Set(r.client.cfg.TokenHeader, token)
	}
	timer := time.AfterFunc(r.client.cfg.ConnectTimeout, func() { r.cancel(errConnectTimeout) })
	resp, err := r.client.http.Do(req)
	if timer.Stop(); err != nil {
		failed := r.broken(err, KindConnect)
		failed.notSent = asked.Load() && !got.Load()
		return nil, failed
	}
	return resp, nil
}

// expectStream makes sure that the answer is an event stream.
func (r *run) expectStream(resp *http.Response) *Error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && media == "text/event-stream" {
		return nil
	}
	head := make([]byte, r.client.secrets.Window(excerptBytes)) // a token at the cut is read whole, so it is masked
	n, err := io.ReadAtLeast(r.body, head, 1)
	if resp.StatusCode == http.StatusOK && looksLikeStream(head[:n]) {
		// Some servers forget the content type.
		r.body = io.MultiReader(bytes.NewReader(head[:n]), r.body)
		return nil
	}
	for n < len(head) && err == nil {
		var more int
		more, err = r.body.Read(head[n:])
		n += more
	}
	if r.parent.Err() != nil {
		return r.broken(r.parent.Err(), KindAborted)
	}
	failed := &Error{Kind: KindStatus, Status: resp.StatusCode, Excerpt: r.excerpt(head[:n])}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
		failed.Err = fmt.Errorf("redirects to %s", where(resp))
	case resp.StatusCode == http.StatusOK:
		failed.Kind = KindNotSSE
		failed.Err = fmt.Errorf("content type %q", media)
	}
	return failed
}

// where is where an answer redirects to, without what may be secret in it.
func where(resp *http.Response) string {
	if to, err := resp.Location(); err == nil { // absolute
		return RedactURL(to.String())
	}
	return RedactURL(resp.Header.Get("Location"))
}

func looksLikeStream(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	head = bytes.TrimLeft(head, "\r\n")
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true
		}
	}
	return false
}
