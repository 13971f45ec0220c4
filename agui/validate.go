package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// typeOf names the wire type of a concrete event.
func typeOf(ev Event) (EventType, error) {
	switch ev.(type) {
	case *RunStarted:
		return TypeRunStarted, nil
	case *RunFinished:
		return TypeRunFinished, nil
	case *RunError:
		return TypeRunError, nil
	case *StepStarted:
		return TypeStepStarted, nil
	case *StepFinished:
		return TypeStepFinished, nil
	case *TextMessageStart:
		return TypeTextMessageStart, nil
	case *TextMessageContent:
		return TypeTextMessageContent, nil
	case *TextMessageEnd:
		return TypeTextMessageEnd, nil
	case *TextMessageChunk:
		return TypeTextMessageChunk, nil
	case *ToolCallStart:
		return TypeToolCallStart, nil
	case *ToolCallArgs:
		return TypeToolCallArgs, nil
	case *ToolCallEnd:
		return TypeToolCallEnd, nil
	case *ToolCallChunk:
		return TypeToolCallChunk, nil
	case *ToolCallResult:
		return TypeToolCallResult, nil
	case *StateSnapshot:
		return TypeStateSnapshot, nil
	case *StateDelta:
		return TypeStateDelta, nil
	case *MessagesSnapshot:
		return TypeMessagesSnapshot, nil
	case *ActivitySnapshot:
		return TypeActivitySnapshot, nil
	case *ActivityDelta:
		return TypeActivityDelta, nil
	case *ReasoningStart:
		return TypeReasoningStart, nil
	case *ReasoningEnd:
		return TypeReasoningEnd, nil
	case *ReasoningMessageStart:
		return TypeReasoningMessageStart, nil
	case *ReasoningMessageContent:
		return TypeReasoningMessageContent, nil
	case *ReasoningMessageEnd:
		return TypeReasoningMessageEnd, nil
	case *ReasoningMessageChunk:
		return TypeReasoningMessageChunk, nil
	case *ReasoningEncryptedValue:
		return TypeReasoningEncryptedValue, nil
	case *SubagentStarted:
		return TypeSubagentStarted, nil
	case *SubagentFinished:
		return TypeSubagentFinished, nil
	case *SubagentError:
		return TypeSubagentError, nil
	case *Raw:
		return TypeRaw, nil
	case *Custom:
		return TypeCustom, nil
	default:
		return "", fmt.Errorf("cannot encode %T", ev)
	}
}

// validate checks what 1.0 requires and a Go zero value cannot show. Ids may be
// any string, the empty one included, so they are not checked.
func validate(ev Event) error {
	switch e := ev.(type) {
	case *RunFinished:
		if o := e.Outcome; o != nil {
			switch o.Type {
			case OutcomeSuccess, OutcomeCancelled:
			case OutcomeInterrupt:
				if len(o.Interrupts) == 0 {
					return errors.New("outcome interrupt needs at least one interrupt")
				}
			default:
				return fmt.Errorf("unknown outcome %q", o.Type)
			}
		}
	case *ToolCallResult:
		if e.Content.IsZero() {
			return errors.New("content is required")
		}
	case *StateSnapshot:
		return required("snapshot", e.Snapshot)
	case *StateDelta:
		return requiredArray("delta", e.Delta)
	case *ActivitySnapshot:
		return required("content", e.Content)
	case *ActivityDelta:
		return requiredArray("patch", e.Patch)
	case *Raw:
		return required("event", e.Event)
	case *Custom:
		return required("value", e.Value)
	case *SubagentStarted, *SubagentFinished, *SubagentError:
		if ev.Head().SubagentRunID == "" {
			return errors.New("subagentRunId is required")
		}
	}
	return nil
}

func required(field string, v json.RawMessage) error {
	if len(v) == 0 {
		return fmt.Errorf("%s is required", field)
	}
	return nil
}

func requiredArray(field string, v json.RawMessage) error {
	if len(v) == 0 || bytes.TrimLeft(v, " \t\r\n")[0] != '[' {
		return fmt.Errorf("%s must be an array", field)
	}
	return nil
}
