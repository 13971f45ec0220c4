package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// Rejected is the framework's result of a tool call that the user declined. A declined
// tool of an agent that speaks this dialect returns it too.
const Rejected = "Error: Tool call invocation was rejected by user."

// BatchesInterrupts implements [Dialect]: a pause has every open question, and all are
// answered at once.
func (AgentFramework) BatchesInterrupts() bool { return true }

// InterruptID implements [Dialect]. The bridge uses a random id; here it is derived from
// the call, so that it can be found again.
func (AgentFramework) InterruptID(runID, toolCallID string) string {
	sum := sha256.Sum256([]byte(runID + "\x00" + toolCallID))
	return "af-call-" + hex.EncodeToString(sum[:16])
}

// Answers implements [Dialect].
func (AgentFramework) Answers(in agui.RunAgentInput) ([]Answer, error) {
	return ProtocolAnswers(in.Resume)
}

// mafRequest asks for the approval of a call.
type mafRequest struct {
	Type string      `json:"type,omitempty"`
	ID   string      `json:"id,omitempty"`
	Call mafFunction `json:"function_call"`
	// Value is a copy of the request.
	Value *mafRequest `json:"value,omitempty"`
}

type mafFunction struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Suspended sends the call with its arguments and the state predicted from them, and then
// the question (measured transcript maf/05). The user sees the arguments: there is no
// place for a payload.
func (m *maf) Suspended(s Suspension) []agui.Event {
	id := AgentFramework{}.InterruptID(m.run.RunID, s.Call.ID)
	asks := mafRequest{Type: "function_approval_request", Call: mafFunction{s.Call.ID, s.Call.Name, s.Call.Args}}
	meta := asks
	meta.Value = &asks
	m.waiting = append(m.waiting, agui.Interrupt{
		ID:             id,
		Reason:         "tool_call",
		Message:        "Approve running " + s.Call.Name + "?",
		ToolCallID:     s.Call.ID,
		ResponseSchema: s.ResumeSchema,
		ExpiresAt:      s.ExpiresAt,
		Metadata:       map[string]json.RawMessage{"agent_framework": jsontext.Must(meta)},
	})
	evs := append(m.ToolCall(s.Call), m.predicted(s)...)
	evs = append(evs, m.ClientCallEnd(s.Call.ID)...)
	return append(evs, &agui.Custom{Name: asks.Type, Value: jsontext.Must(mafRequest{ID: id, Call: asks.Call})})
}

// predicted returns the state predicted from a call's arguments: a patch for each, then
// the whole.
func (m *maf) predicted(s Suspension) []agui.Event {
	if s.State == nil {
		return nil
	}
	var evs []agui.Event
	args := members(s.Call.Args)
	for _, p := range m.predict {
		if v, ok := args[p.ToolArgument]; ok && p.Tool == s.Call.Name {
			evs = append(evs, m.Delta(jsontext.Must([]any{struct {
				Op    string          `json:"op"`
				Path  string          `json:"path"`
				Value json.RawMessage `json:"value"`
			}{"replace", "/" + pointer.Replace(p.StateKey), v}}))...)
		}
	}
	return append(evs, m.Snapshot(s.State)...)
}

// pointer escapes a name in a JSON Pointer (RFC 6901).
var pointer = strings.NewReplacer("~", "~0", "/", "~1")
