package conformance_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeHasTheCounts: ../README.md states how the cases come out.
func TestReadmeHasTheCounts(t *testing.T) {
	var sum tally
	for _, suite := range counts {
		sum.Equal += suite.Equal
		sum.Different += suite.Different
	}
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(raw)), " ")
	for _, want := range []string{
		fmt.Sprintf("%d cases", sum.Equal+sum.Different),
		fmt.Sprintf("%d come out equal and %d deliberately different", sum.Equal, sum.Different),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

var sourced = regexp.MustCompile(`^[A-Z][^.]+ \([^()]*(RULES \d+|section \d|R\d+)[^()]*\)`)

// TestReasonsNameTheirSource: each reason is a sentence that names the row of RULES.md, the
// order rule or the section of the protocol that it is about.
func TestReasonsNameTheirSource(t *testing.T) {
	for suite, reasons := range departures {
		for label, reason := range reasons {
			if !sourced.MatchString(reason) {
				t.Errorf("%s, %s: %q", suite, label, reason)
			}
		}
	}
}
