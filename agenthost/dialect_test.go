package agenthost_test

import (
	"encoding/json"
	"testing"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// ownWords is a dialect that names interrupts after the tool call alone and takes
// answers from a property of its own: {"answers": {"q-call": payload}}, where null
// cancels the question.
type ownWords struct{ dialect.Mastra }

func (ownWords) BatchesInterrupts() bool                 { return true }
func (ownWords) InterruptID(_, toolCallID string) string { return "q-" + toolCallID }

func (ownWords) Answers(in agui.RunAgentInput) ([]dialect.Answer, error) {
	var props struct{ Answers map[string]json.RawMessage }
	if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
		return nil, err
	}
	var list []dialect.Answer
	for id, payload := range props.Answers {
		list = append(list, dialect.Answer{Interrupt: id, Cancelled: string(payload) == "null", Payload: payload})
	}
	return list, nil
}

// TestDialectSaysWhereAnswersAre: the host takes decisions from where the dialect
// finds them, and from nowhere else.
func TestDialectSaysWhereAnswersAre(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	s.agent.Dialect = ownWords{}
	s.restart()
	own := func(answers map[string]any) func(map[string]any) {
		return func(in map[string]any) { in["forwardedProps"] = map[string]any{"answers": answers} }
	}
	wantError(t, s.run(s.input("t1", "", answers(payID+yes, bookID+yes))), "interrupt_pending")
	wantError(t, s.run(s.input("t1", "", own(map[string]any{"run-1::call_p": true}))), "interrupt_not_found")
	wantError(t, s.run(s.input("t1", "", own(map[string]any{"q-call_p": map[string]any{"approved": true}}))), "resume_incomplete")
	wantError(t, s.run(s.input("t1", "", func(in map[string]any) { in["forwardedProps"] = 7 })), "invalid_resume")
	s.model.says(modelAnswer{text: "Paid."})
	events := s.run(s.input("t1", "", own(map[string]any{"q-call_p": map[string]any{"approved": true}, "q-call_b": nil})))
	if got := results(events); got != `call_p: "pay true", call_b: "book false"` || c.times() != [2]int{1, 1} {
		t.Errorf("%s, carried out %v", got, c.times())
	}
}
