package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Build builds the program into dir and returns the path of the binary.
func Build(ctx context.Context, dir string) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	binary := filepath.Join(dir, "cairn")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/cairn")
	cmd.Dir = filepath.Dir(strings.TrimSpace(string(mod)))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// Server is a `cairn serve` in a process of its own.
type Server struct {
	URL    string
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
	log    string        // the file of its standard error
}

// demosOfAgent are the demos that talk to the corpus's agent. The others stay on the
// agent service inside the process.
var demosOfAgent = []string{"mastra", "strands", "langgraph"}

// Start starts the program on a data directory, whose parent gets the configuration
// and the log, and waits until it listens. The process is killed when ctx ends.
func Start(ctx context.Context, binary, data, agentURL string) (*Server, error) {
	var upstreams strings.Builder
	for _, demo := range demosOfAgent {
		fmt.Fprintf(&upstreams, "%s: {url: %q, token_env: AG_UI_INTERNAL_TOKEN}\n", demo, agentURL)
	}
	file := data + ".upstreams.yaml"
	if err := os.WriteFile(file, []byte(upstreams.String()), 0o600); err != nil {
		return nil, err
	}
	s := &Server{cmd: exec.CommandContext(ctx, binary, "serve"), exited: make(chan struct{}), log: data + ".log"}
	s.cmd.Env = append(os.Environ(), "CAIRN_ADDR=127.0.0.1:0", "CAIRN_DATA="+data, "CAIRN_UPSTREAMS="+file, "CAIRN_GRACE=0s",
		"AG_UI_INTERNAL_TOKEN="+Token, "AG_UI_AGENT_URL=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() { // ends with the process
		_ = s.cmd.Wait() // a killed process is no error
		close(s.exited)
	}()
	_, url, ok := strings.Cut(strings.TrimSpace(line), "ready: ")
	if !ok {
		s.Kill()
		said, _ := os.ReadFile(s.log)
		return nil, fmt.Errorf("the server printed %q: %w\n%s", line, err, said)
	}
	s.URL = url
	return s, nil
}

// Alive reports whether the process runs.
func (s *Server) Alive() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process and waits for its end.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.exited
}

// Logged returns what the server has written to its log.
func (s *Server) Logged() []byte {
	b, _ := os.ReadFile(s.log) // an empty log shows the same
	return b
}

// CPU returns the processor time that the process has used.
func (s *Server) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 13 {
		return 0, errors.New("short /proc/PID/stat")
	}
	user, err := strconv.Atoi(string(f[11]))
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(string(f[12]))
	return time.Duration(user+system) * (time.Second / 100), err // Linux counts in hundredths
}

// RSS returns the resident memory of the process in MiB, and the largest it was since
// [Server.ResetPeak].
func (s *Server) RSS() (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "VmRSS:" && f[0] != "VmHWM:" {
			continue
		}
		kib, err := strconv.Atoi(f[1])
		if err != nil {
			return 0, 0, err
		}
		if f[0] == "VmRSS:" {
			now = float64(kib) / 1024
		} else {
			peak = float64(kib) / 1024
		}
	}
	return now, peak, nil
}

// ResetPeak makes the present memory the largest.
func (s *Server) ResetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0)
}
