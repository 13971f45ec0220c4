package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"cairn/internal/threadlog"
)

// diskEnv makes the test process the one that has a small disk of its own.
const diskEnv = "THREADLOG_SMALL_DISK"

// TestSmallDisk runs the tests on a real file system of 4 MB, mounted where no
// other process sees it; that needs user namespaces, or root.
func TestSmallDisk(t *testing.T) {
	disk := os.Getenv(diskEnv)
	if disk == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSmallDisk$", "-test.v")
		cmd.Env = append(os.Environ(), diskEnv+"="+t.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		switch {
		case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.ENOSPC), strings.Contains(string(out), "--- SKIP"):
			t.Skipf("no small disk to be had here: %v %s", err, out)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for name, test := range map[string]func(*testing.T, string){"full": fullDisk, "read-only": readOnlyDisk} {
		t.Run(name, func(t *testing.T) {
			disk := filepath.Join(disk, name)
			if err := os.Mkdir(disk, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
				t.Skip(err)
			}
			test(t, disk)
		})
	}
}

func fullDisk(t *testing.T, disk string) {
	ctx := t.Context()
	path := filepath.Join(disk, "log", "threads.db")
	ballast := func(i int) string { return filepath.Join(disk, fmt.Sprint("ballast", i)) }
	for i := range 3 {
		if err := os.WriteFile(ballast(i), make([]byte, 768<<10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, path)
	const threads = 8
	stored, follow := make([]int64, threads), make([]<-chan int64, threads)
	for i := range threads {
		id := fmt.Sprint(i)
		if err := l.Create(ctx, threadlog.Thread{ID: id, Owner: "o"}); err != nil {
			t.Fatal(err)
		}
		follow[i] = l.Follow(ctx, id)
	}
	add := func(i int) error {
		last, err := l.Append(ctx, fmt.Sprint(i), stored[i], crashRow(fmt.Sprint(i), stored[i]+1), crashRow(fmt.Sprint(i), stored[i]+2))
		if err == nil {
			stored[i] = last
			if woken := <-follow[i]; woken != last {
				t.Errorf("woken with %d, want %d", woken, last)
			}
		}
		return err
	}
	fill := func() {
		t.Helper()
		var wg sync.WaitGroup
		for i := range threads {
			wg.Go(func() {
				var err error
				for err == nil {
					err = add(i)
				}
				if !errors.Is(err, threadlog.ErrFull) {
					t.Errorf("Append = %v, want ErrFull", err)
				}
			})
		}
		wg.Wait()
		// A row too big for the gap that is left is refused, whatever it is.
		big := strings.Repeat("x", 64<<10)
		_, errSet := l.CompareAndSet(ctx, "k", 0, []byte(big))
		for _, err := range []error{errSet, l.Create(ctx, threadlog.Thread{ID: "new", Owner: "o", Title: big}), l.Rename(ctx, "0", big)} {
			if !errors.Is(err, threadlog.ErrFull) {
				t.Errorf("a write on the full disk: %v", err)
			}
		}
		for i, f := range follow {
			select {
			case n, ok := <-f:
				t.Errorf("follower of %d woken with %d, %v by what was refused", i, n, ok)
			default:
			}
		}
		holds(t, l, stored)
	}
	fill()
	for i := range 2 { // room, and full again
		before := sum(stored)
		if err := os.Remove(ballast(i)); err != nil {
			t.Fatal(err)
		}
		for i := range threads {
			if err := add(i); err != nil {
				t.Errorf("with room again: %v", err)
			}
		}
		if fill(); sum(stored) <= before+2*threads {
			t.Errorf("the room was not used: %d rows before, %d now", before, sum(stored))
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}

	// A restart on the full disk shows everything; only a new log cannot begin.
	l = open(t, path)
	holds(t, l, stored)
	tooBig := threadlog.Row{Kind: threadlog.KindEvent, Data: make([]byte, 64<<10)}
	if last, err := l.Append(ctx, "0", stored[0], tooBig); !errors.Is(err, threadlog.ErrFull) {
		t.Errorf("Append = %d, %v", last, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if l, err := Open(ctx, filepath.Join(disk, "new.db")); !errors.Is(err, threadlog.ErrFull) {
		t.Errorf("a new log on a full disk: %v, %v", l, err)
	}
	if err := diskError(probe(disk)); err != threadlog.ErrFull {
		t.Errorf("probe of a full disk: %v", err)
	}
	if err := os.Remove(ballast(2)); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	defer l.Close()
	holds(t, l, stored)
	whole(t, l)
}

func sum(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// holds checks that every thread is what was acknowledged, and nothing else.
func holds(t *testing.T, l *Log, stored []int64) {
	t.Helper()
	for i, want := range stored {
		id := fmt.Sprint(i)
		rows, err := l.Read(context.Background(), id, 1, 0)
		if err != nil || int64(len(rows)) != want {
			t.Errorf("thread %s has %d rows, %v; acknowledged were %d", id, len(rows), err, want)
		}
		for j, r := range rows {
			if r.Seq != int64(j+1) || string(r.Data) != string(crashRow(id, r.Seq).Data) {
				t.Fatalf("thread %s row %d is %d %s", id, j+1, r.Seq, r.Data)
			}
		}
	}
}

func readOnlyDisk(t *testing.T, disk string) {
	ctx := t.Context()
	path := filepath.Join(disk, "ro", "threads.db")
	written(t, path, "x", 3)
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	remount(syscall.MS_RDONLY)
	for _, path := range []string{path, filepath.Join(disk, "ro", "other.db"), filepath.Join(disk, "new", "threads.db")} {
		if l, err := Open(ctx, path); !errors.Is(err, threadlog.ErrReadOnly) || !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%s) on a read-only disk: %v, %v", path, l, err)
		}
	}
	if err := diskError(probe(disk)); err != threadlog.ErrReadOnly {
		t.Errorf("probe of a read-only disk: %v", err)
	}
	remount(0)
	if err := probe(disk); err != nil {
		t.Errorf("probe of a good disk: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(disk, "probe*")); len(left) != 0 {
		t.Errorf("probes left behind: %v, %v", left, err)
	}
	l := open(t, path)
	defer l.Close()
	if last, err := l.Append(ctx, "a", 3, crashRow("a", 4)); last != 4 || err != nil {
		t.Errorf("writable again: %d, %v", last, err)
	}
}
