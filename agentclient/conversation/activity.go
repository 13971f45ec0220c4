package conversation

import (
	"bytes"
	"encoding/json"

	"cairn/agentclient/jsonpatch"
	"cairn/agui"
)

// activitySnapshot sets an activity (protocol section 6.7). It never takes the
// place of a message of another kind: that would let an agent overwrite what the
// user said (section 9, row 34).
func (c *Conversation) activitySnapshot(e *agui.ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	r := c.byID[e.MessageID]
	switch {
	case r == nil:
		r = c.newRecord(e.MessageID, agui.RoleActivity, e.SubagentRunID, false)
		replace = true
	case r.role != agui.RoleActivity:
		c.note("6.7", "activity would overwrite message %s; ignored", short(e.MessageID))
		return
	case replace && !isObject(e.Content):
		c.note("1.6", "content of activity %s is no object; it stays as it was", short(e.MessageID))
		replace = false
	}
	r.metadata = merge(r.metadata, e.Metadata)
	r.shown.Metadata = r.metadata
	if replace {
		r.tag = e.SubagentRunID
		c.setContent(r, bytes.Clone(e.Content))
		r.shown.ActivityType = e.ActivityType
		c.enlist(r)
	}
	c.show(r)
}

func (c *Conversation) activityDelta(e *agui.ActivityDelta) {
	r := c.byID[e.MessageID]
	if r == nil {
		c.note("6.7", "activity delta for unknown message %s; ignored", short(e.MessageID))
		return
	}
	if r.role != agui.RoleActivity {
		c.note("6.7", "activity delta for message %s; ignored", short(e.MessageID))
		return
	}
	r.metadata = merge(r.metadata, e.Metadata)
	r.shown.Metadata = r.metadata
	if r.shown.patched == nil {
		content := jsonpatch.Parse(r.shown.content)
		content.Object = true
		r.shown.patched = &content
	}
	before := r.shown.patched.Copied()
	unknown, err := r.shown.patched.Patch(e.Patch, jsonpatch.MaxCopied-c.copies)
	c.copies += r.shown.patched.Copied() - before
	if unknown > 0 {
		c.note("1.6", "ACTIVITY_DELTA has %d operations of unknown kind; left out", unknown)
	}
	if err != nil {
		c.note("6.7", "ACTIVITY_DELTA does not apply: %s", short(err.Error()))
		return
	}
	r.shown.ActivityType = e.ActivityType
	c.enlist(r)
	c.show(r)
}

func isObject(raw json.RawMessage) bool {
	raw = space(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// setContent sets the content of an activity, and takes it from any other message,
// or one that goes.
func (c *Conversation) setContent(r *record, content json.RawMessage) {
	if r.shown.patched != nil {
		c.copies -= r.shown.patched.Copied()
	}
	r.shown.content, r.shown.patched = content, nil
}
