package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cairn/agui"
)

// asker is an agent that asks before it acts. It counts the decisions it is sent and
// does not answer the first.
type asker struct {
	*httptest.Server
	decisions atomic.Int32
	decided   chan struct{} // the first is here
}

func newAsker(t *testing.T) *asker {
	a := &asker{decided: make(chan struct{})}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *asker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		return // it is asked whether it can be reached
	}
	var in agui.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	decides := strings.Contains(string(in.ForwardedProps), `"resume"`)
	if decides && a.decisions.Add(1) == 1 {
		close(a.decided)
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(format string, args ...any) { fmt.Fprintf(w, "data: "+format+"\n\n", args...) }
	say(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
	if decides {
		say(`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"m","content":"\"Reserved. Confirmation TP-0288.\"","role":"tool"}`)
		say(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID)
		return
	}
	notice, _ := json.Marshal(fmt.Sprintf(`{"type":"mastra_suspend","toolCallId":"c","toolName":"reserve_campsite","suspendPayload":{"site":"North Pines","nights":2,"total_usd":90},"args":{},"runId":%q}`, in.RunID))
	say(`{"type":"CUSTOM","name":"on_interrupt","value":%s}`, notice)
	say(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"mastra:tool_suspend","toolCallId":"c"}]}}`, in.ThreadID, in.RunID)
}

// race posts the form as n scripts at once, from two tabs, and counts what was taken
// and what was refused as too late.
func race(t *testing.T, n int, tabs [2]*visitor, path string, form func(i int) url.Values) (taken, late int) {
	t.Helper()
	var racers sync.WaitGroup
	var all [600]atomic.Int32 // by status
	begin := make(chan struct{})
	for i := range n {
		racers.Go(func() {
			v := tabs[i%2]
			req, err := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(form(i).Encode()))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("HX-Request", "true")
			<-begin
			res, err := v.client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			all[res.StatusCode].Add(1)
		})
	}
	close(begin)
	racers.Wait()
	taken, late = int(all[http.StatusNoContent].Load()), int(all[http.StatusConflict].Load())
	if taken+late != n {
		t.Errorf("%s: %d taken and %d late of %d", path, taken, late, n)
	}
	return taken, late
}

var retryURL = regexp.MustCompile(`action="(/t/[^"]+/retry[^"]*)"`)

// TestADecisionLeavesOnce: of fifty clicks in two tabs one is taken. The server is
// killed before the agent has answered; after that nothing leaves by itself or by the
// same clicks, and of many who choose to send it again one does.
func TestADecisionLeavesOnce(t *testing.T) {
	agent := newAsker(t)
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--agent-url", agent.URL}
	jar, _ := cookiejar.New(nil)
	server := spawn(t, args...)
	tabs := func() [2]*visitor { return [2]*visitor{visit(t, server.url, jar), visit(t, server.url, jar)} }
	two := tabs()
	path := two[0].say("/mastra", "Reserve")
	two[0].until(path, `data-phase="pending"`)
	action := decideURL.FindStringSubmatch(two[1].get(path))[1]
	click := func(i int) url.Values {
		return url.Values{"decision": {map[bool]string{true: "approve", false: "cancel"}[i%3 == 0]}}
	}
	if taken, _ := race(t, 50, two, action, click); taken != 1 {
		t.Errorf("%d of 50 clicks were taken", taken)
	}
	<-agent.decided
	server.kill(t)
	server = spawn(t, args...)
	two = tabs()
	page := two[0].get(path)
	for _, want := range []string{`data-phase="uncertain"`, "Check that first", "start over"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if taken, _ := race(t, 10, two, action, click); taken != 0 {
		t.Errorf("%d more clicks were taken", taken)
	}
	if n := agent.decisions.Load(); n != 1 {
		t.Fatalf("the agent was sent %d decisions", n)
	}
	retry := html.UnescapeString(retryURL.FindStringSubmatch(page)[1])
	if taken, _ := race(t, 10, two, retry, func(int) url.Values { return nil }); taken != 1 {
		t.Errorf("%d of 10 retries were taken", taken)
	}
	two[0].until(path, `data-testid="send"`)
	if n := agent.decisions.Load(); n != 2 {
		t.Errorf("the agent was sent %d decisions", n)
	}
}
