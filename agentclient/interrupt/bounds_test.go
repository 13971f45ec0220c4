package interrupt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// batch is n requests, each with metadata.
func batch(n int, metadata string) []agui.Interrupt {
	all := make([]agui.Interrupt, n)
	for i := range all {
		all[i] = ask(fmt.Sprint("int-", i))
		all[i].Metadata = map[string]json.RawMessage{"payload": json.RawMessage(metadata)}
	}
	return all
}

// TestManyRequests: a pause of more requests than can be answered is shown in part,
// counted, and can only be left.
func TestManyRequests(t *testing.T) {
	const n = 200_000
	begun := time.Now()
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(outcome(batch(n, `{"a":1}`)...), "run-1")
	s.want(interrupt.PhasePending, 1)
	for range 100 {
		if len(s.Pending()) != interrupt.MaxPending || s.Count() != n || s.Pending()[7].ID != "int-7" {
			t.Fatalf("%d of %d requests", len(s.Pending()), s.Count())
		}
		err := s.Answerable(json.RawMessage(yes), noon)
		if !errors.Is(err, interrupt.ErrTooMany) || !errors.Is(err, interrupt.ErrNotAddressable) {
			t.Fatalf("answerable: %v", err)
		}
	}
	s.refuse(1, "run-2", yes, noon, interrupt.ErrTooMany)
	s.refuse(1, "run-2", `[]`, noon, interrupt.ErrTooMany)
	if !s.Abandon() || s.Blocked() || s.Count() != 0 {
		t.Error("the pause cannot be left")
	}
	if took := time.Since(begun); took > 30*time.Second { // comparing each with each takes minutes
		t.Errorf("%d requests took %v", n, took)
	}

	s = newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(outcome(batch(interrupt.MaxPending, `1`)...), "run-1")
	if err := s.Answerable(json.RawMessage(yes), noon); errors.Is(err, interrupt.ErrTooMany) || s.Count() != interrupt.MaxPending {
		t.Errorf("%d requests: %v", s.Count(), err)
	}
}

// TestManyNotices: each replaces the one before.
func TestManyNotices(t *testing.T) {
	s := newSession(t, interrupt.TransportMastraCommand)
	s.Observe(&agui.RunStarted{}, "run-1")
	for i := range 10_000 {
		s.Observe(notice(fmt.Sprintf(`{"toolCallId":"c%d","toolName":"f"}`, i)), "run-1")
		if p := s.Pending(); len(p) != 1 || p[0].ToolName != "f" || s.Count() != 1 {
			t.Fatalf("%+v", p)
		}
	}
	s.Observe(outcome(batch(60_000, `1`)...), "run-1")
	if p := s.Pending(); len(p) != 1 || p[0].ToolCallID != "c9999" {
		t.Fatalf("%+v", p)
	}
	if err := s.Answerable(json.RawMessage(yes), noon); err != nil {
		t.Errorf("the notice's own question: %v", err)
	}
}

// TestManyAreLate: the time of each is checked once.
func TestManyAreLate(t *testing.T) {
	all := batch(interrupt.MaxPending, `1`)
	var cancel strings.Builder
	for i := range all {
		all[i].ExpiresAt = "2020-01-01T00:00:00Z"
		fmt.Fprintf(&cancel, `,{"interruptId":%q,"status":"cancelled"}`, all[i].ID)
	}
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(outcome(all...), "run-1")
	if err := s.Answerable(json.RawMessage(`[`+cancel.String()[1:]+`]`), noon); err != nil {
		t.Error(err)
	}
}

// TestLargeRequestsAreNotRead: a request that no card could show is marked, and so are
// those behind many that are large.
func TestLargeRequestsAreNotRead(t *testing.T) {
	profile := interrupt.Profile{Payload: []string{"native.metadata.payload.deep.er", "native.metadata.payload", "legacy.suspendPayload"}}
	large := func(n int) string { return `{"x":"` + strings.Repeat("x", n) + `"}` }
	for name, tt := range map[string]struct {
		batch  []agui.Interrupt
		notice string
		unread []bool
	}{
		"ordinary":         {batch(2, `{"deep":"{\"er\":[1]}"}`), "", []bool{false, false}},
		"one":              {batch(1, large(1<<20)), "", []bool{true}},
		"many":             {batch(8, large(200<<10)), "", []bool{false, false, false, false, false, true, true, true}},
		"a notice":         {nil, `{"suspendPayload":` + large(1<<20) + `}`, []bool{true}},
		"a notice as text": {nil, text(t, `{"suspendPayload":`+large(1<<20)+`}`), []bool{true}},
		"deep":             {batch(1, strings.Repeat(`[`, 9000)+strings.Repeat(`]`, 9000)), "", []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			s := session{interrupt.New(interrupt.TransportAuto, profile), t}
			s.Observe(&agui.RunStarted{}, "run-1")
			if tt.notice != "" {
				s.Observe(notice(tt.notice), "run-1")
			}
			if tt.batch != nil {
				s.Observe(outcome(tt.batch...), "run-1")
			}
			var unread []bool
			for _, p := range s.Pending() {
				unread = append(unread, p.Unread)
				if p.Unread && len(p.Payload)+len(p.Metadata["payload"]) < 100<<10 {
					t.Error("nothing shows how large it is")
				}
				if !p.Unread && p.Payload == nil {
					t.Error("nothing was found")
				}
			}
			if fmt.Sprint(unread) != fmt.Sprint(tt.unread) {
				t.Errorf("unread %v, want %v", unread, tt.unread)
			}
		})
	}
	s := session{interrupt.New(interrupt.TransportAuto, profile), t}
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(outcome(batch(1, `{"deep":"{\"er\":[1]}"}`)...), "run-1")
	if p := s.Pending()[0]; string(p.Payload) != "[1]" {
		t.Errorf("payload %s", p.Payload)
	}
}
