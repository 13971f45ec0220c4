package hosttest

import (
	"encoding/json"
	"testing"

	"cairn/agui"
)

// Last returns the newest event of a type.
func Last[E agui.Event](t *testing.T, events []agui.Event) E {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if ev, ok := events[i].(E); ok {
			return ev
		}
	}
	var none E
	t.Fatalf("no %T among %d events", none, len(events))
	return none
}

// Asked returns the interrupts of the run's end, which must be n.
func Asked(t *testing.T, events []agui.Event, n int) []agui.Interrupt {
	t.Helper()
	out := Last[*agui.RunFinished](t, events).Outcome
	if out == nil || len(out.Interrupts) != n {
		t.Fatalf("asks %+v, want %d questions", out, n)
	}
	return out.Interrupts
}

// Decision returns the answer to an interrupt; an empty payload cancels it.
func Decision(question agui.Interrupt, payload string) agui.ResumeEntry {
	if payload == "" {
		return agui.ResumeEntry{InterruptID: question.ID, Status: agui.ResumeCancelled}
	}
	return agui.ResumeEntry{InterruptID: question.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
}

// Results returns the texts of a run's tool results, in their order.
func Results(events []agui.Event) (texts []string) {
	for _, ev := range events {
		if r, ok := ev.(*agui.ToolCallResult); ok {
			texts = append(texts, r.Content.Text())
		}
	}
	return texts
}
