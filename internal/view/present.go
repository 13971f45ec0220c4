package view

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/components"
	"cairn/internal/plaintext"
)

// run is the Run tab as it is now, at a place of the conversation.
func (v *view) run(p Place) (Run, error) {
	if v.plain != nil {
		return v.plain.page(v), nil
	}
	w, live, err := v.window(v.ctx, p)
	if err != nil {
		return Run{}, err
	}
	chat, err := v.chat(v.ctx, w)
	if err != nil {
		return Run{}, err
	}
	if !live {
		chat.Typing, chat.Again = false, ""
		chat.Later, chat.Latest = v.later(w.to), v.hub.urls.Page(v.demo.Slug, v.threadID)
		for _, e := range v.thread.Conversation.Entries()[w.from:w.to] {
			if _, on := v.page.shown[e.Key]; !on {
				v.forgetEntry(e)
			}
		}
	}
	return Run{Chat: chat, Panel: v.panelView(), Live: live}, nil
}

// panelView is the shared state as it is shown now.
func (v *view) panelView() components.Panel {
	p := v.panel.View()
	p.Differs = v.thread.Conversation.Diverged()
	return p
}

// chat is a window of the conversation.
func (v *view) chat(ctx context.Context, w window) (components.Chat, error) {
	c := components.Chat{Typing: v.typing(), Again: v.regenerateURL(), Composer: v.composer(), Earlier: v.earlier(w.from)}
	for _, e := range v.thread.Conversation.Entries()[w.from:w.to] {
		if !v.visible(e) {
			continue
		}
		it, err := v.item(ctx, e)
		if err != nil {
			return c, err
		}
		c.Items = append(c.Items, it)
	}
	return c, nil
}

// regenerateURL returns the URL that replaces the last answer, or "" when it cannot be
// replaced.
func (v *view) regenerateURL() string {
	run, err := v.thread.Regenerable()
	if err != nil {
		return ""
	}
	return v.hub.urls.Regenerate(v.threadID, run)
}

// typing reports whether the agent works and nothing on the page shows it by itself.
func (v *view) typing() bool {
	if !v.thread.Run.Open {
		return false
	}
	entries := v.thread.Conversation.Entries()
	if len(entries) == 0 {
		return true
	}
	switch e := entries[len(entries)-1]; {
	case e.Message != nil:
		return e.Message.Status != conversation.StatusStreaming
	case e.ToolCall != nil:
		return e.ToolCall.Status != conversation.ToolRunning
	case e.Subagent != nil:
		return e.Subagent.Status != conversation.SubagentRunning
	default:
		return true
	}
}

func (v *view) composer() components.Composer {
	running := v.thread.Run.Open
	return v.composerFor(v.thread.Messages, running, !running && v.thread.Blocked(time.Now()))
}

// composerFor is the form of the message after the first n.
func (v *view) composerFor(n int, running, blocked bool) components.Composer {
	return components.Composer{
		Action:      v.hub.urls.Messages(v.threadID),
		Stop:        v.hub.urls.Stop(v.threadID),
		MessageID:   v.hub.NextMessageID(v.threadID, n),
		Placeholder: v.demo.Placeholder,
		Running:     running,
		Blocked:     blocked,
		Status:      v.hub.status[v.demo.Slug],
	}
}

// visible reports whether an entry is shown. Not shown is what another entry shows: the
// call that a subagent or an approval stands for, and an answer that was replaced; nor
// are messages of roles that are not part of a chat.
func (v *view) visible(e *conversation.Entry) bool {
	switch {
	case v.thread.Replaced(e):
		return false
	case e.Message != nil:
		return shownRole(e.Message.Role) &&
			(e.Message.Role != agui.RoleAssistant || e.Message.Len() > 0 || !e.Message.Parts.IsZero() || e.Message.Status != conversation.StatusComplete)
	case e.ToolCall != nil:
		return !v.thread.Conversation.Delegated(e.ToolCall.ID) && !v.thread.Asked(e.ToolCall.ID)
	default:
		return true
	}
}

// shownRole reports whether messages of a role are part of a chat.
func shownRole(r agui.Role) bool {
	switch r {
	case agui.RoleUser, agui.RoleSystem, agui.RoleReasoning, agui.RoleAssistant:
		return true
	}
	return false
}

// itemID is an entry's element id. The user's message has the id its form was
// made with, so that the bubble the browser shows at once is taken over.
func itemID(e *conversation.Entry) string {
	if e.Message != nil && e.Message.Role == agui.RoleUser && e.Message.Own {
		if id, err := uuid.Parse(e.Message.ID); err == nil && id.String() == e.Message.ID { // not its other spellings
			return "u-" + e.Message.ID
		}
	}
	return "e" + strconv.Itoa(e.Key)
}

func bodyID(e *conversation.Entry) string { return "e" + strconv.Itoa(e.Key) + "-body" }

func (v *view) item(ctx context.Context, e *conversation.Entry) (it components.Item, err error) {
	it.Key = itemID(e)
	switch {
	case e.Message != nil:
		m, err := v.message(ctx, e)
		it.Message = &m
		return it, err
	case e.ToolCall != nil:
		t := v.toolCard(e, maxArgs, maxResult)
		it.Tool = &t
	case e.Subagent != nil:
		s, err := v.subagentCard(ctx, e, v.demo.Agent, 0)
		it.Subagent = &s
		return it, err
	default:
		switch m := e.Marker.(type) {
		case *agentclient.Approval:
			a := v.approvalCard(m)
			it.Approval = &a
		case *agentclient.Failure:
			f := v.runError(m)
			it.Error = &f
		}
	}
	return it, ctx.Err()
}

