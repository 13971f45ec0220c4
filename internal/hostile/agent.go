package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// Token is the credential that the server sends to the agent. Cases echo it: it must
// not appear in the server's log.
const Token = "hostile-token-5f1c2a"

// paceEvery is the time between two events of a paced case: longer than a frame of a
// view, so that each event is rendered alone.
const paceEvery = 40 * time.Millisecond

// Agent is an AG-UI agent behind HTTP. It plays the turn that was registered under
// the text of the last user message, and answers any other message with one word.
type Agent struct {
	*httptest.Server
	mu    sync.Mutex
	turns map[string]*turn
}

// turn is the answer to one message.
type turn struct {
	c       Case
	begin   chan struct{} // the agent waits until it is closed
	written chan struct{} // closed when the agent has written every event but the last
	once    sync.Once
}

// NewAgent returns a running agent. Call Close after the server under test has ended.
func NewAgent() *Agent {
	a := &Agent{turns: map[string]*turn{}}
	a.Server = httptest.NewServer(a)
	return a
}

// expect registers the case to play for a message, once begin is closed.
func (a *Agent) expect(message string, c Case) *turn {
	t := &turn{c: c, begin: make(chan struct{}), written: make(chan struct{})}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns[message] = t
	return t
}

func (a *Agent) turn(message string) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.turns[message]; t != nil {
		return t
	}
	begun := make(chan struct{})
	close(begun)
	return &turn{c: Case{Play: text("Hello.")}, begin: begun, written: make(chan struct{})}
}

// ServeHTTP plays one run.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		return // the server checks whether the agent can be reached
	}
	var in struct {
		ThreadID, RunID string
		Messages        []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	message := ""
	for _, m := range in.Messages {
		if m.Role == "user" {
			message = ""
			_ = json.Unmarshal(m.Content, &message) // content of another form matches no turn
		}
	}
	t := a.turn(message)
	w.Header().Set("Content-Type", "text/event-stream")
	o := &Out{ctx: r.Context(), w: bufio.NewWriterSize(w, 64<<10), rc: http.NewResponseController(w), thread: in.ThreadID, run: in.RunID}
	o.Event("RUN_STARTED", "threadId", o.thread, "runId", o.run)
	o.flush()
	select {
	case <-t.begin:
	case <-r.Context().Done():
		return
	}
	t.c.Play(o)
	o.flush()
	t.once.Do(func() { close(t.written) })
	switch {
	case t.c.End == Stop:
		<-r.Context().Done()
	case t.c.End == Cut:
		panic(http.ErrAbortHandler) // net/http closes the connection without an end
	case t.c.End == Fail:
		o.Event("RUN_ERROR", "message", "The model failed.")
	case !o.ended:
		o.Event("RUN_FINISHED", "threadId", o.thread, "runId", o.run)
	}
	o.flush()
}

// Out is the event stream of one run.
type Out struct {
	ctx         context.Context
	w           *bufio.Writer
	rc          *http.ResponseController
	thread, run string
	paced       bool
	hurried     bool // nothing waits
	ended       bool // the case wrote the terminal event itself
	ids         int
	buf         []byte
}

// raw is JSON that is written as it is.
type raw string

// id returns an id that no other event of the run uses.
func (o *Out) id() string {
	o.ids++
	return o.run + "-" + strconv.Itoa(o.ids)
}

// Event writes one event. Fields are names and values in turn; a value is a string,
// an int, or JSON of type raw. Errors are ignored: the server closed the connection.
func (o *Out) Event(typ string, fields ...any) {
	if o.ctx.Err() != nil {
		return
	}
	b := append(o.buf[:0], `data: {"type":"`...)
	b = append(b, typ...)
	b = append(b, '"')
	for i := 0; i+1 < len(fields); i += 2 {
		b = append(b, `,"`...)
		b = append(b, fields[i].(string)...)
		b = append(b, `":`...)
		switch v := fields[i+1].(type) {
		case raw:
			b = append(b, v...)
		case string:
			b = appendQuoted(b, v)
		case int:
			b = strconv.AppendInt(b, int64(v), 10)
		}
	}
	o.buf = append(b, "}\n\n"...)
	o.Bytes(o.buf)
	if typ == "RUN_FINISHED" || typ == "RUN_ERROR" {
		o.ended = true
	}
}

// Bytes writes to the stream as it is.
func (o *Out) Bytes(b []byte) {
	if o.ctx.Err() != nil {
		return
	}
	_, _ = o.w.Write(b)
	if o.paced {
		o.wait()
	}
}

// wait sends what was written and waits until the next event is due.
func (o *Out) wait() {
	o.flush()
	if o.hurried {
		return
	}
	select {
	case <-time.After(paceEvery):
	case <-o.ctx.Done():
	}
}

func (o *Out) flush() {
	_ = o.w.Flush()
	_ = o.rc.Flush()
}

// appendQuoted appends s as a JSON string. Bytes that are not UTF-8 stay as they are.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			b = append(b, s[from:i]...)
			if c < ' ' {
				b = append(b, `\u00`...)
				b = append(b, hex[c>>4], hex[c&15])
			} else {
				b = append(b, '\\', c)
			}
			from = i + 1
		}
	}
	return append(append(b, s[from:]...), '"')
}
