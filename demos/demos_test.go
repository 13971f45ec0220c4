package demos

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn"
)

// TestDemosAreWhole: each has all of its words, and the files of its Code tab are
// embedded as they are in the repository.
func TestDemosAreWhole(t *testing.T) {
	var slugs []string
	for _, d := range All() {
		slugs = append(slugs, d.Slug)
		for what, s := range map[string]string{
			"slug": d.Slug, "name": d.Name, "runtime": d.Runtime, "agent": d.Agent, "heading": d.Heading, "lead": d.Lead, "placeholder": d.Placeholder,
		} {
			if s == "" {
				t.Errorf("%s has no %s", d.Slug, what)
			}
		}
		v := d.NewPanel().View()
		if v.Heading == "" || v.Summary == "" || v.TestID == "" || v.Body == nil || v.Updating {
			t.Errorf("%s: panel %+v", d.Slug, v)
		}
		if len(d.Code) == 0 || !slices.ContainsFunc(d.Code, func(f CodeFile) bool { return f.Path == "demos/"+d.Slug+".go" }) {
			t.Errorf("%s does not show its own file: %v", d.Slug, d.Code)
		}
		for _, f := range d.Code {
			have, err := fs.ReadFile(cairn.Sources, f.Path)
			if err != nil {
				t.Errorf("%s: %v", d.Slug, err)
			}
			want, err := os.ReadFile(filepath.Join("..", f.Path))
			if err != nil || string(have) != string(want) || f.Note == "" {
				t.Errorf("%s: %s is not the file, or has no note: %v", d.Slug, f.Path, err)
			}
		}
	}
	if got := strings.Join(slugs, " "); got != "mastra strands maf langgraph" {
		t.Errorf("the demos in order: %s", got)
	}
}

// TestSuggestionsAreUnderstood: each is a prompt that the probe sends to the real
// runtime, or one of the scripted model's list of answers, with a call of a tool.
func TestSuggestionsAreUnderstood(t *testing.T) {
	script := map[string]string{"mastra": "trip", "strands": "meeting", "maf": "expense", "langgraph": "refund"}
	raw, err := os.ReadFile(filepath.Join("..", "agenthost", "scriptedmodel", "testdata", "variations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range All() {
		if len(d.Suggestions) != 3 {
			t.Errorf("%s has %d suggestions", d.Slug, len(d.Suggestions))
		}
		probed, err := os.ReadFile(filepath.Join("..", "internal", "probe", "scenarios", d.Slug+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Suggestions {
			if s.Label == "" || s.Description == "" {
				t.Errorf("%s: %q has no words", d.Slug, s.Text)
			}
			if strings.Contains(string(probed), `"`+s.Text+`"`) {
				continue
			}
			_, answer, found := strings.Cut("\n"+string(raw), "\n"+script[d.Slug]+": "+s.Text+"\n")
			first, _, _ := strings.Cut(answer, "\n")
			if !found || !strings.HasSuffix(first, "}") {
				t.Errorf("%s: %q is answered with %q", d.Slug, s.Text, first)
			}
		}
	}
}
