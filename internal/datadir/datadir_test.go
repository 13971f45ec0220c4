package datadir

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestSecondProcessIsRefused(t *testing.T) {
	data := t.TempDir()
	first, err := Open(data, "web")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(data, "web"); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "CAIRN_DATA") {
		t.Fatalf("second open: %v", err)
	}
	other, err := Open(data, "agent")
	if err != nil {
		t.Fatalf("another role: %v", err)
	}
	other.Close()
	first.Close()
	again, err := Open(data, "web")
	if err != nil {
		t.Fatalf("after close: %v", err)
	}
	again.Close()
}

func TestFolderIsPrivate(t *testing.T) {
	d, err := Open(t.TempDir(), "web")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	info, err := os.Stat(d.Path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
}
