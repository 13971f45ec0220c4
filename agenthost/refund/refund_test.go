package refund

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/hosttest"
	"cairn/agui"
)

// desk is a conversation with the agent.
type desk struct {
	*hosttest.Talk
	t *testing.T
}

func newDesk(t *testing.T, topic string) desk { return deskOn(t, topic, hosttest.Scripted()) }

func deskOn(t *testing.T, topic string, model http.Handler) desk {
	t.Helper()
	agents := map[string]*agenthost.Agent{Topic: New(false), NativeTopic: New(true)}
	return desk{hosttest.Serve(t, agents, model).Talk(t, topic, "t"), t}
}

// answer sends a decision as the way of asking wants it.
func (d desk) answer(interrupt, payload string) []agui.Event {
	d.t.Helper()
	return d.Run(func(in *agui.RunAgentInput) {
		if interrupt == "" {
			in.ForwardedProps = json.RawMessage(`{"command":{"resume":` + payload + `}}`)
			return
		}
		in.Resume = []agui.ResumeEntry{{InterruptID: interrupt, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}}
	})
}

// refund is the shared refund as the client has it, in one line.
func (d desk) refund() string {
	d.t.Helper()
	var s State
	if err := json.Unmarshal(d.State, &s); err != nil {
		d.t.Fatal(err)
	}
	if s.Refund == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprintf("%g %s %s %s %s", s.Refund.Amount, s.Refund.Customer, s.Refund.Reason, s.Refund.Status, s.Refund.ID))
}

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

// TestRefund: the draft is shown, the user decides, and the state and the last word
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
				d.State = json.RawMessage(`{"refund":{"amount":1,"customer_id":"cus_x","reason":"mine","status":"issued","refund_id":"re_1"}}`)
				asked := d.Say(wish)
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
					if d.LastWord() != tc.word || len(d.Messages) != 5 {
						t.Errorf("last of %d words: %s", len(d.Messages), d.LastWord())
					}
				}
				events := d.Say("thanks")
				_, notice := events[len(events)-2].(*agui.Custom)
				if end, ok := events[len(events)-1].(*agui.RunFinished); !ok || end.Outcome != nil || notice {
					t.Errorf("asks again: %+v", events[len(events)-2:])
				}
				if got := d.refund(); got != tc.refund || d.LastWord() != "You're welcome!" {
					t.Errorf("then %s, %s", got, d.LastWord())
				}
			})
		}
	}
}

// TestAnotherDecisionIsRefused: what was decided stays, and a second refund is a
// question of its own.
func TestAnotherDecisionIsRefused(t *testing.T) {
	d := newDesk(t, Topic)
	d.Say(wish)
	d.answer("", `{"approved":false}`)
	events := d.answer("", `{"approved":true}`)
	if _, failed := events[len(events)-1].(*agui.RunError); !failed || d.refund() != "47.5 cus_a8x2k Duplicate charge cancelled" {
		t.Errorf("%s, %T", d.refund(), events[len(events)-1])
	}
	if _, payload := question(t, d.Say("Process a refund for customer cus_z19fp: chargeback of $129.00")); !strings.Contains(payload, "129") {
		t.Errorf("asks %s", payload)
	}
	d.answer("", `{"approved":true}`)
	if got := d.refund(); got != "129 cus_z19fp Chargeback issued re_demo__z19fp" {
		t.Errorf("refund %s", got)
	}
}

// TestRefundOverTheCharges: no draft is saved for more than the customer was charged.
func TestRefundOverTheCharges(t *testing.T) {
	for _, topic := range []string{Topic, NativeTopic} {
		d := newDesk(t, topic)
		events := d.Say("Refund $10000 to customer cus_a8x2k")
		end, ok := events[len(events)-1].(*agui.RunFinished)
		if !ok || end.Outcome != nil || d.refund() != "none" {
			t.Errorf("%s: %s, %+v", topic, d.refund(), events[len(events)-1])
		}
		if want := "Not drafted: cus_a8x2k was charged $95.00, so $10000.00 is too much."; d.LastWord() != want {
			t.Errorf("%s: last word %q, want %q", topic, d.LastWord(), want)
		}
	}
}

