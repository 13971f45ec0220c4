// Package archtest executes the import arrows of ARCHITECTURE.md: a package may
// import of this module only what its row allows.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our packages each package may import; a trailing /...
// covers what is below. Test files may import more.
var arrows = map[string][]string{
	"cairn":                            {},
	"cairn/agui":                       {"cairn/internal/jsontext"},
	"cairn/agui/sse":                   {},
	"cairn/agentclient":                {"cairn/agui/...", "cairn/agentclient/conversation", "cairn/agentclient/interrupt", "cairn/agentclient/verify", "cairn/internal/mask"},
	"cairn/agentclient/verify":         {"cairn/agui"},
	"cairn/agentclient/conversation":   {"cairn/agui", "cairn/agentclient/jsonpatch", "cairn/agentclient/verify"},
	"cairn/agentclient/jsonpatch":      {},
	"cairn/agentclient/interrupt":      {"cairn/agui", "cairn/internal/jsontext"},
	"cairn/agentclient/rules":          {},
	"cairn/agentclient/conformance":    {},
	"cairn/agentclient/agenttest":      {"cairn/agui/...", "cairn/agentclient/..."},
	"cairn/agenthost/...":              {"cairn/agui/...", "cairn/agenthost/...", "cairn/internal/crash", "cairn/internal/logging", "cairn/internal/mask", "cairn/internal/jsontext"},
	"cairn/agenthost/hosttest":         {"cairn/agui/...", "cairn/agenthost/...", "cairn/agentclient/verify"},
	"cairn/internal/threadlog":         {},
	"cairn/internal/threadlog/hub":     {},
	"cairn/internal/threadlog/sqlite":  {"cairn/internal/threadlog", "cairn/internal/threadlog/hub"},
	"cairn/internal/threadlog/memory":  {"cairn/internal/threadlog", "cairn/internal/threadlog/hub"},
	"cairn/internal/threadlog/logtest": {"cairn/internal/threadlog"},
	"cairn/internal/thread":            {"cairn/agui", "cairn/agentclient/...", "cairn/internal/threadlog"},
	"cairn/internal/runner":            {"cairn/agui", "cairn/agentclient/...", "cairn/internal/crash", "cairn/internal/thread", "cairn/internal/threadlog"},
	"cairn/internal/form":              {"cairn/internal/jsontext"},
	"cairn/internal/media":             {},
	"cairn/internal/view":              {"cairn/agui", "cairn/agentclient/...", "cairn/components", "cairn/demos", "cairn/internal/crash", "cairn/internal/form", "cairn/internal/markdown", "cairn/internal/media", "cairn/internal/plaintext", "cairn/internal/thread", "cairn/internal/threadlog", "cairn/internal/jsontext"},
	"cairn/internal/view/viewtest":     {},
	"cairn/internal/markdown":          {},
	"cairn/internal/config":            {"cairn/agentclient"},
	"cairn/internal/datadir":           {},
	"cairn/internal/crash":             {},
	"cairn/internal/logging":           {"cairn/internal/mask"},
	"cairn/internal/jsontext":          {},
	"cairn/internal/mask":              {},
	"cairn/internal/plaintext":         {},
	"cairn/internal/reach":             {},
	"cairn/internal/archtest":          {},
	"cairn/internal/replay":            {"cairn/agui/...", "cairn/agentclient/...", "cairn/internal/media", "cairn/internal/jsontext"},
	"cairn/internal/probe":             {"cairn/agui/...", "cairn/agentclient/...", "cairn/internal/jsontext"},
	"cairn/internal/matrix":            {"cairn/agui", "cairn/components", "cairn/internal/probe"},
	"cairn/internal/matrix/generate":   {"cairn/internal/matrix", "cairn/internal/jsontext"},
	"cairn/internal/peer":              {},
	"cairn/internal/testall":           {},
	"cairn/internal/hostile":           {},
	"cairn/internal/bench":             {"cairn/..."}, // it measures the whole app
	"cairn/components":                 {"cairn/internal/markdown"},
	"cairn/demos":                      {"cairn/components", "cairn/agentclient/conversation", "cairn/agentclient/interrupt", "cairn/agentclient/jsonpatch"},
	"cairn/static":                     {},
	"cairn/web":                        {"cairn/components", "cairn/demos", "cairn/internal/crash", "cairn/internal/form", "cairn/internal/markdown", "cairn/internal/matrix", "cairn/internal/plaintext", "cairn/internal/runner", "cairn/internal/threadlog", "cairn/internal/view"},
	"cairn/cmd/...":                    {"cairn/..."},
	"cairn/e2e/...":                    {"cairn/agui/...", "cairn/agentclient/..."},
}

