package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/probe"
)

// update makes the recordings of the embedded agents the committed ones; `make gen`
// then makes the matrix of them.
var update = flag.Bool("update", false, "record the embedded agents into testdata")

const probeToken = "a-token-that-must-stay-here"

// TestProbeFindsTheEmbeddedAgentWhole: every agent of the service has every surface,
// says what the runtime says whose dialect it speaks, and what is recorded of it makes
// the matrix that was printed.
func TestProbeFindsTheEmbeddedAgentWhole(t *testing.T) {
	first := address.FindString(start(t, "agent", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--token", probeToken))
	// Most of the time is waiting for a slow model, so all agents are probed together,
	// on however few processors.
	probes := make([]*probed, len(dialects))
	for i, s := range dialects {
		p := &probed{url: strings.TrimSuffix(first, dialects[0].topic) + s.topic, dir: filepath.Join(t.TempDir(), "recording"), done: make(chan struct{})}
		if *update {
			p.dir = "../../" + s.recording()
		}
		probes[i] = p
		go p.run(t.Context(), s.topic) // ends before its part of the test is judged
	}
	for i, s := range dialects {
		t.Run(s.topic, func(t *testing.T) {
			<-probes[i].done
			s.judge(t, probes[i])
		})
	}
}

// probed is what a probe of one agent printed and recorded.
type probed struct {
	url, dir    string
	done        chan struct{}
	code        int
	out, errOut bytes.Buffer
}

func (p *probed) run(ctx context.Context, topic string) {
	defer close(p.done)
	p.code = run(ctx, []string{"probe", p.url, "--scenario", topic, "--token", probeToken, "--record", p.dir,
		"--version", "cairn agent=this revision", "--version", "cairn model=this revision", "--json"}, &p.out, &p.errOut)
}

func (s spoken) judge(t *testing.T, p *probed) {
	dir, out, errOut := p.dir, &p.out, &p.errOut
	if p.code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", p.code, out.String(), errOut.String())
	}
	var m probe.Matrix
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	for _, surface := range m.Surfaces {
		want := probe.Supported
		if s.partial[surface.Name] != "" {
			want = probe.Partial
		}
		if surface.Status != want {
			t.Errorf("%s is %s: %s", surface.Name, surface.Status, surface.Detail)
		}
	}
	if len(m.Surfaces) != 10 || len(m.Violations) != 0 || m.Sent > m.Planned || m.Versions["cairn model"] != "this revision" {
		t.Errorf("%d surfaces, %d of %d requests, versions %v, violations %v", len(m.Surfaces), m.Sent, m.Planned, m.Versions, m.Violations)
	}
	told := fmt.Sprintf("probe  scenario %s, at most %d requests\nprobe   1/%[2]d  messages: prompt 1  ", s.topic, m.Planned)
	if !strings.HasPrefix(errOut.String(), told) {
		t.Errorf("progress %q", errOut.String())
	}

	rec, err := probe.ReadRecording(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	s.sameGrammar(t, rec)
	again := new(bytes.Buffer)
	if err := probe.Evaluate(rec).WriteJSON(again); err != nil || again.String() != out.String() {
		t.Errorf("the recording gives another matrix: %v", err)
	}
	holdsNoSecret(t, dir, regexp.MustCompile(`:\d+`).FindString(p.url), out.String()+errOut.String())
}

// holdsNoSecret: nothing that is kept or printed names the token or the address, and
// every answer kept is a stream that can be replayed.
func holdsNoSecret(t *testing.T, dir, port, printed string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all := string(raw) + printed
		if strings.Contains(all, probeToken) || strings.Contains(all, "127.0.0.1"+port) {
			t.Errorf("%s holds the token or the address", f)
		}
		if strings.HasSuffix(f, ".sse") && !strings.Contains(f, "abort-leave") {
			var report bytes.Buffer
			if code := run(t.Context(), []string{"replay", f}, &report, &report); code != 0 {
				t.Errorf("replay %s: exit code %d: %s", f, code, report.String())
			}
		}
	}
}

func TestProbeExitCodes(t *testing.T) {
	t.Setenv("AG_UI_INTERNAL_TOKEN", "")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + free.Addr().String()
	free.Close()
	serve := func(h http.HandlerFunc) string {
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		return srv.URL
	}
	scenario := filepath.Join(t.TempDir(), "small.json")
	if err := os.WriteFile(scenario, []byte(`{"name":"small","messages":["hello"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cut := serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n")
	})
	for _, tc := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"unreachable", []string{closed}, 2, "could not probe: no answer"},
		{"wrong token", []string{serve(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, strings.NewReader(""))
			w.WriteHeader(http.StatusUnauthorized)
		})}, 2, "the agent wants another token"},
		{"no agent", []string{serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") })}, 2, "no event stream, but HTTP 200"},
		{"broken", []string{cut}, 1, ""},
		{"no such scenario", []string{cut, "--scenario", "mastr"}, 2, `no scenario is named "mastr"`},
		{"no URL", []string{"ftp://x"}, 2, "want http:// or https://"},
		{"foreign directory", []string{cut, "--record", foreign}, 2, "holds no recording.json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append([]string{"probe", "--scenario", scenario}, tc.args...)
			if code := run(t.Context(), args, &out, &errOut); code != tc.code || !strings.Contains(errOut.String(), tc.says) {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, errOut.String())
			}
			if tc.code == exitBroken && !strings.Contains(out.String(), "messages     broken") {
				t.Errorf("%s", out.String())
			}
		})
	}
}
