package agenthost

import (
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"

	"cairn/agui"
)

// maxAnswer bounds one answer of the model, text and arguments together, in
// bytes: a runaway model must not fill the memory.
const maxAnswer = 4 << 20

var errAnswerTooLarge = errors.New("the model's answer is too large")

// assembly puts an answer together from the chunks of its stream.
type assembly struct {
	listener listener
	answer   answer
	began    bool // the server sent something
	finished bool // a finish reason was seen
	size     int
	text     strings.Builder
	calls    []*callAssembly
	byIndex  map[int64]*callAssembly
	taken    map[string]bool // call ids of the conversation so far
}

type callAssembly struct {
	sentID  string // as the server gave it
	call    ToolCall
	args    strings.Builder
	started bool
}

func (a *assembly) add(chunk openai.ChatCompletionChunk) error {
	a.began = true
	if chunk.JSON.Usage.Valid() {
		u := chunk.Usage
		a.answer.usage = &agui.TokenUsage{
			InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, TotalTokens: u.TotalTokens,
			ReasoningTokens:   u.CompletionTokensDetails.ReasoningTokens,
			CachedInputTokens: u.PromptTokensDetails.CachedTokens,
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		// A refusal is the model's answer too.
		if err := a.addText(choice.Delta.Content + choice.Delta.Refusal); err != nil {
			return err
		}
		for _, d := range choice.Delta.ToolCalls {
			if err := a.addCall(d); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			a.finish()
		}
	}
	return nil
}

func (a *assembly) addText(delta string) error {
	if delta == "" {
		return nil
	}
	if a.size += len(delta); a.size > maxAnswer {
		return errAnswerTooLarge
	}
	a.text.WriteString(delta)
	return a.listener.text(delta)
}

func (a *assembly) addCall(d openai.ChatCompletionChunkChoiceDeltaToolCall) error {
	c := a.byIndex[d.Index]
	// Some servers send every call whole under index 0, told apart by the id.
	if c == nil || d.ID != "" && c.sentID != "" && d.ID != c.sentID {
		c = &callAssembly{}
		if a.byIndex == nil {
			a.byIndex = map[int64]*callAssembly{}
		}
		a.byIndex[d.Index] = c
		a.calls = append(a.calls, c)
	}
	if d.ID != "" {
		c.sentID = d.ID
	}
	if c.call.Name == "" {
		c.call.Name = d.Function.Name
	}
	if !c.started && c.call.Name != "" {
		c.started = true
		c.call.ID = a.mint(c.sentID)
		if err := a.listener.callStarted(c.call); err != nil {
			return err
		}
	}
	if d.Function.Arguments == "" {
		return nil
	}
	if a.size += len(d.Function.Arguments); a.size > maxAnswer {
		return errAnswerTooLarge
	}
	c.args.WriteString(d.Function.Arguments)
	if !c.started {
		return nil
	}
	return a.listener.callArgs(c.call, d.Function.Arguments)
}

// mint keeps the server's id for a call unless it has none or used it before:
// small model servers count from zero in every answer.
func (a *assembly) mint(id string) string {
	if id == "" || a.taken[id] {
		id = "call_" + uuid.NewString()
	}
	a.taken[id] = true
	return id
}

func (a *assembly) finish() {
	if a.finished {
		return
	}
	a.finished = true
	a.answer.text = a.text.String()
	for _, c := range a.calls {
		if c.started { // a call without a name is nothing
			c.call.Arguments = c.args.String()
			if c.call.Arguments == "" { // a call without arguments
				c.call.Arguments = "{}"
			}
			a.answer.calls = append(a.answer.calls, c.call)
		}
	}
}
