package view

import (
	"strings"
	"testing"

	"cairn/components"
)

// TestRegenerateReplacesAnswer: the offer stands at the end of an answer
// that did nothing else, and the old answer is gone once another was asked for.
func TestRegenerateReplacesAnswer(t *testing.T) {
	w := watch(t)
	show := func() string { return drawn(components.ChatItems(w.now().Chat)) }
	offered := func(run string) {
		t.Helper()
		html := show()
		if got := strings.Count(html, `data-testid="regenerate"`); got != map[bool]int{true: 1}[run != ""] {
			t.Fatalf("offered %d times", got)
		}
		if run != "" && !strings.Contains(html, "/regenerate?run="+run+`"`) {
			t.Fatalf("not for %s: %s", run, html)
		}
	}
	w.play(ask(m1, "Hi", "r1"))
	offered("")
	w.play(answer("r1", "First."))
	offered("r1")
	w.play(again("r2", "r1"))
	offered("")
	if html := show(); strings.Contains(html, "First.") || !strings.Contains(html, ">Hi<") {
		t.Fatalf("while the other comes: %s", html)
	}
	w.play(answer("r2", "Second."))
	offered("r2")
	if html := show(); strings.Contains(html, "First.") || !strings.Contains(html, "Second.") {
		t.Fatalf("when the other is there: %s", html)
	}
	w.play(chain(ask(m2, "Check", "r3"), captured(t, "03-tool-call", "r3"), []step{end("r3", "clean")}))
	offered("")
}
