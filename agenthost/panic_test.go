package agenthost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/trip"
	"cairn/agui"
)

// logged is a log that several goroutines write to.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// mine is a dialect whose writer panics at one of its methods.
type mine struct {
	dialect.Mastra
	at *string
}

func (d mine) NewWriter(r dialect.Run) dialect.EventWriter {
	d.blow("NewWriter")
	return mineWriter{d.Mastra.NewWriter(r), d}
}

func (d mine) Answers(in agui.RunAgentInput) ([]dialect.Answer, error) {
	d.blow("Answers")
	return d.Mastra.Answers(in)
}

func (d mine) blow(at string) {
	if *d.at == at {
		panic("planted at " + at)
	}
}

type mineWriter struct {
	dialect.EventWriter
	d mine
}

func (v mineWriter) Started() []agui.Event { v.d.blow("Started"); return v.EventWriter.Started() }
func (v mineWriter) Opened(s json.RawMessage) []agui.Event {
	v.d.blow("Opened")
	return v.EventWriter.Opened(s)
}
func (v mineWriter) Text(s string) []agui.Event { v.d.blow("Text"); return v.EventWriter.Text(s) }
func (v mineWriter) ToolResult(id string, r json.RawMessage) []agui.Event {
	v.d.blow("ToolResult")
	return v.EventWriter.ToolResult(id, r)
}
func (v mineWriter) Finished(u *agui.TokenUsage) []agui.Event {
	v.d.blow("Finished")
	return v.EventWriter.Finished(u)
}
func (v mineWriter) Failed(code, message string) []agui.Event {
	v.d.blow("Failed")
	return v.EventWriter.Failed(code, message)
}

// minedStore panics in one of its methods.
type minedStore struct {
	agenthost.Store
	at *string
}

func (s minedStore) blow(at string) {
	if *s.at == at {
		panic("planted at " + at)
	}
}
func (s minedStore) Interrupts(ctx context.Context, t agenthost.Thread) ([]agenthost.Interrupt, error) {
	s.blow("Interrupts")
	return s.Store.Interrupts(ctx, t)
}
func (s minedStore) Settle(ctx context.Context, t agenthost.Thread, from, to agenthost.InterruptState) error {
	s.blow("Settle")
	return s.Store.Settle(ctx, t, from, to)
}

// TestAPanicEndsOneRun plants a panic in each place that a run comes through. The run
// ends with RUN_ERROR, the stack and the thread are logged, and the thread is free for
// the next run.
func TestAPanicEndsOneRun(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"NewWriter", "Started", "Answers", "Opened", "Text", "ToolResult", "Finished", "Failed", "Interrupts", "Settle", "child"} {
		t.Run(at, func(t *testing.T) {
			where, ran := at, 0
			child := &agenthost.Agent{Name: "scout", Instructions: "Look."}
			child.As = agenthost.NewHandover("scout", "", func(struct{}) string {
				if where == "child" {
					panic("planted at child")
				}
				return "look"
			})
			agent := toolAgent(echo(&ran))
			agent.Children, agent.Dialect = []*agenthost.Agent{child}, mine{at: &where}
			var log logged
			s := limited(t, agent, func(c *agenthost.Config) {
				c.Store, c.Logger = minedStore{c.Store, &where}, log.logger()
				if at == "Failed" { // a run that fails, and then its end
					c.MaxOutput = 500
				}
			})
			if at != "NewWriter" && at != "Started" && at != "Answers" && at != "Opened" && at != "Interrupts" && at != "Settle" {
				s.model.says(modelAnswer{text: strings.Repeat("word ", 10), calls: []modelCall{{"c", "echo", `{"text":""}`}, {"d", "scout", "{}"}}})
			}
			if at == "Finished" {
				s.model.says(modelAnswer{text: "found"}, modelAnswer{text: "done"})
			}
			code := "internal"
			if at == "Failed" {
				code = "output_limit"
			}
			events := s.run(s.input("t1", "go"))
			wantLast(t, events, code)
			if _, ok := events[0].(*agui.RunStarted); !ok {
				t.Errorf("begins with %s", types(events))
			}
			for _, want := range []string{"thread=t1", "planted at " + at, "panic_test.go", "stack="} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %q: %.2000s", want, log.String())
				}
			}
			where = ""
			s.server.Config.Handler = s.host
			s.model.says(modelAnswer{text: "fine"})
			if got := text(s.run(s.input("t1", "and now?"))); got != "fine" {
				t.Errorf("the thread then returned %q", got)
			}
		})
	}
}

// TestAToolThatPanicsOnceDecided: what it did is not known, as after a crash. It is
// not carried out again, by any request.
func TestAToolThatPanicsOnceDecided(t *testing.T) {
	ran := 0
	tool := agenthost.NewTool("pay", "", func(_ context.Context, c agenthost.Call[struct{}]) (any, error) {
		if c.Resume == nil {
			return nil, agenthost.Suspend("pay?")
		}
		ran++
		panic("planted")
	})
	tool.Resume = agenthost.SchemaOf[trip.Approval]()
	s := newAgentService(t, toolAgent(tool))
	s.model.says(pay, modelAnswer{text: "I do not know."})
	s.run(s.input("t1", "pay"))
	events := s.run(s.input("t1", "", approvePay))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); !strings.Contains(got, "is not known") || text(events) != "I do not know." {
		t.Errorf("result %s, %s", got, types(events))
	}
	if got := types(s.run(s.input("t1", "", approvePay))); got != "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED" || ran != 1 {
		t.Errorf("a repeat returned %s after %d runs of the tool", got, ran)
	}
}

// angry panics when it is encoded.
type angry struct{}

func (angry) MarshalJSON() ([]byte, error) { panic("planted") }

func TestAValueThatPanicsWhenEncoded(t *testing.T) {
	s := newAgentService(t, toolAgent(agenthost.NewTool("angry", "", func(context.Context, agenthost.Call[struct{}]) (any, error) {
		return angry{}, nil
	})))
	s.model.says(modelAnswer{calls: []modelCall{{"c", "angry", "{}"}}}, modelAnswer{text: "Sorry."})
	if got := text(s.run(s.input("t1", "go"))); got != "Sorry." {
		t.Errorf("the run returned %q", got)
	}
}

// TestForeignTextInLogs: what clients and models send is on one line, short, and never
// the token or the key.
func TestForeignTextInLogs(t *testing.T) {
	const token, key = "token-0123456789", "sk-0123456789"
	var log logged
	s := limited(t, toolAgent(agenthost.NewTool("fails", "", func(_ context.Context, c agenthost.Call[struct{}]) (any, error) {
		panic(strings.Repeat(token+"\n"+key+" ", 10_000))
	})), func(c *agenthost.Config) {
		c.Logger, c.Token, c.Model.APIKey, c.MaxSteps = log.logger(), token, key, 1
	})
	s.model.says(modelAnswer{calls: []modelCall{{token + "\n" + key, "fails", "{}"}}})
	r := s.request(t.Context(), s.input(token+"\n"+strings.Repeat("x", 900), "go"))
	r.Header.Set(agenthost.TokenHeader, token)
	resp, err := s.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	wantLast(t, readEvents(t, resp.Body), "step_limit")
	said := log.String()
	if !strings.Contains(said, "[secret]") || strings.Contains(said, token) || strings.Contains(said, key) {
		t.Errorf("the log has a secret, or none that is masked: %.500s", said)
	}
	for line := range strings.Lines(said) {
		if len(line) > 16<<10 {
			t.Errorf("a line of %d bytes: %.200s", len(line), line)
		}
	}
}
