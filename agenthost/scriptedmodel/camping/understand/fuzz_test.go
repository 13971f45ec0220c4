package understand

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// checkTasks holds what Parse promises about every task, whatever was said.
func checkTasks(t *testing.T, text string, tasks []Task) {
	t.Helper()
	if len(tasks) == 0 {
		t.Fatalf("%q: no task", text)
	}
	name := func(what, s string) {
		if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > MaxName || s != clean(s) {
			t.Errorf("%q: %s %q", text, what, s)
		}
	}
	for _, task := range tasks {
		switch task.Kind {
		case Reserve:
			name("site", task.Site)
			if task.Nights < 1 || task.Nights > MaxNights {
				t.Errorf("%q: %d nights", text, task.Nights)
			}
		case Conditions:
			name("place", task.Place)
		case Forecast:
			if task.Place != "" {
				name("place", task.Place)
			}
			if !utf8.ValidString(task.Dates.Text) || len(task.Dates.Text) > 80 || len(task.Dates.Days) > 2 {
				t.Errorf("%q: dates %+v", text, task.Dates)
			}
		case CountItem:
			name("item", task.Item)
		case Say:
			if task.Text == "" || !utf8.ValidString(task.Text) {
				t.Errorf("%q: says %q", text, task.Text)
			}
		case UpdateList:
			if len(task.Changes) == 0 {
				t.Errorf("%q: no changes", text)
			}
			for _, c := range task.Changes {
				checkChange(t, text, c, name)
			}
		}
	}
}

func checkChange(t *testing.T, text string, c Change, name func(what, s string)) {
	t.Helper()
	if c.Title != "" {
		name("title", c.Title)
	}
	if len(c.Items) > MaxItems || len(c.With) > MaxItems {
		t.Errorf("%q: %d items", text, len(c.Items))
	}
	for _, it := range append(c.Items[:len(c.Items):len(c.Items)], c.With...) {
		name("item", it.Name)
		if it.Qty > MaxQty || it.Qty < 0 && c.Op != AddEach || it.Qty < 1 && (c.Op == Add || c.Op == Start || c.Op == Ensure) {
			t.Errorf("%q: op %d with %d %s", text, c.Op, it.Qty, it.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Start a packing list called Yosemite weekend with a tent and two sleeping bags", "Reserve North Pines for two nights, then add 3 lanterns",
		"forecast for Zion July 4-6 and in Moab", "remove all the x2 (3) of", `rename "it" to "`, "set - to -9999999999999999999999", "book a week and a", "add \xff\x00\u202e tents",
		"Don't forget: \n- a pair of\n* 2 dozen ", "how many", "what's on", "is on my list", "increase by", "a hundred thousand", "no", "half a night at", "THE TENT", "ı İ ß ﬃ",
	} {
		f.Add(s, "How many nights would you like at North Pines?")
	}
	f.Fuzz(func(t *testing.T, text, question string) {
		checkTasks(t, text, Parse(text))
		checkTasks(t, text, Reply(question, text))
		ForecastFor(text)
	})
}

// TestLongMessages: the worst a message can be is read in a moment. The limit is
// far above what a loaded machine needs under -race, and far below quadratic.
func TestLongMessages(t *testing.T) {
	for _, s := range []string{
		"add a tent and ", "book a night and ", "two nights at X and ", "a ", "the list to the list ", "and ", "July 4 to ", "(", "2 x ", "weather in X and in ", "set a to 2 and ", "'", `"`, "please ",
		"is on my ", "tents: ", "add a, ", "half dozen ", "mac and ", "not instead of ", "start a list called with ", ", then book a ", "tomorrow and ", "-", "from 2 to ",
	} {
		began := time.Now()
		for _, n := range []int{1200, 100_000/len(s) + 1} {
			text := strings.Repeat(s, n)
			checkTasks(t, s, Parse(text))
			checkTasks(t, s, Parse("reserve "+text))
			checkTasks(t, s, Parse("set "+text))
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%q took %v", s, took)
		}
	}
}
