package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"cairn/agui"
)

// ModelConfig says where the model is: any server of the OpenAI Chat Completions
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
	// modelRetries and modelRetryDelay bound the back-off after 429, 5xx and a
	// refused connection. Nothing is retried after the first byte.
	modelRetries    = 2
	modelRetryDelay = 8 * time.Second
)

// model asks a Chat Completions server. Safe for concurrent use.
type model struct {
	api     openai.ChatCompletionService
	name    string
	timeout time.Duration

	maxAnswer int // bytes of one answer
	maxCalls  int // tool calls of one answer
}

// newModel builds the service directly, because openai.NewClient would also read
// keys and addresses from the environment.
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
	m := &model{name: c.Model, timeout: c.Timeout, maxAnswer: defaultMaxAnswer, maxCalls: defaultMaxCalls}
	opts := []option.RequestOption{option.WithBaseURL(c.BaseURL), option.WithMiddleware(m.bound),
		option.WithMaxRetries(modelRetries), option.WithMaxRetryDelay(modelRetryDelay)}
	if c.APIKey != "" {
		opts = append(opts, option.WithAPIKey(c.APIKey.Reveal()))
	}
	if c.HTTPClient != nil {
		opts = append(opts, option.WithHTTPClient(c.HTTPClient))
	}
	m.api = openai.NewChatCompletionService(opts...)
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
	callStarted(call ToolCall) error
	callArgs(call ToolCall, delta string) error
}

// ask streams one answer. The error of the listener ends it, as do ctx and the
// timeout; a stream that breaks off is an error even when it said something. Its calls
// have ids that are not among ids, and are added there.
func (m *model) ask(ctx context.Context, messages []Message, tools []openai.ChatCompletionToolUnionParam, ids callIDs, l listener) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.timeout, errModelTimeout)
	defer cancel()
	params, err := m.params(messages, tools)
	if err != nil {
		return answer{}, err
	}
	stream := m.api.NewStreaming(ctx, params)
	defer func() { _ = stream.Close() }() // stream.Err below reports what matters
	a := assembly{listener: l, maxSize: m.maxAnswer, maxCalls: m.maxCalls, ids: ids}
	for stream.Next() {
		if err := a.add(stream.Current()); err != nil {
			return answer{}, err
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return answer{}, cause
	}
	if err := stream.Err(); err != nil {
		return answer{}, modelFailure(err, a.began)
	}
	if !a.finished {
		return answer{}, errModelCut
	}
	return a.answer, nil
}

func (m *model) params(messages []Message, tools []openai.ChatCompletionToolUnionParam) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         m.name,
		Tools:         tools,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	for _, msg := range messages {
		switch msg.Role {
		case "system":
			p.Messages = append(p.Messages, openai.SystemMessage(msg.Content))
		case "user":
			p.Messages = append(p.Messages, openai.UserMessage(msg.Content))
		case "tool":
			p.Messages = append(p.Messages, openai.ToolMessage(msg.Content, msg.ToolCallID))
		case "assistant":
			p.Messages = append(p.Messages, assistantParam(msg))
		default:
			return p, fmt.Errorf("message role %q", msg.Role)
		}
	}
	return p, nil
}

// toolParams writes tools as the API takes them. A run does it once, not for every
// request.
func toolParams(tools []offered) ([]openai.ChatCompletionToolUnionParam, error) {
	var list []openai.ChatCompletionToolUnionParam
	for _, t := range tools {
		var parameters shared.FunctionParameters
		if err := json.Unmarshal(t.parameters, &parameters); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", t.name, err)
		}
		list = append(list, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.name, Description: openai.String(t.description), Parameters: parameters}))
	}
	return list, nil
}

func assistantParam(msg Message) openai.ChatCompletionMessageParamUnion {
	a := openai.ChatCompletionAssistantMessageParam{}
	if msg.Content != "" || len(msg.ToolCalls) == 0 {
		a.Content.OfString = param.NewOpt(msg.Content)
	}
	for _, c := range msg.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments}}})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}
}

// modelFailure sorts an error of the model's server, whose text is in no error of
// ours.
func modelFailure(err error, began bool) error {
	var api *openai.Error
	var transport *url.Error
	var limit *runError
	switch {
	case errors.As(err, &limit):
		return limit
	case errors.As(err, &api) && (api.StatusCode == http.StatusUnauthorized || api.StatusCode == http.StatusForbidden):
		return &runError{code: "model_unauthorized", message: "The model refused the service's key.", detail: fmt.Sprintf("status %d", api.StatusCode)}
	case errors.As(err, &api) && api.StatusCode == http.StatusTooManyRequests:
		return &runError{code: "model_rate_limited", message: "The model is busy. Try again in a moment.", detail: "status 429"}
	case errors.As(err, &api):
		return &runError{code: "model_error", message: "The model answered with an error.", detail: fmt.Sprintf("status %d", api.StatusCode)}
	case began:
		return errModelCut
	case errors.As(err, &transport):
		return &runError{code: "model_unavailable", message: "The model could not be reached.", detail: fmt.Sprintf("%T", transport.Err)}
	default: // an answer that is none, or an error in the place of one
		return &runError{code: "model_error", message: "The model answered with an error.", detail: fmt.Sprintf("%T", err)}
	}
}