func (v *view) message(ctx context.Context, e *conversation.Entry) (m components.Message, err error) {
	m = components.Message{Role: string(e.Message.Role), Status: string(e.Message.Status)}
	words := e.Message.Text()
	if a := v.attached(e); a != nil {
		words, m.Media = a.text, components.Media{List: a.list, More: a.more}
	}
	if e.Message.Role == agui.RoleUser && !e.Message.Own {
		m.Note = notOwn
	}
	if plain(e.Message.Role) {
		text, cut := clip(words, maxText)
		if m.Text = text; cut {
			m.Over = v.whole(e, partText, components.Over{Note: onlyBeginning, Bytes: e.Message.Len()})
		}
		return m, nil
	}
	if m.Body, m.Over, err = v.bodyView(ctx, e); err != nil {
		return m, err
	}
	if e.Message.Status == conversation.StatusStopped {
		m.Note = "Stopped."
	}
	return m, nil
}

// notOwn marks a message in the user's role that came from the agent.
const notOwn = "The agent added this as your message."

func (v *view) bodyView(ctx context.Context, e *conversation.Entry) (components.Body, components.Over, error) {
	body := v.body(e)
	b, err := body.stream.Body(ctx)
	if err != nil {
		return components.Body{}, components.Over{}, err
	}
	body.over = b.Cut || b.Plain
	var over components.Over
	switch {
	case b.Cut:
		over = v.whole(e, partText, components.Over{Note: onlyBeginning, Bytes: e.Message.Len()})
	case b.Plain:
		over = v.whole(e, partText, components.Over{Note: "Not all of it could be laid out.", Bytes: e.Message.Len()})
	}
	return components.Body{Key: bodyID(e), Closed: b.Closed, Head: b.Head, Tail: b.Tail}, over, nil
}

// whole adds where the whole of a text is to what is said of it, if anything is.
func (v *view) whole(e *conversation.Entry, part string, o components.Over) components.Over {
	if o.Note != "" {
		o.URL = v.hub.urls.Text(v.threadID, partName(e.Key, part))
	}
	return o
}

func (v *view) toolCard(e *conversation.Entry, maxArgs, maxResult int) components.ToolCard {
	t := e.ToolCall
	c := components.ToolCard{Key: itemID(e), Tool: plaintext.Reveal(t.Name, maxName), Status: string(t.Status)}
	if t.Status == conversation.ToolRunning && v.thread.Unanswered(t.ID) {
		c.Status = string(conversation.ToolIncomplete)
	}
	if t.Status == conversation.ToolRunning && len(t.Args()) > maxRunningArgs {
		c.Args, _ = clip(t.Args()[:maxRunningArgs], maxArgs)
		c.Args += "…" // it is sent again while it grows
	} else {
		var over components.Over
		c.Args, over = indented(t.Args(), maxArgs)
		c.ArgsOver = v.whole(e, partArgs, over)
	}
	var over components.Over
	result := t.Result
	if a := v.attached(e); a != nil {
		result, c.Media = a.text, components.Media{List: a.list, More: a.more}
	}
	c.Result, over = indented(result, maxResult)
	c.ResultOver = v.whole(e, partResult, over)
	if t.HasResult && len(t.Args())+len(t.Result) <= maxSummary {
		c.Summary, _ = clip(v.demo.ToolSummary(t.Name, t.Args(), t.Result), maxValue)
	}
	return c
}

// subagentCard is the card of a subagent that an agent asked. One that another subagent
// asked is in its card, a level deeper, and shows less of its work.
func (v *view) subagentCard(ctx context.Context, e *conversation.Entry, asker string, level int) (components.SubagentCard, error) {
	s := e.Subagent
	c := components.SubagentCard{Key: itemID(e), Name: plaintext.Reveal(s.Name, maxName), AskedBy: "asked by " + asker, Status: string(s.Status)}
	shown := lately(s, level)
	for _, child := range shown {
		switch {
		case child.Message != nil && child.Message.Len() > 0 && shownRole(child.Message.Role):
			b, over, err := v.bodyView(ctx, child)
			if err != nil {
				return c, err
			}
			c.Parts = append(c.Parts, components.SubagentPart{Body: &b, Thought: child.Message.Role == agui.RoleReasoning})
			if over.URL != "" {
				c.Over = v.whole(e, partWork, over)
			}
		case child.ToolCall != nil && !v.thread.Conversation.Delegated(child.ToolCall.ID):
			t := v.toolCard(child, maxChildPart/2, maxChildPart)
			c.Parts = append(c.Parts, components.SubagentPart{Tool: &t})
		case child.Subagent != nil:
			inner, err := v.subagentCard(ctx, child, c.Name, level+1)
			if err != nil {
				return c, err
			}
			c.Parts = append(c.Parts, components.SubagentPart{Subagent: &inner})
		}
	}
	if left := len(s.Entries) - len(shown); left > 0 {
		c.Over = v.whole(e, partWork, components.Over{Note: "Only the latest of its work is shown."})
	}
	if s.Status == conversation.SubagentError {
		c.Error = cmp.Or(v.itsWords(s.Error), "It could not finish.")
	}
	return c, nil
}
