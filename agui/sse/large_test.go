package sse

import (
	"strings"
	"testing"
)

// TestLargeFrameIsTheCallers reads large frames: each keeps its bytes, and the reader
// does not hold the memory of the last one.
func TestLargeFrameIsTheCallers(t *testing.T) {
	frame := func(c string) string { return "data: " + strings.Repeat(c, Large) + "\n\n" }
	r := NewReader(strings.NewReader(frame("a")+frame("b")+"data: c\n\n"), Limits{})
	var got [][]byte
	for range 3 {
		_, data, err := r.NextBytes()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, data)
	}
	for i, c := range "abc" {
		if n := strings.Count(string(got[i]), string(c)); n != len(got[i]) || i < 2 && n != Large {
			t.Errorf("frame %d holds %d times %q in %d bytes", i+1, n, c, len(got[i]))
		}
	}
	if held := cap(r.buf) + cap(r.data); held >= Large {
		t.Errorf("%d bytes are held after a small frame", held)
	}
}
