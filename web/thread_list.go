package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/plaintext"
	"cairn/internal/threadlog"
)

const (
	threadsURL = "/threads"
	// threadsPerPage is how many conversations a list shows at once, whatever there
	// are.
	threadsPerPage = 50
	// maxThreadsPage bounds what is read to find a page.
	maxThreadsPage = 1000
	// zoneCookie holds the browser's offset from UTC in minutes; see js/threads.js.
	zoneCookie = "tz"
)

// threadQuery asks for a page of an owner's conversations.
type threadQuery struct {
	owner, words string
	page         int    // from 1
	at           string // the conversation that is shown, which is marked and always listed
	zone         *time.Location
}

// threadList is the list as a page of its own, which needs no script. A script
// gets the list alone: it searches so, beside whatever page is shown.
func (s *Server) threadList(c echo.Context) error {
	if _, err := s.ensureOwner(c); err != nil {
		return err
	}
	q := s.threadQuery(c, c.QueryParam("at"))
	q.words = plaintext.Line(c.QueryParam("q"), components.MaxThreadTitle+1)
	if utf8.RuneCountInString(q.words) > components.MaxThreadTitle {
		return refuse(http.StatusBadRequest, "That is too long to search for.")
	}
	if n, err := strconv.Atoi(c.QueryParam("page")); err == nil {
		q.page = min(max(n, 1), maxThreadsPage)
	}
	list, err := s.threads(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if scripted(c) {
		return s.page(c, http.StatusOK, components.ThreadListView(list))
	}
	p := components.ThreadsPage{Threads: components.Threads{Search: threadsURL, At: q.at, List: list}}
	p.Shell = s.bareShell(c, threadsURL, "Conversations")
	p.Shell.Threads = nil
	return s.page(c, http.StatusOK, components.ThreadsPageView(p))
}

func (s *Server) threadQuery(c echo.Context, at string) threadQuery {
	return threadQuery{owner: s.owner(c), page: 1, at: at, zone: zone(c)}
}

// sidebarThreads is the list beside every page. That it cannot be read is no reason
// to refuse the page.
func (s *Server) sidebarThreads(c echo.Context, at string) *components.Threads {
	list, err := s.threads(c.Request().Context(), s.threadQuery(c, at))
	if err != nil {
		if c.Request().Context().Err() == nil {
			s.Logger.Error("list conversations", "err", err)
		}
		list = components.ThreadList{Failed: true}
	}
	return &components.Threads{Search: threadsURL, At: at, List: list}
}

// threads reads one page of an owner's conversations; without an owner there are
// none.
func (s *Server) threads(ctx context.Context, q threadQuery) (components.ThreadList, error) {
	list := components.ThreadList{Query: q.words, URL: q.url(q.page)}
	if q.owner == "" {
		return list, nil
	}
	end := q.page * threadsPerPage
	all, err := s.Log.Threads(ctx, q.owner, q.words, end+1)
	if err != nil {
		return list, err
	}
	if q.page > 1 {
		list.Newer = threadsURL
		if u := q.url(q.page - 1); u != "" {
			list.Newer = u
		}
	}
	if len(all) > end {
		all, list.Older = all[:end], q.url(q.page+1)
	}
	now, open := time.Now(), q.at == "" || list.URL != ""
	for _, t := range all[min(len(all), end-threadsPerPage):] {
		open = open || t.ID == q.at
		if t.LastSeq > 0 { // its first message was taken
			list.Rows = append(list.Rows, s.threadRow(t, q, now))
		}
	}
	if !open {
		t, err := s.Log.Thread(ctx, q.at)
		if err == nil && t.Owner == q.owner && t.LastSeq > 0 {
			list.Rows = append(list.Rows, s.threadRow(t, q, now))
		}
	}
	return list, nil
}

// url returns the URL of a page of the same list, empty for the newest conversations.
func (q threadQuery) url(page int) string {
	v := url.Values{}
	if q.words != "" {
		v.Set("q", q.words)
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return ""
	}
	if q.at != "" {
		v.Set("at", q.at)
	}
	return threadsURL + "?" + v.Encode()
}

func (s *Server) threadRow(t threadlog.Thread, q threadQuery, now time.Time) components.ThreadRow {
	r := components.ThreadRow{
		ID: t.ID, URL: demoURL(t.Demo, t.ID), Title: plaintext.Line(t.Title, components.MaxThreadTitle), Demo: s.demoName(t.Demo), Status: t.Status,
		Moment: t.UpdatedAt.Format(time.RFC3339), When: when(t.UpdatedAt, now, q.zone), Current: t.ID == q.at,
		Rename: threadURL(t.ID, "rename"), Delete: threadURL(t.ID, "delete"),
	}
	if t.Running {
		r.Status = "running" // whatever an older version of this program wrote
	}
	return r
}

func (s *Server) demoName(slug string) string {
	if d, ok := s.demos[slug]; ok {
		return d.Name
	}
	for _, d := range demos.All() { // one that has no agent here today
		if d.Slug == slug {
			return d.Name
		}
	}
	return slug
}

// when words a moment so that it stays true for the rest of the day.
func when(t, now time.Time, zone *time.Location) string {
	t, now = t.In(zone), now.In(zone)
	switch {
	case t.Year() != now.Year():
		return t.Format("2 Jan 2006")
	case t.YearDay() != now.YearDay():
		return t.Format("2 Jan")
	}
	return t.Format("15:04")
}

// zone returns the browser's time zone when its cookie has one, else the server's.
func zone(c echo.Context) *time.Location {
	const widest = 14 * 60 // minutes
	if k, err := c.Cookie(zoneCookie); err == nil {
		if m, err := strconv.Atoi(k.Value); err == nil && -widest <= m && m <= widest {
			return time.FixedZone("", m*60)
		}
	}
	return time.Local
}
