package view

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/components"
	"cairn/internal/thread"
)

// maxRunningArgs is how much of a running call's arguments is shown, in bytes.
const maxRunningArgs = 4 << 10

// run is the Run tab as it is now.
func (v *view) run() Run {
	return Run{Chat: v.chat(), Panel: v.panel.View()}
}

func (v *view) chat() components.Chat {
	c := components.Chat{Typing: v.typing(), Again: v.again(), Composer: v.composer()}
	for _, e := range v.thread.Conversation.Entries() {
		if v.visible(e) {
			c.Items = append(c.Items, v.item(e))
		}
	}
	return c
}

// again is where another answer in the place of the last is asked for, empty when that
// cannot be.
func (v *view) again() string {
	run, err := v.thread.Again()
	if err != nil {
		return ""
	}
	return v.hub.urls.Regenerate(v.threadID, run)
}

// typing says that the agent works and nothing on the page shows it by itself.
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
	return components.Composer{
		Action:      v.hub.urls.Messages(v.threadID),
		Stop:        v.hub.urls.Stop(v.threadID),
		MessageID:   NextMessageID(v.threadID, v.thread.Messages),
		Placeholder: v.demo.Placeholder,
		Running:     running,
		Blocked:     !running && v.thread.Blocked(time.Now()),
		Status:      v.hub.status[v.demo.Slug],
	}
}

// NextMessageID is the id of the message after the first n of a thread. It is
// derived, so every tab and every reload of a form carries the same one and a
// message sent twice is one message.
func NextMessageID(threadID string, n int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(threadID+"/"+strconv.Itoa(n))).String()
}

// visible leaves out what another entry shows: the call that a subagent or an
// approval stands for, an answer that another took the place of, and messages of roles
// that are not part of a chat.
func (v *view) visible(e *conversation.Entry) bool {
	switch {
	case v.thread.Replaced(e):
		return false
	case e.Message != nil:
		switch e.Message.Role {
		case agui.RoleUser, agui.RoleSystem, agui.RoleReasoning:
			return true
		case agui.RoleAssistant:
			return e.Message.Len() > 0 || e.Message.Status != conversation.StatusComplete
		}
		return false
	case e.ToolCall != nil:
		return !v.thread.Conversation.Delegated(e.ToolCall.ID) && !v.thread.Asked(e.ToolCall.ID)
	default:
		return true
	}
}

// itemID is an entry's element id. The user's message has the id its form was
// made with, so that the bubble the browser shows at once is taken over.
func itemID(e *conversation.Entry) string {
	if e.Message != nil && e.Message.Role == agui.RoleUser {
		if id, err := uuid.Parse(e.Message.ID); err == nil && id.String() == e.Message.ID { // not its other spellings
			return "u-" + e.Message.ID
		}
	}
	return "e" + strconv.Itoa(e.Key)
}

func bodyID(e *conversation.Entry) string { return "e" + strconv.Itoa(e.Key) + "-body" }

func (v *view) item(e *conversation.Entry) components.Item {
	it := components.Item{Key: itemID(e)}
	switch {
	case e.Message != nil:
		m := v.message(e)
		it.Message = &m
	case e.ToolCall != nil:
		t := v.toolCard(e)
		it.Tool = &t
	case e.Subagent != nil:
		s := v.subagentCard(e)
		it.Subagent = &s
	default:
		switch m := e.Marker.(type) {
		case *thread.Approval:
			a := v.approvalCard(m)
			it.Approval = &a
		case *thread.Failure:
			f := v.runError(m)
			it.Error = &f
		}
	}
	return it
}

func (v *view) message(e *conversation.Entry) components.Message {
	m := components.Message{Role: string(e.Message.Role), Status: string(e.Message.Status)}
	if plain(e.Message.Role) {
		m.Text = e.Message.Text()
		return m
	}
	m.Body = v.bodyView(e)
	if e.Message.Status == conversation.StatusStopped {
		m.Note = "Stopped."
	}
	return m
}

func (v *view) bodyView(e *conversation.Entry) components.Body {
	b := v.body(e).stream.Body()
	return components.Body{Key: bodyID(e), Closed: b.Closed, Head: b.Head, Tail: b.Tail}
}

func (v *view) toolCard(e *conversation.Entry) components.ToolCard {
	t := e.ToolCall
	c := components.ToolCard{
		Key: itemID(e), Tool: t.Name, Status: string(t.Status),
		Args: pretty(t.Args()), Result: pretty(t.Result),
	}
	if t.Status == conversation.ToolRunning && len(c.Args) > maxRunningArgs {
		c.Args = strings.ToValidUTF8(c.Args[:maxRunningArgs], "") + "…" // it is sent again while it grows
	}
	if t.HasResult {
		c.Summary = v.demo.ToolSummary(t.Name, t.Args(), t.Result)
	}
	return c
}

func (v *view) subagentCard(e *conversation.Entry) components.SubagentCard {
	s := e.Subagent
	c := components.SubagentCard{Name: s.Name, AskedBy: "asked by " + v.demo.Agent, Status: string(s.Status)}
	for _, child := range s.Entries {
		switch {
		case child.Message != nil && child.Message.Len() > 0:
			c.Messages = append(c.Messages, v.bodyView(child))
		case child.ToolCall != nil:
			c.Tools = append(c.Tools, v.toolCard(child))
		}
	}
	if s.Status == conversation.SubagentError {
		c.Error = "It could not finish."
	}
	return c
}

// pretty indents JSON text and leaves anything else as it is.
func pretty(s string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(s), "", "  ") != nil {
		return s
	}
	return b.String()
}
