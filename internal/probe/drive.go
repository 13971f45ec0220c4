package probe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
)

// Defaults for the zero values of [Config].
const (
	// DefaultSilence bounds the wait for the next byte of an answer.
	DefaultSilence = time.Minute
	// DefaultLater is the pause before a thread that was busy after an abort is
	// tried a second and last time.
	DefaultLater = 2 * time.Second
)

// leaveAfter is how many deltas of text the abort waits for before it leaves.
const leaveAfter = 3

// Config is what to probe. The zero value of a duration is its default.
type Config struct {
	// URL is the endpoint runs are posted to.
	URL string
	// Token is sent in TokenHeader, as [agentclient.Config] does; empty sends none
	// and leaves auth unprobed.
	Token       agentclient.Secret
	TokenHeader string
	Scenario    Scenario
	// Profile is where the runtime puts what is asked; the zero value will do.
	Profile  interrupt.Profile
	Versions map[string]string
	// HTTPClient is used without its redirects and cookies; nil is one of our own.
	HTTPClient *http.Client
	Silence    time.Duration
	Later      time.Duration
	// Progress, when set, is told of each step that is over. Calls do not overlap.
	Progress func(Progress)
}

// Progress is one step that is over.
type Progress struct {
	Step
	Planned  int
	Exchange *Exchange // nil when the step was skipped
	Frames   int
	Skipped  string // why
}

// ErrNoAgent says that the first request found no agent to probe: nothing
// answered, it wants another token, or what answered is no AG-UI endpoint.
var ErrNoAgent = errors.New("could not probe")

// Run probes an endpoint. It fails with [ErrNoAgent] after the first request, and
// with the context's cause when that ends; the recording then holds what there was.
func Run(ctx context.Context, cfg Config) (*Recording, error) {
	d, err := newDriver(cfg)
	if err != nil {
		return nil, err
	}
	ctx, d.stop = context.WithCancelCause(ctx)
	defer d.stop(nil)
	err = d.run(ctx)
	slices.SortStableFunc(d.rec.Exchanges, func(a, b Exchange) int { return a.Number - b.Number })
	return d.rec, err
}

// Check reports what in the configuration cannot be used, without a request.
func (cfg Config) Check() error {
	_, err := newDriver(cfg)
	return err
}

type driver struct {
	cfg  Config
	send *sender
	rec  *Recording
	plan []Step
	// silent counts requests in a row that got no answer at all; stop ends the probe.
	silent int
	stop   context.CancelCauseFunc
}

// giveUp is how many requests in a row may go without any answer.
const giveUp = 3

func newDriver(cfg Config) (*driver, error) {
	if err := cfg.Scenario.Validate(); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	// The client's own rules for addresses and tokens are the probe's.
	if _, err := agentclient.New(agentclient.Config{URL: cfg.URL, Token: cfg.Token}); err != nil {
		return nil, err
	}
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, errors.New("agent URL: cannot be read")
	}
	if cfg.TokenHeader == "" {
		cfg.TokenHeader = agentclient.DefaultTokenHeader
	}
	if cfg.Silence <= 0 {
		cfg.Silence = DefaultSilence
	}
	if cfg.Later <= 0 {
		cfg.Later = DefaultLater
	}
	client := http.Client{Transport: http.DefaultTransport}
	if cfg.HTTPClient != nil {
		client = *cfg.HTTPClient
	}
	client.Jar = nil
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	begun := time.Now()
	plan := Plan(cfg.Scenario, cfg.Token != "")
	return &driver{
		cfg:  cfg,
		plan: plan,
		send: &sender{
			url: u, header: cfg.TokenHeader, secret: cfg.Token, wrong: "wrong-" + uuid.NewString(),
			http: &client, silence: cfg.Silence, begun: begun,
		},
		rec: &Recording{
			Version: recordingVersion, Date: begun.UTC().Truncate(time.Second), Scenario: cfg.Scenario,
			Profile: Profile(cfg.Profile), Path: u.EscapedPath(), Versions: maps.Clone(cfg.Versions),
			Planned: len(plan), Token: cfg.Token != "", Exchanges: []Exchange{},
		},
	}, nil
}

