package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"cairn/agentclient"
	"cairn/agui/sse"
	"cairn/demos"
	"cairn/internal/threadlog"
)

const captures = "../../agentclient/testdata/transcripts/mastra"

// watched is a view fed by hand, as its loop would feed it.
type watched struct {
	*view
	t *testing.T
}

func watch(t *testing.T) *watched {
	d := demos.Mastra()
	h := NewHub(Config{Demos: []demos.Demo{d}, Logger: slog.New(slog.DiscardHandler), URLs: URLs{
		Messages:   func(t string) string { return "/t/" + t + "/messages" },
		Stop:       func(t string) string { return "/t/" + t + "/stop" },
		Regenerate: func(t, run string) string { return "/t/" + t + "/regenerate?run=" + run },
		Retry:      func(t string, failure int64) string { return fmt.Sprint("/t/", t, "/retry?failure=", failure) },
		Decide:     func(t string, _ int) string { return "/t/" + t + "/interrupts/1" },
		Page:       func(demo, t string) string { return "/" + demo + "/t/" + t },
		Before:     func(demo, t string, key int) string { return fmt.Sprint("/", demo, "/t/", t, "?before=", key) },
		At:         func(demo, t string, key int) string { return fmt.Sprint("/", demo, "/t/", t, "?at=", key) },
		Media:      func(t, part string) string { return "/t/" + t + "/media/" + part },
		Text:       func(t, part string) string { return "/t/" + t + "/text/" + part },
	}})
	t.Cleanup(h.Close)
	return &watched{fedByHand(h, "7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10", d), t}
}

// now is the Run tab, all the whole page and next the next frame.
func (w *watched) now() Run {
	w.t.Helper()
	run, err := w.run(Place{})
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

func (w *watched) all() Frame {
	w.t.Helper()
	f, err := w.snapshot(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *watched) next() Frame {
	w.t.Helper()
	f, err := w.frame(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(f) > 0 {
		w.page.whole = nil // as flush does
	}
	return f
}

// fedByHand is a view of a thread that is in no log.
func fedByHand(h *Hub, id string, d demos.Demo) *view {
	v := newView(h, id, d)
	v.thread = agentclient.NewSession(agentclient.SessionConfig{ThreadID: id, Transport: d.Transport, Profile: d.Profile})
	v.panel = Panels([]demos.Demo{d}, h.logger)(d.Slug, v.thread).(*panel)
	return v
}

// drawn is a component's markup.
func drawn(c templ.Component) string {
	html, err := render(context.Background(), c)
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return html
}

func (w *watched) row(kind threadlog.Kind, runID string, body any) {
	w.t.Helper()
	effects, err := w.thread.Fold(agentclient.NewRecord(agentclient.RecordKind(kind), runID, body))
	if err != nil {
		w.t.Fatal(err)
	}
	w.panel.Folded(effects)
	w.note(effects)
}

// story is a conversation: each step one row.
type step struct {
	kind threadlog.Kind
	run  string
	body any
}

func ask(id, text, run string) []step {
	return []step{
		{threadlog.KindUser, "", agentclient.UserData{ID: id, Text: text}},
		{threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonMessage}},
	}
}

func end(run string, how agentclient.Outcome) step {
	return step{threadlog.KindEnd, run, agentclient.EndData{Outcome: how}}
}

func decide(run string, approved bool) []step {
	resume := json.RawMessage(`{"approved":false}`)
	if approved {
		resume = json.RawMessage(`{"approved":true}`)
	}
	return []step{
		{threadlog.KindClaim, run, agentclient.ClaimData{Generation: 1, Approved: approved, Resume: resume}},
		{threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonDecision}},
	}
}

func captured(t *testing.T, name, run string) []step {
	t.Helper()
	file, err := os.Open(filepath.Join(captures, name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []step
	for r := sse.NewReader(file, sse.Limits{}); ; {
		fr, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, step{threadlog.KindEvent, run, json.RawMessage(fr.Data)})
	}
}

func events(run string, raw ...string) (steps []step) {
	for _, r := range raw {
		steps = append(steps, step{threadlog.KindEvent, run, json.RawMessage(r)})
	}
	return steps
}

func chain(parts ...[]step) (all []step) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// answer is a run that says text.
func answer(run, text string) []step {
	return append(events(run, `{"type":"RUN_STARTED","threadId":"t","runId":"`+run+`"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a-`+run+`","role":"assistant","delta":"`+text+`"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"`+run+`"}`), end(run, agentclient.OutcomeFinished))
}

// again begins a run whose answer takes the place of another's.
func again(run, old string) []step {
	return []step{{threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonAgain, Replaces: old}}}
}

const (
	m1 = "11111111-1111-4111-8111-111111111111"
	m2 = "22222222-2222-4222-8222-222222222222"
)

// stories are what real runtimes put on the wire, and failures on the way.
// nested is a subagent that thinks, asks another one and goes on; that one uses a tool.
var nested = []string{
	`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"Editor"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"q","role":"reasoning","subagentRunId":"s1"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"q","delta":"Who knows?","subagentRunId":"s1"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"q","subagentRunId":"s1"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"e1","delta":"I ask the checker.","subagentRunId":"s1"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"Fact checker","parentSubagentRunId":"s1"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"k1","toolCallName":"lookup","subagentRunId":"s2"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"k1","delta":"{\"q\":\"height\"}","subagentRunId":"s2"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"k1","subagentRunId":"s2"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"tr1","toolCallId":"k1","content":"8849 m","subagentRunId":"s2"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"f1","delta":"Checked: ","subagentRunId":"s2"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"f1","delta":"8849 m.","subagentRunId":"s2"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"s2"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"e2","delta":"It is so.","subagentRunId":"s1"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"z","delta":"Done."}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`,
}

// TestASubagentsWorkIsInOrder: what it thought is folded, tools and other agents stand where
// they were asked, and another agent's work is in a card of its own.
func TestASubagentsWorkIsInOrder(t *testing.T) {
	w := watch(t)
	for _, s := range chain(ask(m1, "Hi", "r1"), events("r1", nested...)) {
		w.row(s.kind, s.run, s.body)
	}
	page := newDOM(t, w.all()).String()
	at := 0
	for _, want := range []string{"Editor", "Thinking", "Who knows?", "I ask the checker.", "Fact checker", "lookup", "8849 m", "Checked: 8849 m.", "It is so.", "Done."} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("%q is not behind what it came after:\n%s", want, page)
		}
		at += i
	}
	if n := strings.Count(page, `data-testid="subagent-card"`); n != 2 {
		t.Errorf("%d cards", n)
	}
}

