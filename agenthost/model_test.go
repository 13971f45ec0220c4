package agenthost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agui"
)

// modelServer answers the requests of one test in turn, without a network.
type modelServer struct {
	replies []reply
	asked   int
}

// reply is one answer of a model's server. Its texts are of the kind that must
// not get out.
type reply struct {
	status int    // 0 refuses the connection
	after  string // Retry-After
	body   string // of a 200; others say a secret
	silent bool   // after the body nothing comes, not even the end
	late   time.Duration
}

const leak = "secret sk-123"

func (m *modelServer) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	a := m.replies[min(m.asked, len(m.replies)-1)]
	m.asked++
	select {
	case <-time.After(a.late):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if a.status == 0 {
		return nil, errors.New("connect to " + leak + ": connection refused")
	}
	h := http.Header{"Content-Type": {"text/event-stream"}}
	body := a.body
	if a.status != http.StatusOK {
		h.Set("Content-Type", "application/json")
		body = fmt.Sprintf(`{"error":{"message":%q}}`, leak)
	}
	if a.after != "" {
		h.Set("Retry-After", a.after)
	}
	var from io.ReadCloser = io.NopCloser(strings.NewReader(body))
	if a.silent {
		from = silence{strings.NewReader(body), r.Context()}
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: from, Request: r}, nil
}

// silence is a body that says nothing more after its text, until the request ends.
type silence struct {
	text *strings.Reader
	ctx  context.Context
}

func (s silence) Close() error { return nil }
func (s silence) Read(p []byte) (int, error) {
	if s.text.Len() > 0 {
		return s.text.Read(p)
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

const (
	word  = `data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}` + "\n\n"
	whole = word + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

type quiet struct{}

func (quiet) text(string) error               { return nil }
func (quiet) reasoning(string) error          { return nil }
func (quiet) callStarted(ToolCall) error      { return nil }
func (quiet) callArgs(ToolCall, string) error { return nil }

// TestModelRetries: what is asked again, after which wait, and how it ends. No
// more than three requests are made, none after a byte of the answer, and what
// the server says of an error stays out of ours.
func TestModelRetries(t *testing.T) {
	ok := reply{status: 200, body: whole}
	down := reply{}
	for _, tc := range []struct {
		name    string
		replies []reply
		code    string // empty is an answer
		asked   int
		min     time.Duration // all waits together
		max     time.Duration
	}{
		{"at once", []reply{ok}, "", 1, 0, 0},
		{"busy, then well", []reply{{status: 429}, ok}, "", 2, 375 * time.Millisecond, 500 * time.Millisecond},
		{"down, then well", []reply{{status: 503}, {status: 502}, ok}, "", 3, 1125 * time.Millisecond, 1500 * time.Millisecond},
		{"unreachable, then well", []reply{down, ok}, "", 2, 375 * time.Millisecond, 500 * time.Millisecond},
		{"says when", []reply{{status: 429, after: "3"}, ok}, "", 2, 3 * time.Second, 3 * time.Second},
		{"says when, too far off", []reply{{status: 429, after: "60"}, ok}, "model_rate_limited", 1, 0, 0},
		{"stays busy", []reply{{status: 429}}, "model_rate_limited", 3, 1125 * time.Millisecond, 1500 * time.Millisecond},
		{"stays down", []reply{{status: 500}}, "model_error", 3, 1125 * time.Millisecond, 1500 * time.Millisecond},
		{"stays unreachable", []reply{down}, "model_unavailable", 3, 1125 * time.Millisecond, 1500 * time.Millisecond},
		{"refuses the request", []reply{{status: 400}}, "model_error", 1, 0, 0},
		{"refuses the key", []reply{{status: 401}}, "model_unauthorized", 1, 0, 0},
		{"breaks off", []reply{{status: 200, body: word}, ok}, "model_incomplete", 1, 0, 0},
		{"breaks off before the first word", []reply{{status: 200}, ok}, "model_incomplete", 1, 0, 0},
		{"fails within the answer", []reply{{status: 200, body: word + `data: {"error":{"message":"` + leak + `"}}` + "\n\n"}, ok}, "model_incomplete", 1, 0, 0},
		{"fails within the stream, at its start", []reply{{status: 200, body: `data: {"error":{"message":"` + leak + `"}}` + "\n\n"}, ok}, "model_error", 1, 0, 0},
		{"nonsense", []reply{{status: 200, body: "data: " + leak + "\n\n"}, ok}, "model_error", 1, 0, 0},
		{"never answers", []reply{{status: 200, late: time.Hour}}, "model_timeout", 1, time.Minute, time.Minute},
		{"stops speaking", []reply{{status: 200, body: word, silent: true}}, "model_timeout", 1, time.Minute, time.Minute},
		{"dawdles and fails", []reply{{status: 500, late: 40 * time.Second}}, "model_timeout", 2, time.Minute, time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &modelServer{replies: tc.replies}
				m := newModel(ModelConfig{BaseURL: "http://model.invalid", Timeout: time.Minute, HTTPClient: &http.Client{Transport: server}})
				began := time.Now()
				got, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
				took := time.Since(began)
				if server.asked != tc.asked || took < tc.min || took > tc.max {
					t.Errorf("asked %d times within %v, want %d within %v to %v", server.asked, took, tc.asked, tc.min, tc.max)
				}
				if tc.code == "" {
					if err != nil || got.text != "Hello" {
						t.Errorf("answer %q, error %v", got.text, err)
					}
					return
				}
				told := asRunError(t.Context(), err)
				if told.code != tc.code {
					t.Errorf("code %s (%v), want %s", told.code, err, tc.code)
				}
				if strings.Contains(told.message+told.Error(), "sk-") {
					t.Errorf("the server's words got out: %v", told)
				}
			})
		})
	}
}

// TestModelIsLeftWhileItWaits: the caller leaves during the wait before a
// retry, and nothing is asked again.
func TestModelIsLeftWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &modelServer{replies: []reply{{status: 503, after: "5"}}}
		m := newModel(ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: server}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := m.ask(ctx, []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
		if took := time.Since(began); took != time.Second || server.asked != 1 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v after %v, asked %d times", err, took, server.asked)
		}
	})
}

// TestTokensAreCounted: what the server counts is what the run reports.
func TestTokensAreCounted(t *testing.T) {
	server := &modelServer{replies: []reply{{status: 200, body: word + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}}` + "\n\ndata: [DONE]\n\n"}}}
	m := newModel(ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: server}})
	got, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
	want := agui.TokenUsage{InputTokens: 7, OutputTokens: 5, TotalTokens: 12, ReasoningTokens: 2, CachedInputTokens: 3}
	if err != nil || got.usage == nil || fmt.Sprint(*got.usage) != fmt.Sprint(want) {
		t.Errorf("usage %+v, error %v", got.usage, err)
	}
}
