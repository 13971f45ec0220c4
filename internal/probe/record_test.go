package probe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestForeignDirectory(t *testing.T) {
	dir := t.TempDir()
	note := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(note, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	rec := everything(t)
	if err := rec.Write(dir); !errors.Is(err, ErrForeign) {
		t.Errorf("%v", err)
	}
	if err := CheckDir(note); err == nil {
		t.Error("a file was taken for a directory")
	}
	if err := CheckDir(filepath.Join(dir, "new", "deep")); err != nil {
		t.Error(err)
	}
}

// TestReplacingKeepsOtherFiles: only what the earlier recording names is removed.
func TestReplacingKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	rec := everything(t)
	addStep(t, rec, SurfaceMessages, "prompt 1", "begin\nsay hi\nend\n")
	addStep(t, rec, SurfaceInput, stepNotJSON, "!status 400\n")
	rec.Exchanges[1].Request = []byte(`{"threadId":`)
	if err := rec.Write(dir); err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(dir, "README.md")
	if err := os.WriteFile(readme, []byte("how to make it again"), 0o600); err != nil {
		t.Fatal(err)
	}
	back, err := ReadRecording(os.DirFS(dir))
	if err != nil || string(back.Exchanges[1].Request) != `{"threadId":` || !strings.Contains(string(back.Exchanges[0].Body), "hi") {
		t.Fatalf("%+v %v", back, err)
	}
	rec.Exchanges = rec.Exchanges[:1]
	if err := rec.Write(dir); err != nil {
		t.Fatal(err)
	}
	for file, there := range map[string]bool{
		"README.md": true, "01-messages-prompt-1.sse": true, "30-input-not-json.body": false, "30-input-not-json.request.json": false,
	} {
		if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != there {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestReplacingRemovesNothingElsewhere: an index that names other files is not obeyed.
func TestReplacingRemovesNothingElsewhere(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "mine.sse")
	into := filepath.Join(dir, "recording")
	if err := errors.Join(os.Mkdir(into, 0o700), os.WriteFile(outside, nil, 0o600),
		os.WriteFile(filepath.Join(into, indexFile), []byte(`{"version":1,"exchanges":[{"file":"../mine"}]}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := everything(t).Write(into); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestReadErrors(t *testing.T) {
	const head = `{"version":1,"scenario":{"name":"a","messages":["hi"]},"exchanges":[`
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, tc := range []struct {
		name string
		fs   fstest.MapFS
		says string
	}{
		{"empty", fstest.MapFS{}, "recording.json"},
		{"no JSON", fstest.MapFS{indexFile: file("x")}, "invalid character"},
		{"another version", fstest.MapFS{indexFile: file(`{"version":2}`)}, "is of version 2, want 1"},
		{"no scenario", fstest.MapFS{indexFile: file(`{"version":1}`)}, "scenario: name"},
		{"a way out", fstest.MapFS{indexFile: file(head + `{"number":1,"file":"../../etc/passwd","status":200}]}`)}, `file name "../../etc/passwd"`},
		{"no request", fstest.MapFS{indexFile: file(head + `{"number":1,"file":"01-a","status":200}]}`)}, "01-a.request.json"},
		{"no answer", fstest.MapFS{indexFile: file(head + `{"number":1,"file":"01-a","status":200}]}`), "01-a.request.json": file("{}")}, "01-a.body"},
		{"bad times", fstest.MapFS{indexFile: file(head + `{"number":1,"file":"01-a","status":200}]}`), "01-a.request.json": file("{}"), "01-a.sse": file(""), "01-a.times.json": file("[]")}, "01-a.times.json"},
	} {
		if _, err := ReadRecording(tc.fs); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
}
