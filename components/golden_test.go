package components

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"
)

var update = flag.Bool("update", false, "write the golden files")

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every state of every part, as the browser gets it. Look at the difference before
// accepting it with -update: tests and users' style sheets rely on these attributes.
func TestGolden(t *testing.T) {
	for name, c := range cases() {
		t.Run(name, func(t *testing.T) {
			got := []byte(render(t, c) + "\n")
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs:\n got %s\nwant %s", file, got, want)
			}
		})
	}
}

// A golden file without its case is a state nobody draws any more.
func TestGoldenFilesAreUsed(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil {
		t.Fatal(err)
	}
	all := cases()
	for _, file := range files {
		name := filepath.Base(file[:len(file)-len(".html")])
		if all[name] == nil {
			t.Errorf("%s has no case", file)
		}
	}
}
