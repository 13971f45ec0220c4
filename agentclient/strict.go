package agentclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// This file is what [Config.Strict] refuses: events that break the order of the protocol,
// and those that the pages of 1.0 call fatal for what they hold. Otherwise both are noted
// where they are folded.

// strictly reports the first violation of an event, nil when there is none.
func strictly(order *verify.Verifier, ev agui.Event, found []agui.Diagnostic) *verify.Violation {
	if v := fatal(ev, found); v != nil {
		return v
	}
	if _, broken := order.Feed(ev); len(broken) > 0 {
		return &broken[0]
	}
	return nil
}

// fatal reports what makes an event fatal by itself.
func fatal(ev agui.Event, found []agui.Diagnostic) *verify.Violation {
	switch e := ev.(type) {
	case *agui.ReasoningMessageStart:
		if slices.ContainsFunc(found, func(d agui.Diagnostic) bool { return d.Path == "role" }) {
			return &verify.Violation{Rule: "1.5", Text: fmt.Sprintf("reasoning message %.80q has another role", e.MessageID)}
		}
	case *agui.ToolCallStart:
		if e.ToolCallName == "" {
			return &verify.Violation{Rule: "1.4", Text: fmt.Sprintf("tool call %.80q has no name", e.ToolCallID)}
		}
	case *agui.MessagesSnapshot, *agui.RunStarted:
		for _, d := range found {
			if strings.HasPrefix(d.What, "want ") { // a known member of the wrong type
				return &verify.Violation{Rule: "2.2", Text: d.String()}
			}
		}
	case *agui.StateDelta:
		return fatalPatch("STATE_DELTA", e.Delta)
	case *agui.ActivityDelta:
		return fatalPatch("ACTIVITY_DELTA", e.Patch)
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeInterrupt && len(e.Outcome.Interrupts) == 0 {
			return &verify.Violation{Rule: "3.1", Text: "outcome interrupt without an interrupt"}
		}
	}
	return nil
}

func fatalPatch(what string, raw json.RawMessage) *verify.Violation {
	var ops []struct{ Path *string }
	if json.Unmarshal(raw, &ops) != nil {
		return &verify.Violation{Rule: "1.6", Text: what + " is no list of operations"}
	}
	for i, op := range ops {
		if op.Path == nil {
			return &verify.Violation{Rule: "1.6", Text: fmt.Sprintf("operation %d of %s has no path", i, what)}
		}
	}
	return nil
}
