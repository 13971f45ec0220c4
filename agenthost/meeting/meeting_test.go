package meeting

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/hosttest"
	"cairn/agui"
)

// scheduler talks to the agent as a client that says what is booked.
func scheduler(t *testing.T, model http.Handler) *hosttest.Talk {
	t.Helper()
	c := hosttest.Serve(t, map[string]*agenthost.Agent{Topic: New()}, model).Talk(t, Topic, "t")
	c.Claims = json.RawMessage(`{"booking":{"topic":"mine","slot":"now","status":"booked"}}`)
	return c
}

// TestBooking: the day is looked up, the booking waits and then says what became
// of it, in the result as in the state, whatever a client claims.
func TestBooking(t *testing.T) {
	const state = `{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":{"topic":"Q3 roadmap review","slot":"Tuesday 10:00","status":"STATUS"}}`
	for _, tc := range []struct {
		name, payload, result string
		status                Status
	}{
		{"approved", `{"approved":true}`, `"Meeting booked for Tuesday 10:00: Q3 roadmap review"`, Booked},
		{"declined", `{"approved":false}`, `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
		{"no word", `{}`, `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
		{"cancelled", "", `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := scheduler(t, hosttest.Scripted())
			events := c.Say("Book the Q3 roadmap review with the platform team on Tuesday")
			asked := hosttest.Asked(t, events, 1)[0]
			sameJSON(t, "asked", asked.Metadata["reason"], `{"topic":"Q3 roadmap review","slot":"Tuesday 10:00"}`)
			sameJSON(t, "state", snapshot(t, events), strings.Replace(state, "STATUS", string(Pending), 1))

			for _, time := range []string{"first", "second"} { // the second asks again
				events = c.Decide(hosttest.Decision(asked, tc.payload))
				if got := hosttest.Last[*agui.ToolCallResult](t, events).Content.Text(); got != tc.result {
					t.Errorf("%s: %s, want %s", time, got, tc.result)
				}
				sameJSON(t, "state", snapshot(t, events), strings.Replace(state, "STATUS", string(tc.status), 1))
			}
		})
	}
}

// TestTwoBookings: what one answer of the model wants to book is asked about at once,
// decided at once, and each result is its own meeting's.
func TestTwoBookings(t *testing.T) {
	c := scheduler(t, hosttest.Saying(`"tool_calls":[
		{"index":0,"id":"call_a","type":"function","function":{"name":"book_meeting","arguments":"{\"topic\":\"A\",\"slot\":\"Tuesday 10:00\"}"}},
		{"index":1,"id":"call_b","type":"function","function":{"name":"book_meeting","arguments":"{\"topic\":\"B\",\"slot\":\"Tuesday 15:00\"}"}}]`,
		`"content":"Done."`))
	asks := hosttest.Asked(t, c.Say("Book both"), 2)
	no, yes := hosttest.Decision(asks[0], ""), hosttest.Decision(asks[1], `{"approved":true}`)
	if ev := hosttest.Last[*agui.RunError](t, c.Decide(no)); ev.Code != "resume_incomplete" {
		t.Errorf("one answer: %+v", ev)
	}
	events := c.Decide(no, yes)
	if results := strings.Join(hosttest.Results(events), ""); results != `"The person declined. Meeting NOT booked: A""Meeting booked for Tuesday 15:00: B"` {
		t.Errorf("results %s", results)
	}
	sameJSON(t, "state", snapshot(t, events), `{"availability":null,"booking":{"topic":"B","slot":"Tuesday 15:00","status":"booked"}}`)
}

// TestResearch: the researcher answers under its own name and shares nothing.
func TestResearch(t *testing.T) {
	events := scheduler(t, hosttest.Scripted()).Say("Find a slot for Ada and Grace next week; research their availability first")
	if name := hosttest.Last[*agui.SubagentStarted](t, events).Name; name != "availability_researcher" {
		t.Errorf("%s", name)
	}
	if got := hosttest.Last[*agui.ToolCallResult](t, events).Content.Text(); strings.Count(got, "- **") != 3 || !strings.Contains(got, "Ada and Grace") {
		t.Errorf("result %s", got)
	}
	sameJSON(t, "state", snapshot(t, events), `{}`)
	words := ""
	for _, ev := range events {
		if said, ok := ev.(*agui.TextMessageContent); ok {
			words += said.Delta
		}
	}
	if !strings.Contains(words, "Ada and Grace can make") {
		t.Errorf("said %s", words)
	}
}

// TestFreeSlots: a day is known however it is written, and an unknown one has none.
func TestFreeSlots(t *testing.T) {
	for day, want := range map[string]Day{
		" tuesday": {"Tuesday", []string{"10:00", "15:00"}},
		"FRI":      {"Friday", []string{"10:30"}},
		"Sunday":   {"Sunday", []string{}},
		"tu":       {"tu", []string{}},
	} {
		if got := freeSlots(day); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", day, got, want)
		}
	}
}

// TestArgumentsAreBounded: what a model may ask for is not empty and not endless.
func TestArgumentsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1000)
	research := availabilityResearcher().As.Input
	for _, tc := range []struct {
		schema agenthost.Schema
		args   string
		ok     bool
	}{
		{bookMeeting().Input, `{"topic":"a","slot":"Tuesday 10:00"}`, true},
		{bookMeeting().Input, `{"topic":"","slot":"Tuesday 10:00"}`, false},
		{bookMeeting().Input, `{"topic":"` + long + `","slot":"Tuesday 10:00"}`, false},
		{bookMeeting().Input, `{"topic":"a"}`, false},
		{checkAvailability().Input, `{"day":""}`, false},
		{research, `{"attendees":["Ada"],"date_range":"next week"}`, true},
		{research, `{"attendees":[],"date_range":"next week"}`, false},
		{research, `{"attendees":["` + long + `"],"date_range":"next week"}`, false},
	} {
		if err := tc.schema.Check([]byte(tc.args)); (err == nil) != tc.ok {
			t.Errorf("%.60s: %v", tc.args, err)
		}
	}
}

// snapshot is the state that a run ended with, on the wire.
func snapshot(t *testing.T, events []agui.Event) json.RawMessage {
	t.Helper()
	return hosttest.Last[*agui.StateSnapshot](t, events).Snapshot
}

func sameJSON(t *testing.T, what string, got json.RawMessage, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%s: %s: %v", what, got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}
