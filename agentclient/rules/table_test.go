package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTheTableAndTheTestsAgree: RULES.md has a row for each rule from 31 on, and
// every rule that is kept has a test with its number in its name.
func TestTheTableAndTheTestsAgree(t *testing.T) {
	tested := map[string]bool{}
	name := regexp.MustCompile(`(?m)^func TestRule(\d\d)\w+\(t \*testing\.T\)`)
	for _, dir := range []string{".", "../interrupt", "../conversation", "../verify", ".."} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range name.FindAllSubmatch(src, -1) {
				tested[string(m[1])] = true
			}
		}
	}
	table, err := os.ReadFile("../RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d\d) \| [^|]+ \| (same|better|not ours) \| [^|]+ \|$`).FindAllSubmatch(table, -1) {
		if kept[string(m[1])] != "" {
			t.Errorf("rule %s has two rows", m[1])
		}
		kept[string(m[1])] = string(m[2])
	}
	for n := 1; n <= 58; n++ {
		rule := fmt.Sprintf("%02d", n)
		if n > 30 && kept[rule] == "" {
			t.Errorf("rule %s has no row", rule)
		}
		if kept[rule] != "not ours" && !tested[rule] {
			t.Errorf("rule %s has no test", rule)
		}
	}
}
