package demos

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient/interrupt"
)

// asked is a request with this payload.
func asked(payload string) interrupt.Pending {
	return interrupt.Pending{Payload: json.RawMessage(payload)}
}

// TestOutcomeNeedsEvidenceOfThisQuestion walks what a run may leave that proves
// nothing, or something else.
func TestOutcomeNeedsEvidenceOfThisQuestion(t *testing.T) {
	const (
		review    = `{"topic":"Review","slot":"Tuesday 10:00"}`
		bookedIt  = "Meeting booked for Tuesday 10:00: Review"
		notBooked = "The person declined. Meeting NOT booked: Review"

		dinner    = `{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":220,"memo":""}}`
		recordIt  = "Expense recorded: $220.00 to Blue Finch (meals), queued for reimbursement."
		rejection = "Error: Tool call invocation was rejected by user."

		charge    = `{"kind":"refund_approval","customer_id":"cus_1","amount":47.5,"reason":"Twice"}`
		issued    = `{"messages":[],"refund":{"customer_id":"cus_1","amount":47.5,"reason":"Twice","status":"issued","refund_id":"re_1"}}`
		cancelled = `{"refund":{"customer_id":"cus_1","amount":47.5,"status":"cancelled"}}`
	)
	const (
		unsureBooked, unsureNotBooked     = "does not confirm a booking", "not say that nothing was booked"
		unsureRecorded, unsureNotRecorded = "does not confirm that the expense", "not say that nothing was submitted"
		unsureRefunded, unsureNotRefunded = "does not confirm a refund", "not say that nothing was refunded"
	)
	for _, c := range []struct {
		name     string
		demo     Demo
		approved bool
		asked    interrupt.Pending
		results  []string
		state    string
		says     string
		proven   bool
	}{
		{"booked", Strands(), true, asked(review), []string{bookedIt}, "", "Booked. Review, Tuesday 10:00.", true},
		{"booked, as an object", Strands(), true, asked(review), []string{`{"booked":true,"topic":"Review","slot":"Tuesday 10:00"}`}, "", "Booked. Review, Tuesday 10:00.", true},
		{"nothing left", Strands(), true, asked(review), nil, "", unsureBooked, false},
		{"the state alone", Strands(), true, asked(review), nil, `{"booking":{"topic":"Review","slot":"Tuesday 10:00","status":"booked"}}`, unsureBooked, false},
		{"another slot", Strands(), true, asked(review), []string{"Meeting booked for Tuesday 15:00: Review"}, "", unsureBooked, false},
		{"another topic", Strands(), true, asked(review), []string{"Meeting booked for Tuesday 10:00: Retro"}, "", unsureBooked, false},
		{"more than was asked", Strands(), true, asked(review), []string{bookedIt + " and Retro"}, "", unsureBooked, false},
		{"another meeting's object", Strands(), true, asked(review), []string{`{"booked":true,"topic":"Retro","slot":"Tuesday 10:00"}`}, "", unsureBooked, false},
		{"an object without the meeting", Strands(), true, asked(review), []string{`{"booked":true}`}, "", unsureBooked, false},
		{"a refusal", Strands(), true, asked(review), []string{notBooked}, "", unsureBooked, false},
		{"both at once", Strands(), true, asked(review), []string{bookedIt, notBooked}, "", unsureBooked, false},
		{"asked without a payload", Strands(), true, asked(``), []string{"Meeting booked for : "}, "", unsureBooked, false},
		{"not booked", Strands(), false, asked(review), []string{notBooked}, "", "Declined. Nothing was booked.", true},
		{"declined without a word", Strands(), false, asked(review), nil, "", unsureNotBooked, false},
		{"declined, and booked", Strands(), false, asked(review), []string{bookedIt}, "", "reports a booking", false},
		{"declined, both at once", Strands(), false, asked(review), []string{notBooked, bookedIt}, "", "reports a booking", false},
		{"declined, another refused", Strands(), false, asked(review), []string{"Meeting NOT booked: Retro"}, "", unsureNotBooked, false},

		{"recorded", AgentFramework(), true, asked(dinner), []string{recordIt}, "", "Recorded. $220.00 to Blue Finch is queued for reimbursement.", true},
		{"nothing left", AgentFramework(), true, asked(dinner), nil, `{"expense":{"vendor":"Blue Finch","amount_usd":220}}`, unsureRecorded, false},
		{"another amount", AgentFramework(), true, asked(dinner), []string{"Expense recorded: $2200.00 to Blue Finch (meals), queued for reimbursement."}, "", unsureRecorded, false},
		{"another vendor", AgentFramework(), true, asked(dinner), []string{"Expense recorded: $220.00 to Blue (meals), queued for reimbursement."}, "", unsureRecorded, false},
		{"a rejection", AgentFramework(), true, asked(dinner), []string{rejection}, "", unsureRecorded, false},
		{"both at once", AgentFramework(), true, asked(dinner), []string{recordIt, rejection}, "", unsureRecorded, false},
		{"asked without an amount", AgentFramework(), true, asked(`{"expense":{"vendor":"Blue Finch"}}`), []string{recordIt}, "", unsureRecorded, false},
		{"rejected", AgentFramework(), false, asked(dinner), []string{rejection}, "", "Declined. Nothing was submitted.", true},
		{"declined without a word", AgentFramework(), false, asked(dinner), nil, "", unsureNotRecorded, false},
		{"declined by prose", AgentFramework(), false, asked(dinner), []string{"All right, I did not file it."}, "", unsureNotRecorded, false},
		{"declined, and recorded", AgentFramework(), false, asked(dinner), []string{recordIt}, "", "reports a recorded expense", false},
		{"declined, both at once", AgentFramework(), false, asked(dinner), []string{rejection, recordIt}, "", "reports a recorded expense", false},

		{"issued", LangGraph(), true, asked(charge), nil, issued, "Refunded. $47.50 to cus_1, refund re_1.", true},
		{"no state", LangGraph(), true, asked(charge), nil, "", unsureRefunded, false},
		{"a result alone", LangGraph(), true, asked(charge), []string{"Refund of $47.50 issued to `cus_1`. Refund ID: `re_1`"}, "", unsureRefunded, false},
		{"still pending", LangGraph(), true, asked(charge), nil, strings.Replace(issued, `"issued"`, `"pending"`, 1), unsureRefunded, false},
		{"without an id", LangGraph(), true, asked(charge), nil, strings.Replace(issued, `"re_1"`, `""`, 1), unsureRefunded, false},
		{"another customer", LangGraph(), true, asked(charge), nil, strings.Replace(issued, "cus_1", "cus_2", 1), unsureRefunded, false},
		{"another amount", LangGraph(), true, asked(charge), nil, strings.Replace(issued, "47.5", "475", 1), unsureRefunded, false},
		{"a cent less", LangGraph(), true, asked(charge), nil, strings.Replace(issued, "47.5", "47.49", 1), unsureRefunded, false},
		{"cancelled", LangGraph(), true, asked(charge), nil, cancelled, unsureRefunded, false},
		{"a state of another shape", LangGraph(), true, asked(charge), nil, `{"refund":"issued"}`, unsureRefunded, false},
		{"asked without a customer", LangGraph(), true, asked(`{"amount":47.5}`), nil, strings.Replace(issued, "cus_1", "", 1), unsureRefunded, false},
		{"declined", LangGraph(), false, asked(charge), nil, cancelled, "Declined. Nothing was refunded.", true},
		{"declined without a word", LangGraph(), false, asked(charge), nil, "", unsureNotRefunded, false},
		{"declined, still pending", LangGraph(), false, asked(charge), nil, strings.Replace(issued, `"issued"`, `"pending"`, 1), unsureNotRefunded, false},
		{"declined, and issued", LangGraph(), false, asked(charge), nil, issued, "shows it as refunded", false},
		{"declined, another one cancelled", LangGraph(), false, asked(charge), nil, strings.Replace(cancelled, "cus_1", "cus_2", 1), unsureNotRefunded, false},
	} {
		t.Run(c.demo.Slug+" "+c.name, func(t *testing.T) {
			says, proven := c.demo.Outcome(c.approved, Evidence{Asked: c.asked, Results: c.results, State: json.RawMessage(c.state)})
			if !strings.Contains(says, c.says) || proven != c.proven {
				t.Errorf("says %q, proven %t; want %q, %t", says, proven, c.says, c.proven)
			}
		})
	}
}

