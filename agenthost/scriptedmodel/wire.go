package scriptedmodel

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
)

// reply is one answer of the model: text, a tool call, or text and a call.
type reply struct {
	Text string
	Call *call
}

type call struct{ ID, Name, Arguments string }

// newCall encodes the arguments and gives the call an id. Ids are random, as a
// real model's are, so two threads that say the same never share one.
func newCall(name string, args any) *call {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		// Arguments are built from strings, numbers and valid JSON only.
		panic("scriptedmodel: arguments of " + name + ": " + err.Error())
	}
	return &call{ID: "call_" + rand.Text(), Name: name, Arguments: string(bytes.TrimSpace(b.Bytes()))}
}

func (r reply) finishReason() string {
	if r.Call != nil {
		return "tool_calls"
	}
	return "stop"
}

func (r reply) toolName() string {
	if r.Call == nil {
		return ""
	}
	return r.Call.Name
}

// envelope is what every chunk of one answer has in common.
type envelope struct {
	ID      string
	Created int64 // seconds since 1970
	Model   string
}

type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *usage        `json:"usage,omitempty"`
}

// openChunk is a chunk of a stream that ends in a usage chunk: the API says
// "usage": null in all the others.
type openChunk struct {
	chunk
	Usage *usage `json:"usage"`
}

type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	ToolCalls []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// countTokens estimates usage at four bytes a token; a script has no tokenizer.
func countTokens(promptBytes int, rep reply) usage {
	n := len(rep.Text)
	if rep.Call != nil {
		n += len(rep.Call.Name) + len(rep.Call.Arguments)
	}
	u := usage{Prompt: (promptBytes + 3) / 4, Completion: (n + 3) / 4}
	u.Total = u.Prompt + u.Completion
	return u
}

func (e envelope) chunk(d delta, finish string, openUsage bool) any {
	c := chunkChoice{Delta: d}
	if finish != "" {
		c.FinishReason = &finish
	}
	out := chunk{ID: e.ID, Object: "chat.completion.chunk", Created: e.Created, Model: e.Model, Choices: []chunkChoice{c}}
	if openUsage {
		return openChunk{chunk: out}
	}
	return out
}

func (e envelope) usageChunk(u usage) any {
	return chunk{ID: e.ID, Object: "chat.completion.chunk", Created: e.Created, Model: e.Model, Choices: []chunkChoice{}, Usage: &u}
}

type completion struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"`
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   usage              `json:"usage"`
}

type completionChoice struct {
	Index        int           `json:"index"`
	Message      answerMessage `json:"message"`
	FinishReason string        `json:"finish_reason"`
}

type answerMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

// whole is the answer in one piece, for a request without stream.
func (e envelope) whole(rep reply, u usage) completion {
	m := answerMessage{Role: "assistant"}
	if rep.Text != "" || rep.Call == nil {
		m.Content = &rep.Text
	}
	if c := rep.Call; c != nil {
		tc := toolCall{ID: c.ID, Type: "function"}
		tc.Function.Name, tc.Function.Arguments = c.Name, c.Arguments
		m.ToolCalls = []toolCall{tc}
	}
	return completion{
		ID: e.ID, Object: "chat.completion", Created: e.Created, Model: e.Model,
		Choices: []completionChoice{{Message: m, FinishReason: rep.finishReason()}}, Usage: u,
	}
}

type modelList struct {
	Object string      `json:"object"`
	Data   []modelInfo `json:"data"`
}

type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}
