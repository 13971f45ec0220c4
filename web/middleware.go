package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// contentSecurityPolicy lets a page load its own files and nothing else; there is
// no inline script or style anywhere.
const contentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const (
	// maxBody bounds a form: a long message is 100 KB and grows when it is encoded.
	maxBody = 4 << 20
	// maxUnread bounds what is read of a body that the handler did not need.
	maxUnread = 64 << 10
	// bodyWait is how long a body may take to arrive.
	bodyWait = 20 * time.Second
	// answerWait is how long a peer may take to accept an answer; a stream sets its own
	// deadline for each frame.
	answerWait = 2 * time.Minute
)

// errSlowBody is what a handler reads instead of a body that is late.
var errSlowBody = refuse(http.StatusRequestTimeout, "The form did not arrive in time. Please try again.")

// middleware is the chain every request passes, outermost first.
func middleware(next http.Handler) http.Handler {
	return secureHeaders(limitBody(http.NewCrossOriginProtection().Handler(headAsGet(next))))
}

// headAsGet answers HEAD as GET, since net/http leaves the body out; but a stream
// has no end.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasSuffix(r.URL.Path, "/stream") {
			get := r.WithContext(r.Context())
			get.Method = http.MethodGet
			r = get
		}
		next.ServeHTTP(w, r)
	})
}

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// limitBody bounds a request's body in time and size, also where the handler never
// reads it. A request that is refused before its body was read is answered and its
// connection closed at once.
func limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w) // without deadlines in a test without a connection
		_ = rc.SetWriteDeadline(time.Now().Add(answerWait))
		if r.ContentLength == 0 { // -1 when it is not known
			next.ServeHTTP(w, r)
			return
		}
		_ = rc.SetReadDeadline(time.Now().Add(bodyWait))
		body := &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, maxBody), rc: rc, tooLarge: r.ContentLength > maxBody}
		r.Body = body
		a := &answer{ResponseWriter: w, body: body}
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			http.Error(a, "This address takes no request body.", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(a, r)
		if body.late && !a.begun { // the request's context has ended with the read
			http.Error(a, errSlowBody.Error(), http.StatusRequestTimeout)
		}
		a.begin(http.StatusOK) // when nothing was written
	})
}

// timedBody is a request's body with a read deadline, which ends with the body: after
// it the server reads on to see the client leave.
type timedBody struct {
	io.ReadCloser
	rc       *http.ResponseController
	tooLarge bool // by its own account
	late     bool
	ended    bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	if b.tooLarge {
		return 0, &http.MaxBytesError{Limit: maxBody}
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended = true
		_ = b.rc.SetReadDeadline(time.Time{})
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		b.late, err = true, errSlowBody
	}
	return n, err
}

// answer closes the connection behind an answer that begins before the request's body
// has ended.
type answer struct {
	http.ResponseWriter
	body  *timedBody
	begun bool
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	a.begin(status)
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(b)
}

func (a *answer) FlushError() error {
	a.begin(http.StatusOK)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

func (a *answer) begin(status int) {
	if a.begun || status < http.StatusOK {
		return
	}
	a.begun = true
	if status < http.StatusBadRequest { // the request was accepted, so its body is awaited
		_, _ = io.CopyN(io.Discard, a.body, maxUnread)
	}
	if !a.body.ended {
		a.Header().Set("Connection", "close")
		_ = a.body.rc.SetReadDeadline(time.Unix(1, 0)) // or the server waits for the body now
	}
}
