package probe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agui"
)

// This file probes what is no agent, or a bad one, or goes away.

// answers is an agent that sends the same answer to every request.
func answers(status int, contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// TestNoAgent: what is no agent ends the probe after one request.
func TestNoAgent(t *testing.T) {
	refused := roundTripper(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("connection refused, and here is " + secret)
	})
	for _, tc := range []struct {
		name  string
		trip  http.RoundTripper
		wants string
	}{
		{"401", agenttest.InProcess(answers(401, "application/json", `{}`)), "HTTP 401: the agent wants another token"},
		{"403", agenttest.InProcess(answers(403, "", "")), "HTTP 403: the agent wants another token"},
		{"404", agenttest.InProcess(answers(404, "application/json", `{"detail":"no such topic"}`)), `HTTP 404 with "application/json": "{\"detail\":\"no such topic\"}"`},
		{"redirect", agenttest.InProcess(http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect)), "HTTP 307"},
		{"page", agenttest.InProcess(answers(200, "text/html", "<html>")), `HTTP 200 with "text/html"`},
		{"refused", refused, "no answer"},
		{"silent", agenttest.InProcess(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })), "no answer: silent for 1m0s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := 0
				count := roundTripper(func(r *http.Request) (*http.Response, error) {
					seen++
					return tc.trip.RoundTrip(r)
				})
				_, err := Run(t.Context(), Config{URL: "http://a.test/", Token: secret, Scenario: deskScenario(t), HTTPClient: &http.Client{Transport: count}})
				if !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), tc.wants) || strings.Contains(err.Error(), secret) || seen != 1 {
					t.Errorf("%v after %d requests, want %q", err, seen, tc.wants)
				}
			})
		})
	}
}

// TestCredentials holds what each request proves itself with.
func TestCredentials(t *testing.T) {
	for _, tc := range []struct{ header, token, want string }{
		{"", "abc", "X-Internal-Token: abc"},
		{"authorization", "abc", "Authorization: Bearer abc"},
		{"X-Key", "", ""},
	} {
		var got []string
		agent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent := ""
			for _, name := range []string{"X-Internal-Token", "Authorization", "X-Key"} {
				if v := r.Header.Get(name); v != "" {
					sent += name + ": " + v
				}
			}
			got = append(got, sent)
			answers(200, "text/event-stream", "data: {\"type\":\"RUN_ERROR\",\"message\":\"no\"}\n\n").ServeHTTP(w, r)
		})
		synctest.Test(t, func(t *testing.T) {
			_, err := Run(t.Context(), Config{
				URL: "http://a.test/", Token: agentclient.Secret(tc.token), TokenHeader: tc.header,
				Scenario: Scenario{Name: "a", Messages: []string{"hello"}}, HTTPClient: &http.Client{Transport: agenttest.InProcess(agent)},
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		if tc.token == "" {
			if all := strings.Join(got, ""); all != "" || len(got) != 7 {
				t.Errorf("without a token: %q", got)
			}
			continue
		}
		name, _, _ := strings.Cut(tc.want, ": ")
		if len(got) != 9 || got[0] != tc.want || got[7] != "" || !strings.HasPrefix(got[8], name+": ") || strings.Contains(got[8], "abc") {
			t.Errorf("%q", got)
		}
	}
}

// TestNoCookies: what one request was given, the next does not carry.
func TestNoCookies(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	agent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) > 0 {
			t.Error("a cookie came back")
		}
		w.Header().Set("Set-Cookie", "a=b")
		answers(200, "text/event-stream", "data: {\"type\":\"RUN_ERROR\",\"message\":\"no\"}\n\n").ServeHTTP(w, r)
	})
	if _, err := Run(t.Context(), Config{
		URL: "http://a.test/", Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
		HTTPClient: &http.Client{Transport: agenttest.InProcess(agent), Jar: jar},
	}); err != nil {
		t.Fatal(err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAgentGoesAway: a probe does not go on against an agent that is gone.
func TestAgentGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		inner, seen := agenttest.InProcess(d), 0
		cfg := d.config(deskScenario(t))
		cfg.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if seen++; seen > 4 {
				return nil, errors.New("connection refused")
			}
			return inner.RoundTrip(r)
		})}
		rec, err := Run(t.Context(), cfg)
		if !errors.Is(err, ErrNoAgent) || seen != 4+giveUp || len(rec.Exchanges) != seen {
			t.Errorf("%v after %d requests, %d exchanges", err, seen, len(rec.Exchanges))
		}
	})
}

