package scriptedmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/agenthost/scriptedmodel/script"
)

// host plays a runtime on one of the APIs: it keeps a conversation, answers tool
// calls with what tool returns for them and stops at the first without an answer.
type host struct {
	t       *testing.T
	handler http.Handler
	api     string // chat or responses
	system  string
	tools   []string // names, or a whole JSON definition of parameters after a space
	tool    func(name, args string) string
	more    string // further members of the request
	history []map[string]any
}

// says sends the user's message and returns the calls made, in order, and the text.
func (h *host) says(user string) (calls []string, text string) {
	h.t.Helper()
	h.history = append(h.history, map[string]any{"role": "user", "content": user})
	for range 10 {
		rep := h.step()
		if len(rep.Calls) == 0 {
			return calls, rep.Text
		}
		for _, c := range rep.Calls {
			calls = append(calls, c.Name+" "+c.Arguments)
			h.answer(c)
		}
	}
	h.t.Fatal("the model never stops calling tools")
	return nil, ""
}

func (h *host) step() script.Reply {
	h.t.Helper()
	if h.api == "responses" {
		return h.stepResponses()
	}
	msgs := []any{map[string]any{"role": "system", "content": h.system}}
	for _, m := range h.history {
		msgs = append(msgs, m)
	}
	var res completion
	h.post("/v1/chat/completions", map[string]any{"model": "m", "messages": msgs, "tools": h.toolDefs()}, &res)
	m := res.Choices[0].Message
	var rep script.Reply
	if m.Content != nil {
		rep.Text = *m.Content
	}
	h.history = append(h.history, map[string]any{"role": "assistant", "content": m.Content, "tool_calls": m.ToolCalls})
	if len(m.ToolCalls) == 0 {
		delete(h.history[len(h.history)-1], "tool_calls")
	}
	for _, c := range m.ToolCalls {
		rep.Calls = append(rep.Calls, script.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return rep
}

func (h *host) stepResponses() script.Reply {
	h.t.Helper()
	var res response
	h.post("/v1/responses", map[string]any{"model": "m", "instructions": h.system, "input": h.history, "tools": h.toolDefs()}, &res)
	var rep script.Reply
	for _, it := range res.Output {
		if it.Type == "message" {
			rep.Text = (*it.Content)[0].Text
			h.history = append(h.history, map[string]any{"type": "item_reference", "id": it.ID})
			continue
		}
		rep.Calls = append(rep.Calls, script.Call{ID: it.CallID, Name: it.Name, Arguments: *it.Arguments})
		h.history = append(h.history, map[string]any{"type": "function_call", "call_id": it.CallID, "name": it.Name, "arguments": *it.Arguments})
	}
	return rep
}

func (h *host) answer(c script.Call) {
	m := map[string]any{"role": "tool", "tool_call_id": c.ID, "content": h.tool(c.Name, c.Arguments)}
	if h.api == "responses" {
		m = map[string]any{"type": "function_call_output", "call_id": c.ID, "output": m["content"]}
	}
	h.history = append(h.history, m)
}

func (h *host) toolDefs() []any {
	var out []any
	for _, t := range h.tools {
		name, params, _ := strings.Cut(t, " ")
		def := map[string]any{"name": name}
		if params != "" {
			def["parameters"] = json.RawMessage(params)
		}
		if h.api == "responses" {
			def["type"] = "function"
			out = append(out, def)
		} else {
			out = append(out, map[string]any{"type": "function", "function": def})
		}
	}
	return out
}

func (h *host) post(path string, body map[string]any, into any) {
	h.t.Helper()
	if h.more != "" {
		if err := json.Unmarshal([]byte(h.more), &body); err != nil {
			h.t.Fatal(err)
		}
	}
	b, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, httptest.NewRequestWithContext(h.t.Context(), http.MethodPost, path, bytes.NewReader(b)))
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != 200 {
		h.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// tools answers as the demos' tools do when all is well and everything is
// approved; refuse makes the person who is asked say no.
func demoTool(refuse bool) func(name, args string) string {
	return func(name, args string) string {
		var a struct {
			Weekday, Topic, Slot, Category string
			Expense                        struct {
				Vendor string
				Amount float64 `json:"amount_usd"`
			}
		}
		_ = json.Unmarshal([]byte(args), &a)
		switch name {
		case "check_availability":
			slots := map[string]string{"Monday": `["09:00","13:30"]`, "Tuesday": `["10:00","15:00"]`, "Wednesday": `["11:00"]`, "Thursday": `["09:30","14:00","16:30"]`, "Friday": `["10:30"]`}[a.Weekday]
			if slots == "" {
				slots = "[]"
			}
			return fmt.Sprintf(`{"day":%q,"slots":%s}`, a.Weekday, slots)
		case "book_meeting":
			if refuse {
				return "The human declined. Meeting NOT booked: " + a.Topic
			}
			return fmt.Sprintf("%q", "Meeting booked for "+a.Slot+": "+a.Topic)
		case "research_availability":
			return "- **Wednesday 11:00:** Ada and Grace are free\n- **Friday 10:30:** second choice\n- **Monday:** busy"
		case "lookup_expense_policy":
			return "Policy for " + a.Category + ": limit $300, receipts above $25."
		case "submit_expense":
			if refuse {
				return "Error: Tool call invocation was rejected by user."
			}
			return fmt.Sprintf("Expense recorded: $%.2f at %s, queued for reimbursement.", a.Expense.Amount, a.Expense.Vendor)
		case "lookup_customer":
			return `{"name":"Alder & Finch","plan":"Team","last_charges":[47.5,47.5]}`
		case "draft_refund":
			if refuse {
				return "Not drafted: amount: Input should be less than or equal to 100000"
			}
			return "Draft saved. It waits for an operator's approval."
		case "research_policy", "research_refund_policy", "task":
			return "- **Limit:** enough\n- **Receipts:** all\n- **Advice:** none"
		}
		return "{}"
	}
}

// demo is a conversation with one of the demos' agents.
type conversation struct {
	name, demo string
	refuse     bool
	said       []string // the user's messages; the last one's answer is looked at
	calls      string
	text       string
}

const (
	expenseParams = `{"type":"object","properties":{"expense":{"$ref":"#/$defs/Expense"}},"required":["expense"],"$defs":{"Expense":{"type":"object","properties":{"vendor":{"type":"string"},"category":{"type":"string"},"amount_usd":{"type":"number"},"memo":{"type":"string"}},"required":["vendor","category","amount_usd","memo"]}}}`
	draftParams   = `{"type":"object","properties":{"amount":{"type":"number"},"customer_id":{"type":"string"},"reason":{"type":"string"}},"required":["amount","customer_id","reason"]}`
)

func demoHost(t *testing.T, demo, api string, refuse bool) *host {
	h := &host{t: t, handler: New(Config{NoDelay: true}), api: api, tool: demoTool(refuse)}
	switch demo {
	case "trip":
		h.system = plannerSays + "\nCurrent working memory (JSON): " + gear
		h.tools, h.tool = []string{"updateWorkingMemory", "check_conditions", "reserve_campsite", "agent-weather_forecaster"}, works
	case "meeting":
		h.system = "You are a meeting scheduler. Delegate to research_availability when asked who can attend."
		h.tools = []string{
			`check_availability {"type":"object","properties":{"weekday":{"type":"string"}},"required":["weekday"]}`,
			`book_meeting {"type":"object","properties":{"topic":{"type":"string"},"slot":{"type":"string"}},"required":["topic","slot"]}`,
			`research_availability {"type":"object","properties":{"attendees":{"type":"string"},"date_range":{"type":"string"}},"required":["attendees","date_range"]}`,
		}
	case "expense":
		h.system = "You are an expense copilot. Use research_policy (policy_researcher) first."
		h.tools = []string{
			`lookup_expense_policy {"type":"object","properties":{"category":{"type":"string"}},"required":["category"]}`,
			"submit_expense " + expenseParams,
			`research_policy {"type":"object","properties":{"category":{"type":"string"},"amount":{"type":"number"}},"required":["category","amount"]}`,
		}
	case "refund":
		h.system = "You are the refund desk of a small company. Delegate questions about the policy with task to the refund_researcher."
		h.tools = []string{
			`lookup_customer {"type":"object","properties":{"customer_id":{"type":"string"}},"required":["customer_id"]}`,
			`task {"type":"object","properties":{"description":{"type":"string"},"subagent_type":{"type":"string"}},"required":["description","subagent_type"]}`,
			"draft_refund " + draftParams,
		}
	case "small refund":
		h.system = "You are a refund assistant."
		h.tools = []string{`research_refund_policy {"type":"object","properties":{"question":{"type":"string"}},"required":["question"]}`}
	}
	return h
}

func conversations() []conversation {
	const q3 = "Book the Q3 roadmap review with the platform team on Tuesday."
	return []conversation{
		{"partly there", "trip", false, []string{"remove the tent, the bags and the canoe"}, `updateWorkingMemory {"memory":{"packing_list":{"title":"Gear","items":[{"name":"headlamps","qty":1}]}}}`, "Removed the tent and the bags."},
		{"how long", "trip", false, []string{"Reserve North Pines", "two"}, `reserve_campsite {"nights":2,"site":"North Pines"}`, "Reserved North Pines for two nights, confirmation number TP-0288."},
		{"hello", "meeting", false, []string{"Hello!"}, "", "Hello! Shall I check a weekday's free slots, find out when people are free or book a meeting?"},
		{"thanks", "meeting", false, []string{q3, "thanks"}, "", "You're welcome, have a good meeting!"},
		{"book", "meeting", false, []string{q3}, `check_availability {"weekday":"Tuesday"} / book_meeting {"slot":"Tuesday 10:00","topic":"Q3 roadmap review"}`, "Q3 roadmap review is booked for Tuesday 10:00."},
		{"declined", "meeting", true, []string{q3}, `check_availability {"weekday":"Tuesday"} / book_meeting {"slot":"Tuesday 10:00","topic":"Q3 roadmap review"}`, "Q3 roadmap review was not booked, as you declined."},
		{"other day", "meeting", false, []string{"book a design critique with the web team for thursday afternoon"}, `check_availability {"weekday":"Thursday"} / book_meeting {"slot":"Thursday 14:00","topic":"Design critique"}`, "Design critique is booked for Thursday 14:00."},
		{"a time", "meeting", false, []string{"Schedule a budget review on Monday at 1:30 pm"}, `check_availability {"weekday":"Monday"} / book_meeting {"slot":"Monday 13:30","topic":"Budget review"}`, "Budget review is booked for Monday 13:30."},
		{"taken", "meeting", false, []string{"Schedule a budget review on Tuesday at noon"}, `check_availability {"weekday":"Tuesday"}`, "Tuesday at 12:00 is not free; which of 10:00 and 15:00 would you like?"},
		{"then another", "meeting", false, []string{"Schedule a budget review on Tuesday at noon", "15:00 then"}, `check_availability {"weekday":"Tuesday"} / book_meeting {"slot":"Tuesday 15:00","topic":"Budget review"}`, "Budget review is booked for Tuesday 15:00."},
		{"no day", "meeting", false, []string{"Book a budget review"}, "", "Which weekday should I book Budget review for?"},
		{"a day later", "meeting", false, []string{"Book a budget review", "Friday"}, `check_availability {"weekday":"Friday"} / book_meeting {"slot":"Friday 10:30","topic":"Budget review"}`, "Budget review is booked for Friday 10:30."},
		{"weekend", "meeting", false, []string{"Book a budget review on Saturday"}, `check_availability {"weekday":"Saturday"}`, "There are no free slots on Saturday; which other weekday would suit?"},
		{"weekend, then", "meeting", false, []string{"Book a budget review on Saturday", "Wednesday"}, `check_availability {"weekday":"Wednesday"} / book_meeting {"slot":"Wednesday 11:00","topic":"Budget review"}`, "Budget review is booked for Wednesday 11:00."},
		{"about", "meeting", false, []string{"Set up a meeting on Monday about hiring"}, `check_availability {"weekday":"Monday"} / book_meeting {"slot":"Monday 09:00","topic":"Hiring"}`, "Hiring is booked for Monday 09:00."},
		{"slots", "meeting", false, []string{"What slots are free on Thursday?"}, `check_availability {"weekday":"Thursday"}`, "Thursday is free at 09:30, 14:00 and 16:30."},
		{"two days", "meeting", false, []string{"Am I free on Monday or Sunday?"}, `check_availability {"weekday":"Monday"} / check_availability {"weekday":"Sunday"}`, "Monday is free at 09:00 and 13:30. There are no free slots on Sunday."},
		{"research", "meeting", false, []string{"Find a slot for Ada and Grace next week. Research their availability first."}, `research_availability {"attendees":"Ada and Grace","date_range":"next week"}`, "Ada and Grace can make Wednesday 11:00; shall I book it?"},
		{"research, yes", "meeting", false, []string{"Find a slot for Ada and Grace next week. Research their availability first.", "yes please"}, `book_meeting {"slot":"Wednesday 11:00","topic":"Meeting with Ada and Grace"}`, "Meeting with Ada and Grace is booked for Wednesday 11:00."},
		{"research, yes, book it", "meeting", false, []string{"Find a slot for Ada and Grace next week. Research their availability first.", "Yes, book it"}, `book_meeting {"slot":"Wednesday 11:00","topic":"Meeting with Ada and Grace"}`, "Meeting with Ada and Grace is booked for Wednesday 11:00."},
		{"research and book", "meeting", false, []string{"Research when Ada and Grace are free next week, then book a kickoff with them"}, `research_availability {"attendees":"Ada and Grace","date_range":"next week"} / book_meeting {"slot":"Wednesday 11:00","topic":"Kickoff"}`, "Kickoff is booked for Wednesday 11:00."},
		{"cancel", "meeting", false, []string{"Cancel my meeting"}, "", "I cannot cancel or move a meeting, so nothing was changed."},
		{"anything", "meeting", false, []string{"Tell me a joke"}, "", "I am the built-in scripted model and only know free slots, meetings to book and when people are free; set OPENAI_API_KEY to use a real one."},

		{"hello", "expense", false, []string{"hi"}, "", "Hello! Shall I look up what a category allows, or file an expense?"},
		{"dinner", "expense", false, []string{"File a team dinner expense: $220 at Blue Finch Bistro, 6 attendees."}, `submit_expense {"expense":{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":220,"memo":"Team dinner, 6 attendees"}}`, "The $220.00 expense at Blue Finch Bistro has been submitted for reimbursement."},
		{"dinner, listed", "expense", false, []string{"File a team dinner expense ($220, Blue Finch Bistro, 6 attendees)"}, `submit_expense {"expense":{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":220,"memo":"Team dinner, 6 attendees"}}`, "The $220.00 expense at Blue Finch Bistro has been submitted for reimbursement."},
		{"declined", "expense", true, []string{"Submit $12.50 for lunch at Joe's Diner"}, `submit_expense {"expense":{"vendor":"Joe's Diner","category":"meals","amount_usd":12.5,"memo":"Lunch"}}`, "The $12.50 expense at Joe's Diner was not submitted, as you declined."},
		{"monitor", "expense", false, []string{"File a monitor purchase for $340 from Pixel Peak Displays, a 27-inch display"}, `submit_expense {"expense":{"vendor":"Pixel Peak Displays","category":"equipment","amount_usd":340,"memo":"Monitor, 27-inch"}}`, "The $340.00 expense at Pixel Peak Displays has been submitted for reimbursement."},
		{"research", "expense", false, []string{"I want to file $900 of conference travel; research the policy first."}, `research_policy {"amount":900,"category":"travel"}`, "The policy on travel: Limit enough; Receipts all; Advice none. Who was the vendor?"},
		{"research, then", "expense", false, []string{"I want to file $900 of conference travel; research the policy first.", "Northwind Rail"}, `submit_expense {"expense":{"vendor":"Northwind Rail","category":"travel","amount_usd":900,"memo":"Conference travel"}}`, "The $900.00 expense at Northwind Rail has been submitted for reimbursement."},
		{"ask all", "expense", false, []string{"File a team dinner expense"}, "", "How much was it, and who was the vendor?"},
		{"ask all, then", "expense", false, []string{"File a team dinner expense", "$80 at Luigi's"}, `submit_expense {"expense":{"vendor":"Luigi's","category":"meals","amount_usd":80,"memo":"Team dinner"}}`, "The $80.00 expense at Luigi's has been submitted for reimbursement."},
		{"amount later", "expense", false, []string{"File a software license from Acme Tools", "1,200"}, `submit_expense {"expense":{"vendor":"Acme Tools","category":"software","amount_usd":1200,"memo":"Software license"}}`, "The $1,200.00 expense at Acme Tools has been submitted for reimbursement."},
		{"policy", "expense", false, []string{"What is the limit for meals?"}, `lookup_expense_policy {"category":"meals"}`, "Policy for meals: limit $300, receipts above $25."},
		{"policy of what", "expense", false, []string{"What's the policy?"}, "", "Which category do you mean: meals, travel, equipment or software?"},
		{"thanks", "expense", false, []string{"thank you"}, "", "You're welcome!"},
		{"anything", "expense", false, []string{"Write a poem"}, "", "I am the built-in scripted model and only know expense policies and expenses to submit; set OPENAI_API_KEY to use a real one."},

		{"hello", "refund", false, []string{"hello"}, "", "Hello! Tell me the customer, the amount and the reason, and I will draft a refund."},
		{"duplicate", "refund", false, []string{"Refund a duplicate charge of $47.50 to customer cus_a8x2k"}, `draft_refund {"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}`, "I have drafted a refund of $47.50 to cus_a8x2k (Duplicate charge); it waits for an operator's approval."},
		{"chargeback", "refund", false, []string{"Customer cus_z19fp filed a chargeback for $129.00, please refund"}, `draft_refund {"amount":129,"customer_id":"cus_z19fp","reason":"Chargeback"}`, "I have drafted a refund of $129.00 to cus_z19fp (Chargeback); it waits for an operator's approval."},
		{"because", "refund", false, []string{"refund 20 to cus_1 because the colour faded"}, `draft_refund {"amount":20,"customer_id":"cus_1","reason":"The colour faded"}`, "I have drafted a refund of $20.00 to cus_1 (The colour faded); it waits for an operator's approval."},
		{"too much", "refund", true, []string{"refund $900,000 to cus_1, charged twice"}, `draft_refund {"amount":900000,"customer_id":"cus_1","reason":"Duplicate charge"}`, "Not drafted: amount: Input should be less than or equal to 100000."},
		{"asked", "refund", false, []string{"Refund $20 please"}, "", "Which customer should I refund? An id begins with cus_."},
		{"asked, then", "refund", false, []string{"I need to refund cus_m40qt, the app was broken", "12"}, `draft_refund {"amount":12,"customer_id":"cus_m40qt","reason":"Damaged item"}`, "I have drafted a refund of $12.00 to cus_m40qt (Damaged item); it waits for an operator's approval."},
		{"customer", "refund", false, []string{"Look up customer cus_a8x2k"}, `lookup_customer {"customer_id":"cus_a8x2k"}`, "cus_a8x2k is Alder & Finch on the Team plan, last charged $47.50 and $47.50."},
		{"policy", "refund", false, []string{"What does our refund policy say about damaged items?"}, `task {"description":"What does the refund policy say about: Damaged item? Answer in 3 bullets.","subagent_type":"refund_researcher"}`, "The refund policy: Limit enough; Receipts all; Advice none."},
		{"policy", "small refund", false, []string{"What does our refund policy say about damaged items?"}, `research_refund_policy {"question":"What does the refund policy say about: Damaged item? Answer in 3 bullets."}`, "The refund policy: Limit enough; Receipts all; Advice none."},
		{"no draft tool", "small refund", false, []string{"Refund $5 to cus_9, wrong item"}, "", "I have drafted a refund of $5.00 to cus_9 (Wrong item); it waits for an operator's approval."},
		{"thanks", "refund", false, []string{"thanks!"}, "", "You're welcome!"},
		{"anything", "refund", false, []string{"Sing"}, "", "I am the built-in scripted model and only know refunds to draft and the refund policy; set OPENAI_API_KEY to use a real one."},
	}
}

func TestDemos(t *testing.T) {
	for _, api := range []string{"chat", "responses"} {
		for _, c := range conversations() {
			t.Run(api+" "+c.demo+" "+c.name, func(t *testing.T) {
				h := demoHost(t, c.demo, api, c.refuse)
				var calls []string
				var text string
				for _, said := range c.said {
					calls, text = h.says(said)
				}
				if got := strings.Join(calls, " / "); got != c.calls {
					t.Errorf("calls %s\nwant  %s", got, c.calls)
				}
				if text != c.text {
					t.Errorf("text %q\nwant %q", text, c.text)
				}
			})
		}
	}
}
