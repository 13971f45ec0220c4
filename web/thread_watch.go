package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/view"
)

// listEvery is the shortest time between two readings of a list: a burst of changes
// costs one. The first change after a quiet moment is shown at once.
const listEvery = 250 * time.Millisecond

// listRetry is the time from a reading that failed to the next.
const listRetry = time.Second

// threadsChanged is sent after every change of the list, for the pages that show
// another part of it than the newest.
const threadsChanged = "threads"

// threadsWatch is the stream of a page without a conversation: the list alone.
func (s *Server) threadsWatch(c echo.Context) error {
	if s.owner(c) == "" {
		return refuse(http.StatusUnauthorized, "This browser has no session here. Open the start page first.")
	}
	return s.serveStream(c, nil, s.watchThreads(c, c.QueryParam("at"), false), s.watchReach(c.QueryParam("demo")))
}

// threadWatch keeps the list of one tab current. Its channels are nil until begin.
type threadWatch struct {
	server *Server
	query  threadQuery
	titled bool // the browser's tab has the name of the conversation

	wakes <-chan struct{}
	due   <-chan time.Time // set while a reading is owed
	last  time.Time        // the latest reading

	shown struct {
		rows         []shownRow
		title, older string
		any          bool
	}
}

// shownRow is a row as the tab has it. Every open tab keeps all of its rows, so of
// the markup it keeps the sum.
type shownRow struct {
	id  string
	sum [sha256.Size]byte
}

func (s *Server) watchThreads(c echo.Context, at string, titled bool) *threadWatch {
	return &threadWatch{server: s, query: s.threadQuery(c, at), titled: titled}
}

// begin watches until ctx ends. The whole list is due at once.
func (w *threadWatch) begin(ctx context.Context) {
	if w.wakes == nil {
		w.wakes = w.server.Log.Watch(ctx, w.query.owner)
	}
}

// woken notes that something changed.
func (w *threadWatch) woken() {
	if w.due == nil {
		w.due = time.After(max(0, listEvery-time.Since(w.last)))
	}
}

// again tries a reading that failed once more, after a while.
func (w *threadWatch) again() { w.due = time.After(listRetry) }

// midnight is when the words for today's moments stop being true.
func (w *threadWatch) midnight() time.Duration {
	now := time.Now().In(w.query.zone)
	y, m, d := now.Date()
	return time.Date(y, m, d+1, 0, 0, 1, 0, w.query.zone).Sub(now)
}

// frame reads the list and returns its changes: the rows that changed, or the whole
// list when rows were added, removed or moved.
func (w *threadWatch) frame(ctx context.Context) (view.Frame, error) {
	w.due, w.last = nil, time.Now()
	list, err := w.server.threads(ctx, w.query)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	rows := make([]shownRow, len(list.Rows))
	var f view.Frame
	same := w.shown.any && len(rows) == len(w.shown.rows) && list.Older == w.shown.older
	for i, r := range list.Rows {
		html, err := markup(ctx, components.ThreadRowView(r))
		if err != nil {
			return nil, err
		}
		rows[i] = shownRow{r.ID, sha256.Sum256([]byte(html))}
		if same = same && rows[i].id == w.shown.rows[i].id; same && rows[i] != w.shown.rows[i] {
			f = append(f, view.Patch{Selector: "#thread-" + r.ID, Mode: view.ModeOuter, HTML: html})
		}
	}
	if !same {
		html, err := markup(ctx, components.ThreadListView(list))
		if err != nil {
			return nil, err
		}
		// A search or a later page stands in the same place and stays.
		f = view.Frame{{Selector: `#thread-items[data-url=""]`, Mode: view.ModeOuter, HTML: html}}
	}
	w.shown.rows, w.shown.older, w.shown.any = rows, list.Older, true
	return w.name(ctx, list, f)
}

// name adds what else on the page names the conversation.
func (w *threadWatch) name(ctx context.Context, list components.ThreadList, f view.Frame) (view.Frame, error) {
	for _, r := range list.Rows {
		if !r.Current || r.Title == w.shown.title {
			continue
		}
		w.shown.title = r.Title
		names := map[string]templ.Component{"#crumb-name": components.CrumbName(r.Title)}
		if w.titled {
			names["#page-title"] = components.PageTitle(r.Title)
		}
		for selector, part := range names {
			html, err := markup(ctx, part)
			if err != nil {
				return nil, err
			}
			f = append(f, view.Patch{Selector: selector, Mode: view.ModeOuter, HTML: html})
		}
	}
	return f, nil
}

func markup(ctx context.Context, part templ.Component) (string, error) {
	var b bytes.Buffer
	if err := part.Render(ctx, &b); err != nil {
		return "", fmt.Errorf("render: %w", err)
	}
	return b.String(), nil
}
