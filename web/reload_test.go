package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"cairn"

	"cairn/agentclient"
	"cairn/agui/sse"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/testall"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
	"cairn/internal/view"
	"cairn/internal/view/viewtest"
	"cairn/web"
)

const frameTime = 30 * time.Millisecond // and no change is due later

// Some events are not compared one by one, to limit the test's duration. RAW, half of
// LangGraph's events and never shown, is compared at every tenth event. The recordings
// of our own agents, which send the same as the real runtimes, at every third.
const rawEvery, ownEvery = 10, 3

// beside is what a stream keeps up to date beside the conversation.
var beside = regexp.MustCompile(`^#(thread-|crumb-name|page-title)`)

// desk is the app as a handler on a log in memory, twice: live keeps its views, and
// fresh folds the log anew for every page.
type desk struct {
	t           *testing.T
	log         threadlog.Log
	live, fresh http.Handler
	cookie      string
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, log: memory.New().Open()}
	t.Cleanup(func() { d.log.Close() })
	d.live, d.fresh = d.app(time.Hour), d.app(1) // a nanosecond
	return d
}

func (d *desk) app(linger time.Duration) http.Handler {
	hub := view.NewHub(view.Config{Log: d.log, Demos: demos.All(), URLs: web.URLs(), Logger: slog.New(slog.DiscardHandler), Linger: linger})
	d.t.Cleanup(hub.Close)
	app, err := web.New(web.Config{
		Log: d.log, Runner: &recorder{log: d.log}, Views: hub, Demos: demos.All(), Sources: cairn.Sources, Recordings: recordings(d.t),
		Static: http.NotFoundHandler(), Favicon: http.NotFound, Assets: components.Assets{Missing: true},
		Keys:  web.SessionKeys{Sign: bytes.Repeat([]byte("s"), 64), Encrypt: bytes.Repeat([]byte("e"), 32)},
		Reach: newReach(d.t), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return app
}

func (d *desk) request(ctx context.Context, method, path string, form url.Values) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Cookie", d.cookie)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (d *desk) do(to http.Handler, method, path string, form url.Values) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	to.ServeHTTP(w, d.request(d.t.Context(), method, path, form))
	return w
}

// line is the connection of an open stream: it keeps what was not yet read.
type line struct {
	header http.Header
	mu     sync.Mutex
	unread bytes.Buffer
}

func (l *line) Header() http.Header              { return l.header }
func (l *line) WriteHeader(int)                  {}
func (l *line) FlushError() error                { return nil }
func (l *line) SetWriteDeadline(time.Time) error { return nil }
func (l *line) Write(b []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unread.Write(b)
}

// tab is a page with its stream, on the live app.
type tab struct {
	viewtest.Page
	d     *desk
	line  *line
	leave context.CancelFunc
}

func (d *desk) tab(id string) *tab {
	ctx, leave := context.WithCancel(d.t.Context())
	tab := &tab{viewtest.New(), d, &line{header: http.Header{}}, leave}
	go d.live.ServeHTTP(tab.line, d.request(ctx, "GET", "/t/"+id+"/stream?pane=run", nil)) // until it leaves
	return tab
}

// read applies what has come.
func (tab *tab) read() {
	tab.d.t.Helper()
	synctest.Wait()
	tab.line.mu.Lock()
	defer tab.line.mu.Unlock()
	for r := sse.NewReader(&tab.line.unread, sse.Limits{}); ; {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			tab.d.t.Fatal(err)
		}
		if f.Event != "datastar-patch-elements" {
			continue
		}
		args, elements := map[string]string{}, []string{}
		for line := range strings.SplitSeq(f.Data, "\n") {
			name, value, _ := strings.Cut(line, " ")
			if args[name] = value; name == "elements" {
				elements = append(elements, value)
			}
		}
		if args["mode"] == "" {
			args["mode"] = "outer"
		}
		if tab.Find(strings.TrimPrefix(args["selector"], "#")) == nil && (beside.MatchString(args["selector"]) || args["selector"] == "#notice") {
			continue
		}
		if err := tab.Apply(args["selector"], args["mode"], strings.Join(elements, "\n")); err != nil {
			tab.d.t.Fatal(err)
		}
	}
}

// thread starts a thread in the demo, in a session of its own, and returns its id.
func (d *desk) thread(demo, name string) string {
	d.t.Helper()
	d.cookie = ""
	d.cookie = d.do(d.live, "GET", "/"+demo, nil).Header().Get("Set-Cookie")
	message := uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() // any id of the right form
	w := d.do(d.live, "POST", "/"+demo+"/messages", url.Values{"message_id": {message}, "text": {"please: " + name}})
	id, ok := strings.CutPrefix(w.Header().Get("Location"), "/"+demo+"/t/")
	if !ok {
		d.t.Fatalf("%d %.300s", w.Code, w.Body)
	}
	return id
}

