package agenthost_test

import (
	"os"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

// TestRealModel runs the main job once on a real model: chat, list, forecast,
// and a reservation that is approved. It runs only with a key, since it costs
// money, and asks only for what any capable model does.
func TestRealModel(t *testing.T) {
	key := os.Getenv("OPENAI_API_KEY")
	if key == "" {
		t.Skip("OPENAI_API_KEY is not set, and only a real model can be asked with a key")
	}
	s := newService(t)
	s.useModel(agenthost.ModelConfig{APIKey: agenthost.Secret(key), BaseURL: os.Getenv("OPENAI_BASE_URL"), Model: os.Getenv("CAIRN_MODEL")})
	run := func(thread, say string, edit ...func(map[string]any)) []agui.Event {
		t.Helper()
		events := s.run(s.input(thread, say, edit...))
		if e, failed := events[len(events)-1].(*agui.RunError); failed {
			t.Fatalf("%s: %s %s", say, e.Code, e.Message)
		}
		return events
	}
	if got := text(run("chat", "Say hello in one word.")); got == "" {
		t.Error("no answer to a greeting")
	}
	list := run("list", "Start a packing list called Weekend with a tent and two sleeping bags")
	if got := string(find[*agui.StateSnapshot](t, list[len(list)-2:]).Snapshot); !strings.Contains(strings.ToLower(got), "tent") {
		t.Errorf("the list is %s", got)
	}
	sky := run("sky", "What is the weather forecast for North Pines this weekend?")
	if got := find[*agui.SubagentFinished](t, sky); len(got.Result) < 10 {
		t.Errorf("the forecast is %s", got.Result)
	}
	asked := run("book", "Reserve North Pines for two nights")
	outcome := find[*agui.RunFinished](t, asked).Outcome
	if outcome == nil || len(outcome.Interrupts) != 1 {
		t.Fatalf("there is no question: %s", types(asked))
	}
	in := outcome.Interrupts[0]
	run("book", "", protocolResume(map[string]any{"interruptId": in.ID, "status": "resolved", "payload": map[string]any{"approved": true}}))
	if list := s.reservations(); len(list) != 1 || list[0].Nights != 2 {
		t.Errorf("ledger %+v", list)
	}
}
