package matrix

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
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
		page, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
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

// TestFillRefusesBrokenMarks: a table that does not end is not guessed at.
func TestFillRefusesBrokenMarks(t *testing.T) {
	if _, err := Fill([]byte("<!-- transcripts: mastra -->\nno end"), os.DirFS(".")); err == nil {
		t.Error("filled")
	}
}
