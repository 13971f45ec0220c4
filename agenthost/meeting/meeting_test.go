package meeting

import (
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"cairn/agenthost"
)

// TestBooking: the day is looked up, the booking waits and then says what became
// of it, in the result as in the state, whatever a client claims.
func TestBooking(t *testing.T) {
	const state = `{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":{"topic":"Q3 roadmap review","slot":"Tuesday 10:00","status":"STATUS"}}`
	resolved := func(payload map[string]any) map[string]any {
		return map[string]any{"status": "resolved", "payload": payload}
	}
	for _, tc := range []struct {
		name     string
		decision map[string]any
		result   string
		status   Status
	}{
		{"approved", resolved(map[string]any{"approved": true}), `"Meeting booked for Tuesday 10:00: Q3 roadmap review"`, Booked},
		{"declined", resolved(map[string]any{"approved": false}), `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
		{"no word", resolved(map[string]any{}), `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
		{"cancelled", map[string]any{"status": "cancelled"}, `"The person declined. Meeting NOT booked: Q3 roadmap review"`, Declined},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run := scheduler(t)
			events := run(input("t", "r1", "Book the Q3 roadmap review with the platform team on Tuesday"))
			asked := last(t, events, "RUN_FINISHED").Outcome.Interrupts
			if len(asked) != 1 {
				t.Fatalf("%+v", events)
			}
			sameJSON(t, "asked", asked[0].Metadata["reason"], `{"topic":"Q3 roadmap review","slot":"Tuesday 10:00"}`)
			sameJSON(t, "state", last(t, events, "STATE_SNAPSHOT").Snapshot, strings.Replace(state, "STATUS", string(Pending), 1))

			for _, id := range []string{"r2", "r3"} { // the second asks again
				events = run(answer("t", id, asked[0].ID, tc.decision))
				if got := contentOf(t, last(t, events, "TOOL_CALL_RESULT")); got != tc.result {
					t.Errorf("%s: %s, want %s", id, got, tc.result)
				}
				sameJSON(t, "state", last(t, events, "STATE_SNAPSHOT").Snapshot, strings.Replace(state, "STATUS", string(tc.status), 1))
			}
		})
	}
}

// TestTwoBookings: what one answer of the model wants to book is asked about at once,
// decided at once, and each result is its own meeting's.
func TestTwoBookings(t *testing.T) {
	asked := false
	run := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := `{"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`
		if !asked {
			asked = true
			chunk = `{"choices":[{"index":0,"delta":{"tool_calls":[
				{"index":0,"id":"call_a","type":"function","function":{"name":"book_meeting","arguments":"{\"topic\":\"A\",\"slot\":\"Tuesday 10:00\"}"}},
				{"index":1,"id":"call_b","type":"function","function":{"name":"book_meeting","arguments":"{\"topic\":\"B\",\"slot\":\"Tuesday 15:00\"}"}}]},"finish_reason":"tool_calls"}]}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+strings.Join(strings.Fields(chunk), " ")+"\n\ndata: [DONE]\n\n")
	}))
	asks := last(t, run(input("t", "r1", "Book both")), "RUN_FINISHED").Outcome.Interrupts
	if len(asks) != 2 {
		t.Fatalf("%d questions", len(asks))
	}
	one := answer("t", "r2", asks[0].ID, map[string]any{"status": "cancelled"})
	if ev := last(t, run(one), "RUN_ERROR"); ev.Code != "resume_incomplete" {
		t.Errorf("one answer: %+v", ev)
	}
	both := answer("t", "r3", asks[0].ID, map[string]any{"status": "cancelled"})
	both["resume"] = append(both["resume"].([]any), map[string]any{"interruptId": asks[1].ID, "status": "resolved", "payload": map[string]any{"approved": true}})
	events, results := run(both), ""
	for _, ev := range events {
		if ev.Type == "TOOL_CALL_RESULT" {
			results += contentOf(t, ev)
		}
	}
	if results != `"The person declined. Meeting NOT booked: A""Meeting booked for Tuesday 15:00: B"` {
		t.Errorf("results %s", results)
	}
	sameJSON(t, "state", last(t, events, "STATE_SNAPSHOT").Snapshot, `{"availability":null,"booking":{"topic":"B","slot":"Tuesday 15:00","status":"booked"}}`)
}

// TestResearch: the researcher answers under its own name and shares nothing.
func TestResearch(t *testing.T) {
	events := scheduler(t)(input("t", "r", "Find a slot for Ada and Grace next week; research their availability first"))
	if name := last(t, events, "SUBAGENT_STARTED").Name; name != "availability_researcher" {
		t.Errorf("%s", name)
	}
	if got := contentOf(t, last(t, events, "TOOL_CALL_RESULT")); strings.Count(got, "- **") != 3 || !strings.Contains(got, "Ada and Grace") {
		t.Errorf("result %s", got)
	}
	sameJSON(t, "state", last(t, events, "STATE_SNAPSHOT").Snapshot, `{}`)
	words := ""
	for _, ev := range events {
		words += ev.Delta
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
