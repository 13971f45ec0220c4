package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"cairn/internal/jsontext"
)

const indexFile = "recording.json"

// The extensions of an exchange's files: an event stream, any other answer, what
// was sent, when each frame came.
const (
	extStream  = ".sse"
	extBody    = ".body"
	extRequest = ".request.json"
	extTimes   = ".times.json"
)

var extensions = []string{extStream, extBody, extRequest, extTimes}

// ErrForeign refuses to record into a directory whose files are not a recording's.
var ErrForeign = errors.New("the directory is not empty and holds no " + indexFile)

var fileName = regexp.MustCompile(`^[0-9]{2,}-[a-z0-9-]+$`)

// CheckDir makes the directory and reports why a recording cannot go there: a
// directory may be empty or hold an earlier recording, which is replaced.
func CheckDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, indexFile)); err != nil {
		return fmt.Errorf("record in %s: %w", dir, ErrForeign)
	}
	return nil
}

// Write stores the recording. The files of an earlier one in the directory are
// removed first; others, such as a README, stay.
func (r *Recording) Write(dir string) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	if raw, err := os.ReadFile(filepath.Join(dir, indexFile)); err == nil {
		var old Recording
		if err := json.Unmarshal(raw, &old); err != nil {
			return fmt.Errorf("record: the earlier %s: %w", indexFile, err)
		}
		for _, x := range old.Exchanges {
			if !fileName.MatchString(x.File) {
				continue
			}
			for _, ext := range extensions {
				if err := os.Remove(filepath.Join(dir, x.File+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("record: %w", err)
				}
			}
		}
	}
	for i := range r.Exchanges {
		if err := r.writeExchange(dir, &r.Exchanges[i]); err != nil {
			return fmt.Errorf("record: %w", err)
		}
	}
	if err := writeJSON(filepath.Join(dir, indexFile), r); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

func (r *Recording) writeExchange(dir string, x *Exchange) error {
	base := filepath.Join(dir, x.File)
	req := requestFile{Method: "POST", Path: r.Path, Body: x.Request}
	if !json.Valid(x.Request) {
		req.Body, req.BodyText = nil, string(x.Request)
	}
	if err := writeJSON(base+extRequest, req); err != nil {
		return err
	}
	if x.Status == 0 {
		return nil // nothing came
	}
	if err := os.WriteFile(filepath.Join(dir, x.BodyFile()), x.Body, 0o644); err != nil || !x.stream() {
		return err
	}
	times := timesFile{Frames: []frameTime{}}
	for _, ms := range x.Times {
		times.Frames = append(times.Frames, frameTime{ms})
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(times); err != nil {
		return err
	}
	return os.WriteFile(base+extTimes, b.Bytes(), 0o644)
}

func writeJSON(file string, v any) error {
	raw, err := jsontext.MarshalIndent(v, " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}

// ReadRecording reads what [Recording.Write] wrote; use [os.DirFS] for a directory.
func ReadRecording(fsys fs.FS) (*Recording, error) {
	r, err := ReadIndex(fsys)
	if err != nil {
		return nil, err
	}
	for i := range r.Exchanges {
		if err := r.Exchanges[i].Read(fsys); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// ReadIndex reads what a recording says of itself and of its exchanges, in order,
// without what went over the wire; [Exchange.Read] adds that to one.
func ReadIndex(fsys fs.FS) (*Recording, error) {
	raw, err := fs.ReadFile(fsys, indexFile)
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	var r Recording
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read recording: %s: %w", indexFile, err)
	}
	if r.Version != recordingVersion {
		return nil, fmt.Errorf("read recording: %s is of version %d, want %d", indexFile, r.Version, recordingVersion)
	}
	if err := r.Scenario.Validate(); err != nil {
		return nil, fmt.Errorf("read recording: scenario: %w", err)
	}
	slices.SortStableFunc(r.Exchanges, func(a, b Exchange) int { return a.Number - b.Number })
	return &r, nil
}

// Read adds what was sent and what came.
func (x *Exchange) Read(fsys fs.FS) error {
	if err := x.read(fsys); err != nil {
		return fmt.Errorf("read recording: %w", err)
	}
	return nil
}

func (x *Exchange) read(fsys fs.FS) error {
	if !fileName.MatchString(x.File) {
		return fmt.Errorf("exchange %d: file name %q", x.Number, x.File)
	}
	raw, err := fs.ReadFile(fsys, x.File+extRequest)
	if err != nil {
		return err
	}
	var req requestFile
	if err := json.Unmarshal(raw, &req); err != nil {
		return fmt.Errorf("%s%s: %w", x.File, extRequest, err)
	}
	if x.Request = req.Body; req.Body == nil {
		x.Request = []byte(req.BodyText)
	}
	if x.Status == 0 {
		return nil
	}
	x.Body, err = fs.ReadFile(fsys, x.File+extStream)
	if errors.Is(err, fs.ErrNotExist) {
		x.Body, err = fs.ReadFile(fsys, x.File+extBody)
		return err
	}
	if err != nil {
		return err
	}
	raw, err = fs.ReadFile(fsys, x.File+extTimes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var times timesFile
	if err := json.Unmarshal(raw, &times); err != nil {
		return fmt.Errorf("%s%s: %w", x.File, extTimes, err)
	}
	for _, f := range times.Frames {
		x.Times = append(x.Times, f.MS)
	}
	return nil
}
