package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// memoryEvery is how often the limit follows what is in use, and giveBackEvery how
	// often the process looks for memory that it holds and does not use.
	memoryEvery   = 2 * time.Second
	giveBackEvery = 20 * time.Second
	// spare is how much of it may be held, in bytes.
	spare = 64 << 20
	// minLimit and room make the limit, in bytes; see limit.
	minLimit = 160 << 20
	room     = 96 << 20
)

// tendMemory keeps what the process takes from the system near what it uses until ctx
// ends. The runtime alone lets garbage grow to as much as is in use, and returns memory
// minutes after a large conversation was closed. GOMEMLIMIT takes the place of the limit.
func tendMemory(ctx context.Context) {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	fixed := os.Getenv("GOMEMLIMIT") != ""
	var before heap
	looked := time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := readHeap()
		if !fixed {
			debug.SetMemoryLimit(now.limit())
		}
		if time.Since(looked) < giveBackEvery {
			continue
		}
		if now.wasteful(before) {
			debug.FreeOSMemory()
		}
		before, looked = now, time.Now()
	}
}

// heap is what the heap takes from the system, in bytes.
type heap struct {
	held        uint64
	used        uint64 // after the last collection
	collections uint64
}

// wasteful reports whether a collection would free much: the last one found little
// in use, or there was none since before, and what is held may all be garbage.
func (h heap) wasteful(before heap) bool {
	if h.collections == before.collections {
		return h.held > spare
	}
	return h.held > 2*h.used+spare
}

// limit is a soft limit for the process: collections come earlier when garbage piles up
// in a moment, and a heap that is in use has half as much again, and room.
func (h heap) limit() int64 { return max(minLimit, int64(h.used)*3/2+room) }

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
