package sse

import (
	"bytes"
	"testing"
)

func TestLineEndFindsEveryPlace(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for _, c := range []byte("\r\n") {
				b := bytes.Repeat([]byte{'\x0b'}, n) // one below and one above the two
				b[at] = c
				for from := range at + 1 {
					if got := lineEnd(b, from); got != at {
						t.Fatalf("%q from %d: %d", b, from, got)
					}
				}
				if got := lineEnd(b, at+1); got != -1 {
					t.Fatalf("%q after it: %d", b, got)
				}
			}
		}
	}
}
