package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const testSecret = "hunter2/is+a secret"

// TestErrorsOfCommandsHideSecrets: what ends a command repeats none, and is bounded.
func TestErrorsOfCommandsHideSecrets(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", testSecret+"-of-the-model")
	file := filepath.Join(t.TempDir(), "up.yaml")
	if err := os.WriteFile(file, []byte("mastra:\n  url: http://a.test/?key="+testSecret+"\n  token_env: "+testSecret+"\n  interrupts: \"\\e[2J\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"unknown flag":     {"agent", "--token", testSecret, "--" + testSecret},
		"unknown argument": {"agent", "--token", testSecret, "run", strings.Repeat(testSecret+"\x1b[2J", 10_000)},
		"a path":           {"serve", "--token", testSecret, "--data", "/proc/" + testSecret, "--addr", "127.0.0.1:0"},
		"the model's key":  {"serve", "--data", "/proc/" + testSecret + "-of-the-model", "--addr", "127.0.0.1:0"},
		"an address":       {"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--agent-url", "://" + testSecret},
		"a file":           {"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--upstreams", file},
		"an agent's query": {"probe", "http://127.0.0.1:1/agent?key=hunter2%2Fis%2Ba+secret"},
	} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, &out, &errOut); code == 0 {
			t.Errorf("%s: exit code 0", name)
		}
		said := out.String() + errOut.String()
		for _, secret := range []string{testSecret, "hunter2%2F", "hunter2\\/", "\x1b"} {
			if strings.Contains(said, secret) {
				t.Errorf("%s says %.500q", name, said)
			}
		}
		if !strings.Contains(said, "cairn:") || errOut.Len() > 4<<10 {
			t.Errorf("%s: %d bytes: %.500q", name, errOut.Len(), said)
		}
	}
}

// TestServersLogThroughTheLogger: also what net/http itself has to say.
func TestServersLogThroughTheLogger(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var errOut lockedBuffer
	a := newApp(ctx, io.Discard, &errOut)
	a.secrets.Add(testSecret)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { // ends with cancel
		done <- a.serveHTTP(ctx, ln, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("bad " + testSecret + "\n\x1b[2J") }), func(context.Context) {})
	}()
	if res, err := http.Get("http://" + ln.Addr().String()); err == nil {
		res.Body.Close()
		t.Error("it answered")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	said := errOut.String()
	if !strings.HasPrefix(said, "time=") || strings.Count(said, "\n") != 1 || strings.Contains(said, "hunter2") || !strings.Contains(said, "bad [secret]") {
		t.Errorf("%q", said)
	}
}

// TestRequestHeadersAreBounded: a header of 100 KB is refused.
func TestRequestHeadersAreBounded(t *testing.T) {
	url := address.FindString(start(t, "model", "--addr", "127.0.0.1:0"))
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Long", strings.Repeat("x", 100<<10))
	res, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
