// Package testall shortens exhaustive tests: `make test` runs them on a sample, and
// `make test-all`, which sets CAIRN_TEST_ALL, runs them whole.
package testall

import (
	"os"
	"testing"
)

// All reports whether exhaustive tests run whole.
func All() bool { return os.Getenv("CAIRN_TEST_ALL") != "" }

// Sample returns n of all, or all of them when tests run whole: the first, the last, and
// others at equal distances. The log of t says how many there are.
func Sample[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	if All() || n >= len(all) {
		return all
	}
	var some []T
	for i := range n {
		some = append(some, all[i*(len(all)-1)/max(n-1, 1)])
	}
	t.Logf("%d of %d; CAIRN_TEST_ALL=1 runs all", n, len(all))
	return some
}

// Step returns n, or 1 when tests run whole: the distance between the steps of a long
// sequence after which a test looks.
func Step(n int) int {
	if All() {
		return 1
	}
	return n
}
