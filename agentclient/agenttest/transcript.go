package agenttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Speed is how fast a transcript is played: 1 as it was recorded, 10 ten times as
// fast, 0.5 in twice the time; [Instantly] without waiting.
type Speed float64

const (
	Instantly  Speed = 0
	AsRecorded Speed = 1
)

// Transcript is a captured answer of an agent, played as it is: whatever is asked,
// with the captured ids. To have requests checked and ids replaced, use a [Player].
type Transcript struct {
	// Raw is the body, which needs not be valid.
	Raw []byte
	// Times is when each frame came, counted from the request; frames beyond it come
	// with the one before. Nil, when it is not known.
	Times []time.Duration
}

// loadTranscript reads a captured body. When times were recorded with it they are
// in a file beside it: for list.sse that is list.times.json, a JSON object
//
//	{"frames": [{"ms": 37.5}, {"ms": 41}]}
//
// with the milliseconds from the request to each frame; other members are passed
// over.
func loadTranscript(file string) (Transcript, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return Transcript{}, fmt.Errorf("load transcript: %w", err)
	}
	t := Transcript{Raw: raw}
	beside := strings.TrimSuffix(file, filepath.Ext(file)) + ".times.json"
	recorded, err := os.ReadFile(beside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return Transcript{}, fmt.Errorf("load transcript: %w", err)
	}
	var times struct{ Frames []struct{ MS float64 } }
	if err := json.Unmarshal(recorded, &times); err != nil {
		return Transcript{}, fmt.Errorf("load transcript %s: %w", beside, err)
	}
	for _, f := range times.Frames {
		t.Times = append(t.Times, time.Duration(f.MS*float64(time.Millisecond)))
	}
	return t, nil
}

// Handler answers every request with the transcript, as an event stream.
func (t Transcript) Handler(s Speed) http.Handler {
	frames := splitFrames(t.Raw)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxRequest))
		_ = play(r.Context(), w, frames, s.pace(t.Times), func() {}) // an error means the client is gone
	})
}

// pace is how long to wait before each frame.
func (s Speed) pace(times []time.Duration) func(i int) time.Duration {
	return func(i int) time.Duration {
		if s <= 0 || i >= len(times) {
			return 0
		}
		wait := times[i]
		if i > 0 {
			wait -= times[i-1]
		}
		return time.Duration(float64(wait) / float64(s))
	}
}
