package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wordings are phrases that comments do not use, with what to write instead.
var wordings = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\breports? that\b`), `"reports whether", "returns" or "notes that"`},
	{regexp.MustCompile(`^(Who|Whoever|What)\b[^?]*$`), "begin with what is in the code: the caller, the runner, a row"},
	{regexp.MustCompile(`\b(gives?|gave)\b( up\b)?`), `"returns", "has", "makes" or "hands"`},
}

// TestWording checks the comments of all Go and templ files for the wordings.
func TestWording(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || name == "testdata" || len(name) > 1 && name[0] == '.'):
			if path != root {
				return fs.SkipDir
			}
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_templ.go"):
			checkWording(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkWording(t *testing.T, path string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		for _, w := range wordings {
			if found := w.pattern.FindString(text); found != "" && !strings.HasSuffix(found, " up") {
				t.Errorf("%s: %.40q in a comment; write %s", files.Position(group.Pos()), found, w.instead)
			}
		}
	}
}
