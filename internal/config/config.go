// Package config is the one description of how cairn is run: every flag, its
// environment variable and its meaning. It parses nothing by itself (kong does,
// in cmd/cairn) and opens nothing.
package config

import (
	"errors"
	"fmt"
	"time"

	"cairn/agentclient"
)

// Serve configures the web app.
type Serve struct {
	Addr string `env:"CAIRN_ADDR" default:"127.0.0.1:8080" help:"Listen address of the web app."`
	Data string `env:"CAIRN_DATA" default:"./data" type:"path" help:"Data directory; made with mode 0700."`

	AgentURL string             `name:"agent-url" env:"AG_UI_AGENT_URL" help:"Full URL of an AG-UI endpoint for the camping demo. Without it the agent service runs inside this process."`
	Token    agentclient.Secret `name:"token" env:"AG_UI_INTERNAL_TOKEN" help:"Token for that endpoint, sent as X-Internal-Token. Prefer the environment variable."`

	Upstreams string `name:"upstreams" env:"CAIRN_UPSTREAMS" type:"path" help:"YAML file that says which AG-UI endpoint each demo talks to."`

	Grace time.Duration `name:"grace" env:"CAIRN_GRACE" default:"10s" help:"How long runs may go on when the server is asked to stop. A second signal ends it at once."`

	Model  `embed:""`
	Bounds `embed:""`
}

// Agent configures the agent service alone.
type Agent struct {
	Addr  string             `env:"CAIRN_AGENT_ADDR" default:"127.0.0.1:8081" help:"Listen address of the agent service."`
	Data  string             `env:"CAIRN_DATA" default:"./data" type:"path" help:"Data directory; made with mode 0700."`
	Token agentclient.Secret `name:"token" env:"AG_UI_INTERNAL_TOKEN" help:"Token every request but GET /ok must carry. Prefer the environment variable."`

	Model  `embed:""`
	Bounds `embed:""`
}

// Bounds limit one run of the agent service.
type Bounds struct {
	RunTimeout time.Duration `name:"run-timeout" env:"CAIRN_RUN_TIMEOUT" default:"10m" help:"How long one run of the agent service may take."`
	MaxOutput  int64         `name:"max-output" env:"CAIRN_MAX_OUTPUT" default:"67108864" help:"How many bytes one run of the agent service may send."`
}

// Validate refuses what would end every run.
func (b Bounds) Validate() error {
	if b.RunTimeout <= 0 || b.MaxOutput <= 0 {
		return errors.New("CAIRN_RUN_TIMEOUT and CAIRN_MAX_OUTPUT must be more than zero")
	}
	return nil
}

// Model configures the language model behind the agent service.
type Model struct {
	APIKey  agentclient.Secret `name:"openai-api-key" env:"OPENAI_API_KEY" help:"Key of the model's API. Without a key and a base URL the built-in scripted model answers."`
	BaseURL string             `name:"openai-base-url" env:"OPENAI_BASE_URL" help:"Base URL of an OpenAI-compatible API."`
	Name    string             `name:"model" env:"CAIRN_MODEL" default:"gpt-4o-mini" help:"Model to ask for."`
}

// Scripted reports whether the built-in scripted model answers.
func (m Model) Scripted() bool { return m.APIKey == "" && m.BaseURL == "" }

// Validate checks what can be checked without opening anything.
func (s Serve) Validate() error {
	if s.Grace < 0 {
		return errors.New("CAIRN_GRACE is negative; give a time such as 10s, or 0 to end runs at once")
	}
	if err := s.Bounds.Validate(); err != nil {
		return err
	}
	if s.AgentURL == "" {
		return nil
	}
	if s.Upstreams != "" {
		return errors.New("AG_UI_AGENT_URL and CAIRN_UPSTREAMS are both set; put the camping demo's endpoint into the file, as mastra")
	}
	if err := checkURL(s.AgentURL); err != nil {
		return fmt.Errorf("AG_UI_AGENT_URL %w", err)
	}
	return nil
}

// Validate refuses to serve a model to everybody.
func (a Agent) Validate() error {
	if a.Token == "" {
		return errors.New("AG_UI_INTERNAL_TOKEN is not set; the agent service does not start without a token, because it would serve your model to anyone who asks. Set it to a long random string")
	}
	return a.Bounds.Validate()
}
