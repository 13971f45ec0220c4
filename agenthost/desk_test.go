package agenthost_test

import (
	"context"
	"errors"
	"strings"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agui"
)

// desk is an agent whose tools share a state and whose last step waits for a
// decision on what they drafted.
func desk() *agenthost.Agent {
	type slip struct {
		Amount int `json:"amount"`
	}
	type paper struct {
		Slip *slip  `json:"slip,omitempty"`
		Said string `json:"said,omitempty"`
	}
	type answer struct {
		Approved bool `json:"approved"`
	}
	draft := agenthost.NewTool("draft", "", func(_ context.Context, call agenthost.Call[slip]) (any, error) {
		var before slip
		if has, err := call.Shared("slip", &before); err != nil || has {
			return nil, agenthost.Refuse("One at a time.")
		}
		call.Share("slip", call.Args)
		return "drafted", nil
	})
	fail := agenthost.NewTool("fail", "", func(_ context.Context, call agenthost.Call[slip]) (any, error) {
		call.Share("slip", call.Args)
		return nil, errors.New("no")
	})
	after := agenthost.NewTool("sign", "", func(_ context.Context, call agenthost.Call[paper]) (any, error) {
		switch {
		case call.Args.Slip == nil:
			return nil, nil
		case call.Resume == nil:
			call.Share("said", "asked")
			return nil, agenthost.Suspend(call.Args.Slip)
		}
		var a answer
		if err := call.Resume.Decode(&a); err != nil {
			return nil, err
		}
		call.Share("said", "signed")
		return "Signed.", nil
	})
	after.Resume = agenthost.SchemaOf[answer]()
	return &agenthost.Agent{Name: "desk", Instructions: "Draft.", Tools: []*agenthost.Tool{draft, fail},
		Shared: agenthost.SchemaOf[paper](), After: after, Dialect: bareAnswers{}}
}

// bareAnswers is Mastra's dialect, but an answer does not say what it is to.
type bareAnswers struct{ dialect.Mastra }

func (d bareAnswers) Answers(in agui.RunAgentInput) ([]dialect.Answer, error) {
	list, err := d.Mastra.Answers(in)
	for i := range list {
		list[i].Interrupt = ""
	}
	return list, err
}

func slipCall(name, amount string) modelAnswer {
	return modelAnswer{calls: []modelCall{{"call_" + name, name, `{"amount":` + amount + `}`}}}
}

// states are the snapshots of a run.
func states(events []agui.Event) string {
	var list []string
	for _, ev := range events {
		if s, ok := ev.(*agui.StateSnapshot); ok {
			list = append(list, string(s.Snapshot))
		}
	}
	return strings.Join(list, " ")
}
