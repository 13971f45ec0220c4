package main

import (
	"bytes"
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

	"cairn/internal/matrix"
	"cairn/internal/probe"
)

// update makes the recording of the embedded agent the committed one; `make gen` then
// makes the matrix of it.
var update = flag.Bool("update", false, "record the embedded agent into testdata")

const probeToken = "a-token-that-must-stay-here"

// TestProbeFindsTheEmbeddedAgentWhole: the agent service has every surface, and
// what is recorded of it gives the matrix that was printed.
func TestProbeFindsTheEmbeddedAgentWhole(t *testing.T) {
	t.Setenv("AG_UI_INTERNAL_TOKEN", probeToken)
	url := address.FindString(start(t, "agent", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--token", probeToken))
	dir := filepath.Join(t.TempDir(), "recording")
	if *update {
		dir = "../../" + matrix.Dir + "/embedded"
	}
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"probe", url, "--record", dir, "--version", "cairn agent=this revision", "--version", "cairn model=this revision", "--json"}, &out, &errOut)
	if code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, out.String(), errOut.String())
	}
	var m probe.Matrix
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Surfaces {
		if s.Status != probe.Supported {
			t.Errorf("%s is %s: %s", s.Name, s.Status, s.Detail)
		}
	}
	if len(m.Surfaces) != 10 || len(m.Violations) != 0 || m.Sent > m.Planned || m.Versions["cairn model"] != "this revision" {
		t.Errorf("%d surfaces, %d of %d requests, versions %v, violations %v", len(m.Surfaces), m.Sent, m.Planned, m.Versions, m.Violations)
	}
	if !strings.HasPrefix(errOut.String(), "probe  scenario mastra, at most 35 requests\nprobe   1/35  messages: prompt 1  ") {
		t.Errorf("progress %q", errOut.String())
	}

	rec, err := probe.ReadRecording(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	sameGrammar(t, rec)
	again := new(bytes.Buffer)
	if err := probe.Evaluate(rec).WriteJSON(again); err != nil || again.String() != out.String() {
		t.Errorf("the recording gives another matrix: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	port := regexp.MustCompile(`:\d+`).FindString(url)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all := string(raw) + out.String() + errOut.String()
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
