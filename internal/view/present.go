package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/thread"
)

// maxRunningArgs is how much of a running call's arguments is shown, in bytes.
const maxRunningArgs = 4 << 10

// run is the Run tab as it is now.
func (v *view) run() Run {
	return Run{Chat: v.chat(), Panel: v.panel.View()}
}

func (v *view) chat() components.Chat {
	c := components.Chat{Typing: v.typing(), Composer: v.composer()}
	for _, e := range v.thread.Conversation.Entries() {
		if v.visible(e) {
			c.Items = append(c.Items, v.item(e))
		}
	}
	return c
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
// approval stands for, and messages of roles that are not part of a chat.
func (v *view) visible(e *conversation.Entry) bool {
	switch {
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

func (v *view) approvalCard(a *thread.Approval) components.ApprovalCard {
	words := demos.Approval{Title: "Approval required", Approved: "Approved", Declined: "Declined"}
	c := components.ApprovalCard{Action: v.hub.urls.Decide(v.threadID, a.Generation)}
	for i, p := range a.Pending {
		w := v.demo.Approval(p)
		if len(w.Rows) == 0 {
			w.Rows = rowsOf(p)
		}
		if i == 0 {
			words = w
		}
		c.Requests = append(c.Requests, components.ApprovalRequest{Tool: p.ToolName, Message: message(p), Rows: w.Rows})
	}
	c.Title, c.Hint = words.Title, words.Hint
	c.Phase, c.Outcome = v.approvalPhase(a)
	switch c.Phase {
	case "approved":
		c.Title = words.Approved
	case "declined":
		c.Title = words.Declined
	}
	return c
}

// approvalPhase gives the card's phase and, once decided, its sentence. What a
// decision led to is said only from evidence: a normally finished run other than
// the one that asked, with a tool result that says so.
func (v *view) approvalPhase(a *thread.Approval) (phase, outcome string) {
	at := a.Phase
	if a.Left != "" {
		at = a.Left
	}
	switch at {
	case interrupt.PhaseCollecting:
		return "collecting", ""
	case interrupt.PhasePending:
		if a.Decision != nil {
			return "uncertain", "Your decision did not reach the agent, so nothing has happened yet. You can send it again below."
		}
		switch err := v.thread.Interrupts.Answerable(thread.Answer(a.Pending, true), time.Now()); {
		case a.Left != "":
			return "expired", "You went on without deciding this."
		case errors.Is(err, interrupt.ErrExpired):
			return "expired", ""
		case err != nil:
			return "recovery-required", "This page cannot answer the way the agent asks. Nothing was decided; you can go on with a new message."
		}
		return "pending", ""
	case interrupt.PhaseClaimed, interrupt.PhaseResuming, interrupt.PhaseAcknowledged:
		return "sending", ""
	case interrupt.PhaseUncertain:
		return "uncertain", ""
	case interrupt.PhaseRecoveryRequired:
		return "recovery-required", ""
	}
	d := a.Decision
	if d == nil {
		return "expired", "The agent went on without a decision. Nothing was approved here."
	}
	phase = "declined"
	if d.Approved {
		phase = "approved"
	}
	if !d.Finished && d.RunID == v.thread.Run.ID && v.thread.Run.Open {
		return phase, ""
	}
	sentence, _ := v.outcome(a)
	return phase, sentence
}

// outcome is what the decision on a question led to; proven is true when the run that
// carried it shows that.
func (v *view) outcome(a *thread.Approval) (sentence string, proven bool) {
	d := a.Decision
	sentence, proven = v.demo.Outcome(d.Approved, demos.Evidence{Asked: a.Pending, Results: d.Results, State: d.State})
	if proven && (!d.Finished || d.RunID == a.PausedRun) {
		return "The agent's run did not end normally, so this is not confirmed.", false
	}
	return sentence, proven
}

// decided is the last question when its outcome is proven, nil otherwise.
func (v *view) decided() *demos.Decided {
	all := v.thread.Approvals()
	if len(all) == 0 {
		return nil
	}
	a := all[len(all)-1]
	if a.Decision == nil || a.Phase != interrupt.PhaseNone || a.Left != "" {
		return nil
	}
	if _, proven := v.outcome(a); !proven {
		return nil
	}
	return &demos.Decided{Asked: a.Pending, Approved: a.Decision.Approved}
}

// pretty indents JSON text and leaves anything else as it is.
func pretty(s string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(s), "", "  ") != nil {
		return s
	}
	return b.String()
}
