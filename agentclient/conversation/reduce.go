package conversation

import (
	"encoding/json"

	"cairn/agentclient/jsonpatch"
	"cairn/agui"
)

// record is one protocol message. Tool messages that answer a known call hang on
// the call instead.
type record struct {
	id   string
	role agui.Role
	tag  string // subagentRunId of the creator
	run  string // id of the run that brought it
	// number is that run's, or of the last that went on with it; turn is its turn.
	number, turn int
	local        bool // the user's: nothing that the agent sends changes it
	aside        bool // a snapshot left it out: shown, but not sent
	kept         bool // a snapshot left it out in its own run: it stays
	streamed     bool // it came in events of its own, not in snapshots alone
	// raw is the content as it was given whole; nil once a delta came, and for
	// content that only streams.
	raw     agui.Content
	shown   *Message
	entry   *Entry // nil until there is something to show
	calls   []*call
	answers []*call // of calls, in order of arrival
	toolID  string  // an orphan tool message's call
	placed  bool    // an orphan that goes where it stood under its call
	leaving bool    // dropped by a snapshot
	// made and named are the calls of Apply that made it, and whose snapshot named
	// it; was are the answers it had before that.
	made, named int
	was         []*call
	encrypted   string
	metadata    map[string]json.RawMessage

	prev, next *record // in the sequence, while linked
	linked     bool
	group      group // that it is listed in
	round      int   // the last look through a group that met it
}

// call is one tool call and its result.
type call struct {
	shown     *ToolCall
	entry     *Entry
	holder    *record // the assistant message it stands in, nil when never announced
	was       *record // its holder before the snapshot being merged
	orphan    *record // keeps the place of its result while there is no holder
	picked    int     // the call of Apply whose snapshot named it
	blank     bool    // by that snapshot its result says nothing
	aside     bool    // a snapshot left it out: shown, but not sent
	turn      int     // in which it was made, and stage
	stage     int
	asked     string  // the id that the agent sent, when it has another now
	ended     bool    // TOOL_CALL_END came, or the call came whole
	again     bool    // it was started again after it had ended, with all its arguments
	more      growing // that came since then
	whole     bool    // its arguments are JSON; judged is how much of them was asked
	judged    int
	judging   int // bytes looked through for it
	resultID  string
	result    agui.Content
	resultTag string
	errorText string
	encrypted string
	metadata  map[string]json.RawMessage
	resultMD  map[string]json.RawMessage

	tag string // the subagent's that made it
	// given is the id of the result that the agent sent, and instead the one it has, where
	// something else had given.
	given, instead string
	// restart is what started an answered call again.
	restart *agui.ToolCallStart
}

