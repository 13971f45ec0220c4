package verify_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"cairn/agentclient/verify"
	"cairn/agui"
)

var update = flag.Bool("update", false, "rewrite what the rules give")

// TestRules runs testdata/section4 and testdata/section5, a file for each rule of
// these sections of the protocol, named after it. A file says what the rule asks
// and has, for each case X that breaks or keeps it:
//
//	-- frames X --   the events as they come, one a line
//	-- lenient X --  what comes of them, see [outcome]
//	-- strict X --   the same of a strict verifier
//	-- both X --     instead of these two, when they are the same
//
// The frames of "opening" come before those of each case; they break nothing.
func TestRules(t *testing.T) {
	for _, file := range ruleFiles(t) {
		t.Run(name(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.Fields(a.Comment)) < 4 {
				t.Error("the file does not say what the rule asks")
			}
			var opening [][]byte
			got := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				what, situation, _ := strings.Cut(f.Name, " ")
				switch what {
				case "opening":
					opening = lines(f.Data)
					got.Files = append(got.Files, f)
				case "frames":
					got.Files = append(got.Files, f)
					lenient := outcome(t, verify.Lenient, opening, lines(f.Data))
					strict := outcome(t, verify.Strict, opening, lines(f.Data))
					if lenient == strict {
						got.Files = append(got.Files, txtar.File{Name: "both " + situation, Data: []byte(lenient)})
						continue
					}
					got.Files = append(got.Files, txtar.File{Name: "lenient " + situation, Data: []byte(lenient)},
						txtar.File{Name: "strict " + situation, Data: []byte(strict)})
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, f := range got.Files {
				if i >= len(a.Files) || a.Files[i].Name != f.Name {
					t.Fatalf("%q is not where it should be; run with -update", f.Name)
				}
				if want := string(a.Files[i].Data); string(f.Data) != want {
					t.Errorf("%s\n%s\nwant\n%s", f.Name, f.Data, want)
				}
			}
			if len(a.Files) != len(got.Files) {
				t.Errorf("%d sections, want %d", len(a.Files), len(got.Files))
			}
		})
	}
}

// outcome is what comes of the frames after those of the opening, each line with
// the number of its frame: "note RULE: TEXT", for a strict verifier "error RULE:
// TEXT"; then the events handed on, those which no frame holds in full. It makes
// sure that nothing follows an error.
func outcome(t *testing.T, mode verify.Mode, opening, frames [][]byte) string {
	t.Helper()
	v := verify.New(mode)
	var out strings.Builder
	var failed *verify.Violation
	for i, frame := range slices.Concat(opening, frames) {
		ev, err := agui.Decode(frame)
		if err != nil {
			t.Fatalf("frame %d: %v", i+1, err)
		}
		events, broken := v.Feed(ev)
		if failed != nil {
			if len(events) > 0 || len(broken) != 1 || broken[0] != *failed {
				t.Errorf("frame %d, after %v: %d events and %v", i+1, *failed, len(events), broken)
			}
			continue
		}
		if i < len(opening) {
			if len(broken) > 0 {
				t.Fatalf("the opening breaks %v", broken)
			}
			continue
		}
		for _, b := range broken {
			kind := "note"
			if mode == verify.Strict {
				kind, failed = "error", &verify.Violation{Rule: b.Rule, Text: b.Text}
			}
			fmt.Fprintf(&out, "%d %s %s: %s\n", i+1, kind, b.Rule, b.Text)
		}
		for _, e := range events {
			fmt.Fprintf(&out, "%d %s\n", i+1, say(t, e, ev))
		}
	}
	return out.String()
}

// say writes an event that is handed on for a frame.
func say(t *testing.T, ev, frame agui.Event) string {
	t.Helper()
	if ev == frame {
		return string(ev.Head().Type)
	}
	text, err := agui.Encode(ev)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// harmless are the rules of section 5 that no event breaks, and why.
var harmless = map[string]string{
	"R5":  "checks nothing",
	"R6":  "the decoder reads null as absent",
	"R7":  "the decoder reads null as absent",
	"R8":  "the decoder reads null as absent",
	"R15": "forbids nothing",
	"R18": "forbids nothing",
	"R28": "forbids nothing",
	"R29": "forbids nothing",
	"R31": "sets owners, to which R30 holds others",
	"R32": "sets owners, to which R30 holds others",
	"R33": "forbids nothing",
}

// TestEveryRuleHasAFile: each rule of section 5 has a file of its number with a
// case that breaks it, but for the harmless; so have the parts of section 4 that
// can be broken.
func TestEveryRuleHasAFile(t *testing.T) {
	files, breaks := map[string]int{}, map[string]bool{}
	for _, file := range ruleFiles(t) {
		number, _, _ := strings.Cut(name(file), "-")
		rule := strings.Replace(number, "R0", "R", 1)
		files[rule]++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\d+ note (\S+): `).FindAllSubmatch(text, -1) {
			breaks[rule] = breaks[rule] || string(m[1]) == rule
		}
	}
	for n := 1; n <= 33; n++ {
		rule := fmt.Sprint("R", n)
		if files[rule] != 1 {
			t.Errorf("rule %s has %d files", rule, files[rule])
		}
		if breaks[rule] == (harmless[rule] != "") {
			t.Errorf("rule %s is broken: %v; harmless: %q", rule, breaks[rule], harmless[rule])
		}
		delete(files, rule)
	}
	for part, broken := range map[string]bool{"4.1": true, "4.2": true, "4.3": false, "4.4": false} {
		if files[part] == 0 || breaks[part] != broken {
			t.Errorf("section %s has %d files and is broken: %v", part, files[part], breaks[part])
		}
		delete(files, part)
	}
	if len(files) > 0 {
		t.Errorf("files of no rule: %v", files)
	}
}

func ruleFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/section?/*")
	if err != nil || len(files) < 33 {
		t.Fatal(len(files), err)
	}
	return files
}

func name(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }

func lines(text []byte) [][]byte {
	return slices.DeleteFunc(bytes.Split(text, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
}

// TestOneIDOfTwoKinds: a tool call may have the id of a message.
func TestOneIDOfTwoKinds(t *testing.T) {
	v := verify.New(verify.Lenient)
	v.Feed(&agui.RunStarted{})
	v.Feed(chunk("x", ""))
	x, name := "x", "look"
	call := &agui.ToolCallChunk{ToolCallID: &x, ToolCallName: &name}
	call.SubagentRunID = "s"
	events, broken := v.Feed(call)
	if len(broken) > 0 || len(events) != 1 || events[0].Head().SubagentRunID != "s" {
		t.Errorf("%v %v", events, broken)
	}
	if events, broken = v.Feed(chunk("x", "")); len(broken) > 0 || len(events) != 1 {
		t.Errorf("then %v %v", events, broken)
	}
}
