package main

import (
	"strings"
	"testing"
	"time"

	"cairn/internal/hostile"
)

func TestHarmKeepsTheWorst(t *testing.T) {
	h := new(harm)
	h.add(hostile.Result{Case: "a", CPU: time.Second, Growth: 10})
	h.add(hostile.Result{Case: "b", CPU: 3 * time.Second, Growth: 5, Wrong: []string{"the process ended"}})
	h.add(hostile.Result{Case: "c", CPU: 2 * time.Second, Growth: 200})
	h.Bystander.P99 = 49
	if h.Cases != 3 || h.CPUCase != "b" || h.MemoryCase != "c" {
		t.Errorf("%+v", h)
	}
	want := []string{
		"figure hostile-worst-cpu 3.00s peer=- ratio=- goal=<=2 short",
		"figure hostile-worst-memory 200MiB peer=- ratio=- goal=<=150 short",
		"figure bystander-p99 49.00ms peer=- ratio=- goal=<=50 pass",
	}
	for i, f := range h.figures() {
		if f.String() != want[i] {
			t.Errorf("got  %s\nwant %s", f, want[i])
		}
	}
	var out strings.Builder
	h.print(&out)
	for _, part := range []string{"3 hostile answers", "3.00 s of processor time (b)", "200 MiB above idle (c)", "the process ended"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in %s", part, out.String())
		}
	}
}
