package matrix

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/probe"
)

// TestCommittedMatrix: the matrix is what the committed recordings say.
func TestCommittedMatrix(t *testing.T) {
	measured, err := Measure(os.DirFS("../../" + Dir))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(measured)
	if err != nil {
		t.Fatal(err)
	}
	var want []Runtime // with what JSON does to times and empty lists
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	got, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("matrix.json is not what the recordings say; run: make gen")
	}
}

// TestDifferences: another status counts, another sentence does not.
func TestDifferences(t *testing.T) {
	runtime := func(surfaces ...probe.Surface) Runtime {
		return Runtime{ID: "r", Matrix: probe.Matrix{Surfaces: surfaces}}
	}
	a := probe.Surface{Name: "tools", Status: probe.Supported, Detail: "one"}
	b := probe.Surface{Name: "tools", Status: probe.Supported, Detail: "two"}
	c := probe.Surface{Name: "tools", Status: probe.Broken}
	for name, tc := range map[string]struct {
		was, is Runtime
		want    []string
	}{
		"same":    {runtime(a), runtime(b), nil},
		"changed": {runtime(a), runtime(c), []string{"r: tools was supported, is broken"}},
		"gone":    {runtime(a), runtime(), []string{"r: tools was supported, is not measured"}},
		"new":     {runtime(), runtime(c), []string{"r: tools was not measured, is broken"}},
	} {
		if got := Differences(tc.was, tc.is); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestDocs: the pages' tables are what the recordings say, and every transcript a
// page names is there.
func TestDocs(t *testing.T) {
	recordings := os.DirFS("../../" + Dir)
	for _, name := range Docs {
		page := read(t, name)
		filled, err := Fill(page, recordings)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(page, filled) {
			t.Errorf("%s: a table is not what the recordings say; run: make gen", name)
		}
		listed := map[string]bool{}
		for _, row := range regexp.MustCompile(`(?m)^\| \[(\d\d)\]`).FindAllSubmatch(page, -1) {
			listed[string(row[1])] = true
		}
		for _, ref := range regexp.MustCompile(`\[(\d\d)\]`).FindAllSubmatch(page, -1) {
			if !listed[string(ref[1])] {
				t.Errorf("%s: there is no transcript [%s]", name, ref[1])
			}
		}
	}
}

// TestFrames: a frame that a page names is in that transcript, and no number is past
// the end of the stream. A page with two recordings may mean either.
func TestFrames(t *testing.T) {
	named := regexp.MustCompile(`\[(\d\d) frames? (\d+)(?: (?:to|and) (\d+))?\]`)
	marks := regexp.MustCompile(regexp.QuoteMeta(tableBegin) + `(.+)` + regexp.QuoteMeta(markEnd))
	for _, name := range Docs {
		page := read(t, name)
		frames := map[int]int{} // by transcript, the longest
		for _, mark := range marks.FindAllSubmatch(page, -1) {
			for number, n := range streams(t, string(mark[1])) {
				frames[number] = max(frames[number], n)
			}
		}
		for _, ref := range named.FindAllSubmatch(page, -1) {
			last := max(number(ref[2]), number(ref[3]))
			if have := frames[number(ref[1])]; last > have {
				t.Errorf("%s: %s: that transcript has %d frames", name, ref[0], have)
			}
		}
	}
}

// TestDifferencesPage: the page that belongs to no one recording names transcripts and
// frames that exist, and its references are all used and all defined.
func TestDifferencesPage(t *testing.T) {
	const name = "docs/runtimes/differences.md"
	page := read(t, name)
	text, _, found := bytes.Cut(page, []byte("\n[langgraph 01]: "))
	if !found {
		t.Fatal("no references at the end")
	}
	defined := map[string]bool{}
	for _, def := range regexp.MustCompile(`(?m)^\[([a-z-]+ \d\d)\]: (\S+)$`).FindAllSubmatch(page, -1) {
		id, file := string(def[1]), string(def[2])
		folder, number, _ := strings.Cut(id, " ")
		if want := "../../" + Dir + "/" + folder + "/" + number + "-"; !strings.HasPrefix(file, want) {
			t.Errorf("[%s] leads to %s", id, file)
		}
		if !bytes.Contains(text, []byte("["+id+"]")) {
			t.Errorf("[%s] is defined and not used", id)
		}
		defined[id] = true
	}
	frames := map[string]map[int]int{} // of each recording
	for _, ref := range regexp.MustCompile(`\[(([a-z-]+) (\d\d))\](?:,? frames? (\d+)(?: and (\d+))?)?`).FindAllSubmatch(text, -1) {
		if !defined[string(ref[1])] {
			t.Errorf("[%s] is used and not defined", ref[1])
		}
		last := max(number(ref[4]), number(ref[5]))
		folder := string(ref[2])
		if frames[folder] == nil {
			frames[folder] = streams(t, folder)
		}
		if have := frames[folder][number(ref[3])]; last > have {
			t.Errorf("%s: that transcript has %d frames", ref[0], have)
		}
	}
}

// TestLinks: every file that a page about the runtimes leads to is there.
func TestLinks(t *testing.T) {
	pages, err := fs.Glob(os.DirFS("../.."), "docs/runtimes/*.md")
	if err != nil || len(pages) <= len(Docs) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	links := regexp.MustCompile(`(?m)\]\(([^)#]+)[^)]*\)|^\[[^]]+\]: (\S+)$`)
	for _, name := range pages {
		for _, link := range links.FindAllSubmatch(read(t, name), -1) {
			to := string(link[1]) + string(link[2])
			if strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", path.Dir(name), to)); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, to)
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	page, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// streams returns the number of frames of each transcript of a recording.
func streams(t *testing.T, id string) map[int]int {
	t.Helper()
	rec, err := probe.ReadRecording(os.DirFS("../../" + Dir + "/" + id))
	if err != nil {
		t.Fatal(err)
	}
	frames := map[int]int{}
	for i := range rec.Exchanges {
		events, _ := rec.Exchanges[i].Events()
		frames[rec.Exchanges[i].Number] = len(events)
	}
	return frames
}

// number is 0 for a part of a reference that is not there.
func number(digits []byte) int {
	n, _ := strconv.Atoi(string(digits))
	return n
}

// TestFillRefusesBrokenMarks: a table that does not end is not guessed at.
func TestFillRefusesBrokenMarks(t *testing.T) {
	if _, err := Fill([]byte("<!-- transcripts: mastra -->\nno end"), os.DirFS(".")); err == nil {
		t.Error("filled")
	}
}
