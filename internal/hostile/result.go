package hostile

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Result is what a case cost and what is wrong about it.
type Result struct {
	Case     string
	Wrong    []string
	Page     int           // bytes
	Snapshot int64         // bytes
	Streamed int64         // bytes that the watching tab got
	CPU      time.Duration // of the whole process, the bystander's requests included
	Peak     float64       // MiB, the largest RSS
	Growth   float64       // MiB, Peak above the idle process
	Wait     time.Duration // the bystander's longest
	Took     time.Duration
	settled  bool
}

func (r *Result) wrong(format string, args ...any) {
	r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
}

// maxLogLine is the longest line a log may have, in bytes: 1 KB of an agent's text in
// each of a few attributes.
const maxLogLine = 16 << 10

// checkLog looks at what the server logged meanwhile.
func (r *Result) checkLog(log []byte) {
	for line := range bytes.Lines(log) {
		switch {
		case bytes.Contains(line, []byte("panic")) || bytes.HasPrefix(line, []byte("fatal error")):
			r.wrong("%.120s", bytes.TrimSpace(line))
			return
		case bytes.Contains(line, []byte(Token)):
			r.wrong("the log holds the token")
			return
		case len(line) > maxLogLine:
			r.wrong("a line of %s in the log", size(int64(len(line))))
			return
		case bytes.ContainsAny(bytes.TrimSuffix(line, []byte("\n")), "\r\x1b\x00"):
			r.wrong("control characters in the log")
			return
		}
	}
}

// Print writes a table of results.
func Print(to io.Writer, results []Result) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "case\tpage\tsnapshot\tstreamed\tCPU s\tRSS MiB\twait ms\ttook s\twrong")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%.0f\t%.0f\t%.1f\t%v\n", r.Case, size(int64(r.Page)), size(r.Snapshot), size(r.Streamed),
			r.CPU.Seconds(), r.Peak, float64(r.Wait)/1e6, r.Took.Seconds(), r.Wrong)
	}
	_ = w.Flush() // to a terminal or a pipe
}

func size(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
