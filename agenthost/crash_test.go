package agenthost_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/agui"
)

// TestMain lets this binary also be a service that a test kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("AGENTHOST_TEST_SERVICE"); path != "" {
		serveUntilKilled(path, os.Getenv("AGENTHOST_TEST_MODEL"))
		return
	}
	os.Exit(m.Run())
}

func serveUntilKilled(path, modelURL string) {
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		panic(err)
	}
	bookings, err := ledger.Open(context.Background(), path)
	if err != nil {
		panic(err)
	}
	host, err := agenthost.New(agenthost.Config{Token: testToken, Store: store,
		Agents: map[string]*agenthost.Agent{trip.Topic: trip.New(bookings)},
		Model:  agenthost.ModelConfig{BaseURL: modelURL}})
	if err != nil {
		panic(err)
	}
	fmt.Println(httptest.NewServer(host).URL)
	select {}
}

// killable runs the service in a process of its own on s's file and returns a function
// that kills it.
func (s *service) killable(t *testing.T) (kill func()) {
	t.Helper()
	s.halt()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AGENTHOST_TEST_SERVICE="+s.path, "AGENTHOST_TEST_MODEL="+s.model.server.URL)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.server = &httptest.Server{URL: strings.TrimSpace(line)}
	return func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
		s.start()
	}
}

// TestHazardKilledMidResume kills the process with SIGKILL at some point of the
// resumed run, starts it again and answers again: one booking, and the run comes
// to its end (measured transcripts 156 to 158: two bookings).
func TestHazardKilledMidResume(t *testing.T) {
	for name, until := range map[string]string{
		"as soon as it begins": "RUN_STARTED", // before, while or after the tool runs
		"after the tool ran":   "TOOL_CALL_RESULT",
		"while it speaks":      "TEXT_MESSAGE_CHUNK",
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			kill := s.killable(t)
			s.model.says(reserve)
			client := http.DefaultClient
			resp, err := client.Do(s.request(t.Context(), s.input("t1", "Reserve North Pines for two nights")))
			if err != nil {
				t.Fatal(err)
			}
			readEvents(t, resp.Body)
			_ = resp.Body.Close()
			s.model.says(modelAnswer{text: "North Pines is", hang: true})
			approve := command(map[string]any{"approved": true}, "call_r", "run-1")
			resp, err = client.Do(s.request(t.Context(), s.input("t1", "", approve)))
			if err != nil {
				t.Fatal(err)
			}
			readUntil(t, resp.Body, until)
			s.model = newFakeModel(t) // the killed process may still be asking the old one
			kill()
			_ = resp.Body.Close()
			s.model.says(modelAnswer{text: "North Pines is booked."})
			events := s.run(s.input("t1", "", approve))
			if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
				t.Error(got)
			}
			if got := s.bookings(); got != 1 {
				t.Errorf("%d bookings", got)
			}
		})
	}
}

// TestCrashBetweenDecisionAndResult: the decision is recorded, the result is
// not. The idempotent tool runs again under its key; another one does not.
func TestCrashBetweenDecisionAndResult(t *testing.T) {
	for _, alreadyBooked := range []bool{false, true} {
		t.Run(fmt.Sprintf("booked %v", alreadyBooked), func(t *testing.T) {
			s := newService(t)
			s.model.says(reserve)
			s.run(s.input("t1", "Reserve North Pines for two nights"))
			in := s.decide("t1", agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_r"})[0]
			if alreadyBooked {
				if _, err := s.ledger.Book(t.Context(), in.IdempotencyKey, trip.Booking{ThreadID: "t1", Site: "North Pines", Nights: 2, TotalUSD: 90, Confirmation: "TP-0288"}); err != nil {
					t.Fatal(err)
				}
			}
			s.restart()
			s.model.says(modelAnswer{text: "Booked."})
			events := s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_r", "run-1")))
			if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != reserved || s.bookings() != 1 {
				t.Errorf("%s, %d bookings", got, s.bookings())
			}
		})
	}
}

func TestOutcomeUnknown(t *testing.T) {
	ran := 0
	tool := agenthost.NewTool("pay", "", func(_ context.Context, c agenthost.Call[struct{}]) (any, error) {
		if c.Resume == nil {
			return nil, agenthost.Suspend(map[string]int{"usd": 5})
		}
		ran++
		return "paid", nil
	})
	tool.Resume = agenthost.SchemaOf[trip.Approval]()
	s := newAgentService(t, &agenthost.Agent{Name: "payer", Instructions: "Pay.", Tools: []*agenthost.Tool{tool}})
	s.model.says(modelAnswer{calls: []modelCall{{"call_p", "pay", "{}"}}})
	s.run(s.input("t1", "pay"))
	s.decide("t1", agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_p"})
	wantError(t, s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_p", "run-1"))), "outcome_unknown")
	if ran != 0 {
		t.Error("the tool ran again")
	}
	s.model.says(modelAnswer{text: "I cannot tell."})
	if got := text(s.run(s.input("t1", "did it work?"))); got != "I cannot tell." {
		t.Errorf("the thread then returned %q", got)
	}
	asked := s.model.asked()
	if msgs := asked[len(asked)-1].Messages; len(msgs) != 4 || !strings.Contains(msgs[2].Content, "not known") {
		t.Errorf("the model was told %+v", msgs)
	}
}