// TestApprovalsSayWhatIsAsked: a payload of another shape leaves the rows out and is
// never half shown as if it were all.
func TestApprovalsSayWhatIsAsked(t *testing.T) {
	for _, c := range []struct {
		demo          Demo
		payload, want string
	}{
		{Strands(), `{"topic":"Review","slot":"Tuesday 10:00"}`, "Topic=Review Slot=Tuesday 10:00"},
		{Strands(), `{"topic":"<b>","slot":"Tuesday 10:00","extra":1}`, "Topic=<b> Slot=Tuesday 10:00"},
		{Strands(), `{"topic":"Review"}`, ""},
		{Strands(), `{"topic":["Review"],"slot":1}`, ""},
		{Strands(), `null`, ""},
		{AgentFramework(), `{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":1220.5,"memo":"Team"}}`, "Amount=$1,220.50 Vendor=Blue Finch Category=meals Memo=Team"},
		{AgentFramework(), `{"expense":{"vendor":"Blue Finch"}}`, ""},
		{AgentFramework(), `{"expense":{"vendor":"Blue Finch","amount_usd":2}}`, "Amount=$2.00 Vendor=Blue Finch"},
		{AgentFramework(), `{"expense":{"vendor":7,"amount_usd":220}}`, ""},
		{AgentFramework(), `{"expense":[]}`, ""},
		{AgentFramework(), `"x"`, ""},
		{LangGraph(), `{"kind":"refund_approval","customer_id":"cus_1","amount":47.5,"reason":"Twice"}`, "Amount=$47.50 Customer=cus_1 Reason=Twice"},
		{LangGraph(), `{"customer_id":"cus_1","amount":47.5}`, "Amount=$47.50 Customer=cus_1"},
		{LangGraph(), `{"customer_id":"cus_1","amount":"47.5"}`, ""},
		{LangGraph(), `{"kind":"charge_approval","customer_id":"cus_1","amount":47.5}`, ""},
		{LangGraph(), `{"amount":47.5}`, ""},
	} {
		a := c.demo.Approval(asked(c.payload))
		var got []string
		for _, r := range a.Rows {
			got = append(got, r.Label+"="+r.Value)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s %s: %q, want %q", c.demo.Slug, c.payload, s, c.want)
		}
		if worded := a.Title != "" && a.Approved != "" && a.Declined != "" && a.Hint != ""; worded != (c.want != "") {
			t.Errorf("%s %s: words %+v", c.demo.Slug, c.payload, a)
		}
	}
}

