package verify

import (
	"cmp"
	"container/list"
	"slices"
)

// This file remembers the open chunked streams. An agent may have as many as it
// likes, so nothing is found by going through them.

// lane is where chunks of one producer follow each other: the parent agent, or
// one subagent. A lane holds at most one open chunked stream.
type lane = string

// streams are the open chunked streams: one in a lane, and one of a kind and id.
type streams struct {
	inLane map[lane]*stream
	ofKind [reasoningStream + 1]struct {
		byID  map[string]*stream
		order list.List // of *stream, as they were opened
	}
	// parted are, by lane, the streams that chunks of others closed, the last ones; nothing
	// else has come in the lane since.
	parted map[lane]map[partedID]*stream
	last   *stream // the one found last, if it is still open
	opened int     // so far, which numbers them
	// visits counts the streams that were looked at. Tests hold it against the
	// number of events.
	visits int
}

// lane returns the stream that is open in l, or nil.
func (o *streams) lane(l lane) *stream {
	o.visits++
	if o.last != nil && o.last.lane == l {
		return o.last
	}
	return o.found(o.inLane[l])
}

// id returns the open stream of that kind and id, or nil.
func (o *streams) id(kind streamKind, id string) *stream {
	o.visits++
	if o.last != nil && o.last.kind == kind && o.last.id == id {
		return o.last
	}
	return o.found(o.ofKind[kind].byID[id])
}

func (o *streams) found(s *stream) *stream {
	if s != nil {
		o.last = s
	}
	return s
}

// only returns the open stream of that kind if there is exactly one, and how many
// there are.
func (o *streams) only(kind streamKind) (*stream, int) {
	order := &o.ofKind[kind].order
	if o.visits++; order.Len() != 1 {
		return nil, order.Len()
	}
	return order.Front().Value.(*stream), 1
}

// all returns the open streams in order of opening.
func (o *streams) all() []*stream {
	if len(o.inLane) == 0 {
		return nil
	}
	all := make([]*stream, 0, len(o.inLane))
	for kind := range o.ofKind {
		for e := o.ofKind[kind].order.Front(); e != nil; e = e.Next() {
			all = append(all, e.Value.(*stream))
		}
	}
	o.visits += len(all)
	slices.SortFunc(all, func(a, b *stream) int { return cmp.Compare(a.number, b.number) })
	return all
}

// add takes in a stream whose lane and id have none.
func (o *streams) add(s *stream) {
	kind := &o.ofKind[s.kind]
	if o.inLane == nil {
		o.inLane = map[lane]*stream{}
	}
	if kind.byID == nil {
		kind.byID = map[string]*stream{}
	}
	o.opened++
	s.number, s.place = o.opened, kind.order.PushBack(s)
	o.inLane[s.lane], kind.byID[s.id], o.last = s, s, s
}

func (o *streams) remove(s *stream) {
	kind := &o.ofKind[s.kind]
	kind.order.Remove(s.place)
	delete(o.inLane, s.lane)
	delete(kind.byID, s.id)
	if o.last == s {
		o.last = nil
	}
}

// partedID names a stream in its lane.
type partedID struct {
	kind streamKind
	id   string
}

// maxParted bounds how many parted streams of a lane are remembered.
const maxParted = 64

// part remembers a stream that was closed by a chunk of another.
func (o *streams) part(s *stream) {
	all := o.parted[s.lane]
	if len(all) == maxParted {
		return
	}
	if all == nil {
		if o.parted == nil {
			o.parted = map[lane]map[partedID]*stream{}
		}
		all = map[partedID]*stream{}
		o.parted[s.lane] = all
	}
	all[partedID{s.kind, s.id}] = s
}

// partedOf returns the parted stream of that kind and id in a lane, or nil.
func (o *streams) partedOf(l lane, kind streamKind, id string) *stream {
	return o.parted[l][partedID{kind, id}]
}

func (o *streams) unpart(s *stream) { delete(o.parted[s.lane], partedID{s.kind, s.id}) }

// forget lets the parted streams of a lane go.
func (o *streams) forget(l lane) {
	if len(o.parted) > 0 {
		delete(o.parted, l)
	}
}
