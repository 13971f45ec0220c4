package dialect

import "cairn/agui"

// messageWriter writes the assistant messages of one agent: the agent of the run, or a
// child. The calls of one answer of the model belong to the message with its text.
type messageWriter struct {
	newID   func() string
	base    agui.Base // names the child
	message string    // id of the message that calls belong to, empty before the first
	open    bool      // the message's text is being sent
	next    bool      // the model is asked again: what follows is another message
}

// text sends a piece of text. Text after a call, or after the text was closed, is
// another message, so that no id is opened twice.
func (w *messageWriter) text(delta string) []agui.Event {
	evs := w.turn()
	if !w.open {
		w.open, w.message = true, w.newID()
		evs = append(evs, &agui.TextMessageStart{Base: w.base, MessageID: w.message, Role: agui.RoleAssistant})
	}
	return append(evs, &agui.TextMessageContent{Base: w.base, MessageID: w.message, Delta: delta})
}

// call sends a whole call.
func (w *messageWriter) call(c Call) []agui.Event {
	evs := w.callStart(c.ID, c.Name)
	return append(evs,
		&agui.ToolCallArgs{Base: w.base, ToolCallID: c.ID, Delta: string(c.Args)},
		&agui.ToolCallEnd{Base: w.base, ToolCallID: c.ID})
}

func (w *messageWriter) callStart(id, name string) []agui.Event {
	evs := append(w.turn(), w.close()...)
	if w.message == "" {
		w.message = w.newID()
	}
	return append(evs, &agui.ToolCallStart{Base: w.base, ToolCallID: id, ToolCallName: name, ParentMessageID: w.message})
}

// step notes that the model is asked again.
func (w *messageWriter) step() { w.next = true }

// turn begins the message of the model's next answer.
func (w *messageWriter) turn() []agui.Event {
	if !w.next {
		return nil
	}
	evs := w.close()
	w.next, w.message = false, ""
	return evs
}

// close ends the text being sent, if any.
func (w *messageWriter) close() []agui.Event {
	if !w.open {
		return nil
	}
	w.open = false
	return one(&agui.TextMessageEnd{Base: w.base, MessageID: w.message})
}
