package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/demos"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
	"cairn/internal/threadlog/sqlite"
)

// TestMain lets this binary also be a process that decides and is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("RUNNER_TEST_LOG"); path != "" {
		go func() { // ends with the test, also when that is killed
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(2)
		}()
		if err := decideUntilKilled(path, os.Getenv("RUNNER_TEST_AGENT")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// claimedOnly is an agent whose request never leaves: the process dies first.
type claimedOnly struct{}

func (claimedOnly) Run(context.Context, agui.RunAgentInput) iter.Seq2[agentclient.Received, error] {
	fmt.Println("claimed")
	select {}
}

// decideUntilKilled approves the first question of the thread in the log and waits to
// be killed: on the way to the agent at url, or before anything leaves if there is none.
func decideUntilKilled(path, url string) error {
	log, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	d := demos.Mastra()
	up := Upstream{Agent: claimedOnly{}, Transport: d.Transport, Profile: d.Profile}
	if url != "" {
		if up.Agent, err = agentclient.New(agentclient.Config{URL: url, Logger: slog.New(slog.DiscardHandler)}); err != nil {
			return err
		}
	}
	r := New(log, map[string]Upstream{demo: up}, slog.New(slog.DiscardHandler))
	if err := decide(r, context.Background(), 1, true); err != nil {
		return err
	}
	select {}
}

// decide answers the thread's question.
func decide(r *Runner, ctx context.Context, generation int, approved bool) error {
	return r.Decide(ctx, id, generation, one(approved))
}

// asking is an agent that asks, and answers a decision with the given answer.
func asking(answer func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput)) func(*upstream, http.ResponseWriter, context.Context, agui.RunAgentInput) {
	return func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
		if decides(in) {
			answer(u, w, ctx, in)
			return
		}
		begin(w, in)
		say(w, "%s", replace(pause, in.RunID))
		say(w, "%s", replace(ended, in.RunID))
	}
}

func finish(_ *upstream, w http.ResponseWriter, _ context.Context, in agui.RunAgentInput) {
	begin(w, in)
	say(w, `{"type":"TOOL_CALL_RESULT","toolCallId":"call_1","messageId":"x","content":"\"Reserved. Confirmation TP-0288.\"","role":"tool"}`)
	say(w, `{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`, in.RunID)
}

// TestACrashOnTheWayOfADecision: the process that took it is killed, and the next one
// does not know how far it came. It says so, sends nothing, and takes no second
// decision; only what a person asks for goes out.
func TestACrashOnTheWayOfADecision(t *testing.T) {
	hang := func(_ *upstream, _ http.ResponseWriter, ctx context.Context, _ agui.RunAgentInput) { <-ctx.Done() }
	for name, c := range map[string]struct {
		answer  func(*upstream, http.ResponseWriter, context.Context, agui.RunAgentInput)
		leaves  bool
		resumes int32
	}{
		"between claim and send":           {hang, false, 0},
		"between send and acknowledgement": {hang, true, 1},
		"between acknowledgement and result": {func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
			begin(w, in)
			hang(u, w, ctx, in)
		}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var crashed atomic.Bool
			u := serve(t, asking(func(u *upstream, w http.ResponseWriter, ctx context.Context, in agui.RunAgentInput) {
				if crashed.Load() {
					finish(u, w, ctx, in)
					return
				}
				c.answer(u, w, ctx, in)
			}))
			path := filepath.Join(t.TempDir(), "threads.db")
			log := openAt(t, path)
			w := u.node(t, log)
			w.send("m1", "Reserve")
			w.settled()
			<-u.arrived
			if err := errors.Join(w.Close(t.Context()), log.Close()); err != nil {
				t.Fatal(err)
			}

			url := ""
			if c.leaves {
				url = u.URL
			}
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), "RUNNER_TEST_LOG="+path, "RUNNER_TEST_AGENT="+url)
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := child.StdinPipe(); err != nil { // open as long as this process lives
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			if c.leaves {
				said := make(chan string, 1)
				go func() { // ends with the process
					all, _ := io.ReadAll(out)
					said <- string(all)
				}()
				select {
				case <-u.arrived:
				case all := <-said:
					t.Fatalf("the process ended before its request left: %s", all)
				}
			} else if line, err := bufio.NewReader(out).ReadString('\n'); line != "claimed\n" {
				t.Fatalf("%q %v", line, err)
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, out)
			_ = child.Wait() // it was killed
			crashed.Store(true)

			w = u.node(t, openAt(t, path), Alone())
			if th := w.folded(); !th.Run.Open || th.Open() == nil || th.Open().Decision == nil {
				t.Fatalf("the decision is not in the log: run %+v", th.Run)
			}
			for range 2 { // looking again changes nothing
				if err := w.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			th := w.folded()
			if p := th.Open().Phase; p != interrupt.PhaseUncertain && p != interrupt.PhaseRecoveryRequired {
				t.Errorf("phase %s", p)
			}
			if f := th.Run.Failure; f == nil || f.Retryable() || !f.MaybeDone || w.ends() != 2 || w.status() != agentclient.StatusFailed {
				t.Errorf("failure %+v, %d ends, status %q", f, w.ends(), w.status())
			}
			for _, approved := range []bool{true, false} {
				if err := decide(w.Runner, t.Context(), 1, approved); !errors.Is(err, ErrStale) {
					t.Errorf("deciding %v again: %v", approved, err)
				}
			}
			if n := u.resumes.Load(); n != c.resumes {
				t.Errorf("%d requests carried the decision, want %d", n, c.resumes)
			}
			failure := th.Run.Failure.Record
			if err := w.Retry(t.Context(), id, failure); err != nil {
				t.Fatal(err)
			}
			if err := w.Retry(t.Context(), id, failure); err == nil {
				t.Error("a second retry of the same failure was taken")
			}
			if th := w.settled(); th.Open() != nil || th.Run.Failure != nil || u.resumes.Load() != c.resumes+1 {
				t.Errorf("open %+v, failure %+v, %d requests", th.Open(), th.Run.Failure, u.resumes.Load())
			}
		})
	}
}

