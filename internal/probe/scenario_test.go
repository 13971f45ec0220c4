package probe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestShippedScenarios(t *testing.T) {
	names := Scenarios()
	if !slices.Equal(names, []string{"langgraph-native", "langgraph", "maf", "mastra", "strands"}) &&
		!slices.Equal(names, []string{"langgraph", "langgraph-native", "maf", "mastra", "strands"}) {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		s, err := LoadScenario(name)
		if err != nil || s.Name != name || s.Title == "" {
			t.Errorf("%s: %+v %v", name, s, err)
		}
		if s.Interrupts == nil || s.Interrupts.done() == nil || s.Tools == "" || s.Subagents == "" || s.Errors == "" || s.Long == "" || len(s.State) == 0 {
			t.Errorf("%s leaves a surface out", name)
		}
	}
}

func TestOwnScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(file, []byte(`{"name":"mine","messages":["hi"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := LoadScenario(file); err != nil || s.Name != "mine" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestScenarioErrors(t *testing.T) {
	for _, tc := range []struct{ raw, says string }{
		{``, "not a scenario: EOF"},
		{"{\n\"name\": \"a\",\n}", "line 3 is not JSON"},
		{`[]`, "must not be a JSON array"},
		{`{"name":"a","messages":"hi"}`, "messages must not be a JSON string"},
		{`{"name":"a","messages":["hi"],"interrupts":{"prompt":1}}`, "interrupts.prompt must not be a JSON number"},
		{`{"name":"a","messages":["hi"],"promtp":"x"}`, `unknown field "promtp"`},
		{`{"name":"a","messages":["hi"]} x`, "something follows"},
		{`{"messages":["hi"]}`, "name must be a word"},
		{`{"name":"../a","messages":["hi"]}`, "name must be a word"},
		{`{"name":"a"}`, "messages must hold at least one prompt"},
		{`{"name":"a","messages":["hi"," "]}`, "messages[1] must not be empty"},
		{`{"name":"a","messages":["hi"],"state":[""]}`, "state[0] must not be empty"},
		{`{"name":"a","messages":["1","2","3","4","5","6","7","8","9","10","11"]}`, "messages must not hold more than 10"},
		{`{"name":"a","messages":["hi"],"transport":"carrier pigeon"}`, `not "carrier pigeon"`},
		{`{"name":"a","messages":["hi"],"interrupts":{"approve":1,"decline":2}}`, "interrupts.prompt must not be empty"},
		{`{"name":"a","messages":["hi"],"interrupts":{"prompt":"x","decline":2}}`, "interrupts.approve is missing"},
		{`{"name":"a","messages":["hi"],"interrupts":{"prompt":"x","approve":2}}`, "interrupts.decline is missing"},
		{`{"name":"a","messages":["hi"],"interrupts":{"prompt":"x","approve":1,"decline":2,"done":"("}}`, "interrupts.done: error parsing regexp"},
	} {
		if _, err := ParseScenario([]byte(tc.raw)); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.raw, err, tc.says)
		}
	}
	for _, tc := range []struct{ name, says string }{
		{"mastr", `no scenario is named "mastr"; there are `},
		{"./absent.json", "no such file"},
	} {
		if _, err := LoadScenario(tc.name); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
	file := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(file, make([]byte, maxScenario+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadScenario(file); err == nil || !strings.Contains(err.Error(), "larger than 1 MB") {
		t.Error(err)
	}
}

func FuzzParseScenario(f *testing.F) {
	for _, name := range Scenarios() {
		raw, err := shipped.ReadFile("scenarios/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := ParseScenario(raw)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for i, step := range Plan(s, true) {
			if step.Number != i+1 || !fileName.MatchString(step.file()) || seen[step.Surface+step.Name] {
				t.Errorf("step %+v", step)
			}
			seen[step.Surface+step.Name] = true
		}
	})
}
