package conversation

import (
	"encoding/json"

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
		r = c.newRecord(e.MessageID, agui.RoleActivity, e.SubagentRunID)
		replace = true
	case r.role != agui.RoleActivity:
		c.note("6.7", "activity would overwrite message %s; ignored", short(e.MessageID))
		return
	}
	r.metadata = merge(r.metadata, e.Metadata)
	if replace {
		r.shown.ActivityType = e.ActivityType
		c.forgetContent(r)
		r.setActivity(append(json.RawMessage(nil), e.Content...))
	}
	c.show(r)
}

func (c *Conversation) activityDelta(e *agui.ActivityDelta) {
	r := c.byID[e.MessageID]
	if r == nil {
		return
	}
	if r.role != agui.RoleActivity {
		c.note("6.7", "activity delta for message %s; ignored", short(e.MessageID))
		return
	}
	r.metadata = merge(r.metadata, e.Metadata)
	if r.content == nil {
		content := parseState(r.shown.Content)
		r.content = &content
	}
	before := r.content.copied
	unknown, err := r.content.patch(e.Patch, maxCopied-c.copies)
	c.copies += r.content.copied - before
	if unknown > 0 {
		c.note("1.6", "ACTIVITY_DELTA has %d operations of unknown kind; left out", unknown)
	}
	if err != nil {
		c.note("6.7", "ACTIVITY_DELTA does not apply: %s", short(err.Error()))
		return
	}
	r.shown.ActivityType = e.ActivityType
	r.setActivity(r.content.json())
	c.show(r)
}

// forgetContent lets go of what patches made of an activity.
func (c *Conversation) forgetContent(r *record) {
	if r.content != nil {
		c.copies -= r.content.copied
		r.content = nil
	}
}

func (r *record) setActivity(content json.RawMessage) {
	r.shown.Content = content
	r.raw = agui.Content{Raw: content}
}
