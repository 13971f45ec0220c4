package agenttest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// arrivals reads frames and tells when each was there.
func arrivals(r io.Reader) (body string, at []time.Duration) {
	begun, buf := time.Now(), make([]byte, 1000)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			body += string(buf[:n])
			at = append(at, time.Since(begun))
		}
		if err != nil {
			return body, at
		}
	}
}

func TestSpeeds(t *testing.T) {
	const s = time.Second
	recorded := Transcript{Raw: []byte(threeFrames), Times: []time.Duration{2 * s, 3 * s, 7 * s}}
	for _, tc := range []struct {
		name  string
		tr    Transcript
		speed Speed
		want  []time.Duration
	}{
		{"as recorded", recorded, AsRecorded, []time.Duration{2 * s, 3 * s, 7 * s}},
		{"twice as fast", recorded, 2, []time.Duration{s, 3 * s / 2, 7 * s / 2}},
		{"slowly", recorded, 0.5, []time.Duration{4 * s, 6 * s, 14 * s}},
		{"instantly", recorded, Instantly, []time.Duration{0, 0, 0}},
		{"no times", Transcript{Raw: recorded.Raw}, AsRecorded, []time.Duration{0, 0, 0}},
		{"too few times", Transcript{Raw: recorded.Raw, Times: []time.Duration{s}}, AsRecorded, []time.Duration{s, s, s}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				resp, err := get(t, t.Context(), InProcess(tc.tr.Handler(tc.speed)), "http://agent/")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				header := time.Since(begun)
				body, at := arrivals(resp.Body)
				if body != threeFrames || !slices.Equal(at, tc.want) || header != 0 || resp.Header.Get("Content-Type") != "text/event-stream" {
					t.Errorf("handler: header after %v, %q at %v, want %v", header, body, at, tc.want)
				}
			})
		})
	}
}

func TestLoadTranscript(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("list.sse", threeFrames)
	if tr, err := loadTranscript(file); err != nil || string(tr.Raw) != threeFrames || tr.Times != nil {
		t.Errorf("without times: %v %v", tr, err)
	}
	write("list.times.json", `{"status":200,"frames":[{"i":0,"ms":1.5},{"ms":2}]}`)
	want := []time.Duration{1500 * time.Microsecond, 2 * time.Millisecond}
	if tr, err := loadTranscript(file); err != nil || !slices.Equal(tr.Times, want) {
		t.Errorf("with times: %v %v", tr.Times, err)
	}
	scenario := write("scenario.json", `{"speed":4,"steps":[{"play":"list.sse"},{"play":"list.sse","speed":1}]}`)
	sc, err := Load(scenario)
	if err != nil || sc.Speed != 4 || sc.Steps[1].Speed != 1 || !slices.Equal(sc.Steps[0].Times, want) {
		t.Errorf("scenario: %+v %v", sc, err)
	}
	if wait := sc.pace(sc.Steps[0])(0); wait != 375*time.Microsecond {
		t.Errorf("the scenario's speed: %v", wait)
	}
	if wait := sc.pace(sc.Steps[1])(0); wait != want[0] {
		t.Errorf("the step's speed: %v", wait)
	}
	sc.Speed, sc.FrameDelay = 0, Duration(time.Second)
	if pace := sc.pace(sc.Steps[0]); pace(0) != 0 || pace(1) != time.Second {
		t.Errorf("no speed: the delay counts, not %v, %v", pace(0), pace(1))
	}
	write("list.times.json", `{`)
	if _, err := loadTranscript(file); err == nil || !strings.Contains(err.Error(), "list.times.json") {
		t.Errorf("broken times: %v", err)
	}
	if _, err := loadTranscript(filepath.Join(dir, "absent.sse")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A player plays recorded times at its scenario's speed.
func TestPlayerSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := NewPlayer(Scenario{Speed: 2, Steps: []Step{{Transcript: []byte(threeFrames), Times: []time.Duration{0, 2 * time.Second, 6 * time.Second}}}})
		if err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(map[string]any{"threadId": "t", "runId": "r", "messages": []any{}})
		resp, err := (&http.Client{Transport: InProcess(p)}).Post("http://agent/", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, at := arrivals(resp.Body); got != threeFrames || !slices.Equal(at, []time.Duration{0, time.Second, 3 * time.Second}) {
			t.Errorf("%q at %v", got, at)
		}
	})
}
