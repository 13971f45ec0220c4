package interrupt

import (
	"cmp"
	"maps"
	"slices"

	"cairn/agui"
)

// Owed returns what the next request has to carry in its resume array: an entry that
// cancels each interrupt which was left without an answer. The protocol wants every
// interrupt of a pause answered or abandoned by an entry, and an expired one can only be
// abandoned (section 3.4). The command transports have no way to say it, so nothing is
// owed there.
//
// The entries are owed to one request: they are gone once a run has started, or ended
// in any way but [EndedNotDispatched]. Like everything else they follow from what was
// observed, so that folding the same rows makes the same request.
func (s *Session) Owed() []agui.ResumeEntry {
	if len(s.owed) == 0 {
		return nil
	}
	entries := make([]agui.ResumeEntry, len(s.owed))
	for i, id := range s.owed {
		entries[i] = agui.ResumeEntry{InterruptID: id, Status: agui.ResumeCancelled}
	}
	return entries
}

// speaksProtocol reports whether the transport has the protocol's resume array.
func (s *Session) speaksProtocol() bool {
	return s.transport == TransportProtocol || s.transport == TransportAuto
}

// owePause makes the present pause's interrupts owed, those too that are only counted.
func (s *Session) owePause() {
	if !s.Batch() {
		return
	}
	s.owed = slices.SortedFunc(maps.Keys(s.place), func(a, b string) int { return cmp.Compare(s.place[a], s.place[b]) })
}

func (s *Session) owe(batch []agui.Interrupt) {
	seen := map[string]bool{"": true}
	for _, it := range batch {
		if !seen[it.ID] {
			seen[it.ID] = true
			s.owed = append(s.owed, it.ID)
		}
	}
}
