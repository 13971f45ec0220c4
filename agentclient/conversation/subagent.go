package conversation

import "cairn/agui"

// sub is one subagent invocation. A later run may use an id again; the map holds
// the latest.
type sub struct {
	shown     *Subagent
	entry     *Entry
	run       int  // number of the run that made it or took it up again
	announced bool // false for a placeholder
	closed    bool
}

// maxNesting bounds how deep subagents are shown in each other, so that a timeline can
// be walked recursively. A subagent of a deeper one is shown beside it.
const maxNesting = 64

// subagentOf returns the entry of the subagent that a tag names, nil for the parent
// agent. One that was never announced gets a placeholder.
func (c *Conversation) subagentOf(tag string) *Entry {
	if tag == "" {
		return nil
	}
	s := c.subagents[tag]
	switch {
	case s == nil:
		s = c.newSubagent(tag, nil)
	case s.over(c) && !c.merging:
		former := s.shown
		s = c.newSubagent(tag, nil)
		s.shown.Name, s.shown.Description = former.Name, former.Description
	}
	return s.entry
}

// over reports whether the invocation ended in an earlier run. What comes under its id then
// is another one's, and has its place where it comes.
func (s *sub) over(c *Conversation) bool {
	return s.closed && s.run != c.live.number && s.shown.Status != SubagentPending
}

func (c *Conversation) newSubagent(id string, parent *sub) *sub {
	s := &sub{shown: &Subagent{RunID: id, Status: SubagentRunning}, run: c.live.number}
	s.entry = &Entry{Subagent: s.shown}
	if former := c.subagents[id]; former != nil {
		c.delegate(former, "")
	}
	c.subagents[id] = s
	c.live.subs = append(c.live.subs, s)
	var in *Entry
	if parent != nil && !parent.over(c) {
		if in = parent.entry; in.depth+1 >= maxNesting {
			in = in.in
		}
	}
	c.addEntry(in, s.entry)
	return s
}

// delegate counts the subagent for the call that delegated to it.
func (c *Conversation) delegate(s *sub, toolCallID string) {
	if c.delegated[s.shown.ToolCallID]--; c.delegated[s.shown.ToolCallID] <= 0 {
		delete(c.delegated, s.shown.ToolCallID)
	}
	if toolCallID != "" {
		s.shown.ToolCallID = toolCallID
		c.delegated[toolCallID]++
	}
}

func (c *Conversation) subagentStarted(e *agui.SubagentStarted) {
	id := e.SubagentRunID
	if id == "" {
		return
	}
	s := c.subagents[id]
	if s == nil || s.closed && s.run != c.live.number {
		s = c.newSubagent(id, c.subagents[e.ParentSubagentRunID])
	} else if s.announced {
		return
	}
	s.announced = true
	s.shown.Name, s.shown.Description = e.Name, e.Description
	c.delegate(s, e.ParentToolCallID)
	if len(s.shown.Entries) == 0 {
		s.shown.Status = SubagentPending
	}
	c.touch(s.entry)
	if t := c.calls[e.ParentToolCallID]; t != nil {
		c.touch(t.entry) // a page shows the subagent in its place
	}
}

// alive is called for every event tagged with a subagent's id.
func (c *Conversation) alive(id string) {
	s := c.subagents[id]
	if s == nil || s.shown.Status != SubagentPending {
		return
	}
	if s.closed { // suspended before, and taken up again
		s.closed, s.run = false, c.live.number
		c.live.subs = append(c.live.subs, s)
	}
	s.shown.Status = SubagentRunning
	c.touch(s.entry)
}

func (c *Conversation) subagentFinished(e *agui.SubagentFinished) {
	if e.Outcome != nil && e.Outcome.Type == "suspended" {
		c.closeSubagent(c.subagents[e.SubagentRunID], SubagentPending, "")
		return
	}
	c.closeSubagent(c.subagents[e.SubagentRunID], SubagentComplete, "")
}

func (c *Conversation) subagentFailed(e *agui.SubagentError) {
	c.closeSubagent(c.subagents[e.SubagentRunID], SubagentError, e.Message)
}

func (c *Conversation) closeSubagent(s *sub, status SubagentStatus, message string) {
	if s == nil || s.closed {
		return
	}
	s.closed = true
	s.shown.Status, s.shown.Error = status, message
	c.touch(s.entry)
}

// CallKey finds the entry of a tool call, 0 when it has none.
func (c *Conversation) CallKey(toolCallID string) int {
	if t := c.calls[toolCallID]; t != nil && t.entry != nil {
		return t.entry.Key
	}
	return 0
}

// Delegated reports whether a subagent stands for the tool call.
func (c *Conversation) Delegated(toolCallID string) bool { return c.delegated[toolCallID] > 0 }
