package agenthost

import (
	"strings"

	"github.com/openai/openai-go/v3"

	"cairn/agui"
)

// assembly puts an answer together from the chunks of its stream.
type assembly struct {
	listener listener
	maxSize  int // bytes
	maxCalls int
	answer   answer
	began    bool // the server sent something
	finished bool // a finish reason was seen
	size     int
	text     strings.Builder
	calls    []*callAssembly
	byIndex  map[int64]*callAssembly
	ids      callIDs
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
	if err := a.grow(len(delta)); err != nil {
		return err
	}
	a.text.WriteString(delta)
	return a.listener.text(delta)
}

// grow counts bytes of the answer.
func (a *assembly) grow(n int) error {
	if a.size += n; a.size > a.maxSize {
		return errAnswerLimit
	}
	return nil
}

func (a *assembly) addCall(d openai.ChatCompletionChunkChoiceDeltaToolCall) error {
	c := a.byIndex[d.Index]
	// Some servers send every call whole under index 0, told apart by the id.
	if c == nil || d.ID != "" && c.sentID != "" && d.ID != c.sentID {
		if len(a.calls) == a.maxCalls {
			return errCallLimit
		}
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
		if err := a.grow(len(d.Function.Name)); err != nil {
			return err
		}
		c.call.Name = d.Function.Name
	}
	if !c.started && c.call.Name != "" {
		c.started = true
		c.call.ID = a.ids.mint(c.sentID)
		if err := a.listener.callStarted(c.call); err != nil {
			return err
		}
	}
	if d.Function.Arguments == "" {
		return nil
	}
	if err := a.grow(len(d.Function.Arguments)); err != nil {
		return err
	}
	c.args.WriteString(d.Function.Arguments)
	if !c.started {
		return nil
	}
	return a.listener.callArgs(c.call, d.Function.Arguments)
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