func stories(t *testing.T) map[string][]step {
	return map[string][]step{
		"list": chain(ask(m1, "Start a list", "r1"), captured(t, "05-packing-list-create", "r1"), []step{end("r1", agentclient.OutcomeFinished)},
			ask(m2, "Add a lantern", "r2"), captured(t, "06-packing-list-add-lantern", "r2"), []step{end("r2", agentclient.OutcomeFinished)}),
		"conditions": chain(ask(m1, "Check", "r1"), captured(t, "03-tool-call", "r1"), []step{end("r1", agentclient.OutcomeFinished)}),
		"approve": chain(ask(m1, "Reserve", "r1"), captured(t, "10-interrupt", "r1"), []step{end("r1", agentclient.OutcomeFinished)},
			decide("r2", true), captured(t, "11-resume-approve", "r2"), []step{end("r2", agentclient.OutcomeFinished)}),
		"decline": chain(ask(m1, "Reserve", "r1"), captured(t, "14-interrupt-for-decline", "r1"), []step{end("r1", agentclient.OutcomeFinished)},
			decide("r2", false), captured(t, "15-resume-decline-approved-false", "r2"), []step{end("r2", agentclient.OutcomeFinished)}),
		"delegation": chain(ask(m1, "Weather?", "r1"), captured(t, "73-subagent-delegation", "r1"), []step{end("r1", agentclient.OutcomeFinished)}),
		"cut":        chain(ask(m1, "Weather?", "r1"), captured(t, "73-subagent-delegation", "r1")[:12], []step{end("r1", agentclient.OutcomeTruncated)}),
		"one message around a tool": chain(ask(m1, "Hi", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"First."}`,
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":" And then."}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":" More."}`, `{"type":"STEP_STARTED","stepName":"x"}`, `{"type":"STEP_FINISHED","stepName":"x"}`,
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"`+m1+`","role":"user","content":"Hi"},{"id":"a","role":"assistant","content":"Told otherwise."}]}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`), []step{end("r1", agentclient.OutcomeFinished)}),
		"another answer": chain(ask(m1, "Hi", "r1"), answer("r1", "First."), again("r2", "r1"), answer("r2", "Second."), again("r3", "r2"), answer("r3", "Third."),
			ask(m2, "And?", "r4"), answer("r4", "So.")),
		"another answer that fails": chain(ask(m1, "Hi", "r1"), answer("r1", "First."), again("r2", "r1"), answer("r2", "Sec")[:2], []step{end("r2", agentclient.OutcomeTruncated)},
			[]step{{threadlog.KindRun, "r3", agentclient.RunData{Reason: agentclient.ReasonRetry, Skip: "r2", Replaces: "r1"}}}, answer("r3", "Second.")),
		"a tool that pauses": chain(ask(m1, "Hi", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"book"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`,
			`{"type":"CUSTOM","name":"on_interrupt","value":"{\"toolCallId\":\"c\",\"toolName\":\"book\",\"runId\":\"r1\"}"}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`), []step{end("r1", agentclient.OutcomeFinished)}),
		"reasoning": chain(ask(m1, "Hi", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
			`{"type":"REASONING_MESSAGE_START","messageId":"x","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"x","delta":"Hm, **let"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"x","delta":" me** see"}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"x"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`), []step{end("r1", agentclient.OutcomeFinished)}),
		"agents in agents": chain(ask(m1, "Hi", "r1"), events("r1", nested...), []step{end("r1", agentclient.OutcomeFinished)}),
		"stopped":          chain(ask(m1, "Hi", "r1"), captured(t, "01-plain-chat", "r1")[:5], []step{end("r1", agentclient.OutcomeStopped)}),
	}
}

