package agenttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// Transport is an http.RoundTripper that breaks the body of every answer, so that
// any HTTP client can be tested against a bad network:
//
//	client.Transport = &agenttest.Transport{Modes: []agenttest.Mode{agenttest.CutAfter(500)}}
//
// Ending the request's context and closing the body end what a mode waits for.
type Transport struct {
	// Base makes the request; nil is http.DefaultTransport. See [InProcess].
	Base  http.RoundTripper
	Modes []Mode
	// Skip lets that many answers through unbroken first.
	Skip int

	mu   sync.Mutex
	seen int
}

// RoundTrip makes the request and breaks its answer.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.seen++
	skip := t.seen <= t.Skip
	t.mu.Unlock()
	if skip {
		return resp, nil
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	resp.Body = &brokenBody{Break(ctx, resp.Body, t.Modes...), resp.Body, cancel}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

var errClosed = errors.New("the body was closed")

// brokenBody is the body of an answer, read through modes.
type brokenBody struct {
	io.Reader
	body   io.Closer
	cancel context.CancelCauseFunc
}

func (b *brokenBody) Close() error {
	b.cancel(errClosed)
	return b.body.Close()
}

// InProcess is an http.RoundTripper that hands requests to h without a network:
// each write arrives on its own and waits until it is read, and time may be that
// of a testing/synctest bubble. Closing the body or ending the request's context
// ends the handler's context. A handler that panics with http.ErrAbortHandler cuts
// the answer.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	r, w := io.Pipe()
	a := &answer{header: http.Header{}, pipe: w, begun: make(chan *http.Response, 1)}
	inner := req.Clone(ctx)
	inner.RequestURI = req.URL.RequestURI()
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	context.AfterFunc(ctx, func() { _ = w.CloseWithError(context.Cause(ctx)) })
	go func() { // ends with the handler, which ctx ends
		defer inner.Body.Close()
		defer cancel(errClosed)
		defer func() {
			switch p := recover(); p {
			case nil:
				a.WriteHeader(http.StatusOK)
				_ = w.Close()
			case http.ErrAbortHandler:
				close(a.begun)
				_ = w.CloseWithError(io.ErrUnexpectedEOF)
			default:
				panic(p)
			}
		}()
		t.handler.ServeHTTP(a, inner)
	}()
	select {
	case resp, ok := <-a.begun:
		if !ok { // cut before its header
			return nil, io.ErrUnexpectedEOF
		}
		resp.Request = req
		resp.Body = &brokenBody{r, r, cancel}
		return resp, nil
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
}

// answer is the http.ResponseWriter of a handler in process.
type answer struct {
	header http.Header
	pipe   *io.PipeWriter
	once   sync.Once
	begun  chan *http.Response
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	a.once.Do(func() {
		a.begun <- &http.Response{
			Status: http.StatusText(status), StatusCode: status,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: a.header.Clone(), ContentLength: -1,
		}
	})
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.pipe.Write(p)
}

// FlushError does nothing: every write leaves at once.
func (a *answer) FlushError() error { return nil }
