package main

import "testing"

func TestWastefulHeap(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		before, now heap
		want        bool
	}{
		"small":                     {heap{30 * mb, 10 * mb, 4}, heap{30 * mb, 10 * mb, 4}, false},
		"large, in use":             {heap{500 * mb, 300 * mb, 4}, heap{500 * mb, 300 * mb, 9}, false},
		"large, collected, unused":  {heap{500 * mb, 300 * mb, 4}, heap{500 * mb, 10 * mb, 9}, true},
		"large, idle since":         {heap{500 * mb, 300 * mb, 9}, heap{500 * mb, 300 * mb, 9}, true},
		"the first look at a start": {heap{}, heap{20 * mb, 10 * mb, 0}, false},
	} {
		if got := c.now.wasteful(c.before); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestLimitFollowsUse(t *testing.T) {
	const mb = 1 << 20
	for used, want := range map[uint64]int64{0: 160 * mb, 20 * mb: 160 * mb, 100 * mb: 246 * mb, 1000 * mb: 1596 * mb} {
		if got := (heap{used: used}).limit(); got != want {
			t.Errorf("%d in use: %d", used, got)
		}
	}
}

func TestReadHeap(t *testing.T) {
	if h := readHeap(); h.held == 0 || h.used > h.held {
		t.Errorf("%+v", h)
	}
}
