// Package components holds the page's parts, each a templ function of one plain
// struct. It knows nothing of HTTP, agents or logs, and trusts only HTML made by
// internal/markdown.
package components

import "github.com/a-h/templ"

// Assets are the URLs of the browser files. Missing is true in a binary built
// without them: every page is then its no-JavaScript form with a banner.
type Assets struct {
	Missing bool
	CSS     string
	// Theme is loaded first and blocks painting, so that the chosen colours are
	// there with the first pixel.
	Theme string
	// Scripts are loaded in order, deferred.
	Scripts []string
	// Fonts are preloaded woff2 files.
	Fonts []string
	// Icon is the SVG favicon.
	Icon string
}

// Shell is what every page of a demo shares.
type Shell struct {
	Title  string // document title, without the product name
	Crumb  string // what the header names after the demo: the conversation or the tab
	Assets Assets
	Demos  []DemoLink
	// Measured are the pages about the runtimes themselves.
	Measured []DemoLink
	// Current is the demo being shown.
	Current DemoLink
	Tabs    []TabLink
	// NewConversation is the URL of an empty Run tab of this demo.
	NewConversation string
	// Model is the badge text ("scripted model"), empty for none.
	Model string
	// Notice is a sentence above the page: why the agent cannot be reached, empty when it
	// can.
	Notice string
	// Stream is the URL of the thread's event stream, empty without a thread.
	Stream string
	// Live is the URL of the stream that keeps the list of conversations current on
	// a page without a Stream; a page has one of them at most.
	Live string
	// Threads are the session's conversations, nil where the page itself lists them.
	Threads *Threads
	// Deleted is the conversation that was just deleted.
	Deleted ThreadNotice
}

// DemoLink is one entry of the sidebar. Runtime is its second line.
type DemoLink struct {
	Name, Runtime, URL string
	Current            bool
}

// TabLink is one tab of a demo.
type TabLink struct {
	ID, Label, URL string // ID is "run" or "code"
	Current        bool
}

// RunPage is the Run tab.
type RunPage struct {
	Shell Shell
	Chat  Chat
	Panel Panel
}

// Panel is the shared-state column. Body is the demo's own component.
type Panel struct {
	// Heading is the column's label, e.g. "Shared state — packing list".
	Heading string
	// Summary is the one-line form shown on a phone, e.g. "Yosemite weekend · 4 items".
	Summary string
	// TestID is the body's data-testid, e.g. packing-state.
	TestID string
	// Updating is true while a run is changing the state and what is shown is the
	// last complete form of it.
	Updating bool
	// Differs is true when a change of the state could not be applied, so that the agent's
	// own may be another.
	Differs bool
	Body    templ.Component
	// Foot is small print under the body, e.g. "10 patches in this run"; may be empty.
	Foot string
}
