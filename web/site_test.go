package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn"

	"cairn/agentclient"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/reach"
	"cairn/internal/runner"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/sqlite"
	"cairn/internal/view"
	"cairn/web"
)

// site is the app with a runner that only records.
type site struct {
	*httptest.Server
	t      *testing.T
	log    threadlog.Log
	hub    *view.Hub
	runner *recorder
	reach  *reach.Checker
}

// newReach knows the one agent; nobody checks, runs report.
// recordings are what the binary embeds.
func recordings(t *testing.T) fs.FS {
	t.Helper()
	files, err := cairn.Transcripts()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func newReach(t *testing.T) *reach.Checker {
	t.Helper()
	c, err := reach.New(map[string]string{"mastra": "http://agent.test/"})
	if err != nil {
		t.Fatal(err)
	}
	c.Report("mastra", nil)
	return c
}

// without is the demo that has no agent here.
const without = "strands"

type recorder struct {
	mu    sync.Mutex
	calls []string
	err   error
	log   threadlog.Log
}

func (r *recorder) note(call string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.calls = append(r.calls, call)
	}
	return r.err
}

func (r *recorder) Send(ctx context.Context, th, id, text string) error {
	if err := r.note("send " + id); err != nil {
		return err
	}
	_, err := r.log.Append(ctx, th, 0, thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: id, Text: text}))
	if errors.Is(err, threadlog.ErrConflict) {
		return nil
	}
	return err
}

func (r *recorder) Decide(_ context.Context, _ string, _ int, each []runner.Verdict) error {
	call := "decide"
	for _, v := range each {
		call += " " + string(v.Answer)
	}
	return r.note(call)
}
func (r *recorder) Retry(_ context.Context, _ string, failure int64) error {
	return r.note(fmt.Sprint("retry", failure))
}
func (r *recorder) Regenerate(_ context.Context, _, run string) error {
	return r.note("regenerate " + run)
}
func (r *recorder) Closing() bool { return errors.Is(r.err, runner.ErrClosing) }
func (r *recorder) Stop(ctx context.Context, th string) error {
	if _, err := r.log.Thread(ctx, th); errors.Is(err, threadlog.ErrNotFound) {
		return r.note("stop deleted")
	}
	return r.note("stop")
}

func newSite(t *testing.T) *site {
	return newSiteOn(t, func(l threadlog.Log) threadlog.Log { return l })
}

func newSiteOn(t *testing.T, wrap func(threadlog.Log) threadlog.Log) *site {
	t.Helper()
	dir := t.TempDir()
	file, err := sqlite.Open(t.Context(), filepath.Join(dir, "threads.db"))
	if err != nil {
		t.Fatal(err)
	}
	log := wrap(file)
	keys, err := web.LoadKeys(filepath.Join(dir, "session.key"))
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{log: log}
	hub := view.NewHub(view.Config{Log: log, Demos: demos.All(), URLs: web.URLs(), Logger: slog.New(slog.DiscardHandler), Linger: time.Minute})
	reach := newReach(t)
	app, err := web.New(web.Config{
		Log: log, Runner: rec, Views: hub, Demos: slices.DeleteFunc(demos.All(), func(d demos.Demo) bool { return d.Slug == without }), Sources: cairn.Sources, Recordings: recordings(t),
		Static: http.NotFoundHandler(), Favicon: http.NotFound, Assets: components.Assets{Missing: true}, Keys: keys,
		Models: map[string]string{"mastra": "scripted model"}, Reach: reach, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(app)
	t.Cleanup(func() { hub.Close(); srv.Close(); log.Close() })
	return &site{srv, t, log, hub, rec, reach}
}

// browser is a client with its own cookies that does not follow redirects.
type browser struct {
	*site
	client *http.Client
}

func (s *site) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

type answer struct {
	*http.Response
	body string
}

func (b *browser) do(method, path string, form url.Values, header ...string) answer {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.URL+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res, string(data)}
}

var mintedID = regexp.MustCompile(`name="message_id" value="([^"]+)"`)

// open is a new conversation's page and the message id of its form.
func (b *browser) open() (id string) {
	b.t.Helper()
	a := b.do("GET", "/mastra", nil)
	m := mintedID.FindStringSubmatch(a.body)
	if a.StatusCode != http.StatusOK || m == nil {
		b.t.Fatalf("status %d, body %.300s", a.StatusCode, a.body)
	}
	return m[1]
}

// start creates a thread and returns its path under /mastra.
func (b *browser) start(text string) (path string) { b.t.Helper(); return b.startIn("mastra", text) }

func (b *browser) startIn(demo, text string) (path string) {
	b.t.Helper()
	a := b.do("POST", "/"+demo+"/messages", url.Values{"message_id": {b.open()}, "text": {text}})
	if a.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("status %d: %.300s", a.StatusCode, a.body)
	}
	return a.Header.Get("Location")
}
