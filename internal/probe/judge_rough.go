package probe

import (
	"fmt"
	"net/http"
	"strings"
)

// This file judges failures, leaving, two runs at once, wrong bodies and wrong
// tokens.

func (e *evaluation) errors() verdict {
	r, next := e.step(SurfaceErrors, stepModelError), e.step(SurfaceErrors, stepAfterError)
	var v verdict
	switch {
	case r.finished():
		v = gap(Absent, "The run finishes as if nothing had happened %s: the failure does not reach the client, or the model did not fail.", r.ref())
	case r.failure == nil && r.httpRefused:
		v = gap(Partial, "A failure of the model is %s, not a RUN_ERROR %s.", r.why(), r.ref())
	case r.failure == nil:
		v = gap(Broken, "A failure of the model leaves the run without an end: %s %s.", r.why(), r.ref())
	case next != nil && !next.finished():
		v = gap(Partial, "The run ends with %s %s, and the next message on the thread is not answered: %s %s.", r.why(), r.ref(), next.why(), next.ref())
	case next != nil:
		v = supported("The run ends with %s %s and the thread goes on %s.", r.why(), r.ref(), next.ref())
	default:
		v = supported("The run ends with %s %s.", r.why(), r.ref())
	}
	v.fact("grammar", "%s %s", strings.Join(Grammar(r.events), " "), r.ref())
	return v
}

// held is how much longer than usual the first text may take, in ms, on a thread
// that a client has just left.
const held = 2000

func (e *evaluation) abort() verdict {
	left, again, later := e.step(SurfaceAbort, stepLeave), e.step(SurfaceAbort, stepAgain), e.step(SurfaceAbort, stepLater)
	if !left.Aborted {
		if !left.finished() {
			return gap(Broken, "The long answer fails before the client could leave: %s %s.", left.why(), left.ref())
		}
		return unprobed("The answer was over before the client could leave %s.", left.ref())
	}
	usual := -1.0
	for _, r := range e.prompts(SurfaceMessages) {
		if r.deltas > 0 {
			usual = max(usual, r.firstText.MS)
		}
	}
	var v verdict
	switch {
	case again == nil:
		return unprobed("The client left %s, and no run followed.", left.ref())
	case again.finished() && again.deltas > 0 && usual >= 0 && again.firstText.MS > usual+held:
		v = gap(Partial, "The thread is held after the client left %s: the next run's first text takes %.0f ms %s instead of %.0f ms.",
			left.ref(), again.firstText.MS, again.at(again.firstText.Frame), usual)
	case again.finished():
		v = supported("The client leaves %s and the next run on the thread is answered at once %s.", left.ref(), again.ref())
	case again.cut():
		v = gap(Broken, "The run after the client left %s has no end: %s %s.", left.ref(), again.why(), again.ref())
	case later.finished():
		v = supported("The client leaves %s; the next run is refused for a moment with %s %s and answered a little later %s.", left.ref(), again.why(), again.ref(), later.ref())
	default:
		v = gap(Partial, "The thread stays busy after the client left %s: %s %s", left.ref(), again.why(), again.ref())
		if later != nil {
			v.detail += fmt.Sprintf(", and again %s %s", later.why(), later.ref())
		}
		v.detail += "."
	}
	for _, r := range []*run{again, later} {
		if r != nil && r.deltas > 0 && r.firstText.MS >= 0 {
			v.fact("first text", "%.0f ms, usually %.0f ms %s", r.firstText.MS, usual, r.at(r.firstText.Frame))
		}
	}
	return v
}