// step reduces one expanded event (protocol section 6).
func (c *Conversation) step(ev agui.Event) {
	if e, bad := ev.(*agui.Malformed); bad {
		c.malformed(e)
		return
	}
	if e, unknown := ev.(*agui.Unknown); unknown {
		c.note("8.4", "unknown event type %s; ignored", short(string(e.Type)))
		return
	}
	if c.run.Status != RunRunning {
		switch ev.(type) {
		case *agui.RunStarted, *agui.RunError:
		default:
			c.startRun("") // a stream that begins in the middle; noted already
		}
	}
	if tag := ev.Head().SubagentRunID; tag != "" {
		c.alive(tag)
	}
	switch e := ev.(type) {
	case *agui.RunStarted:
		c.runStarted(e)
	case *agui.RunFinished:
		c.runFinished(e)
	case *agui.RunError:
		c.runError(e)

	case *agui.TextMessageStart:
		c.messageStart(e.MessageID, c.writer(e), e.Name, e.Head())
	case *agui.TextMessageContent:
		c.messageContent(e.MessageID, e.Delta, e.Head())
	case *agui.TextMessageEnd:
		c.messageEnd(e.MessageID, e.Head())
	case *agui.ReasoningMessageStart:
		c.messageStart(e.MessageID, agui.RoleReasoning, "", e.Head())
	case *agui.ReasoningMessageContent:
		c.messageContent(e.MessageID, e.Delta, e.Head())
	case *agui.ReasoningMessageEnd:
		c.messageEnd(e.MessageID, e.Head())
	case *agui.ReasoningEncryptedValue:
		c.encrypted(e)

	case *agui.ToolCallStart:
		c.toolStart(e)
	case *agui.ToolCallArgs:
		c.toolArgs(e)
	case *agui.ToolCallEnd:
		c.toolEnd(e)
	case *agui.ToolCallResult:
		c.toolResult(e)

	case *agui.StateSnapshot:
		c.stateSnapshot(e.Snapshot)
	case *agui.StateDelta:
		c.stateDelta(e.Delta)
	case *agui.MessagesSnapshot:
		c.messagesSnapshot(e)
	case *agui.ActivitySnapshot:
		c.activitySnapshot(e)
	case *agui.ActivityDelta:
		c.activityDelta(e)

	case *agui.SubagentStarted:
		c.subagentStarted(e)
	case *agui.SubagentFinished:
		c.subagentFinished(e)
	case *agui.SubagentError:
		c.subagentFailed(e)

	case *agui.Custom:
		c.custom(e)
	}
}

// stateSnapshot replaces the state, also by null. A snapshot without the member says
// nothing, so it replaces nothing.
func (c *Conversation) stateSnapshot(snapshot json.RawMessage) {
	c.changes.State = true
	if len(snapshot) == 0 {
		c.diverged = true
		c.note("1.6", "STATE_SNAPSHOT without a snapshot; the state stays")
		return
	}
	c.state = jsonpatch.Parse(snapshot)
	c.diverged = false
}

func (c *Conversation) stateDelta(delta json.RawMessage) {
	unknown, err := c.state.Patch(delta, jsonpatch.MaxCopied-c.state.Copied())
	if unknown > 0 {
		c.note("1.6", "STATE_DELTA has %d operations of unknown kind; left out", unknown)
	}
	if err != nil {
		c.diverged = true
		c.note("6.5", "STATE_DELTA does not apply: %s", short(err.Error()))
		refused := c.changes.Noted[len(c.changes.Noted)-1]
		c.changes.Refused = &refused
	}
	c.changes.State = true
}

// newRecord appends a protocol message without anything to show yet. One whose id
// another has gets a new one.
func (c *Conversation) newRecord(id string, role agui.Role, tag string, local bool) *record {
	if known := c.byID[id]; known != nil || c.results[id] != nil {
		taken := id
		id = c.newID(id)
		if known != nil && known.local {
			c.note("6.2", "message %s has the id of one that the user wrote; it is %s", short(taken), short(id))
		}
	}
	r := &record{
		id: id, role: role, tag: tag, run: c.run.ID, number: c.live.number, turn: c.turn, made: c.epoch, local: local, streamed: !c.merging,
		shown: &Message{ID: id, Role: role, Own: local, Status: StatusComplete},
	}
	c.list.insert(c.list.last, r)
	c.enlist(r)
	c.byID[id] = r
	return r
}

// show makes the entry of a message, once. What only the model is told has none.
func (c *Conversation) show(r *record) {
	if r.role == agui.RoleSystem || r.role == agui.RoleDeveloper {
		c.touch(r.entry)
		return
	}
	if r.entry == nil {
		c.misplaced = c.misplaced || r.made != c.epoch
		r.entry = &Entry{Message: r.shown}
		c.addEntry(c.subagentOf(r.tag), r.entry)
		return
	}
	c.touch(r.entry)
}

// open makes a message one of those the end of the run closes.
func (c *Conversation) open(r *record) {
	if r.shown.Status != StatusStreaming {
		r.shown.Status = StatusStreaming
		c.live.messages = append(c.live.messages, r)
		c.touch(r.entry)
	}
}

