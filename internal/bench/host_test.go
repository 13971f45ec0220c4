package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	var times []time.Duration
	for i := 200; i > 0; i-- {
		times = append(times, time.Duration(i)*time.Millisecond)
	}
	if got, want := spreadOf(times), (spread{100, 190, 198}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := spreadOf(times[:1]); got != (spread{1, 1, 1}) {
		t.Errorf("of one: %v", got)
	}
}

// TestHostKeepsTheBest: of two lives each measure is the better one, and a spread
// stays whole.
func TestHostKeepsTheBest(t *testing.T) {
	a := host{Boot: 50, Idle: 30, After: 60, First: spread{1, 9, 9}, Together: spread{5, 6, 80}, Wall: 200}
	b := host{Boot: 40, Idle: 31, After: 50, First: spread{2, 3, 4}, Together: spread{9, 9, 70}, Wall: 300}
	want := host{Boot: 40, Idle: 30, After: 50, First: spread{1, 9, 9}, Together: spread{9, 9, 70}, Wall: 200}
	if a.better(b) != want || b.better(a) != want {
		t.Errorf("%+v and %+v", a.better(b), b.better(a))
	}
}

func TestHostFigures(t *testing.T) {
	h := host{Boot: 40, Idle: 41, First: spread{P50: 0.25}, Together: spread{P99: 100}}
	want := []string{
		"figure host-boot 40.00ms peer=2000ms ratio=50.00 goal=<=150 pass",
		"figure host-memory 41.00MiB peer=181MiB ratio=4.41 goal=<=40 short",
		"figure host-first-frame 0.25ms peer=29.00ms ratio=116.00 goal=<=2 pass",
		"figure host-200-runs 100ms peer=555ms ratio=5.55 goal=<=100 pass",
	}
	for i, f := range h.figures() {
		if f.String() != want[i] {
			t.Errorf("got  %s\nwant %s", f, want[i])
		}
	}
	var table bytes.Buffer
	h.print(&table)
	if !strings.Contains(table.String(), "p50 0.25, p95 0.00 ms  p50 29, p95 51 ms") {
		t.Errorf("table\n%s", table.String())
	}
}

// TestAtOnceIsAtOnce: no run ends before the last has arrived, each on a thread of
// its own; a run that does not finish is an error.
func TestAtOnceIsAtOnce(t *testing.T) {
	var arrived atomic.Int32
	all := make(chan struct{})
	end := "FINISHED"
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Internal-Token") != hostToken {
			t.Error("no token")
		}
		if arrived.Add(1) == together {
			close(all)
		}
		<-all
		_, _ = io.WriteString(w, "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_"+end+"\"}\n\n")
	}))
	defer agent.Close()
	first, wall, err := atOnce(t.Context(), agent.Client(), agent.URL)
	if err != nil || first.P50 <= 0 || wall < first.P99 {
		t.Errorf("%+v, %v ms, error %v", first, wall, err)
	}
	end = "ERROR"
	if _, err := firstFrame(t.Context(), agent.Client(), agent.URL, "t"); err == nil {
		t.Error("a run that failed counts")
	}
}

func TestResidentMemory(t *testing.T) {
	if mib, err := residentMiB(os.Getpid()); err != nil || mib < 1 || mib > 4096 {
		t.Errorf("%v MiB, error %v", mib, err)
	}
	if _, err := residentMiB(-1); err == nil {
		t.Error("no process has memory")
	}
}
