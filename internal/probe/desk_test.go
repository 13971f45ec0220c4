package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/agentclient/agenttest"
	"cairn/agui"
)

const secret = "s3cr3t<token>"

// desk is an agent for these tests. It does what a careful agent does, but for
// its faults.
type desk struct {
	t *testing.T
	// faults: "wrong id", "again", "forgets", "unasked", "silent", "legacy", "both at
	// once", "holds", "echo".
	faults []string

	mu       sync.Mutex
	requests []agui.RunAgentInput // that were authorized and valid
	seen     int
	pending  map[string]string          // question by thread
	done     map[string]bool            // questions
	busy     map[string]context.Context // of the run on a thread
}

func newDesk(t *testing.T, faults ...string) *desk {
	return &desk{t: t, faults: faults, pending: map[string]string{}, done: map[string]bool{}, busy: map[string]context.Context{}}
}

func (d *desk) has(fault string) bool { return slices.Contains(d.faults, fault) }

// config probes the desk without a network.
func (d *desk) config(s Scenario) Config {
	return Config{
		URL: "http://desk.test/agent/desk?key=hidden", Token: secret, Scenario: s,
		HTTPClient: &http.Client{Transport: agenttest.InProcess(d)},
	}
}

// deskScenario is a scenario for it.
func deskScenario(t *testing.T) Scenario {
	t.Helper()
	s, err := ParseScenario([]byte(`{"name":"desk","transport":"protocol","messages":["hello","thanks"],"tools":"look",
		"state":["list"],"interrupts":{"prompt":"book","approve":{"approved":true},"decline":{"approved":false},"done":"Booked"},
		"subagents":"delegate","errors":"break","long":"long"}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.seen++
	d.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	refuse := func(status int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"detail":%q}`, r.Header.Get("X-Internal-Token"))
	}
	if r.Header.Get("X-Internal-Token") != secret {
		refuse(http.StatusUnauthorized)
		return
	}
	var in agui.RunAgentInput
	if err := json.Unmarshal(body, &in); err != nil || in.ThreadID == "" || in.Messages == nil {
		refuse(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &deskRun{desk: d, in: in, w: w, r: r}
	out.event("RUN_STARTED", "threadId", in.ThreadID, "runId", in.RunID)
	out.answer()
}

type deskRun struct {
	*desk
	in agui.RunAgentInput
	w  http.ResponseWriter
	r  *http.Request
}

func (d *deskRun) event(kind string, pairs ...any) bool {
	ev := map[string]any{"type": kind}
	for i := 0; i < len(pairs); i += 2 {
		ev[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(ev)
	if err != nil {
		d.t.Error(err)
	}
	if _, err := fmt.Fprintf(d.w, "data: %s\n\n", raw); err != nil {
		return false
	}
	return http.NewResponseController(d.w).Flush() == nil && d.r.Context().Err() == nil
}

func (d *deskRun) say(words ...string) bool {
	for _, word := range words {
		if !d.event("TEXT_MESSAGE_CHUNK", "messageId", "m-"+d.in.RunID, "role", "assistant", "delta", word+" ") {
			return false
		}
	}
	return true
}

func (d *deskRun) end(pairs ...any) {
	d.event("RUN_FINISHED", append([]any{"threadId", d.in.ThreadID, "runId", d.in.RunID}, pairs...)...)
}

func (d *deskRun) fail(message string) { d.event("RUN_ERROR", "message", message) }

// last is the user's last message.
func (d *deskRun) last() string {
	for _, m := range slices.Backward(d.in.Messages) {
		if m.Role == agui.RoleUser {
			return m.Content.Text()
		}
	}
	return ""
}

func (d *deskRun) answer() {
	d.mu.Lock()
	d.requests = append(d.requests, d.in)
	question, waits := d.pending[d.in.ThreadID]
	ctx, busy := d.busy[d.in.ThreadID]
	busy = busy && (ctx.Err() == nil || d.has("holds"))
	d.mu.Unlock()
	switch {
	case busy && !d.has("both at once"):
		d.fail("busy")
	case len(d.in.Resume) > 0:
		d.resume(question, d.in.Resume[0])
	case waits:
		if d.has("forgets") {
			d.mu.Lock()
			delete(d.pending, d.in.ThreadID)
			d.mu.Unlock()
		}
		if d.has("unasked") {
			d.say("Booked", "anyway")
			d.end()
			return
		}
		d.fail("a decision is pending")
	default:
		d.reply(d.last())
	}
}

func (d *deskRun) resume(question string, e agui.ResumeEntry) {
	d.mu.Lock()
	known := e.InterruptID == question && question != ""
	again := d.done[e.InterruptID]
	d.mu.Unlock()
	if again && d.has("again") {
		d.say("Booked", "twice")
		d.end()
		return
	}
	if !known && !d.has("wrong id") || again {
		d.fail("no such question")
		return
	}
	d.mu.Lock()
	delete(d.pending, d.in.ThreadID)
	d.done[e.InterruptID] = true
	d.mu.Unlock()
	if strings.Contains(string(e.Payload), "true") {
		d.say("Booked", "it")
	} else {
		d.say("Not", "done")
	}
	d.end()
}

func (d *deskRun) reply(prompt string) {
	switch prompt {
	case "look", "list", "delegate", "book", "break", "long":
	default:
		words := []string{"You", "said", prompt}
		if d.has("echo") {
			words = append(words, secret)
		}
		d.say(words...)
		d.end()
		return
	}
	switch prompt {
	case "look":
		d.event("TOOL_CALL_START", "toolCallId", "c", "toolCallName", "look")
		d.event("TOOL_CALL_ARGS", "toolCallId", "c", "delta", "{}")
		d.event("TOOL_CALL_END", "toolCallId", "c")
		d.event("TOOL_CALL_RESULT", "toolCallId", "c", "messageId", "r", "content", "seen")
		d.end()
	case "list":
		d.event("STATE_SNAPSHOT", "snapshot", map[string]any{})
		d.event("STATE_DELTA", "delta", []any{map[string]any{"op": "add", "path": "/list", "value": 1}})
		d.end()
	case "delegate":
		d.event("SUBAGENT_STARTED", "subagentRunId", "s", "name", "helper")
		for _, word := range []string{"let", "me"} {
			d.event("TEXT_MESSAGE_CHUNK", "subagentRunId", "s", "messageId", "sm", "role", "assistant", "delta", word)
		}
		d.event("SUBAGENT_FINISHED", "subagentRunId", "s")
		d.end()
	case "book":
		id := "q-" + d.in.RunID
		d.mu.Lock()
		d.pending[d.in.ThreadID] = id
		d.mu.Unlock()
		if d.has("legacy") {
			d.event("CUSTOM", "name", "on_interrupt", "value", "sure?")
			d.end()
			return
		}
		d.end("outcome", map[string]any{"type": "interrupt", "interrupts": []any{map[string]any{"id": id, "reason": "booking"}}})
	case "break":
		d.fail("the model failed")
	case "long":
		d.hold(true)
		for range 8 {
			timer := time.NewTimer(30 * time.Millisecond)
			select {
			case <-timer.C:
			case <-d.r.Context().Done():
				timer.Stop()
			}
			if !d.say("on", "and") {
				return
			}
		}
		d.hold(false)
		d.end()
	}
}

func (d *deskRun) hold(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if on {
		d.busy[d.in.ThreadID] = d.r.Context()
	} else {
		delete(d.busy, d.in.ThreadID)
	}
}

// threads returns the requests by thread, in order.
func (d *desk) threads() map[string][]agui.RunAgentInput {
	by := map[string][]agui.RunAgentInput{}
	for _, in := range d.requests {
		by[in.ThreadID] = append(by[in.ThreadID], in)
	}
	return maps.Clone(by)
}
