package refund

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agenthost"
	"cairn/agenthost/scriptedmodel"
	"cairn/agenthost/sqlite"
	"cairn/agui"
	"cairn/agui/sse"
)

// desk is the agent on the scripted model, and a client that keeps what the snapshots
// say and sends it back, as clients do.
type desk struct {
	t        *testing.T
	url      string
	runs     int
	messages []agui.Message
	state    json.RawMessage
}

func newDesk(t *testing.T, topic string) *desk {
	return deskOn(t, topic, scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
}

func deskOn(t *testing.T, topic string, answers http.Handler) *desk {
	t.Helper()
	model := httptest.NewServer(answers)
	t.Cleanup(model.Close)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "token", Agents: map[string]*agenthost.Agent{Topic: New(false), NativeTopic: New(true)},
		Store: store, Model: agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return &desk{t: t, url: server.URL + "/agent/" + topic}
}

func (d *desk) say(text string) []agui.Event {
	d.messages = append(d.messages, agui.Message{ID: fmt.Sprint("u", len(d.messages)), Role: agui.RoleUser, Content: agui.TextContent(text)})
	return d.run(func(*agui.RunAgentInput) {})
}

// answer sends a decision as the way of asking wants it.
func (d *desk) answer(interrupt, payload string) []agui.Event {
	return d.run(func(in *agui.RunAgentInput) {
		if interrupt == "" {
			in.ForwardedProps = json.RawMessage(`{"command":{"resume":` + payload + `}}`)
			return
		}
		in.Resume = []agui.ResumeEntry{{InterruptID: interrupt, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}}
	})
}

func (d *desk) run(with func(*agui.RunAgentInput)) []agui.Event {
	d.t.Helper()
	d.runs++
	in := agui.RunAgentInput{ThreadID: "t", RunID: fmt.Sprint("r", d.runs), Messages: d.messages, State: d.state,
		Tools: []agui.Tool{}, Context: []agui.ContextItem{}, ForwardedProps: json.RawMessage("{}")}
	with(&in)
	body, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), "POST", d.url, bytes.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set(agenthost.TokenHeader, "token")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var events []agui.Event
	order := verify.New(verify.Strict)
	for frames, codec := sse.NewReader(resp.Body, sse.Limits{}), (agui.Decoder{}); ; {
		_, data, err := frames.NextBytes()
		if err != nil {
			return events
		}
		ev, err := codec.Decode(bytes.Clone(data))
		if err != nil {
			d.t.Fatal(err)
		}
		if _, broken := order.Feed(ev); len(broken) > 0 {
			d.t.Errorf("%s: %v", data, broken)
		}
		switch e := ev.(type) {
		case *agui.StateSnapshot:
			d.state = e.Snapshot
		case *agui.MessagesSnapshot:
			d.messages = e.Messages
		}
		events = append(events, ev)
	}
}

// refund is the shared refund as the client has it, in one line.
func (d *desk) refund() string {
	d.t.Helper()
	var s State
	if err := json.Unmarshal(d.state, &s); err != nil {
		d.t.Fatal(err)
	}
	if s.Refund == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprintf("%g %s %s %s %s", s.Refund.Amount, s.Refund.Customer, s.Refund.Reason, s.Refund.Status, s.Refund.ID))
}

func (d *desk) lastWord() string { return d.messages[len(d.messages)-1].Content.Text() }

// question finds what a run ended with: an id when it has one, and the payload.
func question(t *testing.T, events []agui.Event) (id, payload string) {
	t.Helper()
	end, ok := events[len(events)-1].(*agui.RunFinished)
	if !ok {
		t.Fatalf("ended with %+v", events[len(events)-1])
	}
	if end.Outcome != nil {
		in := end.Outcome.Interrupts[0]
		var detail struct{ Raw json.RawMessage }
		if err := json.Unmarshal(in.Metadata["langgraph"], &detail); err != nil {
			t.Fatal(err)
		}
		return in.ID, string(detail.Raw)
	}
	notice, ok := events[len(events)-2].(*agui.Custom)
	if !ok {
		t.Fatalf("no question in %+v", events)
	}
	if err := json.Unmarshal(notice.Value, &payload); err != nil {
		t.Fatal(err)
	}
	return "", payload
}

