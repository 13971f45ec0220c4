package conversation

import (
	"encoding/json"
	"slices"
)

// Snapshot is a conversation as it stood. It never changes, so any goroutine may
// read it while the conversation goes on.
type Snapshot struct {
	// Entries are copies with the keys of the originals. Snapshots share the copies
	// of what did not change between them.
	Entries   []*Entry
	State     json.RawMessage
	Diverged  bool
	Run       Run
	Notes     []Note
	NoteCount int
}

// Snapshot returns the conversation as it stands. It copies what changed since the
// last one, text excepted, which grows behind what a snapshot holds: a snapshot
// after every delta costs one entry and a pointer for each other.
func (c *Conversation) Snapshot() *Snapshot {
	return &Snapshot{
		Entries: freezeAll(c.entries), State: c.State(), Diverged: c.diverged,
		Run: c.run, Notes: slices.Clip(c.notes), NoteCount: c.noteCount,
	}
}

func freezeAll(entries []*Entry) []*Entry {
	out := make([]*Entry, len(entries))
	for i, e := range entries {
		out[i] = e.freeze()
	}
	return out
}

// freeze returns the copy of e as it stands.
func (e *Entry) freeze() *Entry {
	if e.frozen != nil {
		return e.frozen
	}
	f := &Entry{Key: e.Key, RunID: e.RunID, Marker: e.Marker}
	switch {
	case e.Message != nil:
		m := *e.Message
		m.content, m.patched = m.Content(), nil
		f.Message = &m
	case e.ToolCall != nil:
		t := *e.ToolCall
		f.ToolCall = &t
	case e.Subagent != nil:
		s := *e.Subagent
		s.Entries = freezeAll(s.Entries)
		f.Subagent = &s
	}
	e.frozen = f
	return f
}

// thaw forgets the copy of an entry that changes, and those that hold it. An
// entry without a copy is in none.
func (e *Entry) thaw() {
	for ; e != nil && e.frozen != nil; e = e.in {
		e.frozen = nil
	}
}
