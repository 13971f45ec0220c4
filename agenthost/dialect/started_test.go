package dialect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agui"
)

// TestStartedDeclaresTheVersion: RUN_STARTED has the protocol's version where each
// recording of the real runtime has it, and nowhere else.
func TestStartedDeclaresTheVersion(t *testing.T) {
	for dir, d := range map[string]Dialect{
		"mastra": Mastra{}, "strands": Strands{}, "maf": AgentFramework{},
		"langgraph": LangGraph{}, "langgraph-native": LangGraph{Native: true},
	} {
		t.Run(dir, func(t *testing.T) {
			version := func(raw string) string {
				var started struct{ Type, ProtocolVersion string }
				if err := json.Unmarshal([]byte(raw), &started); err != nil || started.Type != string(agui.TypeRunStarted) {
					return "no run"
				}
				return started.ProtocolVersion
			}
			got := version(told(t, d.NewWriter(Run{ThreadID: "t", RunID: "r"}).Started())[0])
			files, err := filepath.Glob("../../testdata/transcripts/" + dir + "/*.sse")
			if err != nil || len(files) < 20 {
				t.Fatalf("%d recordings, %v", len(files), err)
			}
			runs := 0
			for _, file := range files {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				first, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "data: "), "\n")
				if want := version(first); want != "no run" {
					runs++
					if got != want {
						t.Errorf("version %q, %s has %q", got, file, want)
					}
				}
			}
			if runs < 20 {
				t.Errorf("%d runs", runs)
			}
		})
	}
}
