package components

import (
	"bytes"
	"os"
	"testing"

	"cairn/internal/markdown"
)

// The style sheet of highlighted code is made from the markdown package's classes, so
// the two cannot drift.
func TestHighlightStylesheet(t *testing.T) {
	const file = "../static/css/70-highlight.css"
	var want bytes.Buffer
	want.WriteString("/* Highlighted code. Made by `go test ./components -update`; do not edit. */\n")
	if err := markdown.HighlightCSS(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from markdown.HighlightCSS; run go test ./components -update", file)
	}
}
