// Package conversation folds AG-UI events into what a page shows and what the
// next run is sent: messages, tool calls, subagents, shared state and the status
// of the run.
//
//	chat := conversation.New()
//	chat.AddMessage(userMessage)
//	chat.BeginRun(runID)
//	for each event of the run {
//		for _, key := range chat.Apply(event).Keys {
//			draw(chat.Entry(key))
//		}
//	}
//	next := agui.RunAgentInput{Messages: chat.History(), State: chat.State()}
//
// # Entries
//
// [Conversation.Entries] is the timeline as a page shows it: messages, tool calls
// beside the message that made them, subagents with a timeline of their own, and
// the application's own markers. An [Entry] has a key for life. [Changes] names
// the keys that one event changed, so that a page draws only those; a subagent's
// change is reported under the top-level entry that holds it.
//
// # State
//
// [Conversation.State] is live, and what a run delivered of it stays however the run
// ends: the next request carries what the page shows. A patch that cannot be applied
// changes nothing and is visible as [Conversation.Diverged] until a snapshot comes.
//
// # Disorder
//
// The fold never stops: an event that breaks the protocol leaves a [Note] with
// the rule it broke, and what can be kept is kept. Everything an agent sends is
// data here; it is the reader of the text who must not take it for HTML.
//
// # What it does not do
//
// It does no I/O, keeps no clock and starts no goroutine; the same events always
// fold to the same conversation, so a thread is restored by folding what was
// stored. A pause is package interrupt's.
//
// # Cost
//
// Applying an event costs time in proportion to the event, not to the message,
// the thread or the state it adds to. A STATE_DELTA costs what it brings and the way
// to it; adding or removing inside a list also moves the items behind, a copy costs
// what it copies, a move deeper a look at what it moves, all three within a bound
// for each patch, and the first patch to reach into a value, or to change one after
// a run's end, costs a look at what that holds. A MESSAGES_SNAPSHOT costs what it
// names and removes, a run's end what the run left open. The state's JSON is put
// together when it is asked for; [Conversation.Shared] reads parts of the state without
// it, and notes which of them have changed.
//
// A [Conversation] is not safe for concurrent use; a [Snapshot] is.
package conversation
