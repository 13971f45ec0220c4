package agenthost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agenthost"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/agui"
)

// slowModel is a model's server without a network, for tests in fake time: it
// says the answers one after the other, thirty milliseconds a word.
type slowModel struct {
	answers []modelAnswer
	words   atomic.Int32 // said so far
}

const perWord = 30 * time.Millisecond

func (m *slowModel) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	a := m.answers[0]
	m.answers = m.answers[1:]
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { _ = body.CloseWithError(context.Cause(r.Context())) }) // as net/http does
	go func() {                                                                                    // ends when the reader is closed or everything is said
		say := func(delta, finish string) bool {
			_, err := fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
			return err == nil
		}
		for _, c := range a.calls {
			say(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":%q,"function":{"name":%q,"arguments":%q}}]}`, c.id, c.name, c.args), "null")
		}
		for word := range strings.FieldsSeq(a.text) {
			time.Sleep(perWord)
			if !say(fmt.Sprintf(`{"content":"%s "}`, word), "null") {
				return
			}
			m.words.Add(1)
		}
		say("{}", `"stop"`)
		_ = w.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Request: r, Body: body, Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
}

// timed is the trip planner in fake time: requests go to the handler itself.
type timed struct {
	t     *testing.T
	model *slowModel
	path  string
	host  *agenthost.Server
}

// inFakeTime runs a test on a planner whose model says the answers.
func inFakeTime(t *testing.T, answers []modelAnswer, test func(*testing.T, *timed)) {
	synctest.Test(t, func(t *testing.T) {
		s := &timed{t: t, model: &slowModel{answers: answers}, path: filepath.Join(t.TempDir(), "agent.db")}
		store, err := sqlite.Open(t.Context(), s.path)
		if err != nil {
			t.Fatal(err)
		}
		bookings, err := ledger.Open(t.Context(), s.path)
		if err != nil {
			t.Fatal(err)
		}
		s.host, err = agenthost.New(agenthost.Config{Token: testToken, Store: store,
			Agents: map[string]*agenthost.Agent{trip.Topic: trip.New(bookings)},
			Model:  agenthost.ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: s.model}}})
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
		if err := s.host.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := errors.Join(store.Close(), bookings.Close()); err != nil {
			t.Error(err)
		}
	})
}

func (s *timed) run(ctx context.Context, runID, text string, edit ...func(map[string]any)) []agui.Event {
	in := map[string]any{"threadId": "t1", "runId": runID, "messages": []any{map[string]any{"id": "u" + runID, "role": "user", "content": text}}}
	for _, f := range edit {
		f(in)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		s.t.Error(err)
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/agent/mastra", bytes.NewReader(raw))
	r.Header.Set(agenthost.TokenHeader, testToken)
	w := httptest.NewRecorder()
	s.host.ServeHTTP(w, r)
	events := readEvents(s.t, w.Body)
	inOrder(s.t, events)
	return events
}

func (s *timed) bookings() int {
	list, err := ledger.List(s.t.Context(), s.path)
	if err != nil {
		s.t.Error(err)
	}
	return len(list)
}

// TestHazardDoubleApprove sends the same approval twice, as far apart as made two
// bookings in the real Mastra (measured transcript 64): all of them while the
// first resumed run, of about 800 ms, still speaks. The last is after its end.
func TestHazardDoubleApprove(t *testing.T) {
	sentence := strings.Repeat("booked ", 26)
	approve := command(map[string]any{"approved": true}, "call_r", "run-1")
	for _, tc := range []struct {
		gap  time.Duration
		want string // of the second
	}{
		{0, "thread_busy"}, {20 * time.Millisecond, "thread_busy"}, {100 * time.Millisecond, "thread_busy"},
		{300 * time.Millisecond, "thread_busy"}, {600 * time.Millisecond, "thread_busy"},
		{1200 * time.Millisecond, "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED"},
	} {
		t.Run(tc.gap.String(), func(t *testing.T) {
			inFakeTime(t, []modelAnswer{reserve, {text: sentence}}, func(t *testing.T, s *timed) {
				s.run(t.Context(), "run-1", "Reserve North Pines for two nights")
				began := time.Now()
				first := make(chan []agui.Event)
				go func() { first <- s.run(t.Context(), "run-2", "", approve) }() // ends with its run
				synctest.Wait()
				time.Sleep(tc.gap)
				second := s.run(t.Context(), "run-3", "", approve)
				if tc.want == "thread_busy" {
					wantError(t, second, tc.want)
				} else if got := types(second); got != tc.want {
					t.Errorf("the second returned %s", got)
				}
				if took := time.Since(began) - tc.gap; took > 100*time.Millisecond {
					t.Errorf("the second was told after %v", took)
				}
				select {
				case events := <-first:
					if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
						t.Errorf("the first returned %s", got)
					}
				case <-time.After(time.Minute):
					t.Error("the first does not end")
				}
				if n := s.bookings(); n != 1 {
					t.Errorf("%d bookings", n)
				}
			})
		})
	}
}

