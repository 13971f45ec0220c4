package agenthost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agenthost"
	"cairn/agenthost/sqlite"
	"cairn/agui"
)

// limited is a service of one agent whose limits are set.
func limited(t *testing.T, agent *agenthost.Agent, set func(*agenthost.Config)) *service {
	t.Helper()
	s := newAgentService(t, agent)
	cfg := agenthost.Config{Token: testToken, Agents: map[string]*agenthost.Agent{"mastra": agent}, Store: s.store,
		Model: agenthost.ModelConfig{BaseURL: s.model.server.URL}}
	set(&cfg)
	host, err := agenthost.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.server.Config.Handler = host
	return s
}

func echo(ran *int) *agenthost.Tool {
	return agenthost.NewTool("echo", "", func(_ context.Context, c agenthost.Call[struct {
		Text string `json:"text"`
	}]) (any, error) {
		*ran++
		return c.Args.Text, nil
	})
}

func wantLast(t *testing.T, events []agui.Event, code string) {
	t.Helper()
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != code || e.Message == "" {
		t.Errorf("%s, want an end with %s", types(events), code)
	}
}

func calls(n int, name, args string) (list []modelCall) {
	for i := range n {
		list = append(list, modelCall{fmt.Sprintf("call_%d", i), name, args})
	}
	return list
}

func TestLimitsOfARun(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		set        func(*agenthost.Config)
		answers    []modelAnswer
		ran        int
	}{
		{"output", "output_limit", func(c *agenthost.Config) { c.MaxOutput = 4 << 10 },
			[]modelAnswer{{text: strings.Repeat("word ", 1000)}}, 0},
		{"output before a tool", "output_limit", func(c *agenthost.Config) { c.MaxOutput = 600 },
			[]modelAnswer{{calls: []modelCall{{"c", "echo", `{"text":"` + strings.Repeat("x", 1000) + `"}`}}}}, 0},
		{"answer's text", "answer_limit", func(c *agenthost.Config) { c.MaxAnswer = 100 },
			[]modelAnswer{{text: strings.Repeat("word ", 1000)}}, 0},
		{"answer's arguments", "answer_limit", func(c *agenthost.Config) { c.MaxAnswer = 100 },
			[]modelAnswer{{calls: []modelCall{{"c", "echo", `{"text":"` + strings.Repeat("x", 1000) + `"}`}}}}, 0},
		{"answer's names", "answer_limit", func(c *agenthost.Config) { c.MaxAnswer = 100 },
			[]modelAnswer{{calls: []modelCall{{"c", strings.Repeat("x", 1000), `{}`}}}}, 0},
		{"calls of an answer", "call_limit", func(c *agenthost.Config) { c.MaxCalls = 3 },
			[]modelAnswer{{calls: calls(4, "echo", `{"text":""}`)}}, 0},
		{"calls of a run", "call_limit", func(c *agenthost.Config) { c.MaxRunCalls = 5 },
			[]modelAnswer{{calls: calls(3, "echo", `{"text":""}`)}, {calls: calls(3, "echo", `{"text":""}`)}}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ran := 0
			s := limited(t, toolAgent(echo(&ran)), tc.set)
			s.model.says(tc.answers...)
			wantLast(t, s.run(s.input("t1", "go")), tc.code)
			if ran != tc.ran {
				t.Errorf("the tool ran %d times, want %d", ran, tc.ran)
			}
			s.server.Config.Handler = s.host // without the limits
			s.model.says(modelAnswer{text: "fine"})
			if got := text(s.run(s.input("t1", "and now?"))); got != "fine" {
				t.Errorf("the thread then returned %q", got)
			}
		})
	}
}

