package conversation

import (
	"bytes"
	"strconv"
	"strings"

	"cairn/agui"
)

// This file notes what runs say of themselves that does not fit. Nothing of it changes how
// they are folded.

// noteVersion notes a version of the protocol that is not ours.
func (c *Conversation) noteVersion(v string) {
	if v == "" {
		return // every agent before 1.0
	}
	switch major, minor, ok := version(v); {
	case !ok:
		c.note("1.3", "RUN_STARTED is of protocol version %s, which cannot be read", short(v))
	case major > ourMajor, major == ourMajor && minor > ourMinor:
		c.note("8.4", "RUN_STARTED is of protocol version %s, which is newer than %s", short(v), agui.ProtocolVersion)
	}
}

var ourMajor, ourMinor, _ = version(agui.ProtocolVersion)

// version reads two numbers with a dot between.
func version(v string) (major, minor int, ok bool) {
	left, right, _ := strings.Cut(v, ".")
	major, errMajor := strconv.Atoi(left)
	minor, errMinor := strconv.Atoi(right)
	return major, minor, errMajor == nil && errMinor == nil && strings.Trim(v, "0123456789.") == ""
}

// maxOdd bounds how many interrupts are compared.
const maxOdd = 1000

// noteEnd notes an end that is of another run or thread than began, and interrupts that
// cannot be distinguished.
func (c *Conversation) noteEnd(e *agui.RunFinished) {
	if c.live.runID != "" && e.RunID != "" && e.RunID != c.live.runID {
		c.note("1.3", "RUN_FINISHED is for run %s, and %s began", short(e.RunID), short(c.live.runID))
	}
	if c.live.threadID != "" && e.ThreadID != "" && e.ThreadID != c.live.threadID {
		c.note("1.3", "RUN_FINISHED is for thread %s, and the run began in %s", short(e.ThreadID), short(c.live.threadID))
	}
	if e.Outcome == nil || e.Outcome.Type != agui.OutcomeInterrupt {
		return
	}
	known := map[string]bool{}
	for _, i := range e.Outcome.Interrupts[:min(len(e.Outcome.Interrupts), maxOdd)] {
		switch {
		case i.ID == "":
			c.note("3.2", "an interrupt has no id, so it cannot be answered")
		case known[i.ID]:
			c.note("3.2", "two interrupts have the id %s, so they cannot be answered", short(i.ID))
		case i.Reason == "":
			c.note("3.2", "interrupt %s has no reason", short(i.ID))
		}
		known[i.ID] = true
	}
}

// space returns raw without the space before it.
func space(raw []byte) []byte { return bytes.TrimLeft(raw, " \t\r\n") }