// TestWhatADemoHasNoWordsFor is asked in no demo's words, and judged in none: neither
// another tool's call with the same arguments nor what cannot be read.
func TestWhatADemoHasNoWordsFor(t *testing.T) {
	const (
		meeting = `{"topic":"Review","slot":"Tuesday 10:00"}`
		expense = `{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":220,"memo":""}}`
	)
	for slug, c := range map[string]struct{ own, other interrupt.Pending }{
		"mastra":    {interrupt.Pending{ToolName: "reserve_campsite"}, interrupt.Pending{ToolName: "cancel_campsite", Payload: json.RawMessage(`{"site":"North Pines"}`)}},
		"strands":   {interrupt.Pending{ToolName: "book_meeting", Payload: json.RawMessage(meeting)}, interrupt.Pending{ToolName: "cancel_meeting", Payload: json.RawMessage(meeting)}},
		"maf":       {interrupt.Pending{ToolName: "submit_expense", Payload: json.RawMessage(expense)}, interrupt.Pending{ToolName: "delete_expense", Payload: json.RawMessage(expense)}},
		"langgraph": {asked(`{"kind":"refund_approval","customer_id":"cus_1","amount":47.5}`), asked(`{"kind":"charge","customer_id":"cus_1","amount":47.5}`)},
	} {
		for _, d := range All() {
			if d.Slug != slug {
				continue
			}
			if a := d.Approval(c.own); a.Title == Unworded().Title {
				t.Errorf("%s has no words for its own question", slug)
			}
			if says, _ := d.Outcome(true, Evidence{Asked: c.own}); strings.Contains(says, "did not confirm") {
				t.Errorf("%s does not judge its own question", slug)
			}
			for _, p := range []interrupt.Pending{c.other, {}} {
				if a := d.Approval(p); a.Title != Unworded().Title || a.Hint != Unworded().Hint || len(a.Rows) > 0 {
					t.Errorf("%s says of %+v: %+v", slug, p, a)
				}
				for _, approved := range []bool{true, false} {
					if says, proven := d.Outcome(approved, Evidence{Asked: p, Results: []string{"Confirmation TP-1"}}); proven || !strings.Contains(says, "did not confirm") {
						t.Errorf("%s judges %+v: %q", slug, p, says)
					}
				}
			}
		}
	}
}

