package agenthost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"cairn/agui"
)

// chunk is a piece of an answer. It is the API's, and what compatible servers add:
// reasoning under one of two names, and an error in place of a piece.
type chunk struct {
	Choices []struct {
		Index int
		Delta struct {
			Content, Refusal, Reasoning string
			ReasoningContent            string            `json:"reasoning_content"`
			ToolCalls                   []openai.ToolCall `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage  *openai.Usage
	Error  json.RawMessage
	Object string // "error" when the chunk itself is the error
	Done   bool   // the server ended the stream; see [answerBody]
}

// errInStream is an error that the model's server sends in its answer. Its text is not
// passed on.
var errInStream = errors.New("an error in the answer")

// assembly puts an answer together from the chunks of its stream.
type assembly struct {
	listener listener
	maxSize  int // bytes
	maxCalls int
	usage    *agui.TokenUsage
	began    bool  // the server sent something of the answer
	stopped  error // the listener's, or of a bound
	finished bool  // the server sent a finish reason, or the end of its stream
	size     int
	text     strings.Builder
	calls    []*callAssembly
	byIndex  map[int]*callAssembly
	last     *callAssembly // that a piece came for
	ids      callIDs
}

type callAssembly struct {
	sentID  string // as the server sent it
	call    ToolCall
	args    strings.Builder
	scan    jsonScan // of args
	started bool
}

// add reads one event of the stream.
func (a *assembly) add(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	if c.Object == "error" || len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return errInStream
	}
	if c.Done { // some servers send no finish reason
		a.finished = a.finished || a.size > 0
		return nil
	}
	a.began = true
	a.stopped = a.addChunk(c)
	return a.stopped
}

func (a *assembly) addChunk(c chunk) error {
	if u := c.Usage; u != nil {
		a.usage = &agui.TokenUsage{InputTokens: int64(u.PromptTokens), OutputTokens: int64(u.CompletionTokens), TotalTokens: int64(u.TotalTokens)}
		if d := u.CompletionTokensDetails; d != nil {
			a.usage.ReasoningTokens = int64(d.ReasoningTokens)
		}
		if d := u.PromptTokensDetails; d != nil {
			a.usage.CachedInputTokens = int64(d.CachedTokens)
		}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		d := choice.Delta
		if err := a.addReasoning(cmp.Or(d.ReasoningContent, d.Reasoning)); err != nil {
			return err
		}
		// A refusal is the model's answer too.
		if err := a.addText(d.Content + d.Refusal); err != nil {
			return err
		}
		for _, call := range d.ToolCalls {
			if err := a.addCall(call); err != nil {
				return err
			}
		}
		// Some servers send a reason with each piece, so it does not end the answer.
		a.finished = a.finished || choice.FinishReason != ""
	}
	return nil
}

func (a *assembly) addReasoning(delta string) error {
	if delta == "" {
		return nil
	}
	if err := a.grow(len(delta)); err != nil {
		return err
	}
	return a.listener.reasoning(delta)
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

// callOf returns the call that a piece belongs to. The API numbers the calls, but some
// servers send no numbers, and others every call whole as number 0, with or without ids.
func (a *assembly) callOf(d openai.ToolCall) (*callAssembly, error) {
	c := a.last
	if d.Index != nil {
		c = a.byIndex[*d.Index]
	}
	if c == nil || c.isAnother(d) {
		if len(a.calls) == a.maxCalls {
			return nil, errCallLimit
		}
		c = &callAssembly{}
		a.calls = append(a.calls, c)
	}
	if d.Index != nil {
		if a.byIndex == nil {
			a.byIndex = map[int]*callAssembly{}
		}
		a.byIndex[*d.Index] = c
	}
	a.last = c
	return c, nil
}

// isAnother reports whether a piece begins a call after c.
func (c *callAssembly) isAnother(d openai.ToolCall) bool {
	switch {
	case d.ID != "" && c.sentID != "":
		return d.ID != c.sentID
	case d.Function.Name == "" || c.call.Name == "":
		return false
	case d.Function.Name != c.call.Name:
		return true
	}
	// The name comes again: with more arguments of the call, or those of another one.
	return d.Function.Arguments != "" && c.scan.depth == 0 && c.scan.values > 0
}

func (a *assembly) addCall(d openai.ToolCall) error {
	c, err := a.callOf(d)
	if err != nil {
		return err
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
	for i := range len(d.Function.Arguments) {
		c.scan.step(d.Function.Arguments[i])
	}
	if !c.started {
		return nil
	}
	return a.listener.callArgs(c.call, d.Function.Arguments)
}

// result returns the answer. The stream must have ended.
func (a *assembly) result() answer {
	ans := answer{text: a.text.String(), usage: a.usage}
	for _, c := range a.calls {
		if c.started { // a call without a name is nothing
			c.call.Arguments = c.args.String()
			if c.call.Arguments == "" { // a call without arguments
				c.call.Arguments = "{}"
			}
			ans.calls = append(ans.calls, c.call)
		}
	}
	return ans
}
