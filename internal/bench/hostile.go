package main

import (
	"context"
	"fmt"
	"path/filepath"

	"cairn/internal/hostile"
)

// harm is what the corpus of hostile answers costs a server, and the bystander of it.
type harm struct {
	Cases      int
	CPU        float64 // seconds of the process, of the case that cost most
	CPUCase    string
	Memory     float64 // MiB of resident memory above the idle process, at most
	MemoryCase string
	Bystander  spread // ms, of a second user's requests and patches while the cases are played
	Longest    float64
	Wrong      []hostile.Result // cases that broke a bound
}

// charged is the growth of memory, in MiB, after which the next case gets a process of
// its own: it is not charged for what another one left behind.
const charged = 50

// measureHostile plays the cases of the corpus that its test plays.
func measureHostile(ctx context.Context, dir string) (*harm, error) {
	binary, err := hostile.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	d, err := hostile.NewDriver(ctx, binary, filepath.Join(dir, "hostile"))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	h := new(harm)
	for _, c := range hostile.Cases(false) {
		r, err := d.Play(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		h.add(r)
		if r.Growth > charged {
			if err := d.Restart(); err != nil {
				return nil, err
			}
		}
	}
	waits := d.Waits()
	h.Bystander, h.Longest = spreadOf(waits), ms(waits[len(waits)-1])
	return h, nil
}

// add counts one result.
func (h *harm) add(r hostile.Result) {
	h.Cases++
	if cpu := r.CPU.Seconds(); cpu > h.CPU || h.CPUCase == "" {
		h.CPU, h.CPUCase = cpu, r.Case
	}
	if r.Growth > h.Memory || h.MemoryCase == "" {
		h.Memory, h.MemoryCase = r.Growth, r.Case
	}
	if len(r.Wrong) > 0 {
		h.Wrong = append(h.Wrong, r)
	}
}
