package probe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cairn/agentclient/interrupt"
)

// This file judges pauses: whether the agent asks, and what each answer does.

// pause judges the interrupts of one recording.
type pause struct {
	*evaluation
	done *regexp.Regexp
	// byResult reports whether the approved thing shows in a tool's result, so that words
	// alone prove nothing.
	byResult bool
	hazards  []string
	broken   []string
	facts    verdict
}

func (e *evaluation) interrupts() verdict {
	p := &pause{evaluation: e, done: e.rec.Scenario.Interrupts.done()}
	ask, approve := p.at(stepAsk), p.at(stepApprove)
	switch {
	case !ask.finished():
		return gap(Broken, "The run that should ask fails: %s %s.", ask.why(), ask.ref())
	case p.did(ask):
		return gap(Broken, "It is done without a question %s.", ask.ref())
	case !ask.asks():
		return gap(Absent, "The run ends without an outcome of type interrupt and without on_interrupt %s.", ask.ref())
	}
	p.signal(ask)
	if approve == nil {
		s, _ := e.skipped(SurfaceInterrupts, stepApprove)
		v := gap(Broken, "The question %s cannot be answered: %s.", ask.ref(), s.Why)
		if s.Ours {
			v.cause = CauseOurs
		}
		v.facts = p.facts.facts
		return v
	}
	p.byResult = p.done != nil && slices.ContainsFunc(approve.results, p.done.MatchString)
	p.decisions(approve, p.at(stepDecline))
	p.repeated(approve, p.at(stepRepeated))
	p.wrong()
	p.left(stepAskMissing, stepMissing, stepAfterMissing, "a run without an answer")
	p.left(stepAskPlain, stepPlain, stepAfterPlain, "a plain message")

	var v verdict
	switch {
	case len(p.broken) > 0:
		v = gap(Broken, "%s.", sentence(strings.Join(p.broken, "; ")))
	case len(p.hazards) > 0:
		v = gap(Partial, "Approving and declining work %s %s, but %s.", approve.ref(), p.at(stepDecline).ref(), strings.Join(p.hazards, "; "))
	default:
		v = supported("The pause %s is approved %s and declined %s, and no other answer is taken for one.", ask.ref(), approve.ref(), p.at(stepDecline).ref())
	}
	v.facts = p.facts.facts
	return v
}

func (p *pause) at(step string) *run { return p.step(SurfaceInterrupts, step) }

// signal records how the agent asks and what of it a user would see.
func (p *pause) signal(ask *run) {
	var how []string
	if ask.notice > 0 {
		how = append(how, fmt.Sprintf("CUSTOM on_interrupt %s", ask.at(ask.notice)))
	}
	if ask.outcome > 0 {
		how = append(how, fmt.Sprintf("the outcome of RUN_FINISHED %s", ask.at(ask.outcome)))
	}
	p.facts.fact("pause signal", "%s", strings.Join(how, " and "))
	p.facts.fact("grammar", "%s %s", strings.Join(Grammar(ask.events), " "), ask.ref())
	s := interrupt.New(p.rec.Scenario.Transport, interrupt.Profile(p.rec.Profile))
	for _, ev := range ask.events {
		s.Observe(ev.Event, ask.RunID)
	}
	s.RunEnded(ask.RunID, interrupt.EndedClean)
	pending := s.Pending()
	if len(pending) == 0 {
		return
	}
	q := pending[0]
	text := fmt.Sprintf("%d", len(pending))
	if q.ToolName != "" {
		text += ", for the tool " + quote(q.ToolName, 40)
	}
	if q.Payload != nil {
		text += ", payload " + quote(string(q.Payload), 160)
	}
	if q.Schema != nil {
		text += ", with a schema of the answer"
	}
	p.facts.fact("questions", "%s %s", text, ask.ref())
}

// sentence begins a text with a capital.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// did reports whether a run shows the approved thing.
func (p *pause) did(r *run) bool {
	if r == nil || p.done == nil {
		return false
	}
	if p.byResult {
		return slices.ContainsFunc(r.results, p.done.MatchString)
	}
	return slices.ContainsFunc(r.words(), p.done.MatchString)
}

// deed returns what a request led to.
func (p *pause) deed(step string) string {
	r := p.at(step)
	if r == nil {
		if s, ok := p.skipped(SurfaceInterrupts, step); ok {
			return "not sent: " + s.Why
		}
		return "not sent"
	}
	what := ""
	switch {
	case !r.finished():
		what = r.why()
	case r.asks():
		what = "asks again"
	case p.did(r):
		what = "is done"
	case len(r.words()) > 0:
		what = "answers"
	default:
		return "finishes without a word and without a result " + r.ref()
	}
	if words := r.words(); r.finished() && len(words) > 0 {
		what += ": " + quote(words[0], 100)
	}
	return what + " " + r.ref()
}

