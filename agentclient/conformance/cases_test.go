package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"cairn/agui"
)

// testCase is one line of testdata.
type testCase struct {
	Label string `json:"case"`
	// Events are the input, as received.
	Events []json.RawMessage `json:"events"`
	// Reads are the input of sse.jsonl: the bytes, as the reads split them.
	Reads []string `json:"reads"`
	// Messages and State are what the reducer begins with.
	Messages []agui.Message  `json:"messages"`
	State    json.RawMessage `json:"state"`

	// Out is what the input is expanded, framed or compacted to.
	Out []json.RawMessage `json:"out"`
	// Refused is set when the stream ends with an error.
	Refused *refusal `json:"refused"`
	// WantMessages and WantState are what the reducer is left with.
	WantMessages []json.RawMessage `json:"wantMessages"`
	WantState    json.RawMessage   `json:"wantState"`
}

// refusal is the input event, or the frame, from 1, at which a stream is refused, and
// the order rule or the section of the protocol that it breaks.
type refusal struct {
	At   int    `json:"at"`
	Rule string `json:"rule"`
}

// tally is how the cases of a suite come out.
type tally struct{ Equal, Different int }

// play runs the cases of a suite. Want is what the protocol's own client makes of a
// case and got is what ours makes of it. They differ in the cases that departures lists, and in
// no other. What ours makes of those is in testdata/SUITE.ours.txtar, so that a change of it
// is seen.
func play(t *testing.T, suite string, run func(t *testing.T, c testCase) (want, got string)) {
	file := filepath.Join("testdata", suite+".ours.txtar")
	golden := map[string]string{}
	if a, err := txtar.ParseFile(file); err == nil {
		for _, f := range a.Files {
			golden[f.Name] = string(f.Data)
		}
	}
	ours := &txtar.Archive{}
	var sum tally
	seen := map[string]bool{}
	for _, c := range read(t, suite) {
		if seen[c.Label] {
			t.Errorf("two cases are called %s", c.Label)
		}
		seen[c.Label] = true
		departure, listed := departures[suite][c.Label]
		t.Run(c.Label, func(t *testing.T) {
			want, got := run(t, c)
			switch {
			case want != got && !listed:
				t.Errorf("ours:\n%s\ntheirs:\n%s", got, want)
			case want == got && listed:
				t.Errorf("no longer different, so take it off the list: %s", departure)
			case listed:
				ours.Files = append(ours.Files, txtar.File{Name: c.Label, Data: []byte(got + "\n")})
				if !*update && golden[c.Label] != got+"\n" {
					t.Errorf("ours:\n%s\nwas:\n%s\ntheirs:\n%s", got, golden[c.Label], want)
				}
			}
		})
		if !listed {
			sum.Equal++
			continue
		}
		sum.Different++
		delete(golden, c.Label)
	}
	for label := range departures[suite] {
		if !seen[label] {
			t.Errorf("%s is listed and has no case", label)
		}
	}
	for label := range golden {
		if !*update {
			t.Errorf("%s is in %s and not listed; run with -update", label, file)
		}
	}
	t.Logf("%s: %d equal, %d deliberately different", suite, sum.Equal, sum.Different)
	if sum != counts[suite] {
		t.Errorf("counted %+v, want %+v", sum, counts[suite])
	}
	if *update && len(ours.Files) > 0 && len(ours.Files) == sum.Different {
		if err := os.WriteFile(file, txtar.Format(ours), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var update = flag.Bool("update", false, "rewrite what ours makes of the cases that differ")

func read(t *testing.T, suite string) []testCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", suite+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s.jsonl, line %d: %v", suite, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// canonical is JSON with its members in order and without spaces.
func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
