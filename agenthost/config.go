package agenthost

import (
	"log/slog"
	"time"
)

// Config configures a [Server]. A limit that is zero has its default.
type Config struct {
	Token Secret
	// Agents by topic, the last part of POST /agent/{topic}.
	Agents map[string]*Agent
	Store  Store
	Model  ModelConfig
	// Logger may be nil, which logs nothing. Attributes are masked, cut to 1 KiB and
	// put on one line before they reach it.
	Logger *slog.Logger

	// MaxBody is the most bytes of a request body; default 16 MiB. A larger one is
	// refused with 413.
	MaxBody int64
	// ReadTimeout is how long a client may take to send a body; default 30 seconds.
	// A slower one is refused with 408.
	ReadTimeout time.Duration
	// MaxMessages is the most messages of a request; default 100,000. More are
	// refused with 413.
	MaxMessages int
	// MaxTools is the most tools a client may offer to run itself; default 100,000.
	// More are refused with 413.
	MaxTools int
	// MaxDepth is how deep the JSON of a request may be nested; default 128. Deeper
	// is refused with 400.
	MaxDepth int

	// RunTimeout is the most time of a run; default 10 minutes. A run that takes
	// longer ends with run_timeout. A tool that is running finishes, and recorded
	// decisions are carried out.
	RunTimeout time.Duration
	// MaxOutput is the most bytes of a run's events; default 64 MiB. A run that
	// sends more ends with output_limit.
	MaxOutput int64
	// MaxAnswer is the most bytes of one answer of the model, text, tool names and
	// arguments together; default 4 MiB. A longer one ends the run with answer_limit.
	MaxAnswer int
	// MaxSteps is the most requests to the model in one run; default 12.
	MaxSteps int
	// MaxCalls is the most tool calls of one answer; default 128. More end the run
	// with call_limit.
	MaxCalls int
	// MaxRunCalls is the most tool calls of a run, those of its children included;
	// default 512. More end the run with call_limit.
	MaxRunCalls int
	// MaxResult is the most bytes of a tool's value or suspend payload as JSON;
	// default 256 KiB. A larger one is replaced by a failure that says so.
	MaxResult int
	// ToolTimeout bounds one tool call; default one minute.
	ToolTimeout time.Duration
	// Heartbeat is how long a stream may be silent before a comment is sent;
	// default 15 seconds.
	Heartbeat time.Duration
}

const (
	defaultMaxBody     = 16 << 20
	defaultReadTimeout = 30 * time.Second
	defaultMaxMessages = 100_000
	defaultMaxTools    = 100_000
	defaultMaxDepth    = 128
	defaultRunTimeout  = 10 * time.Minute
	defaultMaxOutput   = 64 << 20
	defaultMaxAnswer   = 4 << 20
	defaultMaxSteps    = 12
	defaultMaxCalls    = 128
	defaultMaxRunCalls = 512
	defaultMaxResult   = 256 << 10
	defaultToolTimeout = time.Minute
	defaultHeartbeat   = 15 * time.Second
)

// withDefaults returns the configuration with its zero limits filled in.
func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	orDefault(&c.MaxBody, defaultMaxBody)
	orDefault(&c.ReadTimeout, defaultReadTimeout)
	orDefault(&c.MaxMessages, defaultMaxMessages)
	orDefault(&c.MaxTools, defaultMaxTools)
	orDefault(&c.MaxDepth, defaultMaxDepth)
	orDefault(&c.RunTimeout, defaultRunTimeout)
	orDefault(&c.MaxOutput, defaultMaxOutput)
	orDefault(&c.MaxAnswer, defaultMaxAnswer)
	orDefault(&c.MaxSteps, defaultMaxSteps)
	orDefault(&c.MaxCalls, defaultMaxCalls)
	orDefault(&c.MaxRunCalls, defaultMaxRunCalls)
	orDefault(&c.MaxResult, defaultMaxResult)
	orDefault(&c.ToolTimeout, defaultToolTimeout)
	orDefault(&c.Heartbeat, defaultHeartbeat)
	return c
}

func orDefault[T ~int | ~int64](limit *T, value T) {
	if *limit == 0 {
		*limit = value
	}
}
