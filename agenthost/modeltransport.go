package agenthost

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The back-off after 429, 5xx and a refused connection: half a second, then twice as long,
// each less up to a quarter, or what the server asks for. Nothing is retried after the
// first byte of an answer.
const (
	modelRetries       = 2
	modelRetryDelay    = 500 * time.Millisecond
	maxModelRetryDelay = 8 * time.Second
)

// modelTransport sends the requests to the model's server: it retries, and bounds what
// comes back.
type modelTransport struct {
	client *http.Client
	model  *model
}

// Do sends req, whose body can be read again.
func (t *modelTransport) Do(req *http.Request) (*http.Response, error) {
	for retry := 0; ; retry++ {
		resp, err := t.client.Do(req)
		wait, again := retryAfter(retry, resp, err)
		if !again || req.Context().Err() != nil {
			if err == nil {
				t.bound(resp)
			}
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close() // nothing of it is used
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			return nil, req.Context().Err()
		}
		req = req.Clone(req.Context())
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
}

// retryAfter returns how long to wait before a request is sent again, and reports whether
// it is.
func retryAfter(retry int, resp *http.Response, err error) (wait time.Duration, again bool) {
	if retry == modelRetries {
		return 0, false
	}
	wait = modelRetryDelay << retry
	wait -= rand.N(wait / 4)
	if err != nil {
		return wait, true
	}
	if s := resp.StatusCode; s < http.StatusBadRequest || resp.Header.Get("X-Should-Retry") == "false" ||
		s < http.StatusInternalServerError && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout {
		return 0, false
	}
	if asked, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && asked > 0 {
		wait = time.Duration(asked) * time.Second
	}
	return wait, wait <= maxModelRetryDelay
}

// bound limits the body of a response. The body of an error is not read at all: it may
// repeat the key, and the status says enough.
func (t *modelTransport) bound(resp *http.Response) {
	if resp.StatusCode >= http.StatusBadRequest {
		_ = resp.Body.Close() // nothing of it is used
		resp.Body = io.NopCloser(strings.NewReader(`{}`))
		return
	}
	most := t.model.maxAnswer
	resp.Body = newAnswerBody(resp.Body, streamPerAnswer*most+frameOverhead, 2*most+frameOverhead)
}
