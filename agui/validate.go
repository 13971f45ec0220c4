package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxInteger is the largest integer 1.0 allows, either way from zero.
const maxInteger = 1<<53 - 1

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
