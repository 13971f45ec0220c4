package conversation

import "cairn/agui"

// malformed notes a frame that is no event. One that was, or may have been, about the state
// leaves the state in doubt until the next snapshot.
func (c *Conversation) malformed(e *agui.Malformed) {
	why := "it could not be read"
	if e.Err != nil {
		why = e.Err.Error()
	}
	c.note("1.1", "a frame is no event: %s", short(why))
	if e.MayChangeState() {
		c.diverged = true
		c.changes.State = true
	}
}