// TestRunTimeout: a run whose answers are each in time ends when they are too many.
func TestRunTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		again := modelAnswer{text: strings.Repeat("word ", 10), calls: []modelCall{{"c", "echo", `{"text":""}`}}}
		host, err := agenthost.New(agenthost.Config{Token: testToken, Store: store, RunTimeout: time.Second, MaxSteps: 100,
			Agents: map[string]*agenthost.Agent{"mastra": toolAgent(echo(&ran))},
			Model: agenthost.ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{
				Transport: &slowModel{answers: []modelAnswer{again, again, again, again, again, again}}}}})
		if err != nil {
			t.Fatal(err)
		}
		s := &timed{t: t, host: host}
		began := time.Now()
		wantLast(t, s.run(t.Context(), "run-1", "go"), "run_timeout")
		if took := time.Since(began); took != time.Second || ran != 3 {
			t.Errorf("ended after %v and %d calls", took, ran)
		}
		time.Sleep(perWord) // the model finds that it is left with its next word
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestResultLimit: of a result that is too large the model learns that it is; what was
// decided is recorded as done.
func TestResultLimit(t *testing.T) {
	ran := 0
	s := limited(t, toolAgent(echo(&ran)), func(c *agenthost.Config) { c.MaxResult = 1000 })
	s.model.says(modelAnswer{calls: []modelCall{{"c", "echo", `{"text":"` + strings.Repeat("x", 1000) + `"}`}}}, modelAnswer{text: "Long."})
	got := find[*agui.ToolCallResult](t, s.run(s.input("t1", "go"))).Content.Text()
	if want := `{"error":true,"message":"The tool echo has run, but its result is left out: it has more than 1000 bytes."}`; got != want || ran != 1 {
		t.Errorf("result %s", got)
	}
}

func TestLimitsOfARequest(t *testing.T) {
	t.Parallel()
	s := limited(t, toolAgent(), func(c *agenthost.Config) { c.MaxMessages, c.MaxTools, c.MaxDepth = 3, 2, 20 })
	message, tool := `{"id":"1","role":"user","content":"x"},`, `{"name":"n","description":""},`
	body := func(messages, tools, state string) string {
		return fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[%s],"tools":[%s],"state":%s}`,
			strings.TrimSuffix(messages, ","), strings.TrimSuffix(tools, ","), state)
	}
	for _, tc := range []struct {
		name, body string
		status     int
		names      string
	}{
		{"messages", body(strings.Repeat(message, 4), "", "{}"), 413, "messages: more than 3"},
		{"tools", body("", strings.Repeat(tool, 3), "{}"), 413, "tools: more than 2"},
		{"depth", body("", "", strings.Repeat("[", 20)+strings.Repeat("]", 20)), 400, "deeper than 20"},
		{"parameters", body("", `{"name":"n","description":"","parameters":[]}`, "{}"), 400, "tools[0].parameters"},
		{"thread id", `{"threadId":"` + strings.Repeat("t", 2000) + `","runId":"r","messages":[]}`, 400, "1024 bytes"},
		{"role", body(`{"id":"1","role":"`+strings.Repeat("king\\n", 100_000)+`","content":"x"}`, "", "{}"), 400, `messages[0].role \"king`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, got, _ := s.do(t, "POST", "/agent/mastra", tc.body, map[string]string{"X-Internal-Token": testToken})
			var answer struct{ Detail string }
			if err := json.Unmarshal([]byte(got), &answer); err != nil || status != tc.status || !strings.Contains(got, tc.names) {
				t.Errorf("%d %.200s, want %d naming %s", status, got, tc.status, tc.names)
			}
			if len(answer.Detail) > 1<<10 || strings.ContainsAny(answer.Detail, "\r\n") {
				t.Errorf("a detail of %d bytes", len(answer.Detail))
			}
		})
	}
	t.Run("topic", func(t *testing.T) {
		_, got, _ := s.do(t, "POST", "/agent/"+strings.Repeat("x", 100_000), "{}", map[string]string{"X-Internal-Token": testToken})
		if len(got) > 1100 {
			t.Errorf("an answer of %d bytes", len(got))
		}
	})
}

// TestManyClientTools: each name is offered once, and the last is found.
func TestManyClientTools(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s := newAgentService(t, toolAgent())
	s.model.says(modelAnswer{calls: []modelCall{{"c", fmt.Sprintf("tool_%d", n-1), `{"a":1}`}}})
	events := s.run(s.input("t1", "go", func(in map[string]any) {
		var tools []any
		for i := range n {
			tools = append(tools, map[string]any{"name": fmt.Sprintf("tool_%d", i), "description": ""})
		}
		in["tools"] = append(tools, tools[0], tools[1])
	}))
	if got := types(events); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END RUN_FINISHED" {
		t.Error(got)
	}
	if offered := s.model.asked()[0].Tools; len(offered) != n {
		t.Errorf("%d tools are offered", len(offered))
	}
}
