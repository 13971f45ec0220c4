package view

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cairn/components"
)

// long is a conversation of n exchanges; every seventh answer is size bytes.
func long(n, size int) (steps []step) {
	for i := range n {
		run, text := fmt.Sprint("r", i), fmt.Sprint("answer ", i)
		if i%7 == 0 {
			text += " " + strings.Repeat("word ", size/5)
		}
		steps = append(steps, ask(fmt.Sprint("question-", i), fmt.Sprint("question ", i), run)...)
		steps = append(steps, answer(run, text)...)
	}
	return steps
}

func (w *watched) steps(steps []step) {
	w.t.Helper()
	for _, s := range steps {
		w.row(s.kind, s.run, s.body)
	}
}

// htmlOf is the conversation as the page has it.
func htmlOf(r Run) string { return drawn(components.ChatItems(r.Chat)) }

func TestWindowShowsTheEnd(t *testing.T) {
	for name, size := range map[string]int{"short": 10, "large": 60 << 10} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			w.steps(long(500, size))
			run := w.now()
			html := htmlOf(run)
			if n := len(run.Chat.Items); n > maxItems || n < 3 {
				t.Errorf("%d items", n)
			}
			if len(html) > 512<<10 {
				t.Errorf("%d bytes", len(html))
			}
			if !run.Live || !strings.Contains(html, "answer 499") || strings.Contains(html, "question 0<") {
				t.Error("not the end of the conversation")
			}
		})
	}
}

var earlierLink = regexp.MustCompile(`\?before=(\d+)`)

// TestEarlierLeadsThroughAll follows Show earlier to the beginning: every entry is on
// exactly one page.
func TestEarlierLeadsThroughAll(t *testing.T) {
	w := watch(t)
	w.steps(long(500, 30<<10))
	seen := map[string]int{}
	place, pages := Place{}, 0
	for ; ; pages++ {
		run, err := w.run(place)
		if err != nil || pages > 100 {
			t.Fatal(err, pages)
		}
		for _, it := range run.Chat.Items {
			seen[it.Key]++
		}
		if size := len(htmlOf(run)); size > 512<<10 || len(run.Chat.Items) > maxItems {
			t.Errorf("page %d has %d items in %d bytes", pages, len(run.Chat.Items), size)
		}
		if run.Live != (pages == 0) || run.Live != (run.Chat.Latest == "") {
			t.Errorf("page %d: live %t, latest %q", pages, run.Live, run.Chat.Latest)
		}
		next := earlierLink.FindStringSubmatch(run.Chat.Earlier)
		if next == nil {
			break
		}
		place.Before, _ = strconv.Atoi(next[1])
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1000 entries were shown", len(seen))
	}
	for key, n := range seen {
		if n != 1 {
			t.Errorf("%s was shown %d times", key, n)
		}
	}
	if n := len(w.page.bodies); n > maxItems {
		t.Errorf("the texts of %d messages are kept", n)
	}
}

func TestAtShowsTheEntry(t *testing.T) {
	w := watch(t)
	w.steps(long(500, 30<<10))
	for _, key := range []int{1, 2, 400, 700, 800, 1000} {
		run, err := w.run(Place{At: key})
		if err != nil {
			t.Fatal(err)
		}
		if html := htmlOf(run); !strings.Contains(html, fmt.Sprintf(`id="e%d"`, key)) || len(html) > 512<<10 {
			t.Errorf("entry %d is not in its window of %d bytes", key, len(html))
		}
	}
	for _, p := range []Place{{At: 99999}, {Before: 99999}, {Before: 1}, {At: -1}} {
		if run, err := w.run(p); err != nil || !run.Live {
			t.Errorf("%+v: %v, live %t", p, err, run.Live)
		}
	}
}

// TestWindowSlides: a tab that saw every frame has the page that a reload shows, also
// while entries leave the window.
func TestWindowSlides(t *testing.T) {
	for name, size := range map[string]int{"short": 10, "large": 20 << 10} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			tab := newDOM(t, w.all())
			for i, s := range long(maxItems, size) {
				w.row(s.kind, s.run, s.body)
				tab.apply(w.next())
				if i%197 != 0 {
					continue
				}
				reload := watch(t)
				reload.steps(long(maxItems, size)[:i+1])
				if got, want := tab.String(), newDOM(t, reload.all()).String(); got != want {
					t.Fatalf("after row %d the tab differs from a reload:\n%s", i+1, diff(got, want))
				}
			}
			if n := len(w.page.shown); n > maxItems || len(w.page.bodies) > maxItems {
				t.Errorf("%d entries are shown and %d texts kept", n, len(w.page.bodies))
			}
		})
	}
}

// TestBurstIsDrawnOnce: of more new entries than a page shows, those that would leave at
// once are not drawn.
func TestBurstIsDrawnOnce(t *testing.T) {
	w := watch(t)
	tab := newDOM(t, w.all())
	w.steps(long(1000, 10))
	f := w.next()
	size := 0
	for _, p := range f {
		size += len(p.HTML)
	}
	if tab.apply(f); size > 512<<10 || strings.Count(tab.String(), `data-testid="message"`) > maxItems {
		t.Errorf("%d bytes in %d patches", size, len(f))
	}
}

// TestTabsShareTheSnapshot: the page is rendered once for all tabs that join at one row.
func TestTabsShareTheSnapshot(t *testing.T) {
	w := watch(t)
	w.steps(long(20, 10))
	w.next()
	first := w.all()
	if again := w.all(); &again[0] != &first[0] {
		t.Error("a second tab had the page rendered again")
	}
	w.steps(ask(m1, "more", "last"))
	w.next()
	if now := w.all(); &now[0] == &first[0] || !strings.Contains(now[0].HTML, "more") {
		t.Error("a tab that joined later got the old page")
	}
}