// TestHazardAbort: the client leaves after 200 ms of a long answer. The model is
// heard no further, and the thread answers the next message without a wait
// (measured transcripts 125 and 126: to the end, and 3.7 s).
func TestHazardAbort(t *testing.T) {
	inFakeTime(t, []modelAnswer{{text: strings.Repeat("word ", 120)}, {text: "fine"}}, func(t *testing.T, s *timed) {
		ctx, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer leave()
		began := time.Now()
		s.run(ctx, "run-1", "talk")
		if took := time.Since(began); took > 300*time.Millisecond {
			t.Errorf("the run ended %v after it began", took)
		}
		time.Sleep(100 * time.Millisecond)
		if said := s.model.words.Load(); said < 6 || said > 200/30+1 {
			t.Errorf("the model said %d words", said)
		}
		began = time.Now()
		if got := text(s.run(t.Context(), "run-2", "hello")); got != "fine " || time.Since(began) > 2*perWord {
			t.Errorf("then %q after %v", got, time.Since(began))
		}
	})
}

// TestHazardRunIDClash: two threads pause under one run id that their clients
// chose; each answers its own (measured transcripts 134 to 137). On one thread
// the id is refused.
func TestHazardRunIDClash(t *testing.T) {
	s := newService(t)
	same := func(in map[string]any) { in["runId"] = "run-same" }
	for _, thread := range []string{"t1", "t2"} {
		s.model.says(reserve)
		s.run(s.input(thread, "Reserve North Pines for two nights", same))
	}
	for i, thread := range []string{"t1", "t2"} {
		s.model.says(modelAnswer{text: "Booked."})
		events := s.run(s.input(thread, "", command(map[string]any{"approved": true}, "call_r", "run-same")))
		if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" || s.bookings() != i+1 {
			t.Errorf("%s: %s, %d bookings", thread, got, s.bookings())
		}
	}
	s.model.says(reserve)
	wantError(t, s.run(s.input("t1", "Reserve it again", same)), "run_id_reused")
	if got := s.reservations(); got[0].ThreadID != "t1" || got[1].ThreadID != "t2" {
		t.Errorf("booked for %+v", got)
	}
}

// TestHazardForeignThread: a caller that knows run and call but not the thread can
// neither decide nor see anything, and takes nothing from the owner (measured
// transcripts 47 and 48).
func TestHazardForeignThread(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(map[string]any){
		"command":  command(map[string]any{"approved": true}, "call_r", "run-1"),
		"protocol": protocolResume(map[string]any{"interruptId": "run-1::call_r", "status": "resolved", "payload": map[string]any{"approved": true}}),
		"cancel":   protocolResume(map[string]any{"interruptId": "run-1::call_r", "status": "cancelled"}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.model.says(reserve)
			s.run(s.input("owner", "Reserve North Pines for two nights"))
			wantError(t, s.run(s.input("stranger", "", edit)), "interrupt_not_found")
			s.model.says(modelAnswer{text: "Booked."})
			s.run(s.input("owner", "", command(map[string]any{"approved": true}, "call_r", "run-1")))
			if list := s.reservations(); len(list) != 1 || list[0].ThreadID != "owner" {
				t.Errorf("ledger %+v", list)
			}
		})
	}
}

// TestHazardMistypedPayload: an answer of the wrong type does not use up the
// question (measured transcripts 52, 54, 58, 71 and 72).
func TestHazardMistypedPayload(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`true`, `"yes"`, `1`, `[]`, `{"approved":"yes"}`, `{"approved":null}`, `{"approved":true,"also":1}`} {
		t.Run(payload, func(t *testing.T) {
			s := newService(t)
			s.model.says(reserve)
			s.run(s.input("t1", "Reserve North Pines for two nights"))
			wantError(t, s.run(s.input("t1", "", command(json.RawMessage(payload), "call_r", "run-1"))), "invalid_resume")
			s.model.says(modelAnswer{text: "Booked."})
			s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_r", "run-1")))
			if s.bookings() != 1 {
				t.Errorf("%d bookings after the right answer", s.bookings())
			}
		})
	}
}
