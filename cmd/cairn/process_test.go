package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"cairn/agui"
	"cairn/agui/sse"
)

// TestMain lets this binary also be the program, in a process that a test kills.
func TestMain(m *testing.M) {
	if args := os.Getenv("CAIRN_TEST_ARGS"); args != "" {
		os.Unsetenv("CAIRN_TEST_ARGS")
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		go func() { // ends with the test, also when that is killed
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(2)
		}()
		main()
	}
	os.Exit(m.Run())
}

// process is a `cairn` of its own.
type process struct {
	*exec.Cmd
	url string
}

// spawn starts one and waits until it says where it is.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), "CAIRN_TEST_ARGS="+strings.Join(args, "\n"))
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.StdinPipe(); err != nil { // open as long as this process lives
		t.Fatal(err)
	}
	var said strings.Builder
	p.Stderr = &said // read when the process has ended
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.kill(t)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if p.url = address.FindString(strings.TrimSpace(line)); p.url == "" {
		_ = p.Wait()
		t.Fatalf("%v %q %s", err, line, said.String())
	}
	return p
}

// kill ends it without a word.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // it was killed
}

// ahead is how many words an agent says before a tab has shown them.
const ahead = 20

// words is an agent that says numbered words as fast as a tab shows them, and no end,
// until its request is over.
type words struct {
	*httptest.Server
	goOn chan struct{} // each answer begins when told to
	asks chan struct{} // a request has come
	over chan struct{} // and is over
	ends bool          // an answer ends

	mu      sync.Mutex
	more    sync.Cond
	shown   int           // words that the tab has
	at      int           // the word that is waited for
	reached chan struct{} // closed there
	n       int           // words of an answer; then it is silent, or ends
}

func newWords(t *testing.T, n int) *words {
	a := &words{n: n, goOn: make(chan struct{}), asks: make(chan struct{}, 100), over: make(chan struct{}, 100)}
	a.more.L = &a.mu
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

// word returns a channel that is closed when the next answer has come to word k.
func (a *words) word(k int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown, a.at, a.reached = 0, k, make(chan struct{})
	return a.reached
}

// show says that the tab has the words up to k.
func (a *words) show(k int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown = max(a.shown, k)
	a.more.Broadcast()
}

// pace waits until word i may be said.
func (a *words) pace(ctx context.Context, i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer context.AfterFunc(ctx, func() { a.show(0) })() // wakes it
	for i > a.shown+ahead && ctx.Err() == nil {
		a.more.Wait()
	}
	if i == a.at {
		close(a.reached)
	}
}

func (a *words) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		return // it is asked whether it can be reached
	}
	var in agui.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.asks <- struct{}{}
	defer func() { a.over <- struct{}{} }()
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		_ = http.NewResponseController(w).Flush()
	}
	say(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
	select {
	case <-a.goOn:
	case <-r.Context().Done():
		return
	}
	for i := 1; i <= a.n && r.Context().Err() == nil; i++ {
		a.pace(r.Context(), i)
		say(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a-%s","role":"assistant","delta":"%s "}`, in.RunID, word(i))
	}
	if a.ends {
		say(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
		return
	}
	<-r.Context().Done()
}

// word is one that nothing else on a page looks like.
func word(i int) string { return fmt.Sprintf("zq%dq", i) }

// stream opens the thread's stream as a tab does.
func (v *visitor) stream(ctx context.Context, path string) *sse.Reader {
	v.t.Helper()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, v.base+"/t/"+strings.TrimPrefix(path, "/mastra/t/")+"/stream?pane=run", nil)
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { res.Body.Close() })
	return sse.NewReader(res.Body, sse.Limits{})
}
