package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"cairn/agui"
)

// ModelConfig is where the model is: any server of the OpenAI Chat Completions
// API with streaming.
type ModelConfig struct {
	BaseURL string // default https://api.openai.com/v1
	APIKey  Secret // empty: no Authorization header
	Model   string // default gpt-4o-mini
	// Timeout bounds one answer of the model, retries before its first byte
	// included. Default two minutes.
	Timeout time.Duration
	// HTTPClient is nil for http.DefaultClient.
	HTTPClient *http.Client
}

const (
	defaultBaseURL      = "https://api.openai.com/v1"
	defaultModel        = "gpt-4o-mini"
	defaultModelTimeout = 2 * time.Minute
)

// model asks a Chat Completions server. Safe for concurrent use.
type model struct {
	api     *openai.Client
	name    string
	timeout time.Duration

	maxAnswer int // bytes of one answer
	maxCalls  int // tool calls of one answer
}

func newModel(c ModelConfig) *model {
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	if c.Model == "" {
		c.Model = defaultModel
	}
	if c.Timeout == 0 {
		c.Timeout = defaultModelTimeout
	}
	if c.HTTPClient == nil {
		c.HTTPClient = http.DefaultClient
	}
	m := &model{name: c.Model, timeout: c.Timeout, maxAnswer: defaultMaxAnswer, maxCalls: defaultMaxCalls}
	cfg := openai.DefaultConfig(c.APIKey.Reveal())
	cfg.BaseURL = strings.TrimRight(c.BaseURL, "/")
	cfg.HTTPClient = &modelTransport{client: c.HTTPClient, model: m}
	m.api = openai.NewClientWithConfig(cfg)
	return m
}

// offered is a tool as the model sees it.
type offered struct {
	name, description string
	parameters        json.RawMessage
}

// answer is what the model said in one request.
type answer struct {
	text  string
	calls []ToolCall
	usage *agui.TokenUsage // nil when the server does not count
}

// listener hears an answer while it streams. A call's id and name are known when
// callStarted comes; callArgs carries pieces of its arguments.
type listener interface {
	text(delta string) error
	reasoning(delta string) error
	callStarted(call ToolCall) error
	callArgs(call ToolCall, delta string) error
}

// ask streams one answer. The error of the listener ends it, as do ctx and the
// timeout; a stream that breaks off is an error even when it said something. Its calls
// have ids that are not among ids, and are added there.
func (m *model) ask(ctx context.Context, messages []Message, tools []openai.Tool, ids callIDs, l listener) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.timeout, errModelTimeout)
	defer cancel()
	req, err := m.request(messages, tools)
	if err != nil {
		return answer{}, err
	}
	a := assembly{listener: l, maxSize: m.maxAnswer, maxCalls: m.maxCalls, ids: ids}
	err = m.stream(ctx, req, &a)
	var own *runError
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return answer{}, cause
	case errors.As(err, &own):
		return answer{}, own
	case a.stopped != nil:
		return answer{}, a.stopped
	case err != nil:
		return answer{}, modelFailure(err, a.began)
	case !a.finished:
		return answer{}, errModelCut
	}
	return a.result(), nil
}

// stream reads one answer into a.
func (m *model) stream(ctx context.Context, req openai.ChatCompletionRequest, a *assembly) error {
	stream, err := m.api.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }() // it was read
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) { // also after [DONE], which a cut stream does not have
			return nil
		} else if err != nil {
			return err
		}
		if err := a.add(raw); err != nil {
			return err
		}
	}
}

func (m *model) request(messages []Message, tools []openai.Tool) (openai.ChatCompletionRequest, error) {
	req := openai.ChatCompletionRequest{Model: m.name, Tools: tools, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}
	for _, msg := range messages {
		out := openai.ChatCompletionMessage{Role: msg.Role, Content: msg.Content}
		switch msg.Role {
		case "system", "user":
		case "tool":
			out.ToolCallID = msg.ToolCallID
		case "assistant":
			for _, c := range msg.ToolCalls {
				out.ToolCalls = append(out.ToolCalls, openai.ToolCall{ID: c.ID, Type: openai.ToolTypeFunction,
					Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments}})
			}
		default:
			return req, fmt.Errorf("message role %q", msg.Role)
		}
		if out.Content == "" && len(out.ToolCalls) == 0 {
			out.Content = " " // an empty content is left out, and servers refuse such a message
		}
		req.Messages = append(req.Messages, out)
	}
	return req, nil
}

// toolParams writes tools as the API takes them. A run does it once, not for every
// request.
func toolParams(tools []offered) ([]openai.Tool, error) {
	var list []openai.Tool
	for _, t := range tools {
		var parameters map[string]json.RawMessage
		if err := json.Unmarshal(t.parameters, &parameters); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", t.name, err)
		}
		list = append(list, openai.Tool{Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.name, Description: t.description, Parameters: t.parameters}})
	}
	return list, nil
}

// modelFailure sorts an error of the model's server, whose text is in no error of
// ours.
func modelFailure(err error, began bool) error {
	var transport *url.Error
	var status int
	if api := new(openai.APIError); errors.As(err, &api) {
		status = api.HTTPStatusCode // 0 inside a stream
	} else if api := new(openai.RequestError); errors.As(err, &api) {
		status = api.HTTPStatusCode
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &runError{code: "model_unauthorized", message: "The model refused the service's key.", detail: fmt.Sprintf("status %d", status)}
	case status == http.StatusTooManyRequests:
		return &runError{code: "model_rate_limited", message: "The model is busy. Try again in a moment.", detail: "status 429"}
	case status != 0:
		return &runError{code: "model_error", message: "The model answered with an error.", detail: fmt.Sprintf("status %d", status)}
	case began:
		return errModelCut
	case errors.As(err, &transport):
		return &runError{code: "model_unavailable", message: "The model could not be reached.", detail: fmt.Sprintf("%T", transport.Err)}
	default: // an answer that is none, or an error in the place of one
		return &runError{code: "model_error", message: "The model answered with an error.", detail: fmt.Sprintf("%T", err)}
	}
}
