package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agui"
)

// probed drives a desk in a bubble, where waiting takes no time.
func probed(t *testing.T, s Scenario, faults ...string) (*desk, *Recording, []Progress) {
	t.Helper()
	var (
		d    *desk
		rec  *Recording
		told []Progress
	)
	synctest.Test(t, func(t *testing.T) {
		d = newDesk(t, faults...)
		cfg := d.config(s)
		cfg.Progress = func(p Progress) { told = append(told, p) }
		var err error
		if rec, err = Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return d, rec, told
}

func statusOf(t *testing.T, m Matrix, surface string) Surface {
	t.Helper()
	for _, s := range m.Surfaces {
		if s.Name == surface {
			return s
		}
	}
	t.Fatalf("no surface %s", surface)
	return Surface{}
}

func TestCarefulAgent(t *testing.T) {
	d, rec, told := probed(t, deskScenario(t))
	m := Evaluate(rec)
	for _, s := range m.Surfaces {
		if s.Status != Supported || s.Cause != CauseNone {
			t.Errorf("%+v", s)
		}
	}
	if len(m.Violations) > 0 || m.Broken() {
		t.Errorf("violations %v", m.Violations)
	}
	if d.seen > rec.Planned || d.seen != len(rec.Exchanges) || len(told) != rec.Planned {
		t.Errorf("%d requests, %d exchanges, %d steps told of; planned %d", d.seen, len(rec.Exchanges), len(told), rec.Planned)
	}
	for i, x := range rec.Exchanges {
		if i > 0 && x.Number <= rec.Exchanges[i-1].Number {
			t.Errorf("%s after %s", x.File, rec.Exchanges[i-1].File)
		}
	}
}

// TestThreads holds what is said on which thread, and how a decision travels.
func TestThreads(t *testing.T) {
	d, rec, _ := probed(t, deskScenario(t))
	var got strings.Builder
	for _, x := range rec.Exchanges {
		if x.Surface == SurfaceInput || x.Surface == SurfaceAuth {
			continue
		}
		for _, in := range d.threads()[x.ThreadID] {
			if in.RunID != x.RunID {
				continue
			}
			fmt.Fprintf(&got, "%s:", x.File)
			for _, m := range in.Messages {
				fmt.Fprintf(&got, " %s=%s", m.Role, strings.TrimSpace(m.Content.Text()))
			}
			for _, e := range in.Resume {
				id := strings.ReplaceAll(e.InterruptID, asked(rec, x.ThreadID), "RUN")
				fmt.Fprintf(&got, " resume %s %s %s", id, e.Status, e.Payload)
			}
			got.WriteString("\n")
		}
	}
	golden(t, "threads.txt", got.String())
	fresh := map[string]string{}
	for _, x := range rec.Exchanges {
		if x.Surface == SurfaceInput {
			continue
		}
		if _, err := uuid.Parse(x.ThreadID); err != nil {
			t.Errorf("%s: thread id %q", x.File, x.ThreadID)
		}
		if before, ok := fresh[x.ThreadID]; ok && before != x.Surface {
			t.Errorf("%s is on the thread of %s", x.File, before)
		}
		fresh[x.ThreadID] = x.Surface
	}
}

// asked is the run that asked the question of a thread.
func asked(rec *Recording, thread string) string {
	for _, x := range rec.Exchanges {
		if x.ThreadID == thread {
			return x.RunID
		}
	}
	return ""
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\n got %s\nwant %s", name, got, want)
	}
}

func TestFaultsShow(t *testing.T) {
	for _, tc := range []struct {
		fault, surface string
		status         Status
		cause          Cause
		says           string
	}{
		{"wrong id", SurfaceInterrupts, Partial, CauseUpstream, "an answer with a wrong id is taken [11]"},
		{"again", SurfaceInterrupts, Partial, CauseUpstream, "a repeated answer is told as if it were new [07]"},
		{"forgets", SurfaceInterrupts, Partial, CauseUpstream, "a run without an answer [14] leaves the question unanswerable"},
		{"unasked", SurfaceInterrupts, Broken, CauseUpstream, "A run without an answer does what nobody approved [14]"},
		{"legacy", SurfaceInterrupts, Broken, CauseOurs, "cannot be answered over this transport"},
		{"both at once", SurfaceConcurrency, Absent, CauseProtocol, "Both runs talk at the same time"},
		{"holds", SurfaceAbort, Partial, CauseUpstream, "stays busy"},
	} {
		t.Run(tc.fault, func(t *testing.T) {
			_, rec, _ := probed(t, deskScenario(t), tc.fault)
			s := statusOf(t, Evaluate(rec), tc.surface)
			if s.Status != tc.status || s.Cause != tc.cause || !strings.Contains(s.Detail, tc.says) {
				t.Errorf("%+v", s)
			}
			if len(rec.Exchanges) > rec.Planned {
				t.Errorf("%d requests, planned %d", len(rec.Exchanges), rec.Planned)
			}
		})
	}
}

// TestNoPromptNoRequest: what a scenario has no prompt for is not probed.
func TestNoPromptNoRequest(t *testing.T) {
	d, rec, _ := probed(t, Scenario{Name: "small", Messages: []string{"hello"}})
	for _, s := range Evaluate(rec).Surfaces {
		switch s.Name {
		case SurfaceMessages, SurfaceInput, SurfaceAuth:
			if s.Status != Supported {
				t.Errorf("%+v", s)
			}
		default:
			if s.Status != NotProbed || len(s.Exchanges) > 0 || s.Detail == "" {
				t.Errorf("%+v", s)
			}
		}
	}
	if d.seen != rec.Planned || rec.Planned != 9 {
		t.Errorf("%d requests, planned %d", d.seen, rec.Planned)
	}
}

// TestTokenStaysSecret: an agent that sends the token back does not get it into
// the recording, the matrix or what is told.
func TestTokenStaysSecret(t *testing.T) {
	_, rec, told := probed(t, deskScenario(t), "echo")
	dir := t.TempDir()
	if err := rec.Write(dir); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	m := Evaluate(rec)
	if err := errors.Join(m.WriteText(&all), m.WriteJSON(&all)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&all, "%+v %+v", told, rec)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	if len(files) < 60 || !strings.Contains(all.String(), redacted) {
		t.Fatalf("%d files", len(files))
	}
	for _, leak := range []string{secret, `s3cr3t`, "desk.test", "key=hidden"} {
		if strings.Contains(all.String(), leak) {
			t.Errorf("%q got out", leak)
		}
	}
}

// answers is an agent that gives every request the same answer.
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

// TestRecordingReadsBack: what is written gives the same matrix when it is read.
func TestRecordingReadsBack(t *testing.T) {
	_, rec, _ := probed(t, deskScenario(t), "again")
	rec.Versions = map[string]string{"desk": "1"}
	dir := t.TempDir()
	for range 2 { // the second replaces the first
		if err := rec.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	back, err := ReadRecording(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Evaluate(back), Evaluate(rec); !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for i, x := range back.Exchanges {
		if was := rec.Exchanges[i]; !bytes.Equal(x.Body, was.Body) || x.stream() && len(x.Times) != len(was.Times) {
			t.Errorf("%s differs", x.File)
		}
	}
}
