package main

import (
	"fmt"
	"io"

	"cairn/internal/hostile"
)

// figures are judged by the value itself.
func (h *harm) figures() []figure {
	return []figure{
		atMost("hostile-worst-cpu", h.CPU, "s", 2),
		atMost("hostile-worst-memory", h.Memory, "MiB", 150),
		atMost("bystander-p99", h.Bystander.P99, "ms", 50),
	}
}

func (h *harm) print(to io.Writer) {
	fmt.Fprintf(to, "%d hostile answers: at most %.2f s of processor time (%s) and %.0f MiB above idle (%s);\n", h.Cases, h.CPU, h.CPUCase, h.Memory, h.MemoryCase)
	fmt.Fprintf(to, "a bystander waits p50 %.1f, p95 %.1f, p99 %.1f, at most %.0f ms\n", h.Bystander.P50, h.Bystander.P95, h.Bystander.P99, h.Longest)
	if len(h.Wrong) > 0 {
		hostile.Print(to, h.Wrong)
	}
	fmt.Fprintln(to)
}