const wish = "Refund the duplicate charge of $47.50 to customer cus_a8x2k"

// TestRefund: the draft is shown, a person decides, and the state and the last word
// say what came of it, also when the decision is sent again.
func TestRefund(t *testing.T) {
	const cancelled = "Refund cancelled by operator. No charge issued."
	for _, topic := range []string{Topic, NativeTopic} {
		for _, tc := range []struct{ payload, refund, word string }{
			{`{"approved":true}`, "47.5 cus_a8x2k Duplicate charge issued re_demo__a8x2k", "Refund of $47.50 issued to `cus_a8x2k`. Refund ID: `re_demo__a8x2k`"},
			{`{"approved":true,"amount":20}`, "20 cus_a8x2k Duplicate charge issued re_demo__a8x2k", "Refund of $20.00 issued to `cus_a8x2k`. Refund ID: `re_demo__a8x2k`"},
			{`{"approved":false}`, "47.5 cus_a8x2k Duplicate charge cancelled", cancelled},
			{`false`, "47.5 cus_a8x2k Duplicate charge cancelled", cancelled},
		} {
			t.Run(topic+" "+tc.payload, func(t *testing.T) {
				d := newDesk(t, topic)
				d.state = json.RawMessage(`{"refund":{"amount":1,"customer_id":"cus_x","reason":"mine","status":"issued","refund_id":"re_1"}}`)
				asked := d.say(wish)
				id, payload := question(t, asked)
				if end := asked[len(asked)-1].(*agui.RunFinished); len(end.Usage) != 1 || end.Usage[0].TotalTokens == 0 {
					t.Errorf("counts %+v tokens", end.Usage)
				}
				if payload != `{"kind":"refund_approval","amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}` {
					t.Errorf("asks %s", payload)
				}
				if got := d.refund(); got != "47.5 cus_a8x2k Duplicate charge pending" {
					t.Errorf("before the decision: %s", got)
				}
				for range 2 {
					d.answer(id, tc.payload)
					if got := d.refund(); got != tc.refund {
						t.Errorf("refund %s, want %s", got, tc.refund)
					}
					if d.lastWord() != tc.word || len(d.messages) != 5 {
						t.Errorf("last of %d words: %s", len(d.messages), d.lastWord())
					}
				}
				events := d.say("thanks")
				_, notice := events[len(events)-2].(*agui.Custom)
				if end, ok := events[len(events)-1].(*agui.RunFinished); !ok || end.Outcome != nil || notice {
					t.Errorf("asks again: %+v", events[len(events)-2:])
				}
				if got := d.refund(); got != tc.refund || d.lastWord() != "You're welcome!" {
					t.Errorf("then %s, %s", got, d.lastWord())
				}
			})
		}
	}
}

// TestAnotherDecisionIsRefused: what was decided stays, and a second refund is a
// question of its own.
func TestAnotherDecisionIsRefused(t *testing.T) {
	d := newDesk(t, Topic)
	d.say(wish)
	d.answer("", `{"approved":false}`)
	events := d.answer("", `{"approved":true}`)
	if _, failed := events[len(events)-1].(*agui.RunError); !failed || d.refund() != "47.5 cus_a8x2k Duplicate charge cancelled" {
		t.Errorf("%s, %T", d.refund(), events[len(events)-1])
	}
	if _, payload := question(t, d.say("Process a refund for customer cus_z19fp: chargeback of $129.00")); !strings.Contains(payload, "129") {
		t.Errorf("asks %s", payload)
	}
	d.answer("", `{"approved":true}`)
	if got := d.refund(); got != "129 cus_z19fp Chargeback issued re_demo__z19fp" {
		t.Errorf("refund %s", got)
	}
}

// drafting is a call of draft_refund as a model's answer has it.
func drafting(i, amount int) string {
	return fmt.Sprintf(`{"index":%d,"id":"call_%[1]d","type":"function","function":{"name":"draft_refund","arguments":"{\"amount\":%d,\"customer_id\":\"cus_a8x2k\",\"reason\":\"late\"}"}}`, i, amount)
}

