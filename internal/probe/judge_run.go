package probe

import (
	"encoding/json"
	"fmt"
	"strings"

	"cairn/agui"
)

// This file judges what a run brings: text, tool calls, state, subagents.

func (e *evaluation) messages() verdict {
	streamed, at := 0, ""
	var refs []string
	var quiet *run
	for _, r := range e.prompts(SurfaceMessages) {
		if !r.finished() {
			return gap(Broken, "A plain message is not answered: %s %s.", r.why(), r.ref())
		}
		if r.deltas > streamed {
			streamed, at = r.deltas, r.ref()
		}
		if r.deltas == 0 && len(r.snapshot) == 0 {
			quiet = r
		}
		refs = append(refs, r.ref())
	}
	var v verdict
	switch all := strings.Join(refs, " "); {
	case quiet != nil && streamed == 0:
		v = gap(Absent, "The runs finish without a word %s.", all)
	case quiet != nil:
		v = gap(Partial, "A message is left without a word %s, another gets %d deltas %s.", quiet.ref(), streamed, at)
	case streamed == 0:
		v = gap(Partial, "Text comes in MESSAGES_SNAPSHOT alone, not as a stream %s.", all)
	case streamed == 1:
		v = gap(Partial, "Each text comes in one piece, not as a stream %s.", all)
	default:
		v = supported("Every message is answered %s, in up to %d deltas %s.", all, streamed, at)
	}
	for _, r := range e.prompts(SurfaceMessages) {
		v.fact("grammar", "%s %s", strings.Join(Grammar(r.events), " "), r.ref())
		if r.deltas > 0 && r.firstText.MS >= 0 {
			v.fact("first text", "%.0f ms %s", r.firstText.MS, r.at(r.firstText.Frame))
		}
	}
	return v
}

func (e *evaluation) tools() verdict {
	r := e.step(SurfaceTools, stepCall)
	if !r.finished() {
		return gap(Broken, "The run with a tool call fails: %s %s.", r.why(), r.ref())
	}
	if len(r.calls) == 0 {
		return gap(Absent, "No tool call is on the wire %s; only its effect on the text may be.", r.ref())
	}
	var v verdict
	fine := 0
	for _, c := range r.calls {
		switch {
		case c.args != "" && !json.Valid([]byte(c.args)):
			v = gap(Partial, "The arguments of %s are not JSON %s.", quote(c.name, 40), r.at(c.frame))
		case !c.ended:
			v = gap(Partial, "The call of %s has no TOOL_CALL_END %s.", quote(c.name, 40), r.at(c.frame))
		case c.resultFrame == 0:
			v = gap(Partial, "The call of %s has no TOOL_CALL_RESULT %s.", quote(c.name, 40), r.at(c.frame))
		default:
			fine++
		}
	}
	if fine == len(r.calls) {
		c := r.calls[0]
		v = supported("%s is called with its arguments %s and its result follows %s.", quote(c.name, 40), r.at(c.frame), r.at(c.resultFrame))
	}
	v.fact("grammar", "%s %s", strings.Join(Grammar(r.events), " "), r.ref())
	return v
}

