package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// The cost of the same service on Node with @mastra/core 1.71.0, @ag-ui/mastra
// 1.1.2 and Node 22.23, on two processors as well, measured 2026-11-30 with the
// same questions and a scripted model. It is not started again here.
const (
	nodeBootMS    = 2000 // the best of five starts; the worst took 6600
	nodeIdleMiB   = 181
	nodeAfterMiB  = 235 // after some 290 runs
	nodeFirstMS   = 29  // p50 of 40 chats, one after the other
	nodeTwentyMS  = 555 // p50 of the first frames of 20 runs at the same time
	nodeTwentyMax = 1069
)

// figures are judged by the value itself; the ratio says how many times less
// that is than Node's.
func (h *host) figures() []figure {
	list := []figure{
		{Name: "host-boot", Value: h.Boot, Unit: "ms", Peer: nodeBootMS, PeerUnit: "ms"},
		{Name: "host-memory", Value: h.Idle, Unit: "MiB", Peer: nodeIdleMiB, PeerUnit: "MiB"},
		{Name: "host-first-frame", Value: h.First.P50, Unit: "ms", Peer: nodeFirstMS, PeerUnit: "ms"},
		{Name: "host-200-runs", Value: h.Together.P99, Unit: "ms", Peer: nodeTwentyMS, PeerUnit: "ms"},
	}
	for i, goal := range []float64{150, 40, 2, 100} {
		f := &list[i]
		f.Ratio, f.Goal, f.Pass = f.Peer/f.Value, fmt.Sprintf("<=%g", goal), f.Value <= goal
	}
	return list
}

func (h *host) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "agent service\tcairn agent\tNode, Mastra (measured)")
	fmt.Fprintf(w, "boot to /ok\t%.0f ms\t%d to 6600 ms\n", h.Boot, nodeBootMS)
	fmt.Fprintf(w, "memory, idle\t%.0f MiB\t%d MiB\n", h.Idle, nodeIdleMiB)
	fmt.Fprintf(w, "memory, after the runs below\t%.0f MiB\t%d MiB\n", h.After, nodeAfterMiB)
	fmt.Fprintf(w, "first frame, %d chats in turn\tp50 %.2f, p95 %.2f ms\tp50 %d, p95 51 ms\n", chats,
		h.First.P50, h.First.P95, nodeFirstMS)
	fmt.Fprintf(w, "first frame, %d runs at once\tp50 %.0f, p99 %.0f ms\t20 runs: p50 %d, max %d ms\n", together,
		h.Together.P50, h.Together.P99, nodeTwentyMS, nodeTwentyMax)
	fmt.Fprintf(w, "all %d ended after\t%.0f ms\t20 runs: 1450 ms\n", together, h.Wall)
	_ = w.Flush() // to a terminal or a pipe; there is nobody to tell
	fmt.Fprintln(to)
}
