package view

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
)

// ErrNoText is returned for a part of a conversation that is not there.
var ErrNoText = errors.New("there is no such text in the conversation")

// The parts of an entry whose whole text can be asked for. The page names one as
// KEY-PART, where KEY is the entry's key.
const (
	partText   = "text"   // a message's
	partArgs   = "args"   // a tool call's arguments
	partResult = "result" // a tool call's result
	partWork   = "work"   // a subagent's texts and tool calls
	partAsked  = "asked"  // the requests of an approval, as JSON lines
)

func partName(e int, part string) string { return strconv.Itoa(e) + "-" + part }

// Text returns the whole text of a part of the conversation that a page shows only the
// beginning of, or lays out differently: what the agent or the user wrote, unchanged.
// The error is [ErrNoText] or the log's.
func (h *Hub) Text(ctx context.Context, threadID, part string) (text string, err error) {
	key, kind, _ := strings.Cut(part, "-")
	n, err := strconv.Atoi(key)
	if err != nil {
		return "", ErrNoText
	}
	askErr := h.ask(ctx, threadID, func(v *view) error {
		text, err = v.text(n, kind)
		return nil
	})
	return text, errors.Join(askErr, err)
}

func (v *view) text(key int, part string) (string, error) {
	e := v.thread.Conversation.Entry(key)
	switch {
	case e == nil:
	case part == partText && e.Message != nil && shownRole(e.Message.Role):
		return e.Message.Text(), nil
	case part == partArgs && e.ToolCall != nil:
		return e.ToolCall.Args(), nil
	case part == partResult && e.ToolCall != nil:
		return e.ToolCall.Result, nil
	case part == partWork && e.Subagent != nil:
		return workOf(e.Subagent), nil
	case part == partAsked && e.Marker != nil:
		if a, ok := e.Marker.(*agentclient.Approval); ok {
			return askedOf(a), nil
		}
	}
	return "", ErrNoText
}

// workOf returns a subagent's texts, tool calls and results, in order.
func workOf(s *conversation.Subagent) string {
	var b strings.Builder
	for _, e := range s.Entries {
		switch {
		case e.Message != nil:
			b.WriteString(e.Message.Text())
		case e.ToolCall != nil:
			b.WriteString(e.ToolCall.Name + "(" + e.ToolCall.Args() + ")\n" + e.ToolCall.Result)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// askedOf is what an approval asks for, a line of JSON for each request.
func askedOf(a *agentclient.Approval) string {
	var b strings.Builder
	for _, p := range a.Pending {
		raw, err := json.Marshal(map[string]any{
			"id": p.ID, "tool": p.ToolName, "message": p.Message, "payload": p.Payload, "arguments": p.Args, "schema": p.Schema,
			"metadata": p.Metadata,
		})
		if err != nil {
			raw = []byte("{}") // its parts were JSON when they came
		}
		b.Write(append(raw, '\n'))
	}
	return b.String()
}