func (e *evaluation) state() verdict {
	snapshots, patches := 0, 0
	var refs []string
	var v verdict
	var facts verdict
	for _, r := range e.prompts(SurfaceState) {
		if !r.finished() {
			return gap(Broken, "The run that changes the state fails: %s %s.", r.why(), r.ref())
		}
		snapshots, patches = snapshots+r.snapshots, patches+r.patches
		refs = append(refs, r.ref())
		if r.diverged {
			v = gap(Broken, "A STATE_DELTA cannot be applied and no snapshot repairs it: %s %s.", firstBad(r), r.ref())
		} else if len(r.badPatches) > 0 && v.status == "" {
			b := r.badPatches[0]
			v = gap(Partial, "A STATE_DELTA cannot be applied until the next snapshot: %s %s.", b.Text, r.at(b.Frame))
		}
		facts.fact("grammar", "%s %s", strings.Join(Grammar(r.events), " "), r.ref())
		facts.fact("at the end", "%s, %s, %d bytes of state %s", count(r.snapshots, "snapshot"), count(r.patches, "delta"), len(r.state), r.ref())
	}
	if v.status == "" {
		all := strings.Join(refs, " ")
		switch {
		case snapshots+patches == 0:
			v = gap(Absent, "No STATE_SNAPSHOT and no STATE_DELTA is on the wire %s.", all)
		case e.emptyState():
			v = gap(Partial, "The state is empty after every run, whatever was said %s.", all)
		case patches == 0:
			v = gap(Partial, "The state comes as %s, never as a delta %s.", count(snapshots, "snapshot"), all)
		default:
			v = supported("%s and %s, all of which apply %s.", count(snapshots, "snapshot"), count(patches, "delta"), all)
		}
	}
	v.facts = facts.facts
	return v
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// emptyState reports whether no run left anything in the state.
func (e *evaluation) emptyState() bool {
	for _, r := range e.prompts(SurfaceState) {
		if s := strings.TrimSpace(string(r.state)); s != "{}" && s != "null" && s != "" {
			return false
		}
	}
	return true
}

func firstBad(r *run) string {
	if len(r.badPatches) == 0 {
		return "its base is missing"
	}
	return fmt.Sprintf("%s [frame %d]", r.badPatches[0].Text, r.badPatches[0].Frame)
}

// A specialist whose words come within burst of each other, after a silence of
// quiet or more, was not streamed. Both in ms.
const (
	burst = 5
	quiet = 200
)

func (e *evaluation) subagents() verdict {
	r := e.step(SurfaceSubagents, stepDelegate)
	if !r.finished() {
		return gap(Broken, "The run that delegates fails: %s %s.", r.why(), r.ref())
	}
	var v verdict
	announced, said := 0, 0
	for _, d := range r.delegations {
		said += len(d.deltas)
		if d.frame > 0 {
			announced++
		}
	}
	switch {
	case len(r.delegations) == 0 && len(r.calls) > 0:
		c := r.calls[0]
		v = gap(Absent, "No SUBAGENT_STARTED and nothing attributed: a specialist's work shows as the tool call %s alone %s.", quote(c.name, 40), r.at(c.frame))
	case len(r.delegations) == 0:
		v = gap(Absent, "No SUBAGENT_STARTED, nothing attributed and no tool call %s.", r.ref())
	case announced == 0:
		v = gap(Partial, "Events are attributed to a subagent that no SUBAGENT_STARTED announces %s.", r.ref())
	case said == 0:
		v = gap(Partial, "A subagent is announced %s, but none of its words are attributed to it.", r.at(r.delegations[0].frame))
	default:
		v = judgeLive(r)
	}
	v.fact("grammar", "%s %s", strings.Join(Grammar(r.events), " "), r.ref())
	return v
}

// judgeLive judges delegations that have words.
func judgeLive(r *run) verdict {
	for _, d := range r.delegations {
		if len(d.deltas) == 0 {
			continue
		}
		first, last := d.deltas[0], d.deltas[len(d.deltas)-1]
		spread, silence := last.MS-first.MS, first.MS-d.before
		switch {
		case d.ended == 0:
			return gap(Partial, "The subagent %s has no end %s.", quote(d.name, 40), r.at(d.frame))
		case len(d.deltas) == 1:
			return gap(Partial, "The subagent %s speaks in one piece, not live %s.", quote(d.name, 40), r.at(first.Frame))
		case first.MS >= 0 && d.before >= 0 && spread < burst && silence > quiet:
			return gap(Partial, "The words of the subagent %s come in one burst of %.0f ms after %.0f ms of silence %s.", quote(d.name, 40), spread, silence, r.at(first.Frame))
		}
		v := supported("The subagent %s streams %d attributed deltas between its start %s and its end %s.", quote(d.name, 40), len(d.deltas), r.at(d.frame), r.at(d.ended))
		if d.outcome == agui.TypeSubagentError {
			v = gap(Partial, "The subagent %s ends with SUBAGENT_ERROR %s.", quote(d.name, 40), r.at(d.ended))
		}
		if first.MS >= 0 {
			v.fact("spread", "%.0f ms between its first and its last word %s", spread, r.at(last.Frame))
		}
		return v
	}
	return gap(Partial, "No subagent says anything %s.", r.ref())
}
