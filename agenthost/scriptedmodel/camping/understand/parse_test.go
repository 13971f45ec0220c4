package understand

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata from what Parse returns now")

// show writes tasks the way testdata/phrases.txt has them.
func show(tasks []Task) string {
	var out []string
	for _, t := range tasks {
		switch t.Kind {
		case Unknown:
			out = append(out, "unknown")
		case UpdateList:
			var cs []string
			for _, c := range t.Changes {
				cs = append(cs, showChange(c))
			}
			out = append(out, strings.Join(cs, ", "))
		case ShowList:
			out = append(out, "show list")
		case CountItem:
			out = append(out, "count "+t.Item)
		case Conditions:
			out = append(out, "conditions <"+t.Place+">")
		case Forecast:
			out = append(out, fmt.Sprintf("forecast <%s> %s", t.Place, t.Dates.Text))
		case Reserve:
			out = append(out, fmt.Sprintf("reserve <%s> %d", t.Site, t.Nights))
		case Say:
			out = append(out, "say "+t.Text)
		}
	}
	return strings.TrimSpace(strings.Join(out, " | "))
}

func showChange(c Change) string {
	names := map[Op]string{Start: "start", Add: "add", Ensure: "ensure", Remove: "remove", Set: "set", AddEach: "by", Double: "double",
		Replace: "replace", RenameItem: "rename item", RenameList: "title", KeepOnly: "keep", Clear: "clear"}
	s := names[c.Op]
	if c.Title != "" {
		s += " <" + c.Title + ">"
	}
	list := func(items []Item) {
		s += " ["
		for i, it := range items {
			if i > 0 {
				s += "; "
			}
			s += fmt.Sprintf("%d %s", it.Qty, it.Name)
		}
		s += "]"
	}
	if c.Items != nil {
		list(c.Items)
	}
	if c.With != nil {
		list(c.With)
	}
	return s
}

// TestPhrases holds Parse to testdata/phrases.txt: one phrasing a line, then
// " => " and what it means. "\n" stands for a newline.
func TestPhrases(t *testing.T) {
	const path = "testdata/phrases.txt"
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	rows := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			lines = append(lines, line)
			continue
		}
		rows++
		text, want, _ := strings.Cut(line, " => ")
		got := show(Parse(strings.ReplaceAll(text, `\n`, "\n")))
		if got != want && !*update {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
		lines = append(lines, text+" => "+got)
	}
	if rows < 120 {
		t.Errorf("%d phrasings, want at least 120", rows)
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
