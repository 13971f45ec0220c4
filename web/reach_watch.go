package web

import (
	"context"

	"cairn/components"
	"cairn/internal/view"
)

// reachWatch keeps a tab's word on its demo's agent current. Its channel is nil until
// begin, and for a page of no demo.
type reachWatch struct {
	server *Server
	demo   string

	changed <-chan struct{}
	shown   string
	any     bool
}

func (s *Server) watchReach(demo string) *reachWatch { return &reachWatch{server: s, demo: demo} }

// begin watches. What is known now is due at once: the page may be older.
func (w *reachWatch) begin() {
	if _, known := w.server.demos[w.demo]; known && w.changed == nil {
		due := make(chan struct{})
		close(due)
		w.changed = due
	}
}

// frame is what is new since the last one, nothing when the change was another demo's.
func (w *reachWatch) frame(ctx context.Context) (view.Frame, error) {
	w.changed = w.server.Reach.Changed()
	now := w.server.notice(w.demo)
	if w.any && now == w.shown {
		return nil, nil
	}
	w.shown, w.any = now, true
	html, err := markup(ctx, components.NoticeView(now))
	if err != nil {
		return nil, err
	}
	return view.Frame{{Selector: "#notice", Mode: view.ModeOuter, HTML: html}}, nil
}
