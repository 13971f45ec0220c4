package conversation

import (
	"encoding/json"

	"cairn/agentclient/jsonpatch"
	"cairn/agentclient/verify"
	"cairn/agui"
)

// Conversation is one thread as it stands. Use [New].
type Conversation struct {
	entries []*Entry // top level, in page order
	byKey   []*Entry // byKey[key-1]; nil once removed

	list      sequence             // protocol messages in order; tool results hang on their calls
	groups    map[group][]*record  // see members
	ours      map[string][]*record // the user's messages in order, by their words
	byID      map[string]*record
	aliases   []string // ids in byID that the last snapshot renamed
	calls     map[string]*call
	results   map[string]*call     // by id of the tool message
	earlier   map[string][]*record // by id, those that had it before, oldest first
	former    map[string][]*call   // calls likewise
	subagents map[string]*sub
	delegated map[string]int // subagents by the call that delegated to them

	verifier *verify.Verifier
	run      Run
	live     runScope
	// turn counts what the user asked for: a run that goes on with one that paused is of
	// its turn, unless the user wrote something in between. resumes says that the next
	// run goes on.
	turn    int
	resumes bool
	// stage counts runs like turn, also those that nobody asked for.
	stage int
	// past are the runs that were asked for and began under the id they were asked with.
	// retold says that the answer tells one of them again.
	past   map[string]bool
	retold bool

	state              jsonpatch.Document
	diverged           bool
	copies             int // bytes that copies have added to activities
	notes              []Note
	noteCount, applied int
	epoch              int // one per call that returns Changes
	// Of the snapshot being merged: whether an entry may belong before an older one,
	// and the calls whose results go where they stood.
	misplaced bool
	merging   bool // its messages are being taken in
	blanks    int  // of them, those without what was said before
	placed    []*call
	credit    int // see orderByMessages
	round     int // counts looks through a group
	minted    int // ids that we made
	walked    int // records and entries that snapshots looked through; a test reads it
	changes   Changes
}

// runScope is what is open in the run going on.
type runScope struct {
	number  int  // counts runs, so that one id used twice is two runs
	resumed bool // it goes on with one that paused
	started bool // RUN_STARTED came
	// runID and threadID are what it said.
	runID, threadID string
	messages        []*record
	calls           []*call // also those an interrupt left waiting
	subs            []*sub
	// holders are the messages of calls whose parent is no message that may hold one.
	holders map[string]*record
	// paused and pausedCalls remember CUSTOM on_interrupt, the pause of producers
	// that finish without an outcome (protocol section 8.2).
	paused      bool
	pausedCalls map[string]bool
}

// Changes are what one call changed. It is valid until the next call.
type Changes struct {
	// Keys are the top-level entries added or changed, each once. A change inside
	// a subagent names the top-level entry that holds it.
	Keys []int
	// State and Run say that State, or Run, may return another value now.
	State, Run bool
	// Structure reports whether entries were removed or reordered.
	Structure bool
	// Notes counts the notes taken, and Noted are they.
	Notes int
	Noted []Note
	// Events are the events that the applied one stands for (protocol section 4).
	Events []agui.Event
	// Renamed are the calls that got another id, because the agent used theirs again.
	Renamed []Renamed
	// Refused is the note on a STATE_DELTA that did not apply, nil when there was none.
	Refused *Note
}

// Renamed is a call that has another id than it had. The agent's means a later call now.
type Renamed struct {
	Key      int // its entry
	From, To string
}

// New returns an empty conversation.
func New() *Conversation {
	c := &Conversation{
		verifier:  verify.New(verify.Lenient),
		groups:    map[group][]*record{},
		ours:      map[string][]*record{},
		delegated: map[string]int{},
		past:      map[string]bool{},
		byID:      map[string]*record{},
		calls:     map[string]*call{},
		results:   map[string]*call{},
		earlier:   map[string][]*record{},
		former:    map[string][]*call{},
		subagents: map[string]*sub{},
		run:       Run{Status: RunIdle},
		state:     jsonpatch.Parse(nil),
	}
	return c
}

// Apply folds one event as it was received: it expands chunks (protocol section
// 4), notes what is out of order (5) and reduces (6). ev is not kept.
func (c *Conversation) Apply(ev agui.Event) Changes {
	c.begin()
	c.applied++
	c.credit += creditEach
	events, violations := c.verifier.Feed(ev)
	for _, v := range violations {
		c.note(v.Rule, "%s", v.Text)
	}
	c.changes.Events = events
	if c.retells(ev) {
		return c.changes
	}
	for _, e := range events {
		c.step(e)
	}
	return c.changes
}

// AddMessage adds a message of our own, usually the user's. A user's message is added
// at the end, whatever the agent sent under its id, and no event changes it; with the
// id of another one of the user's it changes nothing. A message of another role changes
// nothing when its id is known.
func (c *Conversation) AddMessage(m agui.Message) Changes {
	c.begin()
	c.credit += creditEach
	if m.Role == agui.RoleUser {
		c.leavePause()
		c.addOurs(m)
	} else {
		c.importMessage(m)
	}
	return c.changes
}

// Mark adds the application's own entry at the end of the timeline.
func (c *Conversation) Mark(m any) Changes {
	c.begin()
	c.credit += creditEach
	c.addEntry(nil, &Entry{Marker: m})
	return c.changes
}

// Entries returns the timeline in page order, to read only, until the next call
// that returns [Changes].
func (c *Conversation) Entries() []*Entry { return c.entries }

// Entry finds an entry at any depth; nil when there is none.
func (c *Conversation) Entry(key int) *Entry {
	if key < 1 || key > len(c.byKey) {
		return nil
	}
	return c.byKey[key-1]
}

// State returns the shared state, "{}" when there is none. It is also what the next run
// is sent, however the last one ended (protocol 1.0, runs that fail or are cancelled).
func (c *Conversation) State() json.RawMessage { return c.state.JSON() }

// Shared returns the live shared state, valid until the next call that returns [Changes];
// see [Conversation.State] for its JSON.
func (c *Conversation) Shared() jsonpatch.Value { return c.state.Value() }

// Diverged reports whether a STATE_DELTA failed since the last snapshot, so that
// the state may differ from the agent's.
func (c *Conversation) Diverged() bool { return c.diverged }

// Run is the last run.
func (c *Conversation) Run() Run { return c.run }

func (c *Conversation) begin() {
	c.epoch++
	c.changes = Changes{Keys: c.changes.Keys[:0], Noted: c.changes.Noted[:0]}
}

// touch reports an entry as changed; nil is nothing, and so is one that a
// snapshot took off the page.
func (c *Conversation) touch(e *Entry) {
	if e == nil || c.byKey[e.Key-1] != e {
		return
	}
	e.thaw()
	if e.top != nil {
		e = e.top
	}
	if e.epoch == c.epoch {
		return
	}
	e.epoch = c.epoch
	c.changes.Keys = append(c.changes.Keys, e.Key)
}

// addEntry appends an entry to the timeline of a subagent, whose entry is in, or to the
// top level when in is nil.
func (c *Conversation) addEntry(in *Entry, e *Entry) {
	e.Key = len(c.byKey) + 1
	e.RunID = c.run.ID
	c.byKey = append(c.byKey, e)
	if in == nil {
		c.entries = append(c.entries, e)
	} else {
		e.top = in
		if in.top != nil {
			e.top = in.top
		}
		e.in, e.depth = in, in.depth+1
		in.thaw()
		in.Subagent.Entries = append(in.Subagent.Entries, e)
	}
	c.touch(e)
}
