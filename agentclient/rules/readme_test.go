package rules

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui/sse"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTheReadmeIsTrue: its program is the one of the examples, its tables name
// every kind of error and the limits as they are, its links lead somewhere.
func TestTheReadmeIsTrue(t *testing.T) {
	readme := read(t, "../README.md")
	_, program, _ := strings.Cut(readme, "```go\n")
	program, _, _ = strings.Cut(program, "```")
	if program == "" || !strings.Contains(read(t, "../example_test.go"), program) {
		t.Error("the program is not that of example_test.go")
	}

	kinds := regexp.MustCompile(`(?m)^\s(Kind\w+)\s+Kind = `).FindAllStringSubmatch(read(t, "../error.go"), -1)
	if len(kinds) < 10 {
		t.Errorf("%d kinds of error", len(kinds))
	}
	for _, k := range kinds {
		if !strings.Contains(readme, "| `"+k[1]+"` |") {
			t.Errorf("%s is missing", k[1])
		}
	}
	if rows := strings.Count(readme, "| `Kind"); rows != len(kinds) {
		t.Errorf("%d rows for %d kinds", rows, len(kinds))
	}

	const mib = 1 << 20
	for _, row := range []string{
		fmt.Sprintf("| `ConnectTimeout` | %v ", agentclient.DefaultConnectTimeout),
		fmt.Sprintf("| `StallTimeout` | %v ", agentclient.DefaultStallTimeout),
		fmt.Sprintf("| `MaxBytes` | %d MiB ", agentclient.DefaultMaxBytes/mib),
		fmt.Sprintf("| `MaxEvents` | %d ", agentclient.DefaultMaxEvents),
		fmt.Sprintf("| `SSE.MaxLine`, `SSE.MaxFrame` | %d MiB ", sse.DefaultMaxLine/mib),
	} {
		if !strings.Contains(readme, row) {
			t.Errorf("no row %q", row)
		}
	}
	if sse.DefaultMaxLine != sse.DefaultMaxFrame {
		t.Error("a line and a frame have limits of their own now")
	}

	for _, page := range []string{readme, read(t, "../RULES.md")} {
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat("../" + m[1]); err != nil {
				t.Errorf("a link to %s, which is not there", m[1])
			}
		}
	}
}
