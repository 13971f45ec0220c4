package agenthost_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"cairn/agenthost"
	"cairn/agenthost/inmem"
)

// The agent of docs/build-your-own-agent.md.

type Plant struct {
	Name string `json:"name" jsonschema:"Name of the plant, in the singular"`
}

func checkStock(_ context.Context, call agenthost.Call[Plant]) (any, error) {
	n, sold := map[string]int{"fern": 12, "cactus": 3}[call.Args.Name]
	if !sold {
		return nil, agenthost.Refuse("This shop does not sell " + call.Args.Name + ".")
	}
	return map[string]int{"in_stock": n}, nil
}

type Order struct {
	Plant string `json:"plant"`
	Count int    `json:"count"`
}

type Approval struct {
	Approved bool `json:"approved,omitempty"`
}

func placeOrder(_ context.Context, call agenthost.Call[Order]) (any, error) {
	if call.Resume == nil {
		return nil, agenthost.Suspend(call.Args)
	}
	var answer Approval
	if err := call.Resume.Decode(&answer); err != nil || !answer.Approved {
		return "Nothing was ordered.", err
	}
	return fmt.Sprintf("Ordered %d × %s.", call.Args.Count, call.Args.Plant), nil
}

func newShop() *agenthost.Agent {
	stock := agenthost.NewTool("check_stock", "Returns how many of a plant are in stock.", checkStock)
	order := agenthost.NewTool("place_order", "Orders plants after the user has approved.", placeOrder)
	order.Resume = agenthost.SchemaOf[Approval]()
	gardener := &agenthost.Agent{Name: "gardener", Description: "Knows how to care for plants.",
		Instructions: "You are a gardener. Answer in two sentences."}
	return &agenthost.Agent{Name: "shop", Tools: []*agenthost.Tool{stock, order}, Children: []*agenthost.Agent{gardener},
		Instructions: "You run a plant shop. Ask gardener how to care for a plant. Answer in one sentence."}
}

// Example runs the shop on a model with fixed answers, once until it asks for approval
// and once with the answer.
func Example() {
	model := cannedModel(
		`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"check_stock","arguments":"{\"name\":\"fern\"}"}}]}`,
		`{"tool_calls":[{"index":0,"id":"c2","function":{"name":"agent-gardener","arguments":"{\"prompt\":\"How much water does a fern need?\"}"}}]}`,
		`{"content":"Keep it moist."}`,
		`{"tool_calls":[{"index":0,"id":"c3","function":{"name":"place_order","arguments":"{\"plant\":\"fern\",\"count\":2}"}}]}`,
		`{"content":"Two ferns are on their way; keep them moist."}`)
	defer model.Close()
	host, err := agenthost.New(agenthost.Config{
		Token:  "a long random string",
		Store:  inmem.New(),
		Model:  agenthost.ModelConfig{BaseURL: model.URL},
		Agents: map[string]*agenthost.Agent{"shop": newShop()},
	})
	must(err)
	server := httptest.NewServer(host)
	defer server.Close()

	say(server.URL, `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Two ferns, please. How do I water them?"}]}`)
	fmt.Println("--- approved")
	say(server.URL, `{"threadId":"t1","runId":"r2","messages":[],"resume":[{"interruptId":"r1::c3","status":"resolved","payload":{"approved":true}}]}`)

	// Output:
	// RUN_STARTED
	// TOOL_CALL_START check_stock
	// TOOL_CALL_ARGS {"name":"fern"}
	// TOOL_CALL_END
	// TOOL_CALL_RESULT {"in_stock":12}
	// TOOL_CALL_START agent-gardener
	// TOOL_CALL_ARGS {"prompt":"How much water does a fern need?"}
	// TOOL_CALL_END
	// SUBAGENT_STARTED
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT Keep it moist.
	// TEXT_MESSAGE_END
	// SUBAGENT_FINISHED
	// TOOL_CALL_RESULT {"text":"Keep it moist."}
	// TOOL_CALL_START place_order
	// TOOL_CALL_ARGS {"plant":"fern","count":2}
	// TOOL_CALL_END
	// RUN_FINISHED
	// --- approved
	// RUN_STARTED
	// TOOL_CALL_RESULT "Ordered 2 × fern."
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT Two ferns are on their way; keep them moist.
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}
