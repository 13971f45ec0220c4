package agui

import "encoding/json"

// NoticeName is the name of the CUSTOM event by which producers before 1.0 pause, and
// some newer ones still do (section 8.2).
const NoticeName = "on_interrupt"

// Notice is what a CUSTOM on_interrupt event says.
type Notice struct {
	// Value is what the agent asks, without the layer of JSON text that many producers
	// put around it. Text that is not JSON stays a JSON string; a missing value is null.
	Value json.RawMessage
	// ToolCallID and RunID are the members of Value with these names, "" when it has none.
	ToolCallID, RunID string
}

// Notice returns what the event asks, and reports whether it asks anything: every other
// CUSTOM event is the application's.
func (e *Custom) Notice() (Notice, bool) {
	if e.Name != NoticeName {
		return Notice{}, false
	}
	n := Notice{Value: bareNotice(e.Value)}
	var members map[string]json.RawMessage // a struct would match names of any case
	if json.Unmarshal(n.Value, &members) == nil {
		n.ToolCallID, n.RunID = stringMember(members, "toolCallId"), stringMember(members, "runId")
	}
	return n, true
}

// ReadNotice is Notice for a value that did not come as an event.
func ReadNotice(value json.RawMessage) Notice {
	n, _ := (&Custom{Name: NoticeName, Value: value}).Notice()
	return n
}

func bareNotice(value json.RawMessage) json.RawMessage {
	var inner string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &inner) == nil && json.Valid([]byte(inner)) {
		return json.RawMessage(inner)
	}
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}

func stringMember(members map[string]json.RawMessage, name string) string {
	var s string
	if json.Unmarshal(members[name], &s) != nil {
		return ""
	}
	return s
}
