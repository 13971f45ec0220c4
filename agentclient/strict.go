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
	for _, d := range found {
		// A value without the member that says which of several shapes it has is left out instead.
		union := strings.HasSuffix(d.Path, ".type") || strings.HasSuffix(d.Path, "].role")
		if d.What == "required, but missing" && !union {
			return &verify.Violation{Rule: "1.1", Text: fmt.Sprintf("%s: %s", ev.Head().Type, d)}
		}
	}
	role := slices.IndexFunc(found, func(d agui.Diagnostic) bool { return d.Path == "role" })
	switch e := ev.(type) {
	case *agui.TextMessageStart, *agui.TextMessageChunk:
		if role >= 0 {
			return &verify.Violation{Rule: "1.4", Text: fmt.Sprintf("%s: %s", ev.Head().Type, found[role])}
		}
	case *agui.ReasoningMessageStart:
		if role >= 0 {
			return &verify.Violation{Rule: "1.7", Text: fmt.Sprintf("reasoning message %.80q has another role", e.MessageID)}
		}
	case *agui.ToolCallStart:
		if e.ToolCallName == "" {
			return &verify.Violation{Rule: "1.5", Text: fmt.Sprintf("tool call %.80q has no name", e.ToolCallID)}
		}
	case *agui.ToolCallChunk:
		if e.ToolCallName != nil && *e.ToolCallName == "" {
			return &verify.Violation{Rule: "1.5", Text: "a chunk of a tool call has an empty name"}
		}
	case *agui.MessagesSnapshot, *agui.RunStarted:
		for _, d := range found {
			if strings.HasPrefix(d.What, "want ") { // a known member of the wrong type
				return &verify.Violation{Rule: "2.2", Text: d.String()}
			}
		}
	case *agui.StateDelta:
		return fatalPatch(e.Type, "delta", e.Delta)
	case *agui.ActivityDelta:
		return fatalPatch(e.Type, "patch", e.Patch)
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeInterrupt && len(e.Outcome.Interrupts) == 0 {
			return &verify.Violation{Rule: "3.1", Text: "outcome interrupt without an interrupt"}
		}
	}
	return nil
}

func fatalPatch(t agui.EventType, at string, raw json.RawMessage) *verify.Violation {
	if err := agui.CheckPatch(at, raw); err != nil {
		return &verify.Violation{Rule: "1.6", Text: fmt.Sprintf("%s: %s", t, err)}
	}
	return nil
}
