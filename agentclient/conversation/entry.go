package conversation

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"cairn/agentclient/jsonpatch"
	"cairn/agui"
)

// Entry is one thing on the page; exactly one of Message, ToolCall, Subagent and
// Marker is set.
type Entry struct {
	// Key names the entry for its life. Keys ascend in order of creation across
	// all depths and are never used again.
	Key int
	// RunID is the run that made the entry, empty before the first.
	RunID    string
	Message  *Message
	ToolCall *ToolCall
	Subagent *Subagent
	Marker   any

	top    *Entry // the top-level entry this one is inside, nil at the top
	in     *Entry // the subagent's entry this one is in, nil at the top
	frozen *Entry // its copy in snapshots, nil after a change
	epoch  int    // the last call that reported it
	depth  int    // how many subagents it is inside of
	wanted int    // the last call that put the page in order, while it is still to be placed
}

// Nested reports whether the entry is part of a subagent's timeline.
func (e *Entry) Nested() bool { return e.in != nil }

// Status is where a message stands.
type Status string

const (
	StatusStreaming Status = "streaming"
	StatusComplete  Status = "complete"
	StatusStopped   Status = "stopped" // the run was stopped or cancelled first
	StatusError     Status = "error"   // the run failed or broke off first
	// StatusInterrupted is a message whose run another run displaced.
	StatusInterrupted Status = "interrupted"
)

// Message is text by the user, the agent or a subagent, or an activity.
type Message struct {
	ID   string
	Role agui.Role
	Name string
	// Own reports whether AddMessage brought a user's message. What an agent sends in that
	// role are not the user's own words: a transcript of what was said, or a claim.
	Own    bool
	Status Status
	// ActivityType and Metadata are an activity's.
	ActivityType string
	Metadata     map[string]json.RawMessage
	// Revision grows when the text was replaced rather than added to, so a reader
	// that keeps an offset begins again.
	Revision int

	// Parts is the content when it came as an array of content parts, pictures and files
	// among them; Text has the text of those. It is zero otherwise.
	Parts agui.Content

	text    growing
	content json.RawMessage     // an activity's
	patched *jsonpatch.Document // what patches made of it, nil when none did
}

// Content is an activity's content, a JSON object, put together when it is asked for
// after a patch. It is nil for other messages.
func (m *Message) Content() json.RawMessage {
	if m.patched != nil {
		return m.patched.JSON()
	}
	return m.content
}

// Text is the whole text so far. It costs nothing and stays valid.
func (m *Message) Text() string { return m.text.String() }

// Len is the length of the text in bytes.
func (m *Message) Len() int { return m.text.Len() }

// Slice is the text from a byte offset on, "" past its end. A reader that
// remembers Len gets what was appended since.
func (m *Message) Slice(from int) string {
	if from >= m.text.Len() {
		return ""
	}
	return m.text.String()[max(from, 0):]
}

// growing is text that deltas add to. A character that two of them share as
// surrogate halves is held until it is whole.
type growing struct {
	strings.Builder
	held string
}

func (g *growing) add(delta string) {
	delta, g.held = agui.JoinSurrogates(g.held, delta)
	g.WriteString(delta)
}

// set replaces the text, end says that no delta follows.
func (g *growing) set(text string) {
	g.Reset()
	g.held = ""
	g.WriteString(text)
}

func (g *growing) end() {
	if g.held != "" {
		g.held = ""
		g.WriteRune(utf8.RuneError)
	}
}

// ToolStatus is where a tool call stands.
type ToolStatus string

const (
	ToolRunning    ToolStatus = "running"
	ToolComplete   ToolStatus = "complete"
	ToolError      ToolStatus = "error"      // the result says that it failed
	ToolIncomplete ToolStatus = "incomplete" // its run ended without a result
)

// ToolCall is a call of a tool and what came of it.
type ToolCall struct {
	ID string
	// Name is empty when a result came for a call that was never announced.
	Name            string
	ParentMessageID string
	Status          ToolStatus
	// Result is the result as text, as received: often JSON, sometimes JSON in a
	// JSON string.
	// Of content parts it is their text alone.
	Result string
	// ResultParts is the result when it came as an array of content parts, zero otherwise.
	ResultParts agui.Content
	HasResult   bool
	ResultError bool

	args growing
}

// Args is the argument text so far: JSON by convention, perhaps half written.
func (t *ToolCall) Args() string { return t.args.String() }

// SubagentStatus is where a subagent stands.
type SubagentStatus string

const (
	SubagentPending  SubagentStatus = "pending" // announced and silent, or suspended
	SubagentRunning  SubagentStatus = "running"
	SubagentComplete SubagentStatus = "complete"
	SubagentError    SubagentStatus = "error"
)

// Subagent is one invocation of another agent, with its own timeline.
type Subagent struct {
	RunID       string
	Name        string // empty when it was never announced
	Description string
	// ToolCallID is the call that delegated to it, empty when unknown. That call
	// has an entry of its own.
	ToolCallID string
	Status     SubagentStatus
	Error      string
	// Entries is the child timeline, to read only.
	Entries []*Entry
}

// RunStatus is where a run stands.
type RunStatus string

const (
	RunIdle        RunStatus = "idle" // none yet
	RunRunning     RunStatus = "running"
	RunFinished    RunStatus = "finished"
	RunInterrupted RunStatus = "interrupted" // paused, waiting for an answer
	RunFailed      RunStatus = "failed"
	RunCancelled   RunStatus = "cancelled" // by the agent's operator
	RunStopped     RunStatus = "stopped"   // by our user
	RunTruncated   RunStatus = "truncated" // the stream broke off
)

// Run is what is known of a run.
type Run struct {
	// ID is the id we asked with; the agent's own when we did not ask.
	ID     string
	Status RunStatus
	Error  RunError
	Usage  []agui.TokenUsage
}

// RunError is what a RUN_ERROR said. It is the agent's text, not for a page.
type RunError struct{ Message, Code string }
