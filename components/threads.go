package components

import "cmp"

// Threads is the section that lists a session's conversations.
type Threads struct {
	// Search is where the search form goes.
	Search string
	// At is the conversation that is shown; empty on other pages.
	At   string
	List ThreadList
}

// ThreadList is one list of conversations: the newest, or what a search found.
type ThreadList struct {
	Rows  []ThreadRow
	Query string
	// URL is where this list is loaded again. It is empty for the newest conversations,
	// which the page's stream updates.
	URL string
	// Newer and Older are the pages beside this one, empty where there is none.
	Newer, Older string
	// Failed is true when the list could not be read.
	Failed bool
}

// ThreadRow is one conversation in a list.
type ThreadRow struct {
	ID, URL string
	// Title is the whole of it; the style sheet cuts what does not fit.
	Title, Demo string
	// Status is the log's word: running, needs-you or failed are shown.
	Status string
	// Moment is when it last changed, as RFC 3339; When is the same in words that
	// stay true for the day: "14:05", "30 Nov", "30 Nov 2025".
	Moment, When string
	Current      bool
	// Rename and Delete are where the forms go.
	Rename, Delete string
}

// ThreadNotice is the message after a change of a conversation, with its undo.
type ThreadNotice struct {
	Text string
	// Restore brings back what was deleted; empty when there is nothing to undo.
	Restore string
}

// MaxThreadTitle is the longest title a conversation can be given, in characters.
const MaxThreadTitle = 200

func threadID(r ThreadRow) string { return "thread-" + r.ID }

// threadStatus is what a status is called, empty for one that is not shown.
func threadStatus(status string) (glyph, word string) {
	switch status {
	case "running":
		return "●", "Running"
	case "needs-you":
		return "◆", "Needs you"
	case "failed":
		return "!", "Failed"
	}
	return "", ""
}

func threadTitle(r ThreadRow) string { return cmp.Or(r.Title, "Untitled") }

// threadsEmpty returns the reason why a list has no rows.
func threadsEmpty(l ThreadList) string {
	switch {
	case l.Failed:
		return "The list cannot be read right now. Your conversations are still there."
	case l.Query != "":
		return "No title has all these words."
	case l.Newer != "":
		return "There are no older conversations."
	}
	return "What you start is kept here."
}

// ThreadsPage is the list as a page of its own.
type ThreadsPage struct {
	Shell   Shell
	Threads Threads
}
