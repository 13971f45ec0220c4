// Package cairn embeds those of the repository's own files that the Code tab
// shows, so that what a reader sees there is what runs.
package cairn

import "embed"

// Sources holds the files by their path in the repository.
//
//go:embed agenthost/trip/*.go demos/*.go internal/runner/*.go internal/view/*.go static/js/*.js
//go:embed runtimes/langgraph/*.py runtimes/maf/*.py runtimes/strands/*.py
var Sources embed.FS
