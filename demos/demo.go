// Package demos registers the demos: for each, what its page says, how its
// agent's questions are read, and which files of the repository make it. It does
// not talk to agents and does not know the web.
package demos

import (
	"encoding/json"

	"cairn/agentclient/interrupt"
	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// Demo is one demo. Its funcs are pure; those left out are what [Demo.Complete] says.
type Demo struct {
	Slug    string // the path segment and the upstream's name
	Name    string // "Camping trip"
	Runtime string // the agent runtime whose dialect it speaks
	// Agent is how the page names the agent in a sentence: "the trip planner".
	Agent string

	Heading, Lead, Placeholder string
	Suggestions                []components.Suggestion

	Transport interrupt.Transport
	Profile   interrupt.Profile

	// NewPanel makes the shared-state panel of one thread.
	NewPanel func() Panel
	// Approval words one request of a question. Without a title it has no words for it.
	Approval func(interrupt.Pending) Approval
	// Outcome is what the decision on one request led to, judged from what the run
	// that carried it left. proven is false when that does not show it. It is asked only
	// about requests that Approval has words for.
	Outcome func(approved bool, e Evidence) (sentence string, proven bool)
	// ToolSummary is one line about a finished call, or "".
	ToolSummary func(tool, args, result string) string

	Code []CodeFile
}

// Evidence is what the run that carried a decision left behind, besides prose, of one
// request.
type Evidence struct {
	// Asked is the request, and Answer what was sent for it.
	Asked  interrupt.Pending
	Answer json.RawMessage
	// Results are those of the tool call that was asked about, as text with one JSON
	// layer removed.
	Results []string
	// State is the shared state at the run's end, nil while it goes on, and when several
	// requests were decided: it does not say which of them it shows. What was there
	// Before, when the decision was taken, did not come of it.
	Before, State json.RawMessage
}

// Panel holds what the panel of one thread shows. It is not safe for concurrent
// use.
type Panel interface {
	// Update is called after each change of the state. It costs what changed of what the
	// panel shows, and keeps nothing of the state's.
	Update(Shared)
	// View is what to show now, of a bounded size.
	View() components.Panel
}

// Shared is what a thread has beside its conversation.
type Shared struct {
	State jsonpatch.Value
	// Running is true while a run goes on, in which the state may pass through forms
	// that are not complete.
	Running bool
	// Decided are the requests of the thread's last question whose outcome is proven.
	// Some agents leave their state as it was before (measured: AWS Strands for
	// TypeScript).
	Decided []Decided
}

// Decided is a request with a proven outcome: what was approved was done, or what was
// declined was not.
type Decided struct {
	Asked    interrupt.Pending
	Approved bool
}

// Approval is a request in words.
type Approval struct {
	Title string
	// Approved and Declined are the title once it is decided.
	Approved, Declined string
	Rows               []components.Field
	Hint               string
	// Form is the JSON schema of an answer that says more than yes or no: its members
	// beside approved can be filled in, and begin with those of the payload or the
	// call's arguments. Those that are left as they were are not sent. Without a schema
	// it is yes or no; without one and without Rows the agent's own schema counts.
	Form json.RawMessage
	// Said puts into words what such an answer says beside yes: "amount $40.00". nil
	// names the members.
	Said func(answer json.RawMessage) string
}

// CodeFile is a file of this repository shown on the Code tab.
type CodeFile struct {
	Path string
	Note string // why it matters
}

// All are the demos, the first one being the front page.
func All() []Demo {
	all := []Demo{Mastra(), Strands(), AgentFramework(), LangGraph()}
	for i, d := range all {
		all[i] = d.Complete()
	}
	return all
}
