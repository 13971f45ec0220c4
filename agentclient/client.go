package agentclient

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/agui/sse"
	"cairn/internal/mask"
)

// Defaults for the zero values of [Config].
const (
	// DefaultTokenHeader carries the token bare. "Authorization" carries it as a
	// bearer token.
	DefaultTokenHeader = "X-Internal-Token"
	// DefaultConnectTimeout bounds the wait for the answer's header. Agents send it
	// with their first frame, after loading memory.
	DefaultConnectTimeout = 30 * time.Second
	// DefaultStallTimeout bounds the wait for the next byte. Models think silently
	// for a minute and more, and many agents send no keep-alive.
	DefaultStallTimeout = 3 * time.Minute
	// DefaultMaxBytes and DefaultMaxEvents bound one run.
	DefaultMaxBytes  = 256 << 20
	DefaultMaxEvents = 1_000_000
)

// Config describes one agent. The zero value of a limit is its default.
type Config struct {
	// URL is where runs are posted: http or https, without user or password. It may
	// hold a key in its query; [RedactURL] is how it is printed.
	URL string
	// Token is sent in TokenHeader; empty sends none.
	Token       Secret
	TokenHeader string
	// HTTPClient is used without its redirects and cookies; nil is a client of our own.
	HTTPClient     *http.Client
	ConnectTimeout time.Duration
	StallTimeout   time.Duration
	MaxBytes       int64
	MaxEvents      int
	SSE            sse.Limits
	// Strict ends a run at the first event that breaks the protocol (sections 4 and
	// 5) with [KindViolation]. It is for judging agents; applications stay lenient.
	Strict bool
	// Logger gets one line a run, without anything the agent or the user said; nil
	// is silent.
	Logger *slog.Logger
}

// Client runs one agent. It is safe for concurrent use.
type Client struct {
	cfg     Config // without the token, the URL redacted
	secret  func() string
	target  func() string // the URL
	secrets *mask.Set     // the token and the values of the URL's query
	http    *http.Client
	log     *slog.Logger
}

// New checks cfg.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.URL)
	switch {
	case err != nil:
		return nil, errors.New("agent URL: cannot be read")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("agent URL %q: want http:// or https:// and a host", RedactURL(cfg.URL))
	case u.User != nil:
		return nil, errors.New("agent URL: put the credential in the token, not in the URL")
	}
	token := cfg.Token.Reveal()
	if strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("agent token: only printable ASCII can be sent")
	}
	target, secrets := cfg.URL, new(mask.Set)
	secrets.Add(token)
	secrets.Add(URLSecrets(cfg.URL)...)
	cfg.Token, cfg.URL = "", RedactURL(cfg.URL)
	orDefault(&cfg.TokenHeader, DefaultTokenHeader)
	orDefault(&cfg.ConnectTimeout, DefaultConnectTimeout)
	orDefault(&cfg.StallTimeout, DefaultStallTimeout)
	orDefault(&cfg.MaxBytes, DefaultMaxBytes)
	orDefault(&cfg.MaxEvents, DefaultMaxEvents)
	if http.CanonicalHeaderKey(cfg.TokenHeader) == "Authorization" {
		token = "Bearer " + token
	}

	// A redirect would carry the token to wherever it points: net/http takes only
	// its own credential headers off on the way to another host.
	own := http.Client{Transport: http.DefaultTransport}
	if cfg.HTTPClient != nil {
		own = *cfg.HTTPClient
	}
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

	c := &Client{cfg: cfg, http: &own, log: cfg.Logger, secrets: secrets,
		secret: func() string { return token }, target: func() string { return target }}
	if token == "" || token == "Bearer " {
		c.secret = func() string { return "" }
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