// drafting is a call of draft_refund as a model's answer has it.
func drafting(i, amount int) string {
	return fmt.Sprintf(`{"index":%d,"id":"call_%[1]d","type":"function","function":{"name":"draft_refund","arguments":"{\"amount\":%d,\"customer_id\":\"cus_a8x2k\",\"reason\":\"late\"}"}}`, i, amount)
}

// TestDraftOutlivesAFailure: a draft whose run broke off is asked about at the end of
// the next one, and not forgotten.
func TestDraftOutlivesAFailure(t *testing.T) {
	d := deskOn(t, Topic, hosttest.Saying(`"tool_calls":[`+drafting(0, 10)+"]", "", `"content":"Hello."`))
	events := d.Say("refund")
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || d.refund() != "none" {
		t.Fatalf("%+v, %s", e, d.refund())
	}
	if _, payload := question(t, d.Say("hello")); !strings.Contains(payload, `"amount":10,`) || d.refund() != "10 cus_a8x2k late pending" {
		t.Errorf("asks %s, state %s", payload, d.refund())
	}
}

// TestOneDraftAtATime: of two drafts the first waits, and the model is told so of the
// second. The same draft again is no other one.
func TestOneDraftAtATime(t *testing.T) {
	d := deskOn(t, Topic, hosttest.Saying(`"tool_calls":[`+drafting(0, 10)+","+drafting(1, 20)+","+drafting(2, 10)+"]", `"content":"Drafted."`))
	events := d.Say("two at once")
	results := hosttest.Results(events)
	if len(results) != 3 || !strings.HasPrefix(results[0], "Draft saved") || !strings.Contains(results[1], "Not drafted") || results[2] != results[0] {
		t.Errorf("results %q", results)
	}
	if _, payload := question(t, events); !strings.Contains(payload, `"amount":10,`) || d.refund() != "10 cus_a8x2k late pending" {
		t.Errorf("asks %s, state %s", payload, d.refund())
	}
}

// TestWholeCents: the amount in the question is the amount issued, to the cent, and
// less than a cent makes no other draft.
func TestWholeCents(t *testing.T) {
	odd := strings.ReplaceAll(drafting(0, 7), "7,", "47.505,")
	even := strings.ReplaceAll(drafting(1, 7), "7,", "47.51,")
	d := deskOn(t, Topic, hosttest.Saying(`"tool_calls":[`+odd+","+even+"]", `"content":"Drafted."`))
	if _, payload := question(t, d.Say("refund")); !strings.Contains(payload, `"amount":47.51,`) {
		t.Errorf("asks %s", payload)
	}
	for _, m := range d.Messages {
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
	d.Say("Look up customer cus_z19fp")
	if got := d.LastWord(); got != "cus_z19fp is Brightwater Studio on the Business plan, last charged $129.00." {
		t.Error(got)
	}
	d.Say("Look up customer cus_nobody")
	if got := d.LastWord(); !strings.Contains(got, "no customer cus_nobody") {
		t.Error(got)
	}
}

// TestResearch: the researcher answers under its own name; nothing is drafted.
func TestResearch(t *testing.T) {
	d := newDesk(t, Topic)
	child := hosttest.Last[*agui.SubagentStarted](t, d.Say("Research the refund policy for a duplicate charge"))
	if child.Name != "refund_researcher" || !strings.HasPrefix(child.Description, "What does the refund policy say") {
		t.Fatalf("%+v", child)
	}
	if said := d.LastWord(); !strings.HasPrefix(said, "- Duplicate charges are refunded in full within 60 days\n- ") || strings.Count(said, "\n") != 2 {
		t.Errorf("the researcher says %s", said)
	}
	if d.refund() != "none" {
		t.Errorf("refund %s", d.refund())
	}
}
