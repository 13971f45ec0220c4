// Package cairn embeds those of the repository's own files that the pages show: the
// sources on the Code tab, so that what a reader sees there is what runs, and the
// recordings that the support matrix is computed from.
package cairn

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
)

// Sources holds the files by their path in the repository.
//
//go:embed agenthost/dialect/*.go agenthost/expense/*.go agenthost/meeting/*.go agenthost/refund/*.go agenthost/trip/*.go
//go:embed demos/*.go internal/runner/*.go internal/view/*.go static/js/*.js
//go:embed runtimes/langgraph/*.py runtimes/maf/*.py runtimes/strands/*.py
var Sources embed.FS

// The recordings are packed by `make gen`, to a twentieth of their size.
//
//go:embed testdata/transcripts.zip
var packed []byte

// Transcripts returns testdata/transcripts by its path in the repository, a folder for
// each recording.
func Transcripts() (fs.FS, error) {
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("testdata/transcripts.zip: %w", err)
	}
	return files, nil
}