// same holds the page that is loaded now, from the live view and folded from all
// rows, against the open tabs.
func (d *desk) same(path string, tabs ...*tab) {
	d.t.Helper()
	page := d.do(d.live, "GET", path, nil)
	if folded := d.do(d.fresh, "GET", path, nil); page.Code != http.StatusOK || folded.Body.String() != page.Body.String() {
		d.t.Fatalf("%d; a page folded from all rows differs: %s", page.Code, firstDifference(page.Body.String(), folded.Body.String()))
	}
	body := page.Body.String()
	from := strings.LastIndexByte(body[:strings.Index(body, `id="chat-items"`)], '<')
	want, err := viewtest.Parse(body[from:]) // without the sidebar
	if err != nil {
		d.t.Fatal(err)
	}
	shown := want.Shown()
	for i, tab := range tabs {
		tab.read()
		if got := tab.Shown(); got != shown {
			d.t.Fatalf("tab %d differs from a reload: %s", i, firstDifference(got, shown))
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w)) && g[i] == w[i] {
		i++
	}
	return fmt.Sprintf("line %d\ngot  %.400s\nwant %.400s", i+1, strings.Join(g[i:min(i+3, len(g))], "\n"), strings.Join(w[i:min(i+3, len(w))], "\n"))
}

// recordedRows are the rows of one recorded run, with its beginning and its end.
func recordedRows(t *testing.T, file, run string, reason agentclient.Reason) []threadlog.Row {
	t.Helper()
	body, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	rows := []threadlog.Row{thread.NewRow(threadlog.KindRun, run, agentclient.RunData{Reason: reason})}
	how := agentclient.OutcomeTruncated
	for r := sse.NewReader(body, sse.Limits{}); ; {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return append(rows, thread.NewRow(threadlog.KindEnd, run, agentclient.EndData{Outcome: how}))
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.Data, `"RUN_FINISHED"`) || strings.Contains(f.Data, `"RUN_ERROR"`) {
			how = agentclient.OutcomeFinished
		}
		rows = append(rows, thread.NewRow(threadlog.KindEvent, run, json.RawMessage(f.Data)))
	}
}

// TestReloadMatchesLivePage: for every committed recording, after each of
// its events, GET returns the page folded from the events so far, and the stream has
// turned an open tab into the same page. A tab that reconnects every few events shows
// it too. A decision comes after the question it answers.
func TestReloadMatchesLivePage(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/transcripts/*/recording.json")
	if err != nil || len(dirs) < 5 {
		t.Fatal("no recordings", err)
	}
	bySlug := map[string]demos.Demo{}
	for _, d := range demos.All() {
		bySlug[d.Slug] = d
	}
	for _, dir := range dirs {
		dir = filepath.Dir(dir)
		name := filepath.Base(dir)
		demo, ok := bySlug[strings.TrimSuffix(strings.TrimPrefix(name, "embedded-"), "-native")]
		if !ok {
			t.Errorf("%s is of no demo", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { replayAll(t, demo, dir) })
		})
	}
}

func replayAll(t *testing.T, demo demos.Demo, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	d := newDesk(t)
	var question []threadlog.Row // the last run that paused
	own := strings.HasPrefix(filepath.Base(dir), "embedded")
	events, compared := 0, 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		id := d.thread(demo.Slug, name)
		path, seq := "/"+demo.Slug+"/t/"+id, int64(1)
		t.Log(name) // shown only when it fails
		add := func(rows ...threadlog.Row) {
			t.Helper()
			if seq, err = d.log.Append(t.Context(), id, seq, rows...); err != nil {
				t.Fatal(err)
			}
		}
		reason := agentclient.ReasonMessage
		if strings.Contains(name, "-interrupts-approve") || strings.Contains(name, "-interrupts-decline") {
			add(question...)
			add(claim(t, d.log, demo, id, strings.Contains(name, "approve")))
			reason = agentclient.ReasonDecision
		}
		rows := recordedRows(t, file, "run-2", reason)
		steady, other := d.tab(id), d.tab(id) // the other connects again after every sixth comparison
		for i, row := range rows {
			add(row)
			events++
			if last := i == len(rows)-1; !last && (i%testall.Step(4) != 0 || own && i%ownEvery != 0 || strings.Contains(string(row.Data), `"type":"RAW"`) && i%rawEvery != 0) {
				continue
			}
			time.Sleep(frameTime) // the bubble's clock
			d.same(path, steady)
			if compared++; compared%6 == 0 {
				again := d.tab(id)
				d.same(path, other, again)
				other.leave()
				other = again
			}
		}
		steady.leave()
		other.leave()
		if strings.Contains(name, "-interrupts-ask") {
			question = recordedRows(t, file, "run-1", agentclient.ReasonMessage)
		}
	}
	t.Logf("%d events of %d runs, compared after %d of them", events, len(files), compared)
}

// claim decides the open question of a thread.
func claim(t *testing.T, log threadlog.Log, demo demos.Demo, id string, approved bool) threadlog.Row {
	t.Helper()
	folded, err := thread.Read(t.Context(), log, id, agentclient.SessionConfig{Transport: demo.Transport, Profile: demo.Profile})
	if err != nil {
		t.Fatal(err)
	}
	open := folded.Open()
	if open == nil {
		t.Fatal("nothing is asked")
	}
	return thread.NewRow(threadlog.KindClaim, "run-2", agentclient.ClaimData{Generation: open.Generation, Approved: approved, Resume: agentclient.Answer(open.Pending, approved)})
}
