package agenthost_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

// family is an agent with two children, of which scout has tools.
func family() *agenthost.Agent {
	type none struct{}
	look := agenthost.NewTool("look", "", func(context.Context, agenthost.Call[none]) (any, error) { return "a bear", nil })
	fall := agenthost.NewTool("fall", "", func(context.Context, agenthost.Call[none]) (any, error) { return nil, errors.New("hunter2") })
	ask := agenthost.NewTool("ask", "", func(context.Context, agenthost.Call[none]) (any, error) { return nil, agenthost.Suspend("well?") })
	ask.Resume = agenthost.SchemaOf[none]()
	return &agenthost.Agent{Name: "parent", Instructions: "Delegate.",
		Tools: []*agenthost.Tool{agenthost.NewTool("wave", "", func(context.Context, agenthost.Call[none]) (any, error) { return "waved", nil })},
		Children: []*agenthost.Agent{
			{Name: "scout", Description: "Looks.", Instructions: "Look.", Tools: []*agenthost.Tool{look, fall, ask}},
			{Name: "poet", Description: "Writes.", Instructions: "Write."},
		}}
}

func calling(calls ...string) modelAnswer {
	var a modelAnswer
	for _, name := range calls {
		args := "{}"
		if strings.HasPrefix(name, "agent-") {
			args = `{"prompt":"go"}`
		}
		a.calls = append(a.calls, modelCall{"call_" + name, name, args})
	}
	return a
}

const (
	told     = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END SUBAGENT_STARTED "
	toldBy   = "TOOL_CALL_START@sub TOOL_CALL_ARGS@sub TOOL_CALL_END@sub TOOL_CALL_RESULT@sub "
	says     = "TEXT_MESSAGE_START@sub TEXT_MESSAGE_CONTENT@sub+ TEXT_MESSAGE_END@sub "
	returns  = "SUBAGENT_FINISHED TOOL_CALL_RESULT "
	breaks   = "SUBAGENT_ERROR TOOL_CALL_RESULT "
	answered = "TEXT_MESSAGE_CHUNK+ RUN_FINISHED"
)

// TestChildren: however a child ends, its card and its call are closed, what it
// says and calls is its own, and its parent goes on.
func TestChildren(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		answers []modelAnswer
		want    string
		parent  string // part of what the parent's model is told
	}{
		{"answers", []modelAnswer{calling("agent-poet"), {text: "A poem."}}, told + says + returns, `{"text":"A poem."}`},
		{"says nothing", []modelAnswer{calling("agent-poet"), {}}, told + returns, `{"text":""}`},
		{"calls a tool", []modelAnswer{calling("agent-scout"), calling("look"), {text: "Beware."}}, told + toldBy + says + returns, `{"text":"Beware."}`},
		{"speaks before and after a tool", []modelAnswer{calling("agent-scout"), {text: "Let me see.", calls: calling("look").calls}, {text: "Beware."}},
			told + says + toldBy + says + returns, `{"text":"Beware."}`},
		{"calls two tools", []modelAnswer{calling("agent-scout"), calling("look", "fall"), {text: "Ouch."}}, told + toldBy + toldBy + says + returns, "Ouch."},
		{"calls an unknown tool", []modelAnswer{calling("agent-scout"), calling("fly"), {text: "I cannot."}}, told + toldBy + says + returns, "I cannot."},
		{"wants its parent's tool", []modelAnswer{calling("agent-scout"), calling("wave"), {text: "I cannot."}}, told + toldBy + says + returns, "I cannot."},
		{"wants a decision", []modelAnswer{calling("agent-scout"), calling("ask"), {text: "Nobody is there."}}, told + toldBy + says + returns, "Nobody"},
		{"wants a grandchild", []modelAnswer{calling("agent-scout"), calling("agent-poet"), {text: "Alone."}}, told + toldBy + says + returns, "Alone."},
		{"its model fails", []modelAnswer{calling("agent-poet"), {status: 500}}, told + breaks, "could not finish"},
		{"its model breaks off", []modelAnswer{calling("agent-poet"), {text: "Roses are", cut: true}}, told + says + breaks, "could not finish"},
		{"fails after a tool", []modelAnswer{calling("agent-scout"), calling("look"), {status: 429}}, told + toldBy + breaks, "could not finish"},
		{"never ends", []modelAnswer{calling("agent-scout"), calling("look"), calling("look"), calling("look")}, told + toldBy + toldBy + toldBy + breaks, "could not finish"},
		{"two, the first fails", []modelAnswer{calling("agent-poet", "agent-scout"), {status: 500}, {text: "All clear."}}, told + breaks + told + says + returns, "All clear."},
		{"no prompt", []modelAnswer{{calls: []modelCall{{"call_d", "agent-poet", "{}"}}}}, "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT ", "validation failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newAgentService(t, family())
			s.model.says(append(tc.answers, modelAnswer{text: "So be it."})...)
			events := s.run(s.input("t1", "My PIN is 1234."))
			if got := types(events); got != "RUN_STARTED "+tc.want+answered {
				t.Errorf("\n got %s\nwant %s", got, "RUN_STARTED "+tc.want+answered)
			}
			checkJoints(t, events)
			asked := s.model.asked()
			if last := asked[len(asked)-1]; last.Messages[0].Content != "Delegate." || !strings.Contains(last.last(), tc.parent) {
				t.Errorf("the parent was told %s", last.last())
			}
			for _, r := range asked[1 : len(asked)-1] {
				for _, m := range r.Messages {
					if strings.Contains(m.Content, "PIN") || strings.Contains(m.Content, "Delegate") || strings.Contains(m.Content, "hunter2") {
						t.Errorf("a child was told %q", m.Content)
					}
				}
			}
			messages := map[string]bool{}
			for _, ev := range events {
				if e, ok := ev.(*agui.TextMessageStart); ok {
					if messages[e.MessageID] {
						t.Errorf("message %s began twice", e.MessageID)
					}
					messages[e.MessageID] = true
				}
			}
		})
	}
}

