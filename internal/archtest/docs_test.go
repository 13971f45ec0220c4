package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// TestDocsNameWhatIsThere: every make target, file and folder that the documents
// name exists.
func TestDocsNameWhatIsThere(t *testing.T) {
	makefile := read(t, "Makefile")
	targets := regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	docs, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatal("no documents", err)
	}
	for _, doc := range docs {
		name := filepath.Base(doc)
		text := read(t, name)
		for _, m := range targets.FindAllStringSubmatch(code(text), -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names `make %s`, which the Makefile lacks", name, m[1])
			}
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// TestAMissingToolIsOneSentence: what `make run` says without npm.
func TestAMissingToolIsOneSentence(t *testing.T) {
	cmd := exec.Command("bash", filepath.Join(root, "scripts", "need"), "no-such-tool", "to build it; install it")
	out, err := cmd.CombinedOutput()
	if err == nil || string(out) != "no-such-tool is needed to build it; install it.\n" {
		t.Fatalf("%v %q", err, out)
	}
	if !strings.Contains(read(t, "Makefile"), "@scripts/need npm ") {
		t.Error("the Makefile does not ask for npm")
	}
}

// code is the parts of a document in back quotes or indented fences.
func code(text string) string {
	return strings.Join(regexp.MustCompile("`[^`]+`|(?s)```.*?```").FindAllString(text, -1), "\n")
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
