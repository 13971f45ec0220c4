package agenthost_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"cairn/agenthost"
	"cairn/agenthost/sqlite"
)

// What follows is a whole agent. docs/build-your-own-agent.md walks through it.

// Plant is what the model fills in. The schema it is offered, and that its
// arguments are checked against, is derived from the type.
type Plant struct {
	Name string `json:"name" jsonschema:"Name of the plant, in the singular"`
}

// checkStock is a plain tool: typed arguments in, a value out.
func checkStock(shelf map[string]int) *agenthost.Tool {
	return agenthost.NewTool("check_stock", "Say how many of a plant are in stock.",
		func(_ context.Context, call agenthost.Call[Plant]) (any, error) {
			n, sold := shelf[call.Args.Name]
			if !sold {
				return nil, agenthost.Refuse("This shop does not sell " + call.Args.Name + ".")
			}
			return map[string]int{"in_stock": n}, nil
		})
}

// Order is what is to be sent, and what the person who approves is shown.
type Order struct {
	Plant string `json:"plant" jsonschema:"Name of the plant"`
	Count int    `json:"count" jsonschema:"How many"`
}

// Approval is what that person answers.
type Approval struct {
	Approved bool `json:"approved,omitempty"`
}

// placeOrder is a tool that waits for a person. It runs twice: the first time
// there is no answer yet and it suspends; the second time, in another request and
// perhaps after a restart, it acts on the answer.
func placeOrder(send func(ctx context.Context, key string, o Order) error) *agenthost.Tool {
	tool := agenthost.NewTool("place_order", "Order plants. The user is asked to approve before anything is ordered.",
		func(ctx context.Context, call agenthost.Call[Order]) (any, error) {
			if call.Resume == nil {
				return nil, agenthost.Suspend(call.Args)
			}
			var answer Approval
			if err := call.Resume.Decode(&answer); err != nil || !answer.Approved {
				return "Nothing was ordered.", err
			}
			if err := send(ctx, call.IdempotencyKey, call.Args); err != nil {
				return nil, err
			}
			return fmt.Sprintf("Ordered %d × %s.", call.Args.Count, call.Args.Plant), nil
		})
	tool.Resume = agenthost.SchemaOf[Approval]()
	return tool
}

// newShop puts the agent together.
func newShop(send func(ctx context.Context, key string, o Order) error) *agenthost.Agent {
	return &agenthost.Agent{
		Name:         "shop",
		Instructions: "You run a plant shop. Use check_stock and place_order; ask gardener how to care for a plant. Answer in one sentence.",
		Tools:        []*agenthost.Tool{checkStock(map[string]int{"fern": 12, "cactus": 3}), placeOrder(send)},
		Children: []*agenthost.Agent{{
			Name:         "gardener",
			Description:  "Knows how to care for plants. Give it the plant and the question.",
			Instructions: "You are a gardener. Answer in two sentences.",
		}},
	}
}

// Example runs the shop on a model that always says the same, once until it asks
// for approval and once with the answer.
func Example() {
	dir, err := os.MkdirTemp("", "shop-")
	must(err)
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "shop.db"))
	must(err)
	defer store.Close()
	model := cannedModel(
		`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"check_stock","arguments":"{\"name\":\"fern\"}"}}]}`,
		`{"tool_calls":[{"index":0,"id":"c2","function":{"name":"agent-gardener","arguments":"{\"prompt\":\"How much water does a fern need?\"}"}}]}`,
		`{"content":"Keep it moist."}`,
		`{"tool_calls":[{"index":0,"id":"c3","function":{"name":"place_order","arguments":"{\"plant\":\"fern\",\"count\":2}"}}]}`,
		`{"content":"Two ferns are on their way; keep them moist."}`)
	defer model.Close()

	sent := make(chan Order, 1)
	host, err := agenthost.New(agenthost.Config{
		Token: "a long random string",
		Store: store,
		Model: agenthost.ModelConfig{BaseURL: model.URL},
		Agents: map[string]*agenthost.Agent{"shop": newShop(func(_ context.Context, _ string, o Order) error {
			sent <- o
			return nil
		})},
	})
	must(err)
	server := httptest.NewServer(host)
	defer server.Close()

	say(server.URL, `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Two ferns, please. How do I water them?"}]}`)
	fmt.Println("--- approved")
	say(server.URL, `{"threadId":"t1","runId":"r2","messages":[],"resume":[{"interruptId":"r1::c3","status":"resolved","payload":{"approved":true}}]}`)
	fmt.Println("sent to the warehouse:", <-sent)

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
	// sent to the warehouse: {fern 2}
}