func (d *driver) run(ctx context.Context) error {
	s := d.cfg.Scenario
	if err := d.talk(ctx, SurfaceMessages, s.Messages, true); err != nil {
		return err
	}
	if s.Tools != "" {
		d.say(ctx, newThread(s, d.cfg.Profile), SurfaceTools, stepCall, s.Tools)
	}
	if err := d.talk(ctx, SurfaceState, s.State, false); err != nil {
		return err
	}
	if s.Interrupts != nil {
		d.interrupts(ctx)
	}
	if s.Subagents != "" {
		d.say(ctx, newThread(s, d.cfg.Profile), SurfaceSubagents, stepDelegate, s.Subagents)
	}
	if s.Errors != "" {
		t := newThread(s, d.cfg.Profile)
		d.say(ctx, t, SurfaceErrors, stepModelError, s.Errors)
		d.say(ctx, t, SurfaceErrors, stepAfterError, s.Messages[0])
	}
	if s.Long != "" {
		d.abort(ctx)
		d.concurrency(ctx)
	}
	d.input(ctx)
	if d.cfg.Token != "" {
		d.auth(ctx)
	}
	return context.Cause(ctx)
}

// talk says prompts one after another on one thread.
func (d *driver) talk(ctx context.Context, surface string, prompts []string, first bool) error {
	t := newThread(d.cfg.Scenario, d.cfg.Profile)
	for i, prompt := range prompts {
		x := d.say(ctx, t, surface, fmt.Sprintf(numberedStepStyle, i+1), prompt)
		if first && i == 0 {
			if err := noAgent(x); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// noAgent returns why an answer to the first request comes from no agent.
func noAgent(x *Exchange) error {
	switch {
	case x.Status == 0:
		return fmt.Errorf("%w: %s", ErrNoAgent, x.Failed)
	case x.Status == http.StatusUnauthorized, x.Status == http.StatusForbidden:
		return fmt.Errorf("%w: HTTP %d: the agent wants another token", ErrNoAgent, x.Status)
	case !x.stream():
		what := fmt.Sprintf("HTTP %d", x.Status)
		if x.ContentType != "" {
			what += fmt.Sprintf(" with %q", x.ContentType)
		}
		body := strings.TrimSpace(string(x.Body[:min(len(x.Body), 200)]))
		if body != "" {
			what += fmt.Sprintf(": %q", strings.ToValidUTF8(body, ""))
		}
		return fmt.Errorf("%w: no event stream, but %s", ErrNoAgent, what)
	}
	return nil
}

// take finds a step of the plan. A step that is not in it, or was taken before,
// cannot be sent: it is a defect of this package.
func (d *driver) take(surface, name string) Step {
	for _, s := range d.plan {
		if s.Surface != surface || s.Name != name {
			continue
		}
		taken := func(number int) bool { return number == s.Number }
		if slices.ContainsFunc(d.rec.Exchanges, func(x Exchange) bool { return taken(x.Number) }) {
			break
		}
		return s
	}
	panic("probe: " + surface + ": " + name + " is not in the plan, or was sent")
}

// exchange makes one request of the plan. With a context that has ended nothing
// is sent.
func (d *driver) exchange(ctx context.Context, surface, name string, t *thread, runID string, r request) *Exchange {
	step := d.take(surface, name)
	x := &Exchange{Step: step, File: step.file(), RunID: runID}
	if t != nil {
		x.ThreadID = t.id
	}
	if ctx.Err() != nil {
		x.Failed = notSent + "the probe was stopped"
		return x
	}
	d.send.send(ctx, x, r)
	return x
}

// done keeps an exchange and tells of it.
func (d *driver) done(x *Exchange) *Exchange {
	if why, ok := strings.CutPrefix(x.Failed, notSent); ok {
		d.rec.Skipped = append(d.rec.Skipped, Skipped{Step: x.Step, Why: why, Ours: x.unencodable})
		return x
	}
	d.rec.Exchanges = append(d.rec.Exchanges, *x)
	if d.silent++; x.Status != 0 {
		d.silent = 0
	} else if d.silent == giveUp {
		d.stop(fmt.Errorf("%w: the agent stopped answering: %s", ErrNoAgent, x.Failed))
	}
	if d.cfg.Progress != nil {
		d.cfg.Progress(Progress{Step: x.Step, Planned: len(d.plan), Exchange: x, Frames: len(x.Times)})
	}
	return x
}

// skip leaves a step of the plan out.
func (d *driver) skip(surface, name, why string, ours bool) {
	step := d.take(surface, name)
	d.rec.Skipped = append(d.rec.Skipped, Skipped{Step: step, Why: why, Ours: ours})
	if d.cfg.Progress != nil {
		d.cfg.Progress(Progress{Step: step, Planned: len(d.plan), Skipped: why})
	}
}
