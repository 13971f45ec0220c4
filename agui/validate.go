package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxInteger is the largest integer 1.0 allows, either way from zero.
const maxInteger = 1<<53 - 1

// strict returns the event as 1.0 has it (protocol section 1), or what is wrong with
// it. What a Go value cannot lack is not checked: ids may be any string, the
// empty one included.
func strict(ev Event) (Event, error) {
	head := ev.Head()
	switch {
	case head.Timestamp > maxInteger || head.Timestamp < -maxInteger:
		return nil, errors.New("timestamp: too large")
	case kind(head.RawEvent) == 'n':
		return nil, errors.New("rawEvent: must not be null")
	}
	switch ev.(type) {
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		if head.SubagentRunID != "" {
			return nil, errors.New("subagentRunId: has no place here")
		}
	case *SubagentStarted, *SubagentFinished, *SubagentError:
		if head.SubagentRunID == "" {
			return nil, errors.New("subagentRunId: required")
		}
	}
	switch e := ev.(type) {
	case *RunStarted:
		if e.Input != nil {
			out := *e
			in, err := e.Input.strict()
			if err != nil {
				return nil, fmt.Errorf("input.%w", err)
			}
			out.Input = &in
			return &out, nil
		}
	case *RunFinished:
		return e, errors.Join(notNull("result", e.Result), e.Outcome.validate(), validateUsage(e.Usage))
	case *RunError:
		return e, validateUsage(e.Usage)

	case *TextMessageStart:
		return e, oneOf("role", e.Role, "", RoleDeveloper, RoleSystem, RoleAssistant, RoleUser)
	case *TextMessageChunk:
		if e.Role != nil {
			return e, oneOf("role", *e.Role, RoleDeveloper, RoleSystem, RoleAssistant, RoleUser)
		}
	case *ToolCallResult:
		out := *e
		var err error
		out.Content, err = e.Content.strict(anyText)
		return &out, errors.Join(err, oneOf("role", e.Role, "", RoleTool))

	case *StateSnapshot:
		return e, required("snapshot", e.Snapshot)
	case *StateDelta:
		return e, validatePatch("delta", e.Delta, false)
	case *MessagesSnapshot:
		out := *e
		var err error
		out.Messages, err = strictMessages(e.Messages, true)
		return &out, err
	case *ActivitySnapshot:
		return e, object("content", e.Content)
	case *ActivityDelta:
		return e, validatePatch("patch", e.Patch, false)

	case *ReasoningMessageStart:
		out := *e
		if out.Role == "" {
			out.Role = RoleReasoning // the only one there is
		}
		return &out, oneOf("role", out.Role, RoleReasoning)
	case *ReasoningEncryptedValue:
		return e, oneOf("subtype", e.Subtype, "tool-call", "message")

	case *SubagentFinished:
		return e, errors.Join(notNull("result", e.Result), e.Outcome.validate())
	case *Raw:
		return e, required("event", e.Event)
	case *Custom:
		return e, required("value", e.Value)
	}
	return ev, nil
}

func (o *Outcome) validate() error {
	switch {
	case o == nil:
		return nil
	case o.Type == OutcomeInterrupt && len(o.Interrupts) == 0:
		return errors.New("outcome.interrupts: at least one is required")
	case o.Type != OutcomeInterrupt && len(o.Interrupts) > 0:
		return fmt.Errorf("outcome.interrupts: no place in %s", quote(string(o.Type)))
	case o.Type != OutcomeSuccess && len(o.PendingToolCallIDs) > 0:
		return fmt.Errorf("outcome.pendingToolCallIds: no place in %s", quote(string(o.Type)))
	}
	for i, in := range o.Interrupts {
		if in.ResponseSchema != nil {
			if err := object(fmt.Sprintf("outcome.interrupts[%d].responseSchema", i), in.ResponseSchema); err != nil {
				return err
			}
		}
	}
	return oneOf("outcome.type", o.Type, OutcomeSuccess, OutcomeInterrupt, OutcomeCancelled)
}

func (o *SubagentOutcome) validate() error {
	switch {
	case o == nil:
		return nil
	case o.Type != SubagentSuspended && len(o.InterruptIDs) > 0:
		return fmt.Errorf("outcome.interruptIds: no place in %s", quote(o.Type))
	}
	return oneOf("outcome.type", o.Type, SubagentSuccess, SubagentSuspended)
}

func validateUsage(usage []TokenUsage) error {
	for i, u := range usage {
		for _, n := range []int64{u.InputTokens, u.OutputTokens, u.TotalTokens, u.ReasoningTokens, u.CachedInputTokens, u.CacheWriteInputTokens} {
			if n < 0 || n > maxInteger {
				return fmt.Errorf("usage[%d]: %d tokens", i, n)
			}
		}
	}
	return nil
}

// patchOp is one operation of a JSON Patch. It may have other members.
type patchOp struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	From  *string         `json:"from"`
	Value json.RawMessage `json:"value"`
}

// CheckPatch reports what makes a JSON Patch fatal to readers that follow 1.0 to the
// letter, under the name at: that it is no array, or an operation whose pointers or value
// are missing or malformed. Operations of unknown kinds are not fatal (section 1.6).
func CheckPatch(at string, raw json.RawMessage) error { return validatePatch(at, raw, true) }

// validatePatch checks the shape of a JSON Patch; whether it applies is another
// matter.
func validatePatch(at string, raw json.RawMessage, unknown bool) error {
	if kind(raw) != '[' {
		return fmt.Errorf("%s: an array is required", at)
	}
	if !json.Valid(raw) {
		return fmt.Errorf("%s: %w", at, syntax(raw))
	}
	var ops []patchOp
	if err := unmarshal(raw, &ops); err != nil {
		return fmt.Errorf("%s%w", at, err) // its path begins with the index
	}
	for i, op := range ops {
		var err error
		switch op.Op {
		case "add", "replace", "test":
			err = required("value", op.Value)
		case "move", "copy":
			err = pointer("from", op.From)
		case "remove":
		default:
			if unknown && op.Op != "" {
				continue
			}
			err = fmt.Errorf("op: unknown operation %s", quote(op.Op))
		}
		if err = errors.Join(err, pointer("path", op.Path)); err != nil {
			return fmt.Errorf("%s[%d].%w", at, i, err)
		}
	}
	return nil
}

func pointer(at string, p *string) error {
	if p == nil {
		return fmt.Errorf("%s: required", at)
	}
	escaped := strings.NewReplacer("~0", "", "~1", "")
	if *p != "" && (*p)[0] != '/' || strings.Contains(escaped.Replace(*p), "~") {
		return fmt.Errorf("%s: %s is no JSON pointer", at, quote(*p))
	}
	return nil
}

func oneOf[T ~string](at string, v T, allowed ...T) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	return fmt.Errorf("%s: %s is not allowed", at, quote(string(v)))
}

func required(at string, v json.RawMessage) error {
	if kind(v) == 0 {
		return fmt.Errorf("%s: required", at)
	}
	return nil
}

func notNull(at string, v json.RawMessage) error {
	if kind(v) == 'n' {
		return fmt.Errorf("%s: must not be null", at)
	}
	return nil
}
