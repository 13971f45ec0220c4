package web_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"cairn/web"
)

// TestKeysOnAFullDisk: what did not fit is not left behind, in the way of the next
// start.
func TestKeysOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.key")
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	small := was
	small.Cur = 40 // bytes; files of this process are no longer than that
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	_, full := web.LoadKeys(path)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if full == nil {
		t.Fatal("a key of 40 bytes")
	}
	if _, err := web.LoadKeys(path); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if all, _ := filepath.Glob(path + "*"); len(all) != 1 {
		t.Errorf("left behind: %q", all)
	}
}
