package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/agui/sse"
)

const (
	// maxBody bounds one answer in bytes; it is what `cairn replay` reads.
	maxBody = 20 << 20
	// longest bounds one answer, however steadily it comes.
	longest = 10 * time.Minute
	// redacted stands where the token was.
	redacted = "[secret]"
	// leastSecret is how long a token is that is taken out of answers, in bytes.
	// Shorter ones are found in words that have nothing to do with them: taking them
	// out would change what the agent said, and they are no secrets.
	leastSecret = 8
	// notSent begins what Failed says of a request that never left.
	notSent = "not sent: "
)

var (
	errSilent  = errors.New("nothing came in time")
	errEndless = errors.New("no end in time")
	errLeft    = errors.New("the probe left")
)

// credential is what a request proves itself with.
type credential int

const (
	withToken credential = iota
	withNone
	withWrong
)

// request is one exchange to be.
type request struct {
	body []byte
	cred credential
	// text is called at each delta of text, from the goroutine that reads; it
	// returns false to leave.
	text func(n int) bool
}

// sender makes raw requests. It never follows a redirect and keeps no cookie.
type sender struct {
	url     *url.URL
	header  string
	secret  agentclient.Secret
	wrong   string
	http    *http.Client
	silence time.Duration
	begun   time.Time
}

// send makes one exchange; what goes wrong is told in x.Failed.
func (s *sender) send(parent context.Context, x *Exchange, r request) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watch := time.AfterFunc(s.silence, func() { cancel(errSilent) })
	defer watch.Stop()
	end := time.AfterFunc(longest, func() { cancel(errEndless) })
	defer end.Stop()

	start := time.Now()
	since := func() float64 { return ms(time.Since(start)) }
	x.StartMS, x.Request = ms(start.Sub(s.begun)), r.body
	defer func() { x.TotalMS = since() }()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(r.body))
	if err != nil {
		x.Failed = "no request: " + s.redactText(err.Error())
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity")
	s.authorize(req, r.cred)
	resp, err := s.http.Do(req)
	if err != nil {
		x.Failed = "no answer: " + s.why(ctx, err)
		return
	}
	defer resp.Body.Close()
	x.Status, x.ContentType = resp.StatusCode, s.redactText(resp.Header.Get("Content-Type"))

	tap := &tap{src: resp.Body, alive: func() { watch.Reset(s.silence) }, since: since}
	err = tap.frames(x, r.text)
	x.FirstByteMS = tap.first
	x.Body = s.redact(tap.raw.Bytes())
	if err == nil {
		err = ctx.Err() // an agent that ends its answer because we left has not finished it
	}
	switch {
	case errors.Is(err, errLeft):
		x.Aborted = true
		cancel(errLeft)
	case err != nil:
		x.Failed = "the answer broke off: " + s.why(ctx, err)
	}
}

func (s *sender) authorize(req *http.Request, cred credential) {
	token := s.secret.Reveal()
	switch cred {
	case withNone:
		return
	case withWrong:
		token = s.wrong
	}
	if token == "" {
		return
	}
	if http.CanonicalHeaderKey(s.header) == "Authorization" {
		token = "Bearer " + token
	}
	req.Header.Set(s.header, token)
}

// why tells an error of the transport, which may quote the agent, without the token,
// the host and what a terminal would act on.
func (s *sender) why(ctx context.Context, err error) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errSilent):
		return fmt.Sprintf("silent for %v", s.silence)
	case errors.Is(cause, errEndless):
		return fmt.Sprintf("no end after %v", longest)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	text := err.Error()
	var op *net.OpError
	var lookup *net.DNSError
	switch {
	case errors.As(err, &lookup):
		text = "look up the host: " + lookup.Err
	case errors.As(err, &op):
		text = op.Op + ": " + op.Err.Error()
	}
	for _, host := range []string{s.url.Host, s.url.Hostname()} {
		text = strings.ReplaceAll(text, host, "[host]")
	}
	return printable(s.redactText(text))
}

func (s *sender) redactText(text string) string { return string(s.redact([]byte(text))) }

// redact takes the token out of what the agent sent, also where it stands in
// JSON text.
func (s *sender) redact(b []byte) []byte {
	token := s.secret.Reveal()
	if len(token) < leastSecret {
		return b
	}
	b = bytes.ReplaceAll(b, []byte(token), []byte(redacted))
	if quoted, err := json.Marshal(token); err == nil {
		b = bytes.ReplaceAll(b, quoted[1:len(quoted)-1], []byte(redacted))
	}
	return b
}

// tap reads an answer, keeping its bytes and when they came.
type tap struct {
	src   io.Reader
	alive func()
	since func() float64
	raw   bytes.Buffer
	first float64
	now   float64 // when the last bytes came
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	if n == 0 {
		return n, err
	}
	t.alive()
	t.now = t.since()
	if t.raw.Len() == 0 {
		t.first = t.now
	}
	if t.raw.Len()+n > maxBody {
		return 0, fmt.Errorf("the answer is larger than %d MB", maxBody>>20)
	}
	t.raw.Write(p[:n])
	return n, err
}

// frames reads to the end, noting when each frame came.
func (t *tap) frames(x *Exchange, text func(n int) bool) error {
	media, _, _ := mime.ParseMediaType(x.ContentType)
	if x.Status != http.StatusOK || strings.HasSuffix(media, "json") || media == "text/html" {
		_, err := io.Copy(io.Discard, t)
		return err
	}
	frames := sse.NewReader(t, sse.Limits{MaxLine: maxBody, MaxFrame: maxBody})
	deltas := 0
	for {
		_, data, err := frames.NextBytes()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		x.Times = append(x.Times, t.now)
		if text == nil || !isText(data) {
			continue
		}
		if deltas++; !text(deltas) {
			return errLeft
		}
	}
}

// isText reports whether a frame is a delta of text.
func isText(data []byte) bool {
	ev, err := agui.Decode(bytes.Clone(data))
	if err != nil {
		return false
	}
	switch e := ev.(type) {
	case *agui.TextMessageContent:
		return e.Delta != ""
	case *agui.TextMessageChunk:
		return e.Delta != nil && *e.Delta != ""
	}
	return false
}

// ms is a duration in milliseconds with one decimal.
func ms(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond)) / float64(time.Millisecond)
}
