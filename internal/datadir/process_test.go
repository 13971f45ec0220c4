package datadir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childEnv makes the test binary a second process on that directory.
const childEnv = "DATADIR_CHILD"

func TestMain(m *testing.M) {
	data := os.Getenv(childEnv)
	if data == "" {
		os.Exit(m.Run())
	}
	d, err := Open(data, "web")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("locked", d.Path)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

// second starts a process on data and returns the first line it says. Its standard
// input stays open until the test ends.
func second(t *testing.T, data string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+data)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, line
}

func TestTwoProcesses(t *testing.T) {
	data := t.TempDir()
	d, err := Open(data, "web")
	if err != nil {
		t.Fatal(err)
	}
	cmd, said := second(t, data)
	if strings.HasPrefix(said, "locked") {
		t.Fatal("the second process began its work")
	}
	_ = cmd.Wait() // it said why
	for _, want := range []string{d.Path, "in use by another process", fmt.Sprintf("(process %d)", os.Getpid()), "CAIRN_DATA"} {
		if !strings.Contains(said, want) {
			t.Errorf("the second process said %q, without %q", said, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	cmd, said = second(t, data)
	if !strings.HasPrefix(said, "locked") {
		t.Fatalf("after the first had closed: %q", said)
	}
	if _, err := Open(data, "web"); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", cmd.Process.Pid)) {
		t.Errorf("while the second works: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // reports the kill
	if _, err := os.Stat(d.File("lock")); err != nil {
		t.Errorf("the killed process left no lock file: %v", err)
	}
	if d, err = Open(data, "web"); err != nil {
		t.Fatalf("after the second was killed: %v", err)
	}
	d.Close()
}

func TestUnusableDirectory(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(data+"/web", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(data, "web"); err == nil || !strings.Contains(err.Error(), data+"/web") || !strings.Contains(err.Error(), "CAIRN_DATA") {
		t.Errorf("a file in its place: %v", err)
	}
	if err := os.MkdirAll(data+"/agent/lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(data, "agent"); err == nil || errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), data+"/agent") {
		t.Errorf("a folder for a lock: %v", err)
	}
}
