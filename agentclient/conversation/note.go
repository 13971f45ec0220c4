package conversation

import "fmt"

// maxNotes bounds what a hostile stream can make us remember; the first ones
// tell most.
const maxNotes = 256

// Note is one departure from the protocol.
type Note struct {
	// Rule is R1 to R33 for the order rules (protocol section 5), else the section
	// that was broken, such as "4.2" or "6.5".
	Rule string
	Text string
	// Seq is the number of the event, counted from 1 in order of Apply; 0 for what
	// came before any.
	Seq int
}

// Notes returns the first notes taken, oldest first. At most 256 are kept.
func (c *Conversation) Notes() []Note { return c.notes }

// NoteCount counts all notes taken, also those not kept.
func (c *Conversation) NoteCount() int { return c.noteCount }

// note takes a note. Ids go in as %s through [short].
func (c *Conversation) note(rule, format string, args ...any) {
	c.noteCount++
	c.changes.Notes++
	n := Note{Rule: rule, Text: fmt.Sprintf(format, args...), Seq: c.applied}
	c.changes.Noted = append(c.changes.Noted, n)
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, n)
	}
}

// short quotes a string of the agent's for a note, cut to a readable length.
func short(s string) string {
	const limit = 80
	if len(s) > limit {
		return fmt.Sprintf("%.80q…", s)
	}
	return fmt.Sprintf("%q", s)
}
