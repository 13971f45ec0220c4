// Package matrix is the support matrix: what each runtime was seen to do, computed
// from the recordings in testdata/transcripts and from nothing else. Nothing in it
// is written by hand; `make gen` makes it again, and a test fails when it is not
// what the recordings say.
package matrix

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

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

// runtimes are the columns, in order: each runtime, and beside it the embedded agent
// that speaks its dialect.
var runtimes = []Runtime{
	{ID: "mastra", Name: "Mastra"},
	{ID: "embedded-mastra", Name: "Mastra, embedded"},
	{ID: "strands", Name: "AWS Strands"},
	{ID: "embedded-strands", Name: "AWS Strands, embedded"},
	{ID: "maf", Name: "Microsoft Agent Framework"},
	{ID: "embedded-maf", Name: "Microsoft Agent Framework, embedded"},
	{ID: "langgraph", Name: "LangGraph"},
	{ID: "embedded-langgraph", Name: "LangGraph, embedded"},
	{ID: "langgraph-native", Name: "LangGraph, outcome mode"},
	{ID: "embedded-langgraph-native", Name: "LangGraph, outcome mode, embedded"},
}

// embedded reports our own agent.
func (r Runtime) embedded() bool { return strings.HasPrefix(r.ID, "embedded-") }

// Measure judges the recordings of every runtime. fsys is [Dir].
func Measure(fsys fs.FS) ([]Runtime, error) {
	measured := make([]Runtime, 0, len(runtimes))
	for _, r := range runtimes {
		m, err := MeasureOne(fsys, r.ID)
		if err != nil {
			return nil, err
		}
		r.Matrix = m
		measured = append(measured, r)
	}
	return measured, nil
}

// MeasureOne judges one runtime's recording, the folder of that name in fsys.
func MeasureOne(fsys fs.FS, id string) (probe.Matrix, error) {
	dir, err := fs.Sub(fsys, id)
	if err != nil {
		return probe.Matrix{}, fmt.Errorf("matrix: %w", err)
	}
	rec, err := probe.ReadRecording(dir)
	if err != nil {
		return probe.Matrix{}, fmt.Errorf("matrix: %s: %w", id, err)
	}
	return probe.Evaluate(rec), nil
}

//go:embed matrix.json
var committed []byte

// Load returns the matrix as it was computed from the committed recordings.
func Load() ([]Runtime, error) {
	var all []Runtime
	if err := json.Unmarshal(committed, &all); err != nil {
		return nil, fmt.Errorf("matrix: %w", err)
	}
	return all, nil
}
