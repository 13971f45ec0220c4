package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// figures are judged by the value itself. A quiet thread's p99 has no goal of its
// own but a frame: later than that nothing may be.
func (l *live) figures() []figure {
	return []figure{
		atMost("live-quiet-p50", l.One.P50, "ms", 3),
		atMost("live-quiet-p99", l.One.P99, "ms", 30),
		atMost("live-100-tabs-p50", l.Hundred.P50, "ms", 15),
		atMost("live-100-tabs-p99", l.Hundred.P99, "ms", 40),
		atMost("live-200-threads-woken-p50", l.Woken.P50, "ms", 15),
		atMost("live-200-threads-woken-p99", l.Woken.P99, "ms", 40),
		atMost("live-200-threads-tab-p50", l.Many.P50, "ms", 40),
		atMost("live-200-threads-tab-p99", l.Many.P99, "ms", 80),
	}
}

func (w weight) figures() []figure {
	return []figure{
		atMost("memory-idle-tab", w.Tab, "KiB", 64),
		atMost("memory-watched-thread", w.Thread, "KiB", 32),
	}
}

func atMost(name string, value float64, unit string, goal float64) figure {
	return figure{Name: name, Value: value, Unit: unit, Goal: fmt.Sprintf("<=%g", goal), Pass: value <= goal}
}

func (l *live) print(to io.Writer, w weight) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ms since the agent wrote an event\tp50\tp95\tp99\t")
	for _, row := range []struct {
		what string
		spread
	}{
		{"one quiet thread, one tab: shown", l.One},
		{fmt.Sprintf("one quiet thread, %d tabs: shown", liveTabs), l.Hundred},
		{fmt.Sprintf("%d threads, 20 events/s each: stored, woken", liveMany), l.Woken},
		{fmt.Sprintf("%d threads, 20 events/s each: shown", liveMany), l.Many},
	} {
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t\n", row.what, row.P50, row.P95, row.P99)
	}
	_ = t.Flush() // to a terminal or a pipe; there is nobody to tell
	fmt.Fprintf(to, "an idle tab keeps %.1f KiB, a watched thread %.1f KiB\n\n", w.Tab, w.Thread)
}
