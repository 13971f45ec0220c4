package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status is how much of a surface there is; see the package's table.
type Status string

const (
	Supported Status = "supported"
	Partial   Status = "partial"
	Absent    Status = "absent"
	Broken    Status = "broken"
	NotProbed Status = "not probed"
)

// Cause is where a gap comes from; see the package's table.
type Cause string

const (
	CauseNone     Cause = "none"
	CauseProtocol Cause = "protocol"
	CauseUpstream Cause = "upstream bridge"
	CauseOurs     Cause = "ours"
)

// Surface is one row of the matrix.
type Surface struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Cause  Cause  `json:"cause"`
	// Detail is one sentence that names its evidence: [07] is transcript 7.
	Detail string `json:"detail"`
	// Facts are what was measured besides, in order.
	Facts []Fact `json:"facts,omitempty"`
	// Exchanges are the numbers of the surface's transcripts.
	Exchanges []int `json:"exchanges"`
}

// Fact is one thing measured.
type Fact struct {
	Name string `json:"name"`
	// Value names its evidence as Detail does.
	Value string `json:"value"`
}

// Matrix is what a recording amounts to.
type Matrix struct {
	Version  int               `json:"version"`
	Scenario string            `json:"scenario"`
	Path     string            `json:"path"`
	Date     time.Time         `json:"date"`
	Versions map[string]string `json:"versions,omitempty"`
	// Planned and Sent count requests.
	Planned    int         `json:"planned"`
	Sent       int         `json:"sent"`
	Surfaces   []Surface   `json:"surfaces"`
	Violations []Violation `json:"violations"`
}

// Broken reports a broken surface.
func (m Matrix) Broken() bool {
	return slices.ContainsFunc(m.Surfaces, func(s Surface) bool { return s.Status == Broken })
}

// Evaluate judges a recording. The same recording makes the same matrix.
func Evaluate(rec *Recording) Matrix {
	m := Matrix{
		Version: 1, Scenario: rec.Scenario.Name, Path: rec.Path, Date: rec.Date, Versions: rec.Versions,
		Planned: rec.Planned, Sent: len(rec.Exchanges), Violations: []Violation{},
	}
	e := &evaluation{rec: rec, runs: map[string]*run{}}
	for i := range rec.Exchanges {
		x := &rec.Exchanges[i]
		r := view(x)
		e.runs[x.Surface+"/"+x.Name] = r
		m.Violations = append(m.Violations, r.broken...)
	}
	judges := map[string]func() verdict{
		SurfaceMessages: e.messages, SurfaceTools: e.tools, SurfaceState: e.state, SurfaceInterrupts: e.interrupts,
		SurfaceSubagents: e.subagents, SurfaceErrors: e.errors, SurfaceAbort: e.abort,
		SurfaceConcurrency: e.concurrency, SurfaceInput: e.input, SurfaceAuth: e.auth,
	}
	for _, name := range surfaceOrder {
		s := Surface{Name: name, Exchanges: []int{}}
		for _, x := range rec.Exchanges {
			if x.Surface == name {
				s.Exchanges = append(s.Exchanges, x.Number)
			}
		}
		if len(s.Exchanges) == 0 {
			s.Status, s.Cause, s.Detail = NotProbed, CauseNone, e.whyNot(name)
		} else {
			v := judges[name]()
			v = e.withViolations(name, v)
			s.Status, s.Cause, s.Detail, s.Facts = v.status, v.cause, v.detail, v.facts
		}
		m.Surfaces = append(m.Surfaces, s)
	}
	return m
}

// verdict is what a judge says.
type verdict struct {
	status Status
	cause  Cause
	detail string
	facts  []Fact
}

func supported(format string, args ...any) verdict {
	return verdict{status: Supported, cause: CauseNone, detail: fmt.Sprintf(format, args...)}
}

func gap(s Status, format string, args ...any) verdict {
	return verdict{status: s, cause: CauseUpstream, detail: fmt.Sprintf(format, args...)}
}

// unprobed is a surface whose requests were sent and say nothing about it.
func unprobed(format string, args ...any) verdict {
	return verdict{status: NotProbed, cause: CauseNone, detail: fmt.Sprintf(format, args...)}
}

func (v *verdict) fact(name, format string, args ...any) {
	v.facts = append(v.facts, Fact{name, fmt.Sprintf(format, args...)})
}

type evaluation struct {
	rec  *Recording
	runs map[string]*run // by surface/step
}

// step returns the run of a step, nil when it was not sent.
func (e *evaluation) step(surface, name string) *run { return e.runs[surface+"/"+name] }

// prompts returns the runs of a surface whose steps are numbered.
func (e *evaluation) prompts(surface string) []*run {
	var runs []*run
	for i := 1; ; i++ {
		r := e.step(surface, fmt.Sprintf(numberedStepStyle, i))
		if r == nil {
			return runs
		}
		runs = append(runs, r)
	}
}

// skipped returns why a step was not sent.
func (e *evaluation) skipped(surface, name string) (Skipped, bool) {
	i := slices.IndexFunc(e.rec.Skipped, func(s Skipped) bool { return s.Surface == surface && s.Name == name })
	if i < 0 {
		return Skipped{}, false
	}
	return e.rec.Skipped[i], true
}

func (e *evaluation) whyNot(surface string) string {
	for _, s := range e.rec.Skipped {
		if s.Surface == surface {
			return "Nothing was sent: " + s.Why + "."
		}
	}
	if surface == SurfaceAuth {
		return "No token was given."
	}
	return "The scenario has no prompt for it."
}

// withViolations takes a surface down to partial when one of its streams breaks
// the protocol.
func (e *evaluation) withViolations(surface string, v verdict) verdict {
	var rules []string
	listed := map[string]bool{}
	for _, x := range e.rec.Exchanges {
		if x.Surface != surface {
			continue
		}
		for _, b := range e.step(surface, x.Name).broken {
			rule := fmt.Sprintf("%s [%02d frame %d]", b.Rule, b.Exchange, b.Frame)
			if !listed[rule] {
				listed[rule] = true
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) == 0 {
		return v
	}
	shown := rules[:min(len(rules), 3)]
	more := ""
	if n := len(rules) - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	v.fact("violations", "%s%s", strings.Join(shown, ", "), more)
	if v.status == Supported {
		v.status, v.cause = Partial, CauseUpstream
		v.detail += fmt.Sprintf(" But the stream breaks the protocol: rule %s%s.", strings.Join(shown, ", "), more)
	}
	return v
}
