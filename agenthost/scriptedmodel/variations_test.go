package scriptedmodel

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the variations are answered with")

// TestVariations says many things in many ways. In the file a message is a line
// "demo: message"; the indented lines after it are the calls and the answer.
func TestVariations(t *testing.T) {
	path := filepath.Join("testdata", "variations.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		demo, said, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		if !ok || strings.HasPrefix(line, " ") {
			continue
		}
		h := demoHost(t, demo, "chat", false)
		calls, text := h.says(said)
		got.WriteString(demo + ": " + said + "\n")
		for _, c := range calls {
			got.WriteString("    " + c + "\n")
		}
		got.WriteString("    " + text + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(want) {
		gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
		for i := range gotLines {
			if i >= len(wantLines) || gotLines[i] != wantLines[i] {
				t.Fatalf("line %d is %q now; -update rewrites the file", i+1, gotLines[i])
			}
		}
		t.Fatal("the file has more lines")
	}
}