// TestStopped: a probe that is stopped sends nothing more and keeps what it has.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		ctx, cancel := context.WithCancel(t.Context())
		cfg := d.config(deskScenario(t))
		cfg.Progress = func(p Progress) {
			if p.Number == 7 {
				cancel()
			}
		}
		rec, err := Run(ctx, cfg)
		if !errors.Is(err, context.Canceled) || d.seen != 7 || len(rec.Exchanges) != 7 {
			t.Errorf("%v after %d requests, %d exchanges", err, d.seen, len(rec.Exchanges))
		}
		Evaluate(rec)
	})
}

// TestSilence: an answer that stops coming is left, and told.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := agenttest.NewScript(
			agenttest.Turn{Steps: []agenttest.Action{
				agenttest.Emit(&agui.RunStarted{}), agenttest.Wait(40 * time.Second), agenttest.Comment("still here"),
				agenttest.Wait(40 * time.Second), agenttest.Stall(),
			}},
		)
		rec, err := Run(t.Context(), Config{
			URL: "http://a.test/", Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
			HTTPClient: &http.Client{Transport: agenttest.InProcess(agent)},
		})
		if err != nil {
			t.Fatal(err)
		}
		x := rec.Exchanges[0]
		if x.Failed != "the answer broke off: silent for 1m0s" || x.TotalMS != 100_000 || len(x.Times) != 1 {
			t.Errorf("%+v", x)
		}
	})
}

// TestEndless: an answer that comes steadily and never ends is left.
func TestEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, ": still here\n\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(20 * time.Second):
				case <-r.Context().Done():
				}
			}
		})
		begun := time.Now()
		rec, err := Run(t.Context(), Config{
			URL: "http://a.test/", Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
			HTTPClient: &http.Client{Transport: agenttest.InProcess(agent)},
		})
		if len(rec.Exchanges) == 0 || rec.Exchanges[0].Failed != "the answer broke off: no end after 10m0s" || time.Since(begun) > 2*time.Hour {
			t.Errorf("%v, %v, %+v", err, time.Since(begun), rec.Exchanges)
		}
	})
}

// TestNetworkErrors: one of the network names no host, and what it quotes of the agent
// is text.
func TestNetworkErrors(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 8081}
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: errors.New("connection refused")}, "no answer: dial: connection refused"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "a.test", Server: "10.1.2.3:53"}}, "no answer: look up the host: no such host"},
		{errors.New("malformed MIME header line: \x1b[2Jhi\u202e"), "no answer: malformed MIME header line: ?[2Jhi?"},
		{errors.New("x509: certificate is valid for b.test, not a.test"), "no answer: x509: certificate is valid for b.test, not [host]"},
	} {
		rec, err := Run(t.Context(), Config{
			URL: "http://a.test:8081/agent?key=hidden", Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
			HTTPClient: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, tc.err })},
		})
		if !errors.Is(err, ErrNoAgent) || len(rec.Exchanges) != 1 || rec.Exchanges[0].Failed != tc.want {
			t.Errorf("%v, %+v; want %q", err, rec.Exchanges, tc.want)
		}
	}
}

// TestTooLarge: an answer is kept up to what can be replayed.
func TestTooLarge(t *testing.T) {
	line := strings.Repeat(": still here\n", 80_000)
	agent := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 1 + maxBody/len(line) {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	})
	rec, err := Run(t.Context(), Config{
		URL: "http://a.test/", Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
		HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if body, _ := io.ReadAll(r.Body); !bytes.Contains(body, []byte("hello")) {
				return nil, errors.New("one is enough")
			}
			return agenttest.InProcess(agent).RoundTrip(r)
		})},
	})
	if len(rec.Exchanges) == 0 || err != nil && !errors.Is(err, ErrNoAgent) {
		t.Fatal(err)
	}
	x := rec.Exchanges[0]
	if x.Failed != "the answer broke off: the answer is larger than 20 MB" || len(x.Body) > maxBody {
		t.Errorf("%d bytes: %q", len(x.Body), x.Failed)
	}
}

func TestWrongConfig(t *testing.T) {
	small := Scenario{Name: "a", Messages: []string{"hello"}}
	for _, tc := range []struct {
		cfg  Config
		says string
	}{
		{Config{URL: "http://a.test/"}, "scenario: name"},
		{Config{URL: "a.test", Scenario: small}, "http"},
		{Config{URL: "http://me:pass@a.test/", Scenario: small}, "credential"},
		{Config{URL: "http://a.test/", Token: "a\nb", Scenario: small}, "printable"},
	} {
		if err := tc.cfg.Check(); err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%v, want %q", err, tc.says)
		}
		if _, err := Run(t.Context(), tc.cfg); err == nil {
			t.Errorf("%q was probed", tc.cfg.URL)
		}
	}
}