// slowChild runs a delegation between two other calls until the child has said
// something; the child then says no more.
func slowChild(t *testing.T, ctx context.Context, s *service) *http.Response {
	t.Helper()
	s.model.says(calling("jump", "agent-poet", "wave"), modelAnswer{text: "Roses are", hang: true})
	resp, err := http.DefaultClient.Do(s.request(ctx, s.input("t1", "go")))
	if err != nil {
		t.Fatal(err)
	}
	readUntil(t, resp.Body, `"delta":"Roses `) // live, before the child has ended
	return resp
}

// TestSlowChildIsLeft: when the client goes, so does the child's model, and the
// thread is free.
func TestSlowChildIsLeft(t *testing.T) {
	s := newAgentService(t, family())
	ctx, leave := context.WithCancel(t.Context())
	resp := slowChild(t, ctx, s)
	leave()
	_ = resp.Body.Close()
	<-s.model.left
	s.model.says(modelAnswer{text: "Here."})
	if got := text(s.run(s.input("t1", "hello"))); got != "Here." {
		t.Errorf("then %q", got)
	}
}

// TestSlowChildIsStopped: when the service stops, the child's card, its call and
// the call that was still to be run are closed before the run fails.
func TestSlowChildIsStopped(t *testing.T) {
	s := newAgentService(t, family())
	resp := slowChild(t, t.Context(), s)
	defer func() { _ = resp.Body.Close() }()
	if err := s.host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := readEvents(t, resp.Body)
	got := types(events)
	if _, end, ok := strings.Cut(got, "TEXT_MESSAGE_END@sub "); !ok || end != "SUBAGENT_ERROR TOOL_CALL_RESULT TOOL_CALL_RESULT RUN_ERROR" {
		t.Fatal(got)
	}
	if r := results(events); r != `call_agent-poet: {"error":true,"message":"The agent poet could not finish."}, call_wave: {"error":true,"message":"This call was not carried out."}` {
		t.Error(r)
	}
	if e := find[*agui.RunError](t, events); e.Code != "shutting_down" {
		t.Errorf("code %s", e.Code)
	}
}
