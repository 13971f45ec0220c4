package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
)

func TestReplayExitCodes(t *testing.T) {
	for _, tc := range []struct {
		name, capture string
		code          int
		out, errOut   string
	}{
		{"clean", runStarted + runFinished, 0, "no violations", ""},
		{"violations", runStarted, 1, "frame 1 (line 1) violation 9.2", ""},
		{"no event stream", runStarted + "oops\n", 2, "", "line 2 is not an event: oops"},
		{"empty", "", 2, "", "the input is empty"},
		{"too large", strings.Repeat(" ", 20<<20+1), 2, "", "larger than 20 MB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "capture")
			if err := os.WriteFile(file, []byte(tc.capture), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, errOut bytes.Buffer
			if code := run(t.Context(), []string{"replay", file}, &out, &errOut); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if !strings.Contains(out.String(), tc.out) || (tc.out == "") != (out.Len() == 0) {
				t.Errorf("stdout %q, want %q in it", out.String(), tc.out)
			}
			if !strings.Contains(errOut.String(), tc.errOut) || (tc.errOut == "") != (errOut.Len() == 0) {
				t.Errorf("stderr %q, want %q in it", errOut.String(), tc.errOut)
			}
			var doc struct {
				Version int
				Clean   bool
			}
			out.Reset()
			code := run(t.Context(), []string{"replay", "--json", file}, &out, &errOut)
			if code != tc.code || code < 2 && (json.Unmarshal(out.Bytes(), &doc) != nil || doc.Version != 1 || doc.Clean != (code == 0)) {
				t.Errorf("--json: exit code %d: %s", code, out.String())
			}
		})
	}
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"replay", filepath.Join(t.TempDir(), "absent")}, &out, &errOut); code != 2 {
		t.Errorf("no such file: exit code %d", code)
	}
}

func TestReplayReadsStandardInput(t *testing.T) {
	var out bytes.Buffer
	a := &app{ctx: t.Context(), in: strings.NewReader("data: " + runStarted + "\ndata: " + runFinished + "\n"), out: &out}
	if err := (&replayCmd{File: "-"}).Run(a); err != nil || !strings.Contains(out.String(), "2 events in sse") {
		t.Errorf("%v %s", err, out.String())
	}
}
