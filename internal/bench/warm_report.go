package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printWarm writes what threads of each length cost.
func printWarm(to io.Writer, all []warmth) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "thread\tfold, µs per event\tfirst page, ms\tmessage, ms\tdecision, ms\tpage, ms\t")
	for _, t := range all {
		fmt.Fprintf(w, "%d events\t%.2f\t%.1f\t%.2f\t%.2f\t%.2f\t\n", t.Events, float64(t.Fold)/float64(t.Events)/1e3, float64(t.Cold)/1e6,
			float64(t.Message)/1e6, float64(t.Decision)/1e6, float64(t.Page)/1e6)
	}
	_ = w.Flush()
	fmt.Fprintln(to)
}
