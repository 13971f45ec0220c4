package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

var testTime = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// crashEnv makes the test binary the process that is killed.
const crashEnv = "THREADLOG_CRASH_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		fmt.Fprintln(os.Stderr, crashChild(path))
		os.Exit(1) // it ends by being killed
	}
	os.Exit(m.Run())
}

const crashThreads = 8

// crashChild appends to its threads and counts in a record until it dies, and
// prints a line for every write that returned.
func crashChild(path string) error {
	ctx := context.Background()
	l, err := Open(ctx, path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for i := range crashThreads {
		id := fmt.Sprint("t", i)
		th, err := l.Thread(ctx, id)
		if err != nil {
			if err := l.Create(ctx, threadlog.Thread{ID: id, Owner: "o"}); err != nil {
				return err
			}
		}
		go func() {
			for last := th.LastSeq; ; {
				next, err := l.Append(ctx, id, last, crashRow(id, last+1), crashRow(id, last+2))
				if err != nil {
					failed <- err
					return
				}
				last = next
				fmt.Printf("%s %d\n", id, last)
			}
		}()
	}
	go func() {
		value, rev, err := l.Get(ctx, crashKey)
		for errors.Is(err, threadlog.ErrNotFound) || err == nil {
			count, _ := strconv.Atoi(string(value)) // 0 at first
			value = []byte(strconv.Itoa(count + 1))
			if rev, err = l.CompareAndSet(ctx, crashKey, rev, value); err == nil {
				fmt.Printf("%s %s\n", crashKey, value)
			}
		}
		failed <- err
	}()
	return <-failed
}

const crashKey = "count"

func crashRow(thread string, seq int64) threadlog.Row {
	data := fmt.Sprintf(`{"thread":%q,"seq":%d,"pad":%q}`, thread, seq, strings.Repeat("x", int(seq%700)))
	return threadlog.Row{Kind: threadlog.KindEvent, At: testTime, RunID: "r", Data: []byte(data)}
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	acked := map[string]int64{}
	for kill := range 4 {
		crash(t, path, 150+kill*70, acked)
		l := open(t, path)
		for i := range crashThreads {
			id := fmt.Sprint("t", i)
			rows, err := l.Read(t.Context(), id, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			// One more append may have been under way.
			if n := int64(len(rows)); n < acked[id] || n > acked[id]+2 {
				t.Errorf("kill %d: %s has %d rows, acknowledged were %d", kill, id, n, acked[id])
			}
			acked[id] = int64(len(rows))
			if len(rows)%2 != 0 {
				t.Errorf("kill %d: %s has half of an append: %d rows", kill, id, len(rows))
			}
			for j, r := range rows {
				if want := crashRow(id, int64(j+1)); r.Seq != int64(j+1) || string(r.Data) != string(want.Data) {
					t.Fatalf("kill %d: %s row %d is %d %s", kill, id, j+1, r.Seq, r.Data)
				}
			}
			if th, err := l.Thread(t.Context(), id); err != nil || th.LastSeq != int64(len(rows)) {
				t.Errorf("kill %d: %s says it ends at %d, %v; it has %d rows", kill, id, th.LastSeq, err, len(rows))
			}
		}
		value, _, err := l.Get(t.Context(), crashKey)
		count, _ := strconv.ParseInt(string(value), 10, 64)
		if err != nil || count < acked[crashKey] || count > acked[crashKey]+1 {
			t.Errorf("kill %d: counted to %s, %v; acknowledged was %d", kill, value, err, acked[crashKey])
		}
		acked[crashKey] = count
		whole(t, l)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// whole has SQLite check its file.
func whole(t *testing.T, l *Log) {
	t.Helper()
	var verdict string
	if err := l.read.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}

// crash runs the child, kills it after n acknowledgements, and notes all of
// them, also those still in the pipe.
func crash(t *testing.T, path string, n int, acked map[string]int64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashEnv+"="+path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		var id string
		var seq int64
		if _, err := fmt.Sscan(line, &id, &seq); err != nil {
			t.Fatalf("child printed %q", line)
		}
		acked[id] = max(acked[id], seq)
		if lines++; lines == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait() // reports the kill
	if lines < n {
		t.Fatalf("child stopped after %d appends: %s", lines, stderr.String())
	}
}
