package dialect

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/agui"
)

// recorded is a transcript of a real runtime: what was sent, and what came.
func recorded(t *testing.T, name string) (agui.RunAgentInput, []string) {
	t.Helper()
	file := "../../testdata/transcripts/" + name
	raw, err := os.ReadFile(file + ".request.json")
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Body agui.RunAgentInput `json:"body"`
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Fatal(err)
	}
	if raw, err = os.ReadFile(file + ".sse"); err != nil {
		t.Fatal(err)
	}
	var events []string
	for line := range strings.Lines(string(raw)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			events = append(events, strings.TrimSpace(data))
		}
	}
	return sent.Body, events
}

// told encodes what a writer said.
func told(t *testing.T, said ...[]agui.Event) []string {
	t.Helper()
	var events []string
	for _, ev := range slices.Concat(said...) {
		raw, err := agui.Encode(ev)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, string(raw))
	}
	return events
}

var minted = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|call_[0-9A-Za-z]+|\bnew-\d+`)

// alike writes events so that two runs that said the same in the same order are
// equal: ids are numbered as they first appear, pieces of one text are joined,
// members are sorted, and what without says is left out.
func alike(t *testing.T, events []string, without func(map[string]any)) []string {
	t.Helper()
	ids := map[string]string{}
	var list []map[string]any
	for _, raw := range events {
		raw = minted.ReplaceAllStringFunc(raw, func(id string) string {
			if ids[id] == "" {
				ids[id] = fmt.Sprintf("id%d", len(ids)+1)
			}
			return ids[id]
		})
		var ev map[string]any
		if err := json.Unmarshal([]byte(raw), &ev); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if without(ev); len(ev) == 0 {
			continue
		}
		if n := len(list); n > 0 && list[n-1]["type"] == ev["type"] && ev["delta"] != nil {
			if text, ok := ev["delta"].(string); ok {
				list[n-1]["delta"] = list[n-1]["delta"].(string) + text
				continue
			}
		}
		list = append(list, ev)
	}
	var lines []string
	for _, ev := range list {
		raw, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(raw))
	}
	return lines
}

func sameEvents(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Fatalf("event %d\n got %s\nwant %s", i, g, w)
		}
	}
}
