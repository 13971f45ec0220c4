package probe

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what the tests expect")

// TestJudge judges made-up answers. Each file of testdata/judge is for one
// surface and holds cases: "case: step" is an answer in the notation of [answer],
// "case: want" the verdict.
func TestJudge(t *testing.T) {
	files, err := filepath.Glob("testdata/judge/*.txtar")
	if err != nil || len(files) != len(surfaceOrder) {
		t.Fatalf("%d files for %d surfaces: %v", len(files), len(surfaceOrder), err)
	}
	for _, file := range files {
		surface := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(surface, func(t *testing.T) { judgeFile(t, file, surface) })
	}
}

func judgeFile(t *testing.T, file, surface string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]*Recording{}
	for _, f := range archive.Files {
		name, step, ok := strings.Cut(f.Name, ": ")
		if !ok {
			t.Fatalf("%s: a file is called %q", file, f.Name)
		}
		rec := cases[name]
		if rec == nil {
			rec = everything(t)
			cases[name] = rec
		}
		if step == "want" {
			continue
		}
		if step == "no done" {
			rec.Scenario.Interrupts.Done = ""
			continue
		}
		of := surface
		if other, inner, found := strings.Cut(step, "/"); found {
			of, step = other, inner
		}
		addStep(t, rec, of, step, string(f.Data))
	}
	for i := range archive.Files {
		f := &archive.Files[i]
		name, step, _ := strings.Cut(f.Name, ": ")
		if step != "want" {
			continue
		}
		got := ""
		for _, s := range Evaluate(cases[name]).Surfaces {
			if s.Name == surface {
				got = fmt.Sprintf("%s | %s\n%s\n", s.Status, s.Cause, s.Detail)
				for _, fact := range s.Facts {
					if fact.Name != "grammar" {
						got += fmt.Sprintf("%s: %s\n", fact.Name, fact.Value)
					}
				}
			}
		}
		if *update {
			f.Data = []byte(got)
		} else if got != string(f.Data) {
			t.Errorf("%s\n got %swant %s", name, got, f.Data)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// everything is a recording of a scenario with all surfaces and no exchanges.
func everything(t *testing.T) *Recording {
	t.Helper()
	s, err := LoadScenario("mastra")
	if err != nil {
		t.Fatal(err)
	}
	s.Transport = "protocol"
	s.Interrupts.Done = "Booked"
	return &Recording{Version: recordingVersion, Scenario: s, Token: true, Path: "/agent"}
}

// addStep adds an answer, or a skipped step, at its place in the plan.
func addStep(t *testing.T, rec *Recording, surface, name, text string) {
	t.Helper()
	for _, s := range Plan(rec.Scenario, true) {
		if s.Surface != surface || s.Name != name {
			continue
		}
		if why, ok := strings.CutPrefix(text, "!skipped "); ok {
			why, ours := strings.CutPrefix(strings.TrimSpace(why), "ours ")
			rec.Skipped = append(rec.Skipped, Skipped{Step: s, Why: why, Ours: ours})
			return
		}
		x := answer(t, text)
		x.Step, x.File, x.RunID = s, s.file(), "r"
		rec.Exchanges = append(rec.Exchanges, x)
		return
	}
	t.Fatalf("no step %s/%s", surface, name)
}

// answer makes an exchange of lines: an event's type and the rest of its JSON, or
// one of the words below; "@12" before it is when it came. Lines with an
// exclamation mark say how the answer went.
func answer(t *testing.T, text string) Exchange {
	t.Helper()
	x := Exchange{Status: 200, ContentType: "text/event-stream", Request: []byte(`{}`)}
	var body strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if at, rest, ok := strings.Cut(line, " "); ok && at[0] == '@' {
			ms, err := strconv.ParseFloat(at[1:], 64)
			if err != nil {
				t.Fatal(err)
			}
			x.Times = append(x.Times, ms)
			line = rest
		}
		word, rest, _ := strings.Cut(line, " ")
		quoted, _ := json.Marshal(rest)
		switch word {
		case "!status":
			x.Status, x.ContentType = 0, "application/json"
			fmt.Sscan(rest, &x.Status)
		case "!type":
			x.ContentType = rest
		case "!left":
			x.Aborted = true
		case "!failed":
			x.Failed = rest
		case "!start":
			fmt.Sscan(rest, &x.StartMS)
		case "!raw":
			fmt.Fprintf(&body, "%s\n\n", rest)
		case "begin":
			fmt.Fprint(&body, `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}`, "\n\n")
		case "end":
			fmt.Fprint(&body, `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}`, "\n\n")
		case "say":
			fmt.Fprintf(&body, "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":%s}\n\n", quoted)
		case "result":
			fmt.Fprintf(&body, "data: {\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"res\",\"toolCallId\":\"c\",\"content\":%s}\n\n", quoted)
		case "fail":
			fmt.Fprintf(&body, "data: {\"type\":\"RUN_ERROR\",\"message\":%s}\n\n", quoted)
		case "notice":
			fmt.Fprintf(&body, "data: {\"type\":\"CUSTOM\",\"name\":\"on_interrupt\",\"value\":%s}\n\n", quoted)
		case "ask":
			fmt.Fprint(&body, `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"why"}]}}`, "\n\n")
		default:
			if rest == "" {
				rest = "{}"
			}
			rest = strings.TrimPrefix(rest, "{")
			if rest != "}" {
				rest = "," + rest
			}
			fmt.Fprintf(&body, "data: {\"type\":%q%s\n\n", word, rest)
		}
	}
	x.Body = []byte(body.String())
	return x
}
