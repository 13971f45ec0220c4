package demos

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestARefundIsJudgedByTheAmountThatWasApproved: what was asked for counts no more
// once another amount was approved, and the other way round.
func TestARefundIsJudgedByTheAmountThatWasApproved(t *testing.T) {
	const charge = `{"kind":"refund_approval","customer_id":"cus_1","amount":47.5,"reason":"Twice"}`
	issued := func(amount string) string {
		return `{"refund":{"customer_id":"cus_1","amount":` + amount + `,"status":"issued","refund_id":"re_1"}}`
	}
	for _, c := range []struct {
		answer, state, says string
		proven              bool
	}{
		{`{"approved":true}`, issued("47.5"), "Refunded. $47.50 to cus_1, refund re_1.", true},
		{`{"approved":true,"amount":40}`, issued("40"), "Refunded. $40.00 to cus_1, refund re_1.", true},
		{`{"approved":true,"amount":40}`, issued("47.5"), "does not confirm a refund", false},
		{`{"approved":true}`, issued("40"), "does not confirm a refund", false},
		{`{"approved":true,"amount":"40"}`, issued("40"), "does not confirm a refund", false},
	} {
		says, proven := LangGraph().Outcome(true, Evidence{Asked: asked(charge), Answer: json.RawMessage(c.answer), State: json.RawMessage(c.state)})
		if !strings.Contains(says, c.says) || proven != c.proven {
			t.Errorf("%s, %s: %q, %t", c.answer, c.state, says, proven)
		}
	}
	a := LangGraph().Approval(asked(charge))
	if got := a.Said(json.RawMessage(`{"approved":true,"amount":1234.5}`)); got != "amount $1,234.50" {
		t.Errorf("said %q", got)
	}
	if got := a.Said(json.RawMessage(`{"approved":true}`)); got != "" {
		t.Errorf("said %q of an answer without an amount", got)
	}
	if unread := LangGraph().Approval(asked(`{"amount":"47"}`)); unread.Form != nil {
		t.Error("an amount can be edited that was not read")
	}
}

// TestWhatTheStateSaidBeforeProvesNothing: the second of two like refunds is not shown
// by the first, nor a refusal by the one before.
func TestWhatTheStateSaidBeforeProvesNothing(t *testing.T) {
	const charge = `{"kind":"refund_approval","customer_id":"cus_1","amount":47.5,"reason":"Twice"}`
	state := func(status, id string) json.RawMessage {
		return json.RawMessage(`{"refund":{"customer_id":"cus_1","amount":47.5,"status":"` + status + `","refund_id":"` + id + `"}}`)
	}
	for _, c := range []struct {
		approved      bool
		before, after json.RawMessage
		proven        bool
	}{
		{true, state("issued", "re_1"), state("issued", "re_1"), false},
		{true, state("issued", "re_1"), state("issued", "re_2"), true},
		{true, state("pending", ""), state("issued", "re_1"), true},
		{false, state("cancelled", ""), state("cancelled", ""), false},
		{false, state("pending", ""), state("cancelled", ""), true},
	} {
		says, proven := LangGraph().Outcome(c.approved, Evidence{Asked: asked(charge), Before: c.before, State: c.after})
		if proven != c.proven {
			t.Errorf("%s, then %s: %q", c.before, c.after, says)
		}
	}
}
