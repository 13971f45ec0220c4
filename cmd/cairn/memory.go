package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// giveBackEvery is how often the process looks for memory that it holds and does not
	// use.
	giveBackEvery = 20 * time.Second
	// spare is how much of it may be held, in bytes.
	spare = 64 << 20
)

// giveBack returns memory to the system until ctx ends. The runtime alone would do so
// minutes after a large conversation was closed, when the next collection is due.
func giveBack(ctx context.Context) {
	tick := time.NewTicker(giveBackEvery)
	defer tick.Stop()
	var before heap
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := readHeap()
		if now.wasteful(before) {
			debug.FreeOSMemory()
		}
		before = now
	}
}

// heap is what the heap takes from the system, in bytes.
type heap struct {
	held        uint64
	used        uint64 // after the last collection
	collections uint64
}

// wasteful reports whether a collection would give much back: the last one found little
// in use, or there was none since before, and what is held may all be garbage.
func (h heap) wasteful(before heap) bool {
	if h.collections == before.collections {
		return h.held > spare
	}
	return h.held > 2*h.used+spare
}

func readHeap() (h heap) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples)
	for _, s := range samples[:3] {
		h.held += s.Value.Uint64()
	}
	h.used, h.collections = samples[3].Value.Uint64(), samples[4].Value.Uint64()
	return h
}
