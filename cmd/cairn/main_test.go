package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// start runs a command until the test ends and returns its first line.
func start(t *testing.T, args ...string) (line string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var errOut bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- run(ctx, args, in, &errOut); in.Close() }() // ends with cancel
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, out) // what is still printed
		if code := <-done; code != 0 {
			t.Errorf("exit code %d: %s", code, errOut.String())
		}
	})
	buf := make([]byte, 4096)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatalf("%v: %s", err, errOut.String())
	}
	go io.Copy(io.Discard, out) // ends with the pipe
	line, _, _ = strings.Cut(string(buf[:n]), "\n")
	return line
}

// fail runs a command that must refuse to start with one sentence.
func fail(t *testing.T, wants []string, args ...string) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), args, &out, &errOut); code == 0 {
		t.Fatalf("%v started", args)
	}
	said := errOut.String()
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("%v says %q, want %q in it", args, said, want)
		}
	}
	if strings.Count(strings.TrimSpace(said), "\n") > 0 {
		t.Errorf("%v says more than one line: %q", args, said)
	}
}

var address = regexp.MustCompile(`http://[^ ]+`)

func TestServeRunsEverything(t *testing.T) {
	url := address.FindString(start(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()))
	res, err := http.Get(url + "/mastra")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), "scripted model") {
		t.Fatalf("%d %.200s", res.StatusCode, body)
	}
}

func TestStartRefusalsSayWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	fail(t, []string{"already in use", "CAIRN_ADDR"}, "serve", "--addr", taken.Addr().String(), "--data", t.TempDir())
	fail(t, []string{"already in use", "CAIRN_AGENT_ADDR"}, "agent", "--addr", taken.Addr().String(), "--data", t.TempDir(), "--token", "x")
	fail(t, []string{"AG_UI_INTERNAL_TOKEN"}, "agent", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	fail(t, []string{"AG_UI_AGENT_URL"}, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--agent-url", "agent.example.com")

	data := t.TempDir()
	start(t, "serve", "--addr", "127.0.0.1:0", "--data", data)
	fail(t, []string{"in use by another process", "CAIRN_DATA"}, "serve", "--addr", "127.0.0.1:0", "--data", data)
}

func TestModelAndReservations(t *testing.T) {
	line := start(t, "model", "--addr", "127.0.0.1:0")
	res, err := http.Get(strings.TrimPrefix(address.FindString(line), "") + "/models")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", line, err)
	}
	res.Body.Close()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"agent", "reservations", "--data", t.TempDir()}, &out, &out); code != 0 || out.Len() != 0 {
		t.Fatalf("an empty ledger: %d %q", code, out.String())
	}
}

func TestHelpReadsLikeAManual(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--help"}, &out, &out); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, want := range []string{"CAIRN_ADDR", "CAIRN_DATA", "AG_UI_AGENT_URL", "AG_UI_INTERNAL_TOKEN", "OPENAI_API_KEY"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %s", want)
		}
	}
}

// All but --help and --json, which say how one call prints, can be set in the
// environment.
func TestEveryFlagHasAVariable(t *testing.T) {
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	for _, leaf := range parser.Model.Leaves(false) {
		for _, group := range leaf.AllFlags(false) {
			for _, flag := range group {
				if flag.Name == "help" || flag.Name == "json" {
					continue
				}
				if flags++; len(flag.Envs) == 0 {
					t.Errorf("%s --%s has none", leaf.Path(), flag.Name)
				}
			}
		}
	}
	if flags < 15 {
		t.Errorf("%d flags", flags)
	}
}