func (e *evaluation) concurrency() verdict {
	first, second := e.step(SurfaceConcurrency, stepFirst), e.step(SurfaceConcurrency, stepSecond)
	if second == nil {
		if !first.finished() {
			return gap(Broken, "The long answer fails: %s %s.", first.why(), first.ref())
		}
		return unprobed("The first run was over before a second could be sent %s.", first.ref())
	}
	var v verdict
	switch {
	case first.cut(), second.cut():
		bad := first
		if second.cut() {
			bad = second
		}
		v = gap(Broken, "Of two runs on one thread %s %s one has no end: %s %s.", first.ref(), second.ref(), bad.why(), bad.ref())
	case !first.finished():
		v = gap(Partial, "A second run %s ends the first: %s %s.", second.ref(), first.why(), first.ref())
	case second.refused():
		v = supported("The second run is refused with %s %s and the first goes on %s.", second.why(), second.ref(), first.ref())
	case second.deltas == 0 || first.deltas == 0 || second.firstText.MS < 0:
		v = unprobed("Both runs finish %s %s, and it cannot be seen in which order.", first.ref(), second.ref())
	case second.StartMS+second.firstText.MS > first.StartMS+first.lastText.MS:
		v = supported("The second run waits for the first: its first text %s comes after the last of the other %s.",
			second.at(second.firstText.Frame), first.at(first.lastText.Frame))
	default:
		v = gap(Absent, "Both runs talk at the same time on one thread %s %s; AG-UI has no rule for it.", first.ref(), second.ref())
		v.cause = CauseProtocol
	}
	return v
}

func (e *evaluation) input() verdict {
	var v verdict
	refused, late, failed, taken := []string{}, []string{}, []string{}, []string{}
	var cut *run
	for _, step := range []string{stepEmptyObject, stepEmptyArray, stepNotJSON, stepNoThread, stepNoMessages, stepWrongTypes} {
		r := e.step(SurfaceInput, step)
		if r == nil {
			continue
		}
		name := step + " " + r.ref()
		switch {
		case r.Status >= 400 && r.Status < 500:
			refused = append(refused, name)
		case r.Status >= 500:
			failed = append(failed, name)
		case r.failure != nil:
			late = append(late, name)
		case r.finished():
			taken = append(taken, name)
		default:
			cut = r
		}
		what := r.why()
		if r.Status != 0 && !r.stream() {
			what = fmt.Sprintf("HTTP %d, %s", r.Status, quote(r.ContentType, 60))
		}
		v.fact(step, "%s %s", what, r.ref())
	}
	list := func(what string, names []string) string {
		if len(names) == 0 {
			return ""
		}
		return " " + what + ": " + strings.Join(names, ", ") + "."
	}
	gaps := list("Answered with RUN_ERROR instead of an HTTP status", late) + list("Answered with HTTP 5xx", failed) + list("Accepted", taken)
	facts := v.facts
	switch {
	case cut != nil:
		v = gap(Broken, "A wrong body is neither refused nor answered: %s %s.", cut.why(), cut.ref())
	case gaps == "":
		v = supported("Every wrong body is refused with HTTP 4xx: %s.", strings.Join(refused, ", "))
	case len(late)+len(failed)+len(refused) == 0:
		v = gap(Absent, "No wrong body is refused.%s", gaps)
	default:
		v = gap(Partial, "%d of %d wrong bodies are refused with HTTP 4xx.%s", len(refused), len(facts), gaps)
	}
	v.facts = facts
	return v
}

func (e *evaluation) auth() verdict {
	var open, odd []string
	var refs []string
	for _, step := range []string{stepNoToken, stepWrongToken} {
		r := e.step(SurfaceAuth, step)
		if r == nil {
			continue
		}
		refs = append(refs, fmt.Sprintf("%s: %s %s", step, r.why(), r.ref()))
		switch {
		case r.stream():
			open = append(open, step+" "+r.ref())
		case r.Status != http.StatusUnauthorized && r.Status != http.StatusForbidden:
			odd = append(odd, fmt.Sprintf("%s with %s %s", step, r.why(), r.ref()))
		}
	}
	switch {
	case len(open) > 0:
		return gap(Broken, "The agent runs for anyone: %s.", strings.Join(open, ", "))
	case len(odd) > 0:
		return gap(Partial, "A stranger is refused with neither 401 nor 403: %s.", strings.Join(odd, ", "))
	}
	return supported("A stranger is refused: %s.", strings.Join(refs, "; "))
}
