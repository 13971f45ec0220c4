package demos

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/agui/sse"
)

// exchange is one captured request and its answer.
type exchange struct {
	name     string
	in       agui.RunAgentInput
	events   []agui.Event
	accepted bool // the decision it carried led to a tool's result
}

// exchanges reads the captured runs of one runtime in the order of their numbers,
// which is the order in which they were made.
func exchanges(t *testing.T, dir string) []exchange {
	t.Helper()
	requests, err := filepath.Glob(filepath.Join(dir, "*.request.json"))
	if err != nil || len(requests) == 0 {
		t.Fatalf("no requests in %s: %v", dir, err)
	}
	byNumber := map[string][]exchange{}
	var order []string
	for _, file := range requests {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var captured struct{ Body agui.RunAgentInput }
		if json.Unmarshal(raw, &captured) != nil {
			continue // a request that was meant to be refused
		}
		x := exchange{name: strings.TrimSuffix(filepath.Base(file), ".request.json"), in: captured.Body}
		f, err := os.Open(strings.TrimSuffix(file, ".request.json") + ".sse")
		if err != nil {
			continue
		}
		for r := sse.NewReader(f, sse.Limits{}); ; {
			frame, err := r.Next()
			if err != nil {
				break
			}
			if ev, err := agui.Decode([]byte(frame.Data)); err == nil {
				x.events = append(x.events, ev)
				_, result := ev.(*agui.ToolCallResult)
				x.accepted = x.accepted || result
			}
		}
		f.Close()
		number, _, _ := strings.Cut(x.name, "-")
		number = strings.Repeat("0", 4-len(number)) + number
		if byNumber[number] == nil {
			order = append(order, number)
		}
		byNumber[number] = append(byNumber[number], x)
	}
	// Glob sorts by name; the numbers have two or three digits.
	slices.Sort(order)
	var all []exchange
	for _, number := range order {
		all = append(all, byNumber[number]...)
	}
	return all
}

// accepted also, but sent otherwise than we do.
var otherwise = map[string]string{
	"62-resume-string-interruptEvent-empty-messages": "the event as JSON text",
	"69-resume-second-of-two":                        "answers the second pause of a thread, of which only the first is kept here",
}

// TestEveryCapturedPause: whatever a runtime was seen to pause with can be read
// and answered, and what would be sent is what the runtime was seen to accept.
func TestEveryCapturedPause(t *testing.T) {
	for _, tc := range []struct {
		dir             string
		dialect         Dialect
		pauses, answers int // at least so many are there
	}{
		{"mastra", MastraDialect(), 25, 10},
		{"strands", StrandsDialect(), 15, 8},
		{"strands-extra", StrandsDialect(), 1, 0},
		{"strands-responses-api", StrandsDialect(), 3, 2},
		{"langgraph", LangGraphDialect(), 5, 1},
		{"langgraph-extra", LangGraphDialect(), 1, 0},
	} {
		t.Run(tc.dir, func(t *testing.T) {
			pauses, answers := 0, 0
			open := map[string]*interrupt.Session{} // by thread
			for _, x := range exchanges(t, filepath.Join("..", "agentclient", "testdata", "transcripts", tc.dir)) {
				if s := open[x.in.ThreadID]; s != nil && x.accepted && otherwise[x.name] == "" && sameAnswer(t, x, s) {
					answers++
				}
				s := interrupt.New(tc.dialect.Transport, tc.dialect.Profile)
				for _, ev := range x.events {
					s.Observe(ev, x.in.RunID)
				}
				s.RunEnded(x.in.RunID, interrupt.EndedClean)
				if s.Phase() != interrupt.PhasePending {
					continue
				}
				pauses++
				open[x.in.ThreadID] = s
				for _, p := range s.Pending() {
					if len(p.Payload) == 0 || p.Payload[0] != '{' {
						t.Errorf("%s: payload %s", x.name, p.Payload)
					}
				}
			}
			if pauses < tc.pauses || answers < tc.answers {
				t.Errorf("%d pauses, %d answers; at least %d and %d were captured", pauses, answers, tc.pauses, tc.answers)
			}
		})
	}
}

// sameAnswer claims the pause with the decision of the request, over the transport
// of the dialect, and compares. False: the request used another transport, or
// answered a part.
func sameAnswer(t *testing.T, x exchange, s *interrupt.Session) bool {
	t.Helper()
	var props struct {
		Command struct{ Resume, InterruptEvent json.RawMessage }
	}
	if len(x.in.ForwardedProps) > 0 && json.Unmarshal(x.in.ForwardedProps, &props) != nil {
		return false
	}
	decision := props.Command.Resume
	if x.in.Resume != nil {
		if decision != nil {
			return false // both ways at once
		}
		var err error
		if decision, err = json.Marshal(x.in.Resume); err != nil {
			t.Fatal(err)
		}
	}
	if decision == nil {
		return false
	}
	w, err := s.Claim(s.Generation(), x.in.RunID, decision, time.Now())
	if err != nil || (w.Resume == nil) != (x.in.Resume == nil) {
		return false
	}
	if w.Resume != nil {
		if !reflect.DeepEqual(plain(t, w.Resume), plain(t, x.in.Resume)) {
			t.Errorf("%s: sends %v, accepted was %v", x.name, plain(t, w.Resume), plain(t, x.in.Resume))
		}
		return true
	}
	if !reflect.DeepEqual(plain(t, w.ForwardedProps), plain(t, x.in.ForwardedProps)) {
		t.Errorf("%s: sends %s, accepted was %s", x.name, w.ForwardedProps, x.in.ForwardedProps)
	}
	return true
}

// plain is a value as any JSON reader has it.
func plain(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
