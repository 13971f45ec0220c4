package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"cairn"
	"cairn/agentclient"
	"cairn/agui"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/runner"
	"cairn/internal/thread"
	"cairn/internal/threadlog/sqlite"
	"cairn/internal/view"
	"cairn/web"
)

// stage is the whole app in this process: an agent behind HTTP, the runner, the log
// on a disk, the views and the web app, all over loopback. Those who measure share
// the processors with it.
type stage struct {
	log    *sqlite.Log
	runs   *runner.Runner
	views  *view.Hub
	app    *httptest.Server
	agent  *httptest.Server
	played sync.Map // what the agent plays, by thread id
}

// part is what the agent does for one thread.
type part func(say func(event string) error)

func newStage(ctx context.Context, dir string) (*stage, error) {
	log, err := sqlite.Open(ctx, filepath.Join(dir, "threads.db"))
	if err != nil {
		return nil, err
	}
	s := &stage{log: log}
	s.agent = httptest.NewServer(http.HandlerFunc(s.serveAgent))
	client, err := agentclient.New(agentclient.Config{URL: s.agent.URL, HTTPClient: &http.Client{Transport: &http.Transport{}}})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	d := demos.Mastra()
	quiet := slog.New(slog.DiscardHandler)
	agents := map[string]runner.Upstream{d.Slug: {Agent: client, Transport: d.Transport, Profile: d.Profile}}
	threads := thread.NewKeeper(thread.Config{
		Log: log, Logger: quiet, Session: runner.Sessions(agents), Attach: view.Panels([]demos.Demo{d}, quiet),
	})
	s.runs = runner.New(log, agents, quiet, runner.Threads(threads))
	s.views = view.NewHub(view.Config{Log: log, Threads: threads, Demos: []demos.Demo{d}, URLs: web.URLs(), Logger: quiet, Linger: time.Second})
	recordings, err := cairn.Transcripts()
	if err != nil {
		return nil, err
	}
	app, err := web.New(web.Config{
		Log: log, Runner: s.runs, Views: s.views, Demos: []demos.Demo{d}, Sources: cairn.Sources, Recordings: recordings,
		Static: http.NotFoundHandler(), Favicon: http.NotFound, Assets: components.Assets{Missing: true},
		Keys: web.SessionKeys{Sign: make([]byte, 64), Encrypt: make([]byte, 32)}, Reach: reached{}, Logger: quiet,
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.app = httptest.NewServer(app)
	return s, nil
}

// reached says that every agent can be connected to.
type reached struct{}

func (reached) Why(string) string         { return "" }
func (reached) States() map[string]string { return nil }
func (reached) Changed() <-chan struct{}  { return nil }

func (s *stage) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var errs []error
	if s.runs != nil {
		errs = append(errs, s.runs.Close(ctx))
	}
	if s.views != nil {
		s.views.Close()
	}
	if s.app != nil {
		s.app.CloseClientConnections()
		s.app.Close()
	}
	s.agent.CloseClientConnections()
	s.agent.Close()
	return errors.Join(append(errs, s.log.Close())...)
}

// serveAgent plays the part that belongs to the text of the last message.
func (s *stage) serveAgent(w http.ResponseWriter, r *http.Request) {
	var in agui.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	play, ok := s.played.Load(in.Messages[len(in.Messages)-1].Content.Text())
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	say := func(event string) error {
		if _, err := io.WriteString(w, "data: "+event+"\n\n"); err != nil {
			return err
		}
		return out.Flush()
	}
	if say(started) != nil {
		return
	}
	play.(part)(say)
	_ = say(finished) // the runner notices when it does not arrive
}

// visitor is a browser with a conversation.
type visitor struct {
	stage  *stage
	jar    http.CookieJar
	thread string
}

var messageID = regexp.MustCompile(`name="message_id" value="([^"]+)"`)

// visit starts a conversation with that message, which the agent answers with play.
func (s *stage) visit(message string, play part) (*visitor, error) {
	s.played.Store(message, play)
	jar, _ := cookiejar.New(nil) // returns no error
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := c.Get(s.app.URL + "/mastra")
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(page.Body)
	_ = page.Body.Close() // it was read
	id := messageID.FindSubmatch(body)
	if err != nil || id == nil {
		return nil, errors.Join(err, errors.New("a page without a form"))
	}
	sent, err := c.PostForm(s.app.URL+"/mastra/messages", url.Values{"message_id": {string(id[1])}, "text": {message}})
	if err != nil {
		return nil, err
	}
	_ = sent.Body.Close() // it is empty
	_, thread, ok := strings.Cut(sent.Header.Get("Location"), "/t/")
	if !ok {
		return nil, fmt.Errorf("status %d for a message", sent.StatusCode)
	}
	return &visitor{s, jar, thread}, nil
}

// dial asks for the stream over a connection of its own.
func (v *visitor) dial(ctx context.Context) (net.Conn, error) {
	req, err := http.NewRequest(http.MethodGet, v.stage.app.URL+"/t/"+v.thread+"/stream?pane=run", nil)
	if err != nil {
		return nil, err
	}
	for _, c := range v.jar.Cookies(req.URL) {
		req.AddCookie(c)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return nil, err
	}
	return conn, req.Write(conn)
}

// open returns the lines of the stream.
func (v *visitor) open(ctx context.Context) (*bufio.Reader, io.Closer, error) {
	conn, err := v.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d for a stream", res.StatusCode)
	}
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return bufio.NewReader(res.Body), conn, nil
}