// thirdParty is where a dependency may be imported; "" allows none. Packages that
// are not named here may import any module of go.mod.
var thirdParty = map[string][]string{
	"cairn/agui":                     {},
	"cairn/agui/sse":                 {},
	"cairn/agentclient":              {},
	"cairn/internal/logging":         {},
	"cairn/internal/mask":            {},
	"cairn/internal/plaintext":       {},
	"cairn/agentclient/agenttest":    {},
	"cairn/agentclient/conversation": {},
	"cairn/agentclient/jsonpatch":    {},
	"cairn/agentclient/verify":       {},
	"cairn/agentclient/interrupt":    {},
	"cairn/internal/threadlog":       {},
	"cairn/internal/thread":          {},
	"cairn/internal/runner":          {"github.com/google/uuid"},
	"cairn/internal/probe":           {"github.com/google/uuid"},
	"cairn/internal/form":            {"github.com/google/jsonschema-go/jsonschema"},
	"cairn/internal/view":            {"github.com/google/uuid", "github.com/a-h/templ"},
	"cairn/components":               {"github.com/a-h/templ", "github.com/a-h/templ/runtime"},
	"cairn/demos":                    {},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportArrows(t *testing.T) {
	for _, p := range packages(t) {
		allowed, known := rowFor(arrows, p.ImportPath)
		if !known {
			t.Errorf("%s has no row of arrows", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if ours(imp) && !slices.ContainsFunc(allowed, func(a string) bool { return covers(a, imp) }) {
				t.Errorf("%s must not import %s", p.ImportPath, imp)
			}
			row, limited := thirdParty[p.ImportPath]
			if external(imp) && limited && !slices.Contains(row, imp) {
				t.Errorf("%s must not depend on %s", p.ImportPath, imp)
			}
		}
	}
}

var stores = []string{"cairn/internal/threadlog/sqlite", "cairn/internal/threadlog/memory", "cairn/agenthost/sqlite", "cairn/agenthost/inmem", "cairn/agenthost/trip/ledger"}

// TestOnlyCommandsNameStores keeps the choice of a store in cmd; what measures a
// store, and what serves the tests of agents, names it too.
func TestOnlyCommandsNameStores(t *testing.T) {
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, "cairn/cmd/") || p.ImportPath == "cairn/internal/bench" || p.ImportPath == "cairn/agenthost/hosttest" {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(stores, imp) {
				t.Errorf("%s names the store %s", p.ImportPath, imp)
			}
		}
	}
}

// testsOnly is what tests share and nothing that is shipped may use.
var testsOnly = []string{"cairn/agenthost/hosttest", "cairn/agenthost/hosttest/chat", "cairn/internal/threadlog/logtest", "cairn/internal/view/viewtest"}

func TestOnlyTestsImportWhatIsForTests(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if slices.Contains(testsOnly, imp) && !slices.Contains(testsOnly, p.ImportPath) {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, imp)
			}
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "cairn/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func rowFor(rows map[string][]string, path string) ([]string, bool) {
	if row, ok := rows[path]; ok {
		return row, true
	}
	for pattern, row := range rows {
		if covers(pattern, path) {
			return row, true
		}
	}
	return nil, false
}

func covers(pattern, path string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return path == base || below && strings.HasPrefix(path, base+"/")
}

func ours(path string) bool { return path == "cairn" || strings.HasPrefix(path, "cairn/") }

func external(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}
