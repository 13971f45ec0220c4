package verify

// This file remembers what a run has opened, and whose it is. Nothing in it is
// found by going through it, because an agent may open as much as it likes.

// entity is the kind an id belongs to; ids are unique per kind only.
type entity int

const (
	anyMessage entity = iota + 1 // text messages, and results by their message id
	toolCall
	activity
	reasoning
	reasoningSpan
	entities // how many kinds there are, and one
)

// known is what is remembered of an id.
type known struct {
	kind  entity
	id    string
	owner string // its creator; "" is the parent agent
	open  bool
	name  string // of a tool call
}

type stepID struct{ owner, name string }

// order is the verifier's memory of one run.
type order struct {
	phase phase
	ids   [entities]map[string]*known
	last  *known        // the one found last: most events continue what the last did
	open  [entities]int // how many are
	steps map[stepID]bool
	named map[string]int // open steps by name
	// subagents announced in this run: true while active, false once closed.
	subagents map[string]bool
	active    int // of the subagents
}

func (o *order) reset() { *o = order{} }

// over ends the run. What is known of its ids is released: all but the next run is refused.
func (v *Verifier) over(p phase) {
	v.open, v.order = streams{visits: v.open.visits}, order{phase: p}
}

// put sets a key of a map that is made when it is first needed.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// find returns what is known of an id, or nil.
func (o *order) find(kind entity, id string) *known {
	if k := o.last; k != nil && k.kind == kind && k.id == id {
		return k
	}
	k := o.ids[kind][id]
	if k != nil {
		o.last = k
	}
	return k
}

// own records the owner of an id, whether it is known or not.
func (o *order) own(kind entity, id, owner string) *known {
	if k := o.find(kind, id); k != nil {
		k.owner = owner
		return k
	}
	if o.ids[kind] == nil {
		o.ids[kind] = map[string]*known{}
	}
	k := &known{kind: kind, id: id, owner: owner}
	o.ids[kind][id], o.last = k, k
	return k
}

// sameThought returns the reasoning span of a reasoning message, or the message of a span,
// which belong to one agent when they have one id (rule 30); nil when there is none.
func (o *order) sameThought(kind entity, id string) *known {
	switch kind {
	case reasoning:
		return o.find(reasoningSpan, id)
	case reasoningSpan:
		return o.find(reasoning, id)
	}
	return nil
}

// nameOf returns the name of a tool call that began in this run, or "".
func (o *order) nameOf(id string) string {
	if k := o.find(toolCall, id); k != nil {
		return k.name
	}
	return ""
}

// shut closes what is open.
func (o *order) shut(k *known) {
	if k != nil && k.open {
		k.open = false
		o.open[k.kind]--
	}
}

// reopen opens what was closed.
func (o *order) reopen(k *known) {
	if k != nil && !k.open {
		k.open = true
		o.open[k.kind]++
	}
}