func TestToolSummaries(t *testing.T) {
	for _, c := range []struct {
		demo                     Demo
		tool, args, result, want string
	}{
		{Strands(), "check_availability", "", `{"day":"Thursday","slots":["09:30","14:00","16:30"]}`, "Thursday — free at 09:30, 14:00 and 16:30"},
		{Strands(), "check_availability", "", `{"day":"Wednesday","slots":["11:00"]}`, "Wednesday — free at 11:00"},
		{Strands(), "check_availability", "", `{"day":"Sunday","slots":[]}`, "Sunday — nothing free"},
		{Strands(), "check_availability", "", `{"slots":["11:00"]}`, ""},
		{Strands(), "check_availability", "", `{"day":"Sunday","slots":"none"}`, ""},
		{Strands(), "other", "", `{"day":"Sunday"}`, ""},
		{AgentFramework(), "lookup_expense_policy", "", "The limit for meals is $300.", "The limit for meals is $300."},
		{AgentFramework(), "lookup_expense_policy", "", `"The limit for meals is $300."`, "The limit for meals is $300."},
		{AgentFramework(), "lookup_expense_policy", "", `{"limit":300}`, ""},
		{AgentFramework(), "submit_expense", "", "Expense recorded: …", ""},
		{LangGraph(), "lookup_customer", "", `{"name":"Alder & Finch","plan":"Team","last_charges":[47.5,47.5]}`, "Alder & Finch — Team plan, last charged $47.50 and $47.50"},
		{LangGraph(), "lookup_customer", "", `{"name":"Alder & Finch"}`, "Alder & Finch"},
		{LangGraph(), "lookup_customer", "", `{"error":"no customer cus_9"}`, ""},
		{LangGraph(), "draft_refund", `{"amount":47.5,"customer_id":"cus_1","reason":"Twice"}`, "Draft saved. It waits for an operator's approval.", "$47.50 to cus_1, drafted"},
		{LangGraph(), "draft_refund", `{"amount":47.5,"customer_id":"cus_1","reason":"Twice"}`, "Error: amount", ""},
		{LangGraph(), "draft_refund", `{"amount":"much"}`, "Draft saved.", ""},
	} {
		if got := c.demo.ToolSummary(c.tool, c.args, c.result); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.tool, c.result, got, c.want)
		}
	}
	if got := AgentFramework().ToolSummary("lookup_expense_policy", "", strings.Repeat("é", 5000)); len(got) > maxShown+8 || !strings.HasSuffix(got, "é…") {
		t.Errorf("a huge result: %d bytes, ends %q", len(got), got[len(got)-8:])
	}
}

// TestAFailedResultConfirmsNothing: also beside one that says that it was done.
func TestAFailedResultConfirmsNothing(t *testing.T) {
	const (
		review  = `{"topic":"Review","slot":"Tuesday 10:00"}`
		booked  = `{"booked":true,"topic":"Review","slot":"Tuesday 10:00"}`
		dinner  = `{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":220,"memo":""}}`
		charged = `{"kind":"refund_approval","customer_id":"cus_1","amount":47.5,"reason":"Twice"}`
		issued  = `{"messages":[],"refund":{"customer_id":"cus_1","amount":47.5,"reason":"Twice","status":"issued","refund_id":"re_1"}}`
	)
	for name, c := range map[string]struct {
		demo    Demo
		asked   string
		results []string
		state   string
	}{
		"booking":       {Strands(), review, []string{booked}, ""},
		"expense":       {AgentFramework(), dinner, []string{"Expense recorded: $220.00 to Blue Finch (meals), queued for reimbursement."}, ""},
		"refund, state": {LangGraph(), charged, nil, issued},
	} {
		outcome := func(results ...string) (string, bool) {
			return c.demo.Complete().Outcome(true, Evidence{Asked: asked(c.asked), Results: results, State: json.RawMessage(c.state)})
		}
		if says, proven := outcome(c.results...); !proven {
			t.Errorf("%s without a failure: %q", name, says)
		}
		for _, failed := range []string{`{"error":"calendar is down"}`, `{"success":false}`, `{"isError":true,"content":[]}`} {
			if says, proven := outcome(append(c.results, failed)...); proven || !strings.Contains(says, "does not confirm") {
				t.Errorf("%s after %s: %q", name, failed, says)
			}
		}
	}
	both := `{"booked":true,"topic":"Review","slot":"Tuesday 10:00","error":"calendar is down"}`
	if says, proven := Strands().Complete().Outcome(true, Evidence{Asked: asked(review), Results: []string{both}}); proven {
		t.Errorf("in one result: %q", says)
	}
}