// saying is a model that gives these answers, one a request; at "" it fails.
func saying(answers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		said := answers[0]
		if answers = answers[1:]; said == "" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", said)
	})
}

// TestDraftOutlivesAFailure: a draft whose run broke off is asked about at the end of
// the next one, and not forgotten.
func TestDraftOutlivesAFailure(t *testing.T) {
	d := deskOn(t, Topic, saying(`"tool_calls":[`+drafting(0, 10)+"]", "", `"content":"Hello."`))
	events := d.say("refund")
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || d.refund() != "none" {
		t.Fatalf("%+v, %s", e, d.refund())
	}
	if _, payload := question(t, d.say("hello")); !strings.Contains(payload, `"amount":10,`) || d.refund() != "10 cus_a8x2k late pending" {
		t.Errorf("asks %s, state %s", payload, d.refund())
	}
}

// TestOneDraftAtATime: of two drafts the first waits, and the model is told so of the
// second. The same draft again is no other one.
func TestOneDraftAtATime(t *testing.T) {
	d := deskOn(t, Topic, saying(`"tool_calls":[`+drafting(0, 10)+","+drafting(1, 20)+","+drafting(2, 10)+"]", `"content":"Drafted."`))
	var results []string
	events := d.say("two at once")
	for _, ev := range events {
		if e, ok := ev.(*agui.ToolCallResult); ok {
			results = append(results, e.Content.Text())
		}
	}
	if len(results) != 3 || !strings.HasPrefix(results[0], "Draft saved") || !strings.Contains(results[1], "Not drafted") || results[2] != results[0] {
		t.Errorf("results %q", results)
	}
	if _, payload := question(t, events); !strings.Contains(payload, `"amount":10,`) || d.refund() != "10 cus_a8x2k late pending" {
		t.Errorf("asks %s, state %s", payload, d.refund())
	}
}

// TestWholeCents: what a person is asked about is what is issued, to the cent, and
// less than a cent makes no other draft.
func TestWholeCents(t *testing.T) {
	odd := strings.ReplaceAll(drafting(0, 7), "7,", "47.505,")
	even := strings.ReplaceAll(drafting(1, 7), "7,", "47.51,")
	d := deskOn(t, Topic, saying(`"tool_calls":[`+odd+","+even+"]", `"content":"Drafted."`))
	if _, payload := question(t, d.say("refund")); !strings.Contains(payload, `"amount":47.51,`) {
		t.Errorf("asks %s", payload)
	}
	for _, m := range d.messages {
		if strings.HasPrefix(m.Content.Text(), "Not drafted") {
			t.Error("the same draft is another one")
		}
	}
	d.answer("", `{"approved":true}`)
	if got := d.refund(); !strings.HasPrefix(got, "47.51 ") {
		t.Errorf("issued %s", got)
	}
}

// TestLookup: a customer is found or honestly not.
func TestLookup(t *testing.T) {
	d := newDesk(t, Topic)
	d.say("Look up customer cus_z19fp")
	if got := d.lastWord(); got != "cus_z19fp is Brightwater Studio on the Business plan, last charged $129.00." {
		t.Error(got)
	}
	d.say("Look up customer cus_nobody")
	if got := d.lastWord(); !strings.Contains(got, "no customer cus_nobody") {
		t.Error(got)
	}
}

// TestResearch: the researcher answers under its own name; nothing is drafted.
func TestResearch(t *testing.T) {
	d := newDesk(t, Topic)
	var child *agui.SubagentStarted
	for _, ev := range d.say("Research the refund policy for a duplicate charge") {
		if e, ok := ev.(*agui.SubagentStarted); ok {
			child = e
		}
	}
	if child == nil || child.Name != "refund_researcher" || !strings.HasPrefix(child.Description, "What does the refund policy say") {
		t.Fatalf("%+v", child)
	}
	if said := d.lastWord(); !strings.HasPrefix(said, "- Duplicate charges are refunded in full within 60 days\n- ") || strings.Count(said, "\n") != 2 {
		t.Errorf("the researcher says %s", said)
	}
	if d.refund() != "none" {
		t.Errorf("refund %s", d.refund())
	}
}
