package components

import "cairn/internal/markdown"

// Chat is the conversation column.
type Chat struct {
	Welcome *Welcome // shown when the conversation is empty
	Items   []Item
	// Earlier is where the entries before Items are shown, empty when there are none.
	Earlier string
	// Later leads on from a page that does not show the end of the conversation, Latest
	// to the page that does; both are empty there.
	Later, Latest string
	// Plain takes the place of Items when those could not be drawn.
	Plain  *Plain
	Typing bool // the run is going and nothing of it is visible yet
	// Again is where another answer in the place of the last is asked for; empty when
	// that cannot be.
	Again    string
	Composer Composer
}

// Plain is a conversation as bare text.
type Plain struct {
	Text string
	Cut  bool // the beginning was left out
}

// Welcome is the first screen of a demo.
type Welcome struct {
	Heading, Lead string
	Suggestions   []Suggestion
	// Action is where a suggestion is posted; MessageID is minted with the page,
	// so that a double click makes one message.
	Action, MessageID string
}

// Suggestion is one card of the welcome screen. Text is what is sent.
type Suggestion struct{ Label, Description, Text string }

// Item is one entry of the conversation; exactly one field beside Key is set.
type Item struct {
	// Key is the element's id, unique on the page and stable for its life.
	Key      string
	Message  *Message
	Tool     *ToolCard
	Subagent *SubagentCard
	Approval *ApprovalCard
	Error    *RunError
}

// Message is a bubble. User text is plain; an agent's is Body.
type Message struct {
	Key    string
	Role   string // user, assistant, system, reasoning: data-role
	Status string // streaming, complete, stopped, error, interrupted: data-status
	Text   string
	Body   Body
	Media  Media
	// Over is set when not all of it is shown, or not as markdown.
	Over Over
	// Note is the reason why it ended early ("Stopped by you."), empty when complete.
	Note string
}

// Body is markdown as it stands: final blocks, the settled head of the open
// block and its unfinished tail. The three live in elements with ids
// <Key>-closed, <Key>-head and <Key>-tail, so a stream can append to them.
type Body struct {
	Key        string
	Closed     []markdown.HTML
	Head, Tail markdown.HTML
}

// ToolCard is one server-side tool call.
type ToolCard struct {
	Key, Tool string
	Status    string // running, complete, error, incomplete: data-status
	// Summary is one line a person can read ("Yosemite Valley — clear skies"), may be empty.
	Summary      string
	Args, Result string // pretty-printed, shown when opened
	// Media are the result's pictures and files. A card that has some is open.
	Media Media
	// ArgsOver and ResultOver are set when not all of them is shown.
	ArgsOver, ResultOver Over
}

// SubagentCard is another agent at work.
type SubagentCard struct {
	Key, Name string
	AskedBy   string // "asked by the trip planner"
	Status    string // pending, running, complete, error: data-status
	Parts     []SubagentPart
	Over      Over   // set when not all of its work is shown
	Error     string // a plain sentence when it failed
}

// SubagentPart is one thing that a subagent did, in its place: what it said or thought, a
// tool that it called, or an agent that it asked. One of the three is set.
type SubagentPart struct {
	Body     *Body
	Thought  bool // Body is reasoning, which is folded
	Tool     *ToolCard
	Subagent *SubagentCard
}

// Field is a label and its value.
type Field struct{ Label, Value string }

// RunError is a failed run, in one plain sentence.
type RunError struct {
	Key  string
	Text string
	// Retry is the URL to post to, empty when nothing can be offered.
	Retry string
	// RetryLabel is "Retry" or "Send again".
	RetryLabel string
	// Warning names the effect that may happen twice, empty for a plain retry.
	Warning string
}

// Composer is the message form.
type Composer struct {
	// Action is where a message is posted; Stop is where a stop is posted.
	Action, Stop string
	// MessageID is minted with the form, so that a double send makes one message.
	MessageID   string
	Draft       string // text to keep, after a refused no-JavaScript send
	Error       string // why it was refused
	Placeholder string
	Running     bool // Stop replaces Send
	Blocked     bool // a decision is pending: sending is refused, typing is not
	// Status is the small line under it: "Embedded agent · scripted model".
	Status string
}
