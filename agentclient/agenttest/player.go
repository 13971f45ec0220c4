package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/agui"
)

// maxRequest bounds the body of one request, in bytes.
const maxRequest = 64 << 20

// Recorded is a request as it arrived.
type Recorded struct {
	Method, Path string
	Header       http.Header
	Raw          []byte // the body
	Input        agui.RunAgentInput
	// Step is the name of the step that answered, "" when none did.
	Step string
	// Mismatch is what was wrong with the request, nil when nothing was.
	Mismatch error
}

// Player is an http.Handler that plays a [Scenario]. In what it plays, the run id
// and the thread id of the capture are replaced by those of the request, and those
// of a paused run by that run's; tool call and message ids stay as captured, except
// that a decision's transcript speaks of the call that paused. A request that does
// not fit is answered with 422 and a JSON body {"detail"} that names the mismatch.
// It is safe for concurrent use.
type Player struct {
	scenario Scenario

	mu       sync.Mutex
	next     int // step of an ordered scenario
	threads  map[string]*thread
	requests []Recorded
}

// NewPlayer makes a player; it fails when the scenario is incomplete.
func NewPlayer(sc Scenario) (*Player, error) {
	sc.Steps = slices.Clone(sc.Steps)
	if err := sc.check(); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	return &Player{scenario: sc, threads: map[string]*thread{}}, nil
}

// Requests returns what arrived so far.
func (p *Player) Requests() []Recorded {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Errors returns the mismatches so far, in order of arrival.
func (p *Player) Errors() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for i, r := range p.requests {
		if r.Mismatch != nil {
			errs = append(errs, fmt.Errorf("request %d (%s %s): %w", i+1, r.Method, r.Path, r.Mismatch))
		}
	}
	return errs
}

// Err joins Errors, and names the step at which an ordered scenario stands still;
// nil when everything fitted.
func (p *Player) Err() error {
	errs := p.Errors()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.scenario.Ordered && p.next < len(p.scenario.Steps) {
		errs = append(errs, fmt.Errorf("%s was never asked for", p.scenario.Steps[p.next].Name))
	}
	return errors.Join(errs...)
}

// Reset forgets all requests and threads.
func (p *Player) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.threads, p.requests = 0, map[string]*thread{}, nil
}

// ServeHTTP checks the request, and plays the step's transcript.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client is gone
	}
	step, pl, err := p.accept(r, body)
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(map[string]string{"detail": err.Error()}) // a lost answer is the client's to notice
		return
	}
	if step.Status != 0 {
		w.WriteHeader(step.Status)
		_, _ = io.WriteString(w, step.Body)
		return
	}
	// A play counts before its last frame leaves: the client may ask again
	// the moment it has it.
	done := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		pl.thread.played(pl)
	}
	pace := p.scenario.pace(step)
	_ = play(r.Context(), w, pl.frames, pace, done) // an error means the client is gone
}

// playback is one transcript on its way to a client.
type playback struct {
	thread *thread
	runID  string // live
	// capturedRun and capturedThread are the ids the transcript was captured with.
	capturedRun, capturedThread string
	input                       agui.RunAgentInput
	frames                      [][]byte // ids rewritten
}

// accept records the request, finds its step, and prepares the answer.
func (p *Player) accept(r *http.Request, body []byte) (Step, *playback, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rec := Recorded{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Raw: body}
	step, pl, err := p.match(&rec)
	rec.Step, rec.Mismatch = step.Name, err
	p.requests = append(p.requests, rec)
	return step, pl, err
}

func (p *Player) match(rec *Recorded) (Step, *playback, error) {
	sc := &p.scenario
	switch {
	case rec.Method != http.MethodPost:
		return Step{}, nil, fmt.Errorf("method %s, want POST", rec.Method)
	case sc.Path != "" && rec.Path != sc.Path:
		return Step{}, nil, fmt.Errorf("path %s, want %s", rec.Path, sc.Path)
	case sc.Token != "" && rec.Header.Get(sc.Header) != sc.Token:
		return Step{}, nil, fmt.Errorf("header %s is not the token", sc.Header) // never echo either
	}
	if err := json.Unmarshal(rec.Raw, &rec.Input); err != nil {
		return Step{}, nil, fmt.Errorf("body is no RunAgentInput: %w", err)
	}
	in := rec.Input
	if in.ThreadID == "" || in.RunID == "" {
		return Step{}, nil, errors.New("threadId and runId must be set")
	}
	th := p.threads[in.ThreadID]
	if th == nil {
		th = newThread()
		p.threads[in.ThreadID] = th
	}
	d, err := decisionOf(in)
	if err != nil {
		return Step{}, nil, err
	}
	i, err := p.choose(in, d, th)
	if err != nil {
		return Step{}, nil, err
	}
	step := sc.Steps[i]
	if err := errors.Join(sc.checkTransport(d, th), sc.checkContent(step, in, th)); err != nil {
		return step, nil, err
	}
	pl := th.begin(step, in, d)
	p.next = i + 1
	return step, pl, nil
}

// choose finds the step for a request.
func (p *Player) choose(in agui.RunAgentInput, d *decision, th *thread) (int, error) {
	steps := p.scenario.Steps
	if p.scenario.Ordered {
		if p.next == len(steps) {
			return 0, errors.New("no step is left")
		}
		return p.next, steps[p.next].fits(in, d)
	}
	found := -1
	for i, st := range steps {
		if st.fits(in, d) != nil {
			continue
		}
		found = i
		if !th.steps[st.Name] {
			break
		}
	}
	if found < 0 {
		what := fmt.Sprintf("message %q", lastUser(in))
		if d != nil {
			what = "decision " + string(d.value)
		}
		return 0, fmt.Errorf("no step for %s", what)
	}
	return found, nil
}

// play writes frames until the end or until the client leaves, each after the wait
// that pace returns for its index, and calls last before the last one.
func play(ctx context.Context, w http.ResponseWriter, frames [][]byte, pace func(i int) time.Duration, last func()) error {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	if err := rc.Flush(); err != nil { // the first frame may be long in coming
		return err
	}
	for i, frame := range frames {
		if err := pause(ctx, pace(i)); err != nil {
			return err
		}
		if i == len(frames)-1 {
			last()
		}
		if _, err := w.Write(frame); err != nil {
			return err
		}
		if err := rc.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
