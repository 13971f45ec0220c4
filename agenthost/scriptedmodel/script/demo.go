package script

import (
	"slices"
	"strings"
)

// Demo is the script of one demo: how its agent and its specialist are known,
// and what they answer.
type Demo struct {
	Tools []string // the agent's own
	Names []string // what its instructions call it, in lower case
	Topic string   // a word that is in its instructions whatever they call it
	// Is knows the agent by something else than tools and names; may be nil.
	Is     func(Turn) bool
	Answer func(Turn) Reply

	Specialist []string // what the specialist's instructions say it is, in lower case
	Advise     func(Turn) Reply
}

// Choose finds the demo that has to answer, and whether it is its specialist's
// turn. Instructions count by the first system message only, as a child agent may
// get its parent's in a second one. Tools say more than words.
func Choose(demos []Demo, t Turn) (found Demo, specialist, ok bool) {
	for _, d := range demos {
		if d.specialists(t) {
			return d, true, true
		}
	}
	for _, known := range []func(Demo) bool{
		func(d Demo) bool { return t.Offers(d.Tools...) },
		func(d Demo) bool { return d.Is != nil && d.Is(t) },
		func(d Demo) bool { return first(t.system(), d.Names) >= 0 },
		func(d Demo) bool { return strings.Contains(t.system(), d.Topic) },
	} {
		if i := slices.IndexFunc(demos, known); i >= 0 {
			return demos[i], false, true
		}
	}
	return Demo{}, false, false
}

// specialists reports a turn of the specialist: the first sentence says that it
// is one, or it is named and has none of the agent's tools. The agent's
// instructions name the specialist too, after the agent itself.
func (d Demo) specialists(t Turn) bool {
	system := strings.ReplaceAll(t.system(), "_", " ")
	at, agent := first(system, d.Specialist), first(system, d.Names)
	if at < 0 || agent >= 0 && agent < at {
		return false
	}
	return !strings.ContainsAny(system[:at], ".\n") || !t.Offers(d.Tools...)
}

// first is where the first of the phrases is, or -1.
func first(system string, phrases []string) int {
	at := -1
	for _, p := range phrases {
		if i := strings.Index(system, p); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// system is the first system message, in lower case: the model's part.
func (t Turn) system() string {
	if len(t.Systems) == 0 {
		return ""
	}
	return strings.ToLower(t.Systems[0])
}
