package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkNasty measures texts that are made to be expensive, at once and in
// deltas of 200 bytes with an update for each.
func BenchmarkNasty(b *testing.B) {
	for _, x := range nasty() {
		src := x.text(100_000)
		b.Run(strings.ReplaceAll(x.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			var html HTML
			for b.Loop() {
				html = whole(b, src)
			}
			b.ReportMetric(float64(len(html)), "html-B")
		})
	}
}

func BenchmarkNastyDeltas(b *testing.B) {
	for _, x := range nasty() {
		for _, size := range []int{100_000, 200_000} {
			src := x.text(size)
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(x.name, " ", "-"), size), func(b *testing.B) {
				for b.Loop() {
					var s Stream
					for at := 0; at < len(src); at += 200 {
						s.Write(src[at:min(len(src), at+200)])
						update(b, &s)
					}
					s.Close()
					update(b, &s)
				}
			})
		}
	}
}
