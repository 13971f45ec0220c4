package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"cairn/components"
	"cairn/internal/probe"
)

// ErrNoTranscript reports a recording or an exchange that is not there.
var ErrNoTranscript = errors.New("no such transcript")

// Transcripts are the exchanges that the matrix is computed from.
type Transcripts struct {
	fsys    fs.FS
	indexes map[string]*probe.Recording // by runtime, without what went over the wire
}

// OpenTranscripts reads what there is in [Dir]; fsys is the repository.
func OpenTranscripts(fsys fs.FS) (*Transcripts, error) {
	fsys, err := fs.Sub(fsys, Dir)
	if err != nil {
		return nil, fmt.Errorf("matrix: %w", err)
	}
	t := &Transcripts{fsys: fsys, indexes: map[string]*probe.Recording{}}
	for _, r := range runtimes {
		dir, err := fs.Sub(fsys, r.ID)
		if err != nil {
			return nil, fmt.Errorf("matrix: %w", err)
		}
		if t.indexes[r.ID], err = probe.ReadIndex(dir); err != nil {
			return nil, fmt.Errorf("matrix: %s: %w", r.ID, err)
		}
	}
	return t, nil
}

// links are the exchanges of a runtime about one surface.
func (t *Transcripts) links(runtime, surface string) (all []components.TranscriptLink) {
	for _, x := range t.indexes[runtime].Exchanges {
		if x.Surface == surface {
			all = append(all, link(runtime, x))
		}
	}
	return all
}

func link(runtime string, x probe.Exchange) components.TranscriptLink {
	return components.TranscriptLink{Number: x.Number, Name: x.Name, Surface: x.Surface, URL: "/matrix/" + runtime + "/" + x.File}
}

// find reads one exchange and returns its place in the recording.
func (t *Transcripts) find(runtime, file string) (at int, x probe.Exchange, err error) {
	index := t.indexes[runtime]
	if index == nil {
		return 0, x, ErrNoTranscript
	}
	for i, x := range index.Exchanges {
		if x.File == file {
			dir, err := fs.Sub(t.fsys, runtime)
			if err != nil {
				return 0, x, err
			}
			return i, x, x.Read(dir)
		}
	}
	return 0, x, ErrNoTranscript
}

// Raw is the answer of an exchange byte for byte, file being its name with the
// extension. ErrNoTranscript.
func (t *Transcripts) Raw(runtime, file string) ([]byte, error) {
	base, _, _ := strings.Cut(file, ".")
	_, x, err := t.find(runtime, base)
	if err == nil && (x.Status == 0 || x.BodyFile() != file) {
		err = ErrNoTranscript
	}
	return x.Body, err
}

// Page lays out one exchange; it has no shell. ErrNoTranscript.
func (t *Transcripts) Page(runtime, file string) (components.TranscriptPage, error) {
	at, x, err := t.find(runtime, file)
	if err != nil {
		return components.TranscriptPage{}, err
	}
	all := t.indexes[runtime].Exchanges
	p := components.TranscriptPage{
		Runtime: name(runtime), This: link(runtime, x), Sent: pretty(x.Request), Answer: answer(x),
	}
	if x.Status != 0 {
		p.Raw = "/matrix/" + runtime + "/" + x.BodyFile()
	}
	if at > 0 {
		p.Before = link(runtime, all[at-1])
	}
	if at < len(all)-1 {
		p.After = link(runtime, all[at+1])
	}
	_, broken := x.Events()
	breaches := map[int]string{}
	for _, v := range broken {
		breaches[v.Frame] = strings.TrimPrefix(breaches[v.Frame]+"; rule "+v.Rule+": "+v.Text, "; ")
	}
	for _, f := range x.Frames() {
		p.Frames = append(p.Frames, components.Frame{Number: f.Number, At: millis(f.MS), Type: f.Type, Data: f.Data, Breach: breaches[f.Number]})
	}
	if p.Frames == nil {
		p.Body = string(x.Body)
	}
	return p, nil
}

// answer returns how the exchange went, in a sentence.
func answer(x probe.Exchange) string {
	s := "No answer came"
	if x.Status != 0 {
		s = "HTTP " + strconv.Itoa(x.Status) + " after " + millis(x.FirstByteMS) + ", over after " + millis(x.TotalMS)
	}
	switch {
	case x.Failed != "":
		s += "; " + x.Failed
	case x.Aborted:
		s += "; the probe left on purpose"
	}
	return s + "."
}

// millis is a time in milliseconds, "" when it is not known.
func millis(ms float64) string {
	if ms < 0 {
		return ""
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}

func name(id string) string {
	for _, r := range runtimes {
		if r.ID == id {
			return r.Name
		}
	}
	return id
}

func pretty(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
