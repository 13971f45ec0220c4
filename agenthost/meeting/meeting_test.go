package meeting

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/scriptedmodel"
	"cairn/agenthost/sqlite"
)

// event has what the tests read of an event.
type event struct {
	Type     string          `json:"type"`
	Content  json.RawMessage `json:"content"`
	Name     string          `json:"name"`
	Delta    string          `json:"delta"`
	Snapshot json.RawMessage `json:"snapshot"`
	Outcome  struct {
		Interrupts []struct {
			ID       string                     `json:"id"`
			Metadata map[string]json.RawMessage `json:"metadata"`
		} `json:"interrupts"`
	} `json:"outcome"`
}

// scheduler serves the agent on the scripted model; the function runs one input.
func scheduler(t *testing.T) func(body map[string]any) []event {
	t.Helper()
	model := httptest.NewServer(scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
	t.Cleanup(model.Close)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "token", Agents: map[string]*agenthost.Agent{Topic: New()}, Store: store,
		Model: agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return func(body map[string]any) []event {
		t.Helper()
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/agent/"+Topic, strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Internal-Token", "token")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		all, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("HTTP %d: %s %v", resp.StatusCode, all, err)
		}
		var events []event
		for line := range strings.Lines(string(all)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var ev event
				if err := json.Unmarshal([]byte(data), &ev); err != nil {
					t.Fatal(err)
				}
				events = append(events, ev)
			}
		}
		return events
	}
}

func input(thread, run, text string) map[string]any {
	body := map[string]any{"threadId": thread, "runId": run, "tools": []any{}, "context": []any{}, "forwardedProps": map[string]any{},
		"state": map[string]any{"booking": map[string]any{"topic": "mine", "slot": "now", "status": "booked"}}, "messages": []any{}}
	if text != "" {
		body["messages"] = []any{map[string]any{"id": "u-" + run, "role": "user", "content": text}}
	}
	return body
}

func answer(thread, run, interrupt string, decision map[string]any) map[string]any {
	body := input(thread, run, "")
	decision["interruptId"] = interrupt
	body["resume"] = []any{decision}
	return body
}

// last finds the last event of a type.
func last(t *testing.T, events []event, name string) event {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == name {
			return events[i]
		}
	}
	t.Fatalf("no %s in %+v", name, events)
	return event{}
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

func contentOf(t *testing.T, ev event) (text string) {
	t.Helper()
	if err := json.Unmarshal(ev.Content, &text); err != nil {
		t.Fatal(err)
	}
	return text
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
