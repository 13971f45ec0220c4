package scriptedmodel

import "cairn/agenthost/scriptedmodel/script"

func finishReason(r script.Reply) string {
	if len(r.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
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
func countTokens(promptBytes int, rep script.Reply) usage {
	n := len(rep.Text)
	for _, c := range rep.Calls {
		n += len(c.Name) + len(c.Arguments)
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
func (e envelope) whole(rep script.Reply, u usage) completion {
	m := answerMessage{Role: "assistant"}
	if rep.Text != "" || len(rep.Calls) == 0 {
		m.Content = &rep.Text
	}
	for _, c := range rep.Calls {
		tc := toolCall{ID: c.ID, Type: "function"}
		tc.Function.Name, tc.Function.Arguments = c.Name, c.Arguments
		m.ToolCalls = append(m.ToolCalls, tc)
	}
	return completion{
		ID: e.ID, Object: "chat.completion", Created: e.Created, Model: e.Model,
		Choices: []completionChoice{{Message: m, FinishReason: finishReason(rep)}}, Usage: u,
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
