package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// written is a closed log with a thread of n rows that hold the word.
func written(t *testing.T, path, word string, n int) {
	t.Helper()
	l := open(t, path)
	defer l.Close()
	if err := l.Create(t.Context(), threadlog.Thread{ID: "a", Owner: "o"}); err != nil {
		t.Fatal(err)
	}
	rows := make([]threadlog.Row, n)
	for i := range rows {
		rows[i] = threadlog.Row{Kind: threadlog.KindEvent, Data: fmt.Appendf(nil, "%q", strings.Repeat(word, 100))}
	}
	if _, err := l.Append(t.Context(), "a", 0, rows...); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	written(t, path, "x", 500)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	damaged := bytes.Clone(whole)
	for i := 10 * page; i < len(damaged)-page; i++ {
		damaged[i] ^= 0x55
	}
	for name, content := range map[string][]byte{
		"not a database": bytes.Repeat([]byte("nonsense"), page),
		"bad pages":      damaged,
		"cut off":        whole[:len(whole)/2],
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(t.Context(), path)
		if err == nil {
			_, err = l.Read(t.Context(), "a", 1, 0)
			l.Close()
		}
		if !errors.Is(err, threadlog.ErrCorrupt) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPurgedTextIsGone looks for what was purged in every byte of the directory.
func TestPurgedTextIsGone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "threads.db")
	written(t, path, "secret", 2000)
	holds := func() bool {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(raw, []byte("secret"))
	}
	if !holds() {
		t.Fatal("the text is not there in the first place")
	}
	l := open(t, path)
	if err := l.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Purge(t.Context(), time.Now().Add(time.Minute)); n != 1 || err != nil {
		t.Errorf("Purge = %d, %v", n, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if holds() {
		t.Error("the text is still in the file")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}
