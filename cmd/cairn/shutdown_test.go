package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

// term asks the process to stop.
func (p *process) term(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// ended waits until it has, and returns its exit code.
func (p *process) ended(t *testing.T) int {
	t.Helper()
	_ = p.Wait() // the code says it
	return p.ProcessState.ExitCode()
}

// refusal posts a message as a script does until the server says that it is stopping;
// what it said before that does not matter.
func (v *visitor) refusal(path string) string {
	v.t.Helper()
	id := messageID.FindStringSubmatch(v.get("/mastra"))[1]
	for {
		req, _ := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(url.Values{"message_id": {id}, "text": {"Hello"}}.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("HX-Request", "true")
		res, err := v.client.Do(req)
		if err != nil {
			v.t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode == http.StatusServiceUnavailable {
			return string(body)
		}
	}
}

// TestStoppingLetsRunsEnd: a server that is asked to stop takes no new run, lets the one
// that goes on end, with its page up, then ends its pages' streams and itself.
func TestStoppingLetsRunsEnd(t *testing.T) {
	agent := newWords(t, 40)
	agent.ends = true
	data := t.TempDir()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data", data, "--agent-url", agent.URL, "--grace", "1m"}
	jar, _ := cookiejar.New(nil)
	server := spawn(t, args...)
	v := visit(t, server.url, jar)
	path := v.say("/mastra", "Count")
	tab := v.stream(t.Context(), path)
	server.term(t)
	other := strings.Replace(path, "/mastra/t/", "/t/", 1) + "/messages"
	if said := v.refusal(other); !strings.Contains(said, "stopping") || strings.Contains(said, "<") {
		t.Errorf("a new run is refused with %q", said)
	}
	if page := v.get(path); !strings.Contains(page, `data-testid="stop"`) {
		t.Fatal("the run does not go on")
	}
	agent.show(40)
	agent.goOn <- struct{}{}
	var last string
	for {
		f, err := tab.Next()
		if err == io.EOF {
			break // the stream was ended, not cut
		}
		if err != nil {
			t.Fatal(err)
		}
		last += f.Data
	}
	if !strings.Contains(last, word(40)) || !strings.Contains(last, `data-testid="send"`) {
		t.Error("the open page was not shown the end of the run")
	}
	if code := server.ended(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	page := visit(t, spawn(t, args...).url, jar).get(path)
	if !strings.Contains(page, word(40)) || strings.Contains(page, `data-testid="run-error"`) {
		t.Error("the run did not end well")
	}
}

// TestStoppingEndsRunsThatGoOn: after their time they end as what they are, ended by
// the server, with their text kept and a retry. Open pages see that, and are not waited
// for.
func TestStoppingEndsRunsThatGoOn(t *testing.T) {
	agent := newWords(t, 5)
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--agent-url", agent.URL, "--grace", "0s"}
	jar, _ := cookiejar.New(nil)
	server := spawn(t, args...)
	v := visit(t, server.url, jar)
	path := v.say("/mastra", "Count")
	agent.goOn <- struct{}{}
	v.until(path, word(5))
	const why = "This server was stopped while the agent was working."
	tab := v.stream(t.Context(), path)
	if _, err := tab.Next(); err != nil {
		t.Fatal(err)
	}
	asked := time.Now()
	server.term(t)
	told := false
	for {
		f, err := tab.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		told = told || strings.Contains(f.Data, why)
	}
	if !told {
		t.Error("the open page was not told how its run ended")
	}
	if code := server.ended(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(asked); took >= stopWait {
		t.Errorf("it stopped after %v", took)
	}
	page := visit(t, spawn(t, args...).url, jar).get(path)
	for _, want := range []string{word(5), `data-testid="run-error"`, why, `data-testid="retry"`} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page has %d times %q", strings.Count(page, want), want)
		}
	}
}

// TestStopFromAnotherTab: also when the tab that asked is gone, and before the agent
// has said anything.
func TestStopFromAnotherTab(t *testing.T) {
	agent := newWords(t, 100)
	v := visit(t, address.FindString(start(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--agent-url", agent.URL)), nil)
	v.client.Jar, _ = cookiejar.New(nil)
	for _, speaks := range []bool{false, true} {
		path := v.say("/mastra", "Count")
		<-agent.asks
		if speaks {
			agent.goOn <- struct{}{}
			v.until(path, word(1)) // and closes its stream
		}
		other := visit(t, v.base, v.client.Jar)
		other.post(strings.Replace(path, "/mastra/t/", "/t/", 1)+"/stop", url.Values{})
		<-agent.over // its request was closed, or this test never ends
		page := other.get(path)
		if strings.Contains(page, `data-testid="stop"`) || strings.Contains(page, `data-testid="run-error"`) {
			t.Error("the run did not end as stopped")
		}
		if speaks != strings.Contains(page, word(1)) {
			t.Error("the text was not kept")
		}
	}
}
