package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	chats     = 40  // one after the other
	together  = 200 // at the same time
	hostTurns = 5   // how often each is measured, at most
	hostToken = "bench-token"
)

// host is what the agent service costs: of several turns the best, times in
// milliseconds from the client's side, memory in MiB.
type host struct {
	Boot        float64 // from the start of the process to an answer of /ok
	Idle, After float64 // resident memory after boot, and after all runs
	First       spread  // first frames of chats in turn
	Together    spread  // first frames of runs at the same time
	Wall        float64 // until the last of those has ended
}

// spread is the values that so many of a hundred do not exceed.
type spread struct{ P50, P95, P99 float64 }

func spreadOf(times []time.Duration) spread {
	slices.Sort(times)
	at := func(p int) float64 { return ms(times[max(0, (len(times)*p+99)/100-1)]) }
	return spread{at(50), at(95), at(99)}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measureHost starts `cairn agent` on a model that answers at once.
func measureHost(ctx context.Context, dir string, rounds int) (*host, error) {
	binary := filepath.Join(dir, "cairn")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/cairn").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	model := httptest.NewServer(http.HandlerFunc(answerAtOnce))
	defer model.Close()
	var best *host
	for i := range min(rounds, hostTurns) {
		h, err := life(ctx, binary, filepath.Join(dir, fmt.Sprint("agent-", i)), model.URL)
		if err != nil {
			return nil, err
		}
		if best != nil {
			h = h.better(*best)
		}
		best = &h
	}
	return best, nil
}

// answerAtOnce is the model: a sentence of five words.
func answerAtOnce(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the host is not the subject of a bad request
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}`+"\n\n", 5)+
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// life is one start of the service to its end.
func life(ctx context.Context, binary, data, model string) (host, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, binary, "agent", "--addr", "127.0.0.1:0", "--data", data)
	cmd.Env = append(os.Environ(), "AG_UI_INTERNAL_TOKEN="+hostToken, "OPENAI_BASE_URL="+model, "OPENAI_API_KEY=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		return host{}, err
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return host{}, err
	}
	h, err := measureLife(ctx, bufio.NewReader(out), cmd.Process.Pid, began)
	stop()
	if wait := cmd.Wait(); err == nil && !errors.Is(wait, context.Canceled) {
		err = wait
	}
	if err != nil {
		return h, fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	return h, nil
}

func measureLife(ctx context.Context, out *bufio.Reader, pid int, began time.Time) (h host, err error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return h, err
	}
	_, url, ok := strings.Cut(strings.TrimSpace(line), "ready: ")
	if !ok {
		return h, fmt.Errorf("the agent said %q", line)
	}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: together}}
	defer c.CloseIdleConnections()
	resp, err := c.Get(strings.TrimSuffix(url, "/agent/mastra") + "/ok")
	if err != nil {
		return h, err
	}
	_ = resp.Body.Close()
	h.Boot = ms(time.Since(began))
	if h.Idle, err = residentMiB(pid); err != nil {
		return h, err
	}
	inTurn := make([]time.Duration, chats)
	for i := range inTurn {
		if inTurn[i], err = firstFrame(ctx, c, url, fmt.Sprint("one-", i)); err != nil {
			return h, err
		}
	}
	h.First = spreadOf(inTurn)
	if h.Together, h.Wall, err = atOnce(ctx, c, url); err != nil {
		return h, err
	}
	h.After, err = residentMiB(pid)
	return h, err
}

// better puts the best of two turns together.
func (h host) better(o host) host {
	best := host{min(h.Boot, o.Boot), min(h.Idle, o.Idle), min(h.After, o.After), h.First, h.Together, min(h.Wall, o.Wall)}
	if o.First.P50 < h.First.P50 {
		best.First = o.First
	}
	if o.Together.P99 < h.Together.P99 {
		best.Together = o.Together
	}
	return best
}

// atOnce starts all runs together, each on a thread and a connection of its own.
func atOnce(ctx context.Context, c *http.Client, url string) (first spread, wall float64, err error) {
	times, errs := make([]time.Duration, together), make([]error, together)
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(together)
	for i := range together {
		done.Go(func() {
			ready.Done()
			<-start
			times[i], errs[i] = firstFrame(ctx, c, url, fmt.Sprint("many-", i))
		})
	}
	ready.Wait()
	began := time.Now()
	close(start)
	done.Wait()
	return spreadOf(times), ms(time.Since(began)), errors.Join(errs...)
}

// firstFrame is one chat to its end; it returns the time to its first frame.
func firstFrame(ctx context.Context, c *http.Client, url, thread string) (time.Duration, error) {
	body := fmt.Sprintf(`{"threadId":%q,"runId":%q,"state":{},"messages":[{"id":"m","role":"user","content":"Hello"}],"tools":[],"context":[],"forwardedProps":{}}`, thread, thread)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Internal-Token", hostToken)
	began := time.Now()
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	frames := bufio.NewReader(resp.Body)
	if _, err := frames.ReadString('\n'); err != nil {
		return 0, err
	}
	took := time.Since(began)
	rest, err := io.ReadAll(frames)
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(rest, []byte(`"type":"RUN_FINISHED"`)) {
		return 0, fmt.Errorf("status %d, and the run ended with %q", resp.StatusCode, rest)
	}
	return took, nil
}

// residentMiB is the memory of a process, of which Linux keeps an account.
func residentMiB(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return float64(kib) / 1024, err
		}
	}
	return 0, fmt.Errorf("no VmRSS in the status of %d", pid)
}
