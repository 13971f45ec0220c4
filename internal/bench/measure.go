package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"syscall"
	"time"

	"cairn/agentclient/conversation"
	"cairn/internal/peer"
)

// turn is what one turn cost, in nanoseconds for each event.
type turn struct{ Wall, CPU float64 }

// timed runs work, which says how many events it handled.
func timed(work func() (int, error)) (turn, error) {
	runtime.GC()
	cpu, start := cpuTime(), time.Now()
	n, err := work()
	wall, used := time.Since(start), cpuTime()-cpu
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return turn{}, err
	}
	return turn{float64(wall.Nanoseconds()) / float64(n), float64(used.Nanoseconds()) / float64(n)}, nil
}

// cpuTime is what all threads of this process used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// against runs both clients in turns on one file, one after the other.
func against(timer *peer.Timer, f file, rounds int) (speed, error) {
	s := speed{Name: f.name, What: f.what, Events: f.events, Bytes: len(f.text)}
	for range rounds {
		var c *conversation.Conversation
		mine, err := timed(func() (n int, err error) {
			for range f.times {
				c = conversation.New()
				events, err := pipeline(f.text, c)
				if n += events; err != nil {
					return n, err
				}
				if events != f.events {
					return n, fmt.Errorf("ours gave %d of %d events", events, f.events)
				}
			}
			return n, nil
		})
		if err != nil {
			return s, err
		}
		s.ours = append(s.ours, mine)
		if timer == nil {
			continue
		}
		var theirs turn
		for range f.times {
			t, err := timer.Run(f.path)
			if err != nil {
				return s, err
			}
			if want := len(c.History()); t.Events != f.events || t.Messages < want {
				return s, fmt.Errorf("the peer has %d of %d messages after %d of %d events", t.Messages, want, t.Events, f.events)
			}
			theirs.Wall += t.Wall * 1e6 / float64(t.Events*f.times)
			theirs.CPU += t.CPU * 1e6 / float64(t.Events*f.times)
		}
		s.peers = append(s.peers, theirs)
	}
	return s.limits(f, rounds)
}

// limits adds what the machine needs to look at the bytes at all.
func (s speed) limits(f file, rounds int) (speed, error) {
	frames := bytes.Split(bytes.TrimSpace(f.text), []byte("\n\n"))
	for i, frame := range frames {
		frames[i] = bytes.TrimPrefix(frame, []byte("data: "))
	}
	for _, l := range []struct {
		into *float64
		work func() error
	}{
		{&s.Scan, func() error {
			lines := 0
			for rest := f.text; ; lines++ {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				rest = rest[i+1:]
			}
			if lines == 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}},
		{&s.Valid, func() error {
			for _, data := range frames {
				if !json.Valid(data) {
					return fmt.Errorf("not JSON: %.80s", data)
				}
			}
			return nil
		}},
		{&s.Tokens, func() error {
			for _, data := range frames {
				for dec := json.NewDecoder(bytes.NewReader(data)); ; {
					if _, err := dec.Token(); err == io.EOF {
						break
					} else if err != nil {
						return err
					}
				}
			}
			return nil
		}},
	} {
		var turns []turn
		for range rounds {
			t, err := timed(func() (int, error) { return f.events, l.work() })
			if err != nil {
				return s, err
			}
			turns = append(turns, t)
		}
		*l.into = best(turns)
	}
	return s, nil
}

func best(turns []turn) float64 {
	return slices.MinFunc(turns, byWall).Wall
}

func median(turns []turn) float64 {
	sorted := slices.SortedFunc(slices.Values(turns), byWall)
	return sorted[len(sorted)/2].Wall
}

func bestCPU(turns []turn) float64 {
	least := turns[0].CPU
	for _, t := range turns {
		least = min(least, t.CPU)
	}
	return least
}

func byWall(a, b turn) int {
	if a.Wall < b.Wall {
		return -1
	}
	return 1
}

// allocations counts what one text delta allocates: what a run of 20,000 allocates
// more than one of 10,000.
func allocations() (figure, error) {
	const n = 10_000
	var mallocs [2]uint64
	for i := range mallocs {
		text, c := longMessage((i+1)*n), conversation.New()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := pipeline(text, c)
		runtime.ReadMemStats(&after)
		if err != nil {
			return figure{}, err
		}
		mallocs[i] = after.Mallocs - before.Mallocs
	}
	// Two decimals: a message's buffer grows once in thousands of deltas.
	each := math.Round(float64(mallocs[1]-mallocs[0])/n*100) / 100
	return figure{Name: "allocations", Value: each, Unit: "/delta", Ratio: each, Goal: "<=2", Pass: each <= 2}, nil
}

// memory weighs the conversation a file makes against what it holds.
func memory(f file) (figure, error) {
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := conversation.New()
	if _, err := pipeline(f.text, c); err != nil {
		return figure{}, err
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept, held := float64(after.HeapAlloc)-float64(before.HeapAlloc), float64(content(c))
	runtime.KeepAlive(c)
	return figure{Name: "memory-" + f.name, Value: kept / 1024, Unit: "KiB", Ratio: kept / held, Goal: "<=4", Pass: kept <= 4*held}, nil
}