// writer is the role that a text message is written in. By one that none can have,
// the message could not be sent to the agent again.
func (c *Conversation) writer(e *agui.TextMessageStart) agui.Role {
	switch e.Role {
	case agui.RoleDeveloper, agui.RoleSystem, agui.RoleUser, agui.RoleAssistant, agui.RoleReasoning:
		return e.Role
	case "":
	default:
		c.note("6.2", "no text message has role %s, as %s does; read as assistant", short(string(e.Role)), short(e.MessageID))
	}
	return agui.RoleAssistant
}

func (c *Conversation) messageStart(id string, role agui.Role, name string, head *agui.Base) {
	r := c.spoken(id, role == agui.RoleReasoning, head.SubagentRunID)
	switch {
	case r == nil:
		if t := c.results[id]; t != nil {
			c.renameResult(t)
		}
		r = c.newRecord(id, role, head.SubagentRunID, false)
		r.shown.Name = name
	case !c.streams(r):
		return
	case c.another(r, role, head.SubagentRunID):
		r = c.newUnder(id, role, head.SubagentRunID)
		r.shown.Name = name
	}
	c.open(r)
	r.metadata = merge(r.metadata, head.Metadata)
}

// streams reports whether text events may change r, and notes it if not.
func (c *Conversation) streams(r *record) bool {
	switch {
	case r.local:
		c.note("6.2", "event changes %s, which the user wrote; ignored", short(r.id))
	case r.role == agui.RoleActivity:
		c.note("6.2", "text event for activity %s; ignored", short(r.id))
	default:
		return true
	}
	return false
}

func (c *Conversation) messageContent(id, delta string, head *agui.Base) {
	r := c.spoken(id, head.Type == agui.TypeReasoningMessageContent, head.SubagentRunID)
	if r == nil {
		c.note("6.2", "content for unknown message %s; dropped", short(id))
		return
	}
	if !c.streams(r) {
		return
	}
	if delta != "" && r.shown.Status != StatusStreaming && r.number != c.live.number {
		r = c.newUnder(id, r.role, r.tag) // of another run, which never started it
	}
	r.metadata = merge(r.metadata, head.Metadata)
	if delta == "" {
		return
	}
	c.open(r)
	r.streamed = true
	if len(r.raw.Raw) > 0 && r.raw.Raw[0] != '"' {
		r.shown.Revision++
		r.shown.text.set("") // parts are replaced, text is added to (section 6.2)
	}
	r.raw = agui.Content{}
	r.shown.text.add(delta)
	c.show(r)
}

func (c *Conversation) messageEnd(id string, head *agui.Base) {
	r := c.spoken(id, head.Type == agui.TypeReasoningMessageEnd, head.SubagentRunID)
	if r == nil || r.local && !c.streams(r) || r.shown.Status != StatusStreaming {
		return
	}
	r.metadata = merge(r.metadata, head.Metadata)
	r.shown.text.end()
	r.shown.Status = StatusComplete
	c.touch(r.entry)
}

func (c *Conversation) encrypted(e *agui.ReasoningEncryptedValue) {
	if e.Subtype == "tool-call" {
		if t := c.calls[e.EntityID]; t != nil {
			t.encrypted = e.EncryptedValue
		}
		return
	}
	if r := c.thought(e.EntityID); r != nil && r.role != agui.RoleActivity && (!r.local || c.streams(r)) {
		r.encrypted = e.EncryptedValue
	}
}

// merge folds metadata: shallow, last write wins (section 6.1). The event's own
// map is never kept.
func merge(into, from map[string]json.RawMessage) map[string]json.RawMessage {
	if len(from) == 0 {
		return into
	}
	if into == nil {
		into = make(map[string]json.RawMessage, len(from))
	}
	for k, v := range from {
		into[k] = v
	}
	return into
}
