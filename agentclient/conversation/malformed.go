package conversation

import (
	"bytes"

	"cairn/agui"
)

// lookedAt is how much of a frame that is no event is looked at to find out what it was.
const lookedAt = 512

// malformed notes a frame that is no event. One that was about the state leaves the state
// in doubt until the next snapshot.
func (c *Conversation) malformed(e *agui.Malformed) {
	why := "it could not be read"
	if e.Err != nil {
		why = e.Err.Error()
	}
	c.note("1.1", "a frame is no event: %s", short(why))
	if bytes.Contains(e.Raw[:min(len(e.Raw), lookedAt)], []byte("STATE_")) {
		c.diverged = true
		c.changes.State = true
	}
}
