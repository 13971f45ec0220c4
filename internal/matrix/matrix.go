// Package matrix is the support matrix: what each runtime was seen to do, computed
// from the recordings in testdata/transcripts and from nothing else. Nothing in it
// is written by hand; `make matrix` makes it again, and a test fails when it is not
// what the recordings say.
package matrix

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"cairn/internal/probe"
)

// Dir is where the recordings are, from the repository's root.
const Dir = "testdata/transcripts"

// Runtime is one measured endpoint.
type Runtime struct {
	// ID is the name of its folder in [Dir].
	ID string `json:"id"`
	// Name is what people call it.
	Name string `json:"name"`
	probe.Matrix
}

// runtimes are the columns, in order.
var runtimes = []Runtime{
	{ID: "mastra", Name: "Mastra"},
	{ID: "strands", Name: "AWS Strands"},
	{ID: "maf", Name: "Microsoft Agent Framework"},
	{ID: "langgraph", Name: "LangGraph"},
	{ID: "langgraph-native", Name: "LangGraph, outcome mode"},
}

// Measure judges the recordings of every runtime. fsys is [Dir].
func Measure(fsys fs.FS) ([]Runtime, error) {
	measured := make([]Runtime, 0, len(runtimes))
	for _, r := range runtimes {
		dir, err := fs.Sub(fsys, path.Clean(r.ID))
		if err != nil {
			return nil, fmt.Errorf("matrix: %w", err)
		}
		rec, err := probe.ReadRecording(dir)
		if err != nil {
			return nil, fmt.Errorf("matrix: %s: %w", r.ID, err)
		}
		r.Matrix = probe.Evaluate(rec)
		measured = append(measured, r)
	}
	return measured, nil
}

//go:embed matrix.json
var committed []byte

// Load gives the matrix as it was computed from the committed recordings.
func Load() ([]Runtime, error) {
	var all []Runtime
	if err := json.Unmarshal(committed, &all); err != nil {
		return nil, fmt.Errorf("matrix: %w", err)
	}
	return all, nil
}
