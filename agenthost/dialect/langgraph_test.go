package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cairn/agui"
	"cairn/internal/jsontext"
)

const (
	draftArgs = `{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}`
	draftNote = "Draft saved. It waits for an operator's approval."
	drafted   = "I have drafted a refund of $47.50 to cus_a8x2k (Duplicate charge); it waits for an operator's approval."
	question  = "What does the refund policy say about: Duplicate charge? Answer in 3 bullets."
	taskArgs  = `{"description":"` + question + `","subagent_type":"refund_researcher"}`
	bullets   = "- Duplicate charges are refunded in full within 60 days\n- Chargebacks are refunded once, after the bank's claim is attached\n- Unused subscription time is refunded by the day within 14 days of the renewal"
)

// refundState is the shared state with a refund that stands so.
func refundState(status string) json.RawMessage {
	return json.RawMessage(`{"refund":` + strings.TrimSuffix(draftArgs, "}") + `,"status":"` + status + `"}}`)
}

var (
	noRefund = json.RawMessage(`{"refund":{}}`)
	drafting = Call{ID: "call_new", Name: "draft_refund", Args: json.RawMessage(draftArgs)}
	asking   = Call{ID: "call_new", Name: "task", Args: json.RawMessage(taskArgs)}
	pausing  = Suspension{Call: Call{ID: "p", Name: "approval"}, State: refundState("pending"),
		Payload: json.RawMessage(`{"kind":"refund_approval",` + draftArgs[1:])}
)

func stepOf(v EventWriter) []agui.Event { v.Step(); return nil }

// graphRuns are what a host tells the voice at steps of the probe.
var graphRuns = map[string]func(EventWriter) [][]agui.Event{
	"01-messages-prompt-1": func(v EventWriter) [][]agui.Event {
		return [][]agui.Event{v.Opened(noRefund), v.Text("Hello! Tell me the customer, the amount "), v.Text("and the reason, and I will draft a refund."), v.Finished(nil)}
	},
	"05-interrupts-ask": func(v EventWriter) [][]agui.Event {
		return [][]agui.Event{v.Opened(noRefund), v.ToolCall(drafting), v.ToolResult("call_new", jsontext.Must(draftNote)),
			v.Shared(refundState("pending")), stepOf(v), v.Text(drafted[:7]), v.Text(drafted[7:]), v.Suspended(pausing), v.Snapshot(pausing.State), v.Interrupted(nil)}
	},
	"06-interrupts-approve": func(v EventWriter) [][]agui.Event {
		issued := json.RawMessage(strings.Replace(string(refundState("issued")), `"status"`, `"refund_id":"re_demo__a8x2k","status"`, 1))
		return [][]agui.Event{v.Opened(pausing.State), v.Concluded("Refund of $47.50 issued to `cus_a8x2k`. Refund ID: `re_demo__a8x2k`"),
			v.Shared(issued), v.Snapshot(issued), v.Finished(nil)}
	},
	"09-interrupts-decline": func(v EventWriter) [][]agui.Event {
		return [][]agui.Event{v.Opened(pausing.State), v.Concluded("Refund cancelled by operator. No charge issued."),
			v.Shared(refundState("cancelled")), v.Snapshot(refundState("cancelled")), v.Finished(nil)}
	},
	"14-interrupts-missing-resume": func(v EventWriter) [][]agui.Event {
		return [][]agui.Event{v.Opened(pausing.State), v.Suspended(pausing), v.Snapshot(pausing.State), v.Interrupted(nil)}
	},
	"19-subagents-delegate": func(v EventWriter) [][]agui.Event {
		said := "The refund policy: " + strings.ReplaceAll(strings.TrimPrefix(bullets, "- "), "\n- ", "; ") + "."
		return [][]agui.Event{v.Opened(noRefund), v.ChildStarted(Delegation{Call: asking, Child: "refund_researcher", Description: "Knows the policy.", Prompt: question}),
			v.ChildText("call_new", bullets[:9]), v.ChildText("call_new", bullets[9:]), v.ChildFinished("call_new", bullets), stepOf(v), v.Text(said), v.Finished(nil)}
	},
}

// TestLangGraphSpeaksAsRecorded: all that the writer says is what the real bridge said
// in the same run, event by event.
func TestLangGraphSpeaksAsRecorded(t *testing.T) {
	for step, tell := range graphRuns {
		for topic, d := range map[string]LangGraph{"langgraph": {}, "langgraph-native": {Native: true}} {
			t.Run(topic+"/"+step, func(t *testing.T) {
				sent, events := recorded(t, topic+"/"+step)
				ids := 0
				v := d.NewWriter(Run{ThreadID: sent.ThreadID, RunID: sent.RunID, Messages: sent.Messages, NewID: func() string { ids++; return fmt.Sprintf("new-%d", ids) }})
				got := told(t, append([][]agui.Event{v.Started()}, tell(v)...)...)
				none := func(map[string]any) {}
				sameEvents(t, alike(t, graphWithout(t, got), none), alike(t, graphWithout(t, events), none))
			})
		}
	}
}

var graphInterruptID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// graphWithout leaves out of a stream what differs on purpose: RAW and rawEvent,
// usage, what LangChain says of a message beside the message, and the id of a result
// in a snapshot, which the bridge makes anew. JSON in a string is written one way.
func graphWithout(t *testing.T, events []string) []string {
	t.Helper()
	var out []string
	for _, raw := range events {
		var ev map[string]any
		if err := json.Unmarshal([]byte(raw), &ev); err != nil {
			t.Fatal(err)
		}
		if ev["type"] == "RAW" {
			continue
		}
		delete(ev, "rawEvent")
		delete(ev, "usage")
		if s, ok := ev["snapshot"].(map[string]any); ok {
			delete(s, "tools") // the client's own
			for _, m := range s["messages"].([]any) {
				chain := m.(map[string]any)
				for _, name := range []string{"id", "name", "additional_kwargs", "response_metadata", "usage_metadata", "invalid_tool_calls", "artifact", "status"} {
					delete(chain, name)
				}
				if list, ok := chain["tool_calls"].([]any); ok && len(list) == 0 {
					delete(chain, "tool_calls")
				}
			}
		}
		for _, m := range orNone(ev["messages"]) {
			msg := m.(map[string]any)
			if msg["role"] == "tool" {
				delete(msg, "id")
			}
			for _, c := range orNone(msg["toolCalls"]) {
				f := c.(map[string]any)["function"].(map[string]any)
				f["arguments"] = sameJSON(t, f["arguments"].(string))
			}
		}
		if text, ok := ev["value"].(string); ok {
			ev["value"] = sameJSON(t, text)
		}
		if o, ok := ev["outcome"].(map[string]any); ok {
			for _, in := range o["interrupts"].([]any) {
				if id, _ := in.(map[string]any)["id"].(string); !graphInterruptID.MatchString(id) {
					t.Errorf("interrupt id %q", id)
				}
				delete(in.(map[string]any), "id")
			}
		}
		out = append(out, string(jsontext.Must(ev)))
	}
	return out
}

func orNone(v any) []any { list, _ := v.([]any); return list }

func sameJSON(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(jsontext.Must(v))
}