// decisions judges approve and decline.
func (p *pause) decisions(approve, decline *run) {
	p.facts.fact("approve", "%s", p.deed(stepApprove))
	p.facts.fact("decline", "%s", p.deed(stepDecline))
	switch {
	case !p.works(approve):
		p.broken = append(p.broken, fmt.Sprintf("an approval does not take effect: %s", p.deed(stepApprove)))
	case decline == nil:
		p.broken = append(p.broken, "a decline could not be sent: "+p.deed(stepDecline))
	case !decline.finished() || decline.asks() || len(decline.words()) == 0:
		p.broken = append(p.broken, fmt.Sprintf("a decline is not taken: %s", p.deed(stepDecline)))
	case p.did(decline):
		p.broken = append(p.broken, fmt.Sprintf("a decline does what was declined %s", decline.ref()))
	}
}

// works reports whether an approval took effect.
func (p *pause) works(r *run) bool {
	return r.finished() && !r.asks() && len(r.words()) > 0 && (p.done == nil || p.did(r))
}

// repeated judges the same answer sent twice. The recorded result alone is the
// answer of a careful agent.
func (p *pause) repeated(approve, again *run) {
	switch {
	case again.finished() && len(again.results) > 0 && slices.Equal(again.results, approve.results):
		p.facts.fact("repeated answer", "brings the same result as the first %s", again.ref())
	default:
		p.facts.fact("repeated answer", "%s", p.deed(stepRepeated))
	}
	if again == nil || !again.finished() {
		if again.cut() {
			p.hazards = append(p.hazards, fmt.Sprintf("a repeated answer breaks the stream %s", again.ref()))
		}
		return
	}
	same := slices.Equal(again.results, approve.results)
	acted := p.did(again) || p.done == nil && len(again.results) > 0
	switch {
	case !acted:
	case !same && len(again.results) > 0:
		p.hazards = append(p.hazards, fmt.Sprintf("a repeated answer is carried out again %s", again.ref()))
	case len(again.texts)+len(again.snapshot) > 0:
		p.hazards = append(p.hazards, fmt.Sprintf("a repeated answer is told as if it were new %s, and whether it was carried out twice cannot be seen", again.ref()))
	}
}

// wrong judges an answer to a question nobody asked.
func (p *pause) wrong() {
	p.facts.fact("wrong id", "%s", p.deed(stepWrong))
	r, after := p.at(stepWrong), p.at(stepAfterWrong)
	if r == nil {
		return
	}
	p.facts.fact(stepAfterWrong, "%s", p.deed(stepAfterWrong))
	switch {
	case p.did(r) || p.done == nil && r.finished() && len(r.results) > 0:
		p.hazards = append(p.hazards, fmt.Sprintf("an answer with a wrong id is taken %s", r.ref()))
	case r.cut():
		p.hazards = append(p.hazards, fmt.Sprintf("an answer with a wrong id breaks the stream %s", r.ref()))
	case !p.works(after):
		p.hazards = append(p.hazards, fmt.Sprintf("an answer with a wrong id %s leaves the question unanswerable: %s", r.ref(), p.deed(stepAfterWrong)))
	}
}

// left judges a run that leaves the question open, and the approval after it.
func (p *pause) left(asked, step, after, what string) {
	p.facts.fact(step, "%s", p.deed(step))
	r := p.at(step)
	if r == nil {
		if !p.at(asked).asks() {
			p.hazards = append(p.hazards, fmt.Sprintf("the same prompt does not always ask: %s", p.deed(asked)))
		}
		return
	}
	p.facts.fact(after, "%s", p.deed(after))
	switch {
	case p.did(r):
		p.broken = append(p.broken, fmt.Sprintf("%s does what nobody approved %s", what, r.ref()))
	case r.cut():
		p.hazards = append(p.hazards, fmt.Sprintf("%s breaks the stream %s", what, r.ref()))
	case !p.works(p.at(after)):
		p.hazards = append(p.hazards, fmt.Sprintf("%s %s leaves the question unanswerable: %s", what, r.ref(), p.deed(after)))
	case step == stepPlain && r.finished() && !r.asks() && len(r.words()) == 0:
		p.hazards = append(p.hazards, fmt.Sprintf("%s is dropped without a word %s", what, r.ref()))
	}
}
