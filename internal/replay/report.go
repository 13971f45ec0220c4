package replay

import (
	"encoding/json"
	"io"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// Report is what a capture amounts to. Its JSON is the stable shape that `cairn
// replay --json` prints: fields may be added, none is renamed or changes its
// meaning while Version stays. Empty fields are left out, except the lists
// runs, entries, pending and findings, and the counts.
type Report struct {
	Version int    `json:"version"` // 1
	Format  Format `json:"format"`
	Events  int    `json:"events"`
	// Clean reports whether Violations is 0.
	Clean bool `json:"clean"`
	// Runs are in the order they began.
	Runs []Run `json:"runs"`
	// Entries is the conversation in page order.
	Entries []Entry `json:"entries"`
	// Pending is what the last run waits for, when it paused.
	Pending []Pending `json:"pending"`
	// State is the live shared state; Diverged says that a STATE_DELTA failed since
	// the last snapshot.
	State    json.RawMessage `json:"state"`
	Diverged bool            `json:"diverged,omitempty"`
	// Violations counts all findings of that level, also those beyond the list.
	Violations int       `json:"violations"`
	Findings   []Finding `json:"findings"`
	// Unlisted counts findings that are not in the list: the first 10,000 are.
	Unlisted int `json:"unlisted,omitempty"`
}

// Run is one run. Status is running, finished, interrupted, failed, cancelled or
// truncated; displaced when another run began before it ended.
type Run struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Error  *Failure          `json:"error,omitempty"`
	Usage  []agui.TokenUsage `json:"usage,omitempty"`
	// Frame is where it began.
	Frame int `json:"frame"`
}

// Failure is what a RUN_ERROR said.
type Failure struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
}

// EntryType is what an [Entry] is.
type EntryType string

const (
	EntryMessage  EntryType = "message"
	EntryToolCall EntryType = "toolCall"
	EntrySubagent EntryType = "subagent"
)

// Entry is a message, a tool call or a subagent.
type Entry struct {
	Type EntryType `json:"type"`
	// ID is the message's, the tool call's, or the subagent's run id.
	ID string `json:"id"`
	// RunID is the run that made it.
	RunID  string `json:"runId,omitempty"`
	Status string `json:"status"`
	// Name is the tool's, the subagent's, or that of who speaks.
	Name string `json:"name,omitempty"`

	// Of a message: Content and ActivityType are an activity's.
	Role         agui.Role       `json:"role,omitempty"`
	Text         string          `json:"text,omitempty"`
	ActivityType string          `json:"activityType,omitempty"`
	Content      json.RawMessage `json:"content,omitempty"`

	// Of a tool call: both are text as received, usually JSON.
	Arguments   string  `json:"arguments,omitempty"`
	Result      *string `json:"result,omitempty"`
	ResultError bool    `json:"resultError,omitempty"`
	// Parts are what a message or a result has besides text: "image (image/png, 70 bytes)".
	Parts []string `json:"parts,omitempty"`

	// Of a subagent: ToolCallID is the call that delegated to it. Entries is its own
	// conversation; 32 levels down, what is deeper follows it instead.
	Description string  `json:"description,omitempty"`
	ToolCallID  string  `json:"toolCallId,omitempty"`
	Error       string  `json:"error,omitempty"`
	Entries     []Entry `json:"entries,omitempty"`
}

// Pending is one question a paused run waits on: an interrupt of the protocol, or
// the value of a CUSTOM on_interrupt, the older way to pause.
type Pending struct {
	Interrupt   *agui.Interrupt `json:"interrupt,omitempty"`
	OnInterrupt json.RawMessage `json:"onInterrupt,omitempty"`
}

// Level is how much a [Finding] weighs.
type Level string

const (
	// LevelViolation is what the protocol forbids.
	LevelViolation Level = "violation"
	// LevelNote is what it tells readers to pass over, such as an unknown event type.
	LevelNote Level = "note"
)

// Finding is one departure from the protocol.
type Finding struct {
	// Frame is the number of the frame, line or element, and Line the line of the
	// capture where it begins, both from 1.
	Frame int   `json:"frame"`
	Line  int   `json:"line"`
	Level Level `json:"level"`
	// Rule is R1 to R33 (protocol section 5), another section such as 6.5, or 9.N
	// for row N of the table of edge cases.
	Rule string `json:"rule"`
	Text string `json:"text"`
	// Repeats counts how often the same note is met again further down.
	Repeats int `json:"repeats,omitempty"`
}

// WriteJSON writes the report as one line of JSON. A value of the agent's that is
// nested deeper than 1,000 levels is given as a string that holds its JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	raw, err := jsontext.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(cleanJSON(raw), '\n'))
	return err
}

// depth is how deep a JSON value is nested.
func depth(raw []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// embed makes a value of the agent's fit into another document.
func embed(raw json.RawMessage) json.RawMessage {
	const deepest = 1000 // encoding/json stops at 10,000, what reads a report perhaps sooner
	if depth(raw) > deepest {
		text, _ := json.Marshal(string(raw)) // a string always encodes
		return text
	}
	return raw
}
