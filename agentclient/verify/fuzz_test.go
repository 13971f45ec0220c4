package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// FuzzFeed feeds any events, one JSON object a line: no chunk comes out, the two
// modes agree on the first violation, and a strict verifier is silent after it.
func FuzzFeed(f *testing.F) {
	paths, _ := filepath.Glob("../testdata/transcripts/mastra/*.sse")
	if len(paths) == 0 {
		f.Fatal("no captured streams")
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.ReplaceAll(raw, []byte("data: "), nil))
	}
	for _, file := range ruleFiles(f) {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var opening []byte
		for _, section := range a.Files {
			if section.Name == "opening" {
				opening = section.Data
			} else if strings.HasPrefix(section.Name, "frames ") {
				f.Add(slices.Concat(opening, section.Data))
			}
		}
	}
	f.Add([]byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"b"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"c"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		lenient, strict := verify.New(verify.Lenient), verify.New(verify.Strict)
		first := ""
		for line := range bytes.Lines(in) {
			ev, err := agui.Decode(bytes.TrimSpace(line))
			if err != nil {
				continue
			}
			events, broken := lenient.Feed(ev)
			for _, e := range events {
				switch e.(type) {
				case *agui.TextMessageChunk, *agui.ToolCallChunk, *agui.ReasoningMessageChunk:
					t.Fatalf("%s comes out of %s", e.Head().Type, line)
				}
			}
			if slices.ContainsFunc(broken, func(b verify.Violation) bool { return b.Allowed }) {
				return // from here on the two read different streams
			}
			was := first
			if first == "" && len(broken) > 0 {
				first = broken[0].Rule
			}
			got, violations := strict.Feed(ev)
			if (first != "") != (len(violations) == 1) || first != "" && violations[0].Rule != first {
				t.Fatalf("%s: lenient broke %q first, strict says %v", line, first, violations)
			}
			if was != "" && len(got) > 0 {
				t.Fatalf("%s: strict goes on", line)
			}
		}
	})
}
