package replay

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agui/sse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const transcripts = "../../agentclient/testdata/transcripts/mastra"

func read(t testing.TB, data string) *Stream {
	t.Helper()
	s, err := Read(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func text(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, "capture"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func document(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to accept)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// Reports of the captured streams, and of a hand-made one with everything else.
func TestGoldenReports(t *testing.T) {
	files := []string{filepath.Join("testdata", "everything.sse"), filepath.Join("testdata", "broken.sse")}
	for _, name := range []string{
		"05-packing-list-create", "10-interrupt", "73-subagent-delegation", "80-two-tools-parallel", "84-tool-throws", "91-model-drops-midstream",
	} {
		files = append(files, filepath.Join(transcripts, name+".sse"))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := read(t, string(raw)).Report()
			golden(t, name+".txt", text(t, r))
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(document(t, r)), "", "  "); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", pretty.String())
		})
	}
}

// The same events report the same, whatever they came in.
func TestFormatsAgree(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts, "*.sse"))
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range append(files, filepath.Join("testdata", "everything.sse")) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		for frames := sse.NewReader(bytes.NewReader(raw), sse.Limits{}); ; {
			frame, err := frames.Next()
			if err != nil {
				break
			}
			events = append(events, strings.ReplaceAll(frame.Data, "\n", " "))
		}
		want := read(t, string(raw))
		for name, same := range map[string]string{
			"crlf":        strings.ReplaceAll(string(raw), "\n", "\r\n"),
			"cr":          strings.ReplaceAll(string(raw), "\n", "\r"),
			"bom":         "\uFEFF" + string(raw),
			"comments":    ": hello\n\n" + strings.ReplaceAll(string(raw), "\n\n", "\n\n: ping\n\n"),
			"json lines":  strings.Join(events, "\n") + "\n",
			"blank lines": "\n" + strings.Join(events, "\r\n\r\n"),
			"json array":  "[" + strings.Join(events, ",\n") + "]",
			"spaced":      " [\n" + strings.Join(events, "\n,\n") + "\n]\n",
		} {
			t.Run(filepath.Base(file)+" as "+name, func(t *testing.T) {
				got := read(t, same)
				got.Format = want.Format
				a, b := got.Report(), want.Report()
				for _, r := range []*Report{a, b} {
					for i := range r.Findings {
						r.Findings[i].Line = 0
					}
				}
				if a, b := document(t, a), document(t, b); a != b {
					t.Errorf("got\n%s\nwant\n%s", a, b)
				}
			})
		}
	}
}

// Every stream that was captured, of whatever runtime, can be read.
func TestEveryCaptureReads(t *testing.T) {
	files, err := filepath.Glob("../../agentclient/testdata/transcripts/*/*.sse")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(raw, []byte("data:")) {
			continue // the answer to a bad request
		}
		s, err := Read(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		r := s.Report()
		if r.Events != bytes.Count(raw, []byte("data:")) && len(r.Findings) == 0 || len(r.Runs) == 0 || r.Runs[0].Status == "running" {
			t.Errorf("%s: %d events, runs %+v", file, r.Events, r.Runs)
		}
		harmless(t, strings.ReplaceAll(text(t, r), "\n", ""))
		harmless(t, strings.TrimSuffix(document(t, r), "\n"))
	}
}
