// Package cairn embeds those of the repository's own files that the pages show: the
// sources on the Code tab, so that what a reader sees there is what runs, and the
// recordings that the support matrix is computed from.
package cairn

import "embed"

// Sources holds the files by their path in the repository.
//
//go:embed agenthost/dialect/*.go agenthost/expense/*.go agenthost/meeting/*.go agenthost/refund/*.go agenthost/trip/*.go
//go:embed demos/*.go internal/runner/*.go internal/view/*.go static/js/*.js
//go:embed runtimes/langgraph/*.py runtimes/maf/*.py runtimes/strands/*.py
var Sources embed.FS

// Transcripts holds testdata/transcripts, a folder for each recording.
//
//go:embed testdata/transcripts
var Transcripts embed.FS