// TestPatchesEqualReload: after every frame, a tab that watched all of them, and one
// that joined in between, show what a reload shows.
func TestPatchesEqualReload(t *testing.T) {
	for name, steps := range stories(t) {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			tabs := []*dom{newDOM(t, w.all())}
			for i, s := range steps {
				w.row(s.kind, s.run, s.body)
				if i%5 == 1 { // some frames hold several rows
					continue
				}
				f := w.next()
				for _, tab := range tabs {
					tab.apply(f)
				}
				if i%7 == 0 {
					tabs = append(tabs, newDOM(t, w.all()))
				}
				reload := watch(t)
				for _, s := range steps[:i+1] {
					reload.row(s.kind, s.run, s.body)
				}
				want := newDOM(t, reload.all()).String()
				for n, tab := range tabs {
					if got := tab.String(); got != want {
						t.Fatalf("after row %d tab %d differs from a reload:\n%s", i+1, n, diff(got, want))
					}
				}
			}
		})
	}
}

// TestPanelNeverLosesARowMidRun replays the measured stream that blanks the title
// and removes rows before it brings them back.
func TestPanelNeverLosesARowMidRun(t *testing.T) {
	w := watch(t)
	steps := stories(t)["list"]
	shown := 0
	for i, s := range steps {
		w.row(s.kind, s.run, s.body)
		page := newDOM(t, w.all()).String()
		rows := strings.Count(page, `"packing-item"`)
		if rows < shown {
			t.Fatalf("row %d of the story: %d rows after %d", i, rows, shown)
		}
		shown = rows
	}
	if shown != 3 {
		t.Fatalf("%d rows at the end", shown)
	}
}

// TestHostileTextStaysText puts markup into everything an agent can name.
func TestHostileTextStaysText(t *testing.T) {
	const bad = `<img src=x onerror=alert(1)><script>alert(1)</script><b hx-get=\"/x\" hx-trigger=\"load\">`
	events := []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"BAD","role":"assistant","delta":"BAD\r\revent: datastar-patch-elements\rdata: x"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"BAD","toolCallName":"BAD"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"BAD","delta":"{\"k\":\"BAD"}`,
		`{"type":"TOOL_CALL_RESULT","toolCallId":"BAD","messageId":"x","content":"BAD"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":{"packing_list":{"title":"BAD","items":[{"name":"BAD","qty":1}]}}}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"BAD","name":"BAD"}`,
		`{"type":"TEXT_MESSAGE_START","subagentRunId":"BAD","messageId":"c"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"BAD","messageId":"c","delta":"BAD"}`,
		`{"type":"SUBAGENT_ERROR","subagentRunId":"BAD","message":"BAD"}`,
		`{"type":"RUN_ERROR","message":"BAD"}`,
	}
	w := watch(t)
	for _, s := range ask(m1, "<script>alert(1)</script>", "r1") {
		w.row(s.kind, s.run, s.body)
	}
	page := newDOM(t, w.all())
	for _, e := range events {
		w.row(threadlog.KindEvent, "r1", json.RawMessage(strings.ReplaceAll(e, "BAD", bad)))
		page.apply(w.next())
	}
	for n := range page.Root.Descendants() {
		if n.Data == "img" || n.Data == "script" {
			t.Errorf("a live <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Val == "/x" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("a live attribute %s=%q", a.Key, a.Val)
			}
		}
	}
	if !strings.Contains(page.String(), "onerror=alert(1)") {
		t.Error("the text itself is gone")
	}
}

// TestBytesGrowLinearly: twice the text costs about twice the bytes.
func TestBytesGrowLinearly(t *testing.T) {
	cost := func(words int) int {
		w := watch(t)
		for _, s := range ask(m1, "Tell me", "r1") {
			w.row(s.kind, s.run, s.body)
		}
		total := 0
		for i := range words {
			text := "lantern "
			if i%80 == 79 {
				text = "end.\n\n"
			}
			data, _ := json.Marshal(map[string]string{"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "role": "assistant", "delta": text})
			w.row(threadlog.KindEvent, "r1", json.RawMessage(data))
			for _, p := range w.next() {
				total += len(p.HTML)
			}
		}
		return total
	}
	small, large := cost(800), cost(1600)
	if ratio := float64(large) / float64(small); ratio > 2.2 {
		t.Fatalf("%d bytes for 800 words, %d for 1,600: ratio %.2f", small, large, ratio)
	}
}

func diff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "line " + w[i] + "\n got " + strings.Join(g[max(0, i-2):min(len(g), i+4)], "\n") + "\nwant " + strings.Join(w[max(0, i-2):min(len(w), i+4)], "\n")
		}
	}
	return "one is longer:\n" + got
}
