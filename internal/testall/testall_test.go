package testall

import (
	"slices"
	"testing"
)

func TestSample(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, tt := range []struct {
		whole string
		n     int
		want  []int
	}{
		{"", 3, []int{0, 4, 9}},
		{"", 1, []int{0}},
		{"", 10, all},
		{"", 11, all},
		{"1", 3, all},
	} {
		t.Setenv("CAIRN_TEST_ALL", tt.whole)
		if got := Sample(t, all, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%d with %q: %v, want %v", tt.n, tt.whole, got, tt.want)
		}
		if got, want := Step(7) == 1, tt.whole != ""; got != want {
			t.Errorf("with %q a step is 1: %v", tt.whole, got)
		}
	}
}
