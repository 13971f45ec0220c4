package cairn

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
)

// TestTranscriptsArePacked compares the packed recordings with the folder, both ways.
func TestTranscriptsArePacked(t *testing.T) {
	packed, err := Transcripts()
	if err != nil {
		t.Fatal(err)
	}
	const dir = "testdata/transcripts"
	count := func(in, from fs.FS) (n int) {
		err := fs.WalkDir(in, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n++
			want, err := fs.ReadFile(in, name)
			if err != nil {
				return err
			}
			if got, err := fs.ReadFile(from, name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not packed as it is (%v); run `make gen`", name, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	repository := os.DirFS(".")
	if n, m := count(repository, packed), count(packed, repository); n != m || n < 100 {
		t.Errorf("%d files, %d packed", n, m)
	}
}
