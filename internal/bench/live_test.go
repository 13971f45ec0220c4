package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestFanOut: every word is counted once in the log and once in each tab, and no
// patch is there before its event is stored.
func TestFanOut(t *testing.T) {
	s, err := newStage(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	woken, patched, err := s.fanOut(t.Context(), 3, 2, 45, 5*time.Millisecond)
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if err != nil || woken.P50 <= 0 || patched.P50 <= woken.P50 {
		t.Errorf("woken %+v, patched %+v, error %v", woken, patched, err)
	}
}

func TestLastWord(t *testing.T) {
	for text, want := range map[string]int{
		word(7): 7, word(39): 39, `<p>word98 word99</p>`: 99, "data: elements word12 ": 12, "": -1, "word": -1, "words 5": -1,
	} {
		if got := lastWord([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestArrivals: a patch that brings several words is the arrival of each; a stream
// that ends before the last is an error.
func TestArrivals(t *testing.T) {
	sent := []time.Time{time.Now().Add(-3 * time.Hour), time.Now().Add(-2 * time.Hour), time.Now().Add(-time.Hour)}
	took, err := arrivals(bufio.NewReader(strings.NewReader("word0\nnothing\nword1 word2\n")), sent)
	if err != nil || len(took) != 3 || took[0].Round(time.Hour) != 3*time.Hour || took[1].Round(time.Hour) != 2*time.Hour || took[2].Round(time.Hour) != time.Hour {
		t.Errorf("%v, error %v", took, err)
	}
	if _, err := arrivals(bufio.NewReader(strings.NewReader("word0\nword1\n")), sent); err == nil {
		t.Error("a word is missing and nobody says so")
	}
}

func TestLiveKeepsTheBest(t *testing.T) {
	a := live{One: spread{1, 2, 3}, Hundred: spread{1, 2, 9}, Woken: spread{5, 6, 7}, Many: spread{5, 6, 7}}
	b := live{One: spread{2, 2, 2}, Hundred: spread{4, 5, 10}, Woken: spread{1, 1, 8}, Many: spread{1, 1, 6}}
	want := live{One: b.One, Hundred: a.Hundred, Woken: a.Woken, Many: b.Many}
	if a.better(b) != want || b.better(a) != want {
		t.Errorf("%+v and %+v", a.better(b), b.better(a))
	}
}

func TestLiveFigures(t *testing.T) {
	l := live{One: spread{P50: 3, P99: 31}, Woken: spread{P50: 1, P99: 40}, Many: spread{P50: 41, P99: 80.5}}
	w := weight{Tab: 64, Thread: 33}
	want := []string{
		"figure live-quiet-p50 3.00ms peer=- ratio=- goal=<=3 pass",
		"figure live-quiet-p99 31.00ms peer=- ratio=- goal=<=30 short",
		"figure live-200-threads-woken-p50 1.00ms peer=- ratio=- goal=<=15 pass",
		"figure live-200-threads-woken-p99 40.00ms peer=- ratio=- goal=<=40 pass",
		"figure live-200-threads-tab-p50 41.00ms peer=- ratio=- goal=<=40 short",
		"figure live-200-threads-tab-p99 80.50ms peer=- ratio=- goal=<=80 short",
		"figure memory-idle-tab 64.00KiB peer=- ratio=- goal=<=64 pass",
		"figure memory-watched-thread 33.00KiB peer=- ratio=- goal=<=32 short",
	}
	var out bytes.Buffer
	report{Live: &l, Weight: w, Figures: append(l.figures(), w.figures()...)}.print(&out)
	for _, line := range append(want, "one quiet thread, one tab: shown   3.00  0.00  31.00", "an idle tab keeps 64.0 KiB") {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
}

// TestInUse: what is held is counted, on the heap and on stacks.
func TestInUse(t *testing.T) {
	before := inUse()
	held := make([]byte, 8<<20)
	if got := inUse() - before; got < 7<<10 || got > 9<<10 {
		t.Errorf("%.0f KiB for 8 MiB", got)
	}
	held[0] = 1
	before = inUse()
	end, deep := make(chan struct{}), make(chan byte)
	for range 100 {
		go func() { // until end
			var frame [48 << 10]byte
			frame[len(deep)+1] = 1
			deep <- frame[len(deep)]
			<-end
			deep <- frame[len(deep)+1]
		}()
		<-deep
	}
	if got := inUse() - before; got < 100*48 {
		t.Errorf("%.0f KiB for a hundred stacks of 64", got)
	}
	close(end)
	for range 100 {
		<-deep
	}
}