func openAt(t *testing.T, path string) threadlog.Log {
	t.Helper()
	log, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

// failing is a log that fails on a claim: before it is stored, or after, when nobody
// hears that it was.
type failing struct {
	threadlog.Log
	stored bool
	once   sync.Once
}

func (f *failing) Append(ctx context.Context, thread string, expected int64, rows ...threadlog.Row) (last int64, err error) {
	if rows[0].Kind != threadlog.KindClaim {
		return f.Log.Append(ctx, thread, expected, rows...)
	}
	f.once.Do(func() {
		if f.stored {
			_, err = f.Log.Append(ctx, thread, expected, rows...)
		}
		err = errors.Join(err, threadlog.ErrFull)
	})
	if err != nil {
		return 0, err
	}
	return f.Log.Append(ctx, thread, expected, rows...)
}

// TestALogThatFailsOnAClaim: nothing leaves without a claim that is known to be stored.
func TestALogThatFailsOnAClaim(t *testing.T) {
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("stored %t", stored), func(t *testing.T) {
			u := serve(t, asking(finish))
			w := u.node(t, &failing{Log: memory.New().Open(), stored: stored})
			w.send("m1", "Reserve")
			w.settled()
			if err := decide(w.Runner, t.Context(), 1, true); !errors.Is(err, threadlog.ErrFull) {
				t.Fatal(err)
			}
			if n := u.resumes.Load(); n != 0 || w.Running() != 0 {
				t.Fatalf("%d requests, %d runs", n, w.Running())
			}
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if th := w.settled(); stored {
				if th.Open().Phase != interrupt.PhaseUncertain || th.Run.Failure == nil {
					t.Fatalf("phase %s", th.Open().Phase)
				}
				return
			}
			if err := decide(w.Runner, t.Context(), 1, true); err != nil {
				t.Fatal(err)
			}
			if th := w.settled(); th.Open() != nil || u.resumes.Load() != 1 {
				t.Fatalf("%d requests", u.resumes.Load())
			}
		})
	}
}

// TestFiftyRacersForOneApproval: over two processes on one log one of them wins, and
// one request leaves.
func TestFiftyRacersForOneApproval(t *testing.T) {
	u := serve(t, asking(finish))
	store := memory.New()
	nodes := []*world{u.node(t, store.Open()), u.node(t, store.Open())}
	nodes[0].send("m1", "Reserve")
	nodes[0].settled()
	var won, lost atomic.Int32
	var racers sync.WaitGroup
	begin := make(chan struct{})
	for i := range 50 {
		racers.Go(func() {
			<-begin
			switch err := decide(nodes[i%2].Runner, t.Context(), 1, i%3 == 0); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, ErrStale), errors.Is(err, ErrRunning):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	close(begin)
	racers.Wait()
	th := nodes[1].settled()
	if won.Load() != 1 || lost.Load() != 49 || u.resumes.Load() != 1 || u.requests.Load() != 2 {
		t.Fatalf("%d won, %d lost, %d of %d requests carried a decision", won.Load(), lost.Load(), u.resumes.Load(), u.requests.Load())
	}
	if th.Open() != nil || th.Run.Failure != nil || nodes[0].ends() != 2 {
		t.Fatalf("open %+v, run %+v, %d ends", th.Open(), th.Run, nodes[0].ends())
	}
}
