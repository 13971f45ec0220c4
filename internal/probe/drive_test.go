package probe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// probed drives a desk in a bubble, where waiting takes no time.
func probed(t *testing.T, s Scenario, faults ...string) (*desk, *Recording, []Progress) {
	t.Helper()
	var (
		d    *desk
		rec  *Recording
		told []Progress
	)
	synctest.Test(t, func(t *testing.T) {
		d = newDesk(t, faults...)
		cfg := d.config(s)
		cfg.Progress = func(p Progress) { told = append(told, p) }
		var err error
		if rec, err = Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return d, rec, told
}

func statusOf(t *testing.T, m Matrix, surface string) Surface {
	t.Helper()
	for _, s := range m.Surfaces {
		if s.Name == surface {
			return s
		}
	}
	t.Fatalf("no surface %s", surface)
	return Surface{}
}

func TestCarefulAgent(t *testing.T) {
	d, rec, told := probed(t, deskScenario(t))
	m := Evaluate(rec)
	for _, s := range m.Surfaces {
		if s.Status != Supported || s.Cause != CauseNone {
			t.Errorf("%+v", s)
		}
	}
	if len(m.Violations) > 0 || m.Broken() {
		t.Errorf("violations %v", m.Violations)
	}
	if d.seen > rec.Planned || d.seen != len(rec.Exchanges) || len(told) != rec.Planned {
		t.Errorf("%d requests, %d exchanges, %d steps told of; planned %d", d.seen, len(rec.Exchanges), len(told), rec.Planned)
	}
	for i, x := range rec.Exchanges {
		if i > 0 && x.Number <= rec.Exchanges[i-1].Number {
			t.Errorf("%s after %s", x.File, rec.Exchanges[i-1].File)
		}
	}
}

// TestThreads holds what is said on which thread, and how a decision travels.
func TestThreads(t *testing.T) {
	d, rec, _ := probed(t, deskScenario(t))
	var got strings.Builder
	for _, x := range rec.Exchanges {
		if x.Surface == SurfaceInput || x.Surface == SurfaceAuth {
			continue
		}
		for _, in := range d.threads()[x.ThreadID] {
			if in.RunID != x.RunID {
				continue
			}
			fmt.Fprintf(&got, "%s:", x.File)
			for _, m := range in.Messages {
				fmt.Fprintf(&got, " %s=%s", m.Role, strings.TrimSpace(m.Content.Text()))
			}
			for _, e := range in.Resume {
				id := strings.ReplaceAll(e.InterruptID, asked(rec, x.ThreadID), "RUN")
				fmt.Fprintf(&got, " resume %s %s %s", id, e.Status, e.Payload)
			}
			got.WriteString("\n")
		}
	}
	golden(t, "threads.txt", got.String())
	fresh := map[string]string{}
	for _, x := range rec.Exchanges {
		if x.Surface == SurfaceInput {
			continue
		}
		if _, err := uuid.Parse(x.ThreadID); err != nil {
			t.Errorf("%s: thread id %q", x.File, x.ThreadID)
		}
		if before, ok := fresh[x.ThreadID]; ok && before != x.Surface {
			t.Errorf("%s is on the thread of %s", x.File, before)
		}
		fresh[x.ThreadID] = x.Surface
	}
}

// asked is the run that asked the question of a thread.
func asked(rec *Recording, thread string) string {
	for _, x := range rec.Exchanges {
		if x.ThreadID == thread {
			return x.RunID
		}
	}
	return ""
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\n got %s\nwant %s", name, got, want)
	}
}

func TestFaultsShow(t *testing.T) {
	for _, tc := range []struct {
		fault, surface string
		status         Status
		cause          Cause
		says           string
	}{
		{"wrong id", SurfaceInterrupts, Partial, CauseUpstream, "an answer with a wrong id is taken [11]"},
		{"again", SurfaceInterrupts, Partial, CauseUpstream, "a repeated answer is told as if it were new [07]"},
		{"forgets", SurfaceInterrupts, Partial, CauseUpstream, "a run without an answer [14] leaves the question unanswerable"},
		{"unasked", SurfaceInterrupts, Broken, CauseUpstream, "A run without an answer does what nobody approved [14]"},
		{"legacy", SurfaceInterrupts, Broken, CauseOurs, "cannot be answered over this transport"},
		{"both at once", SurfaceConcurrency, Absent, CauseProtocol, "Both runs talk at the same time"},
		{"holds", SurfaceAbort, Partial, CauseUpstream, "stays busy"},
	} {
		t.Run(tc.fault, func(t *testing.T) {
			_, rec, _ := probed(t, deskScenario(t), tc.fault)
			s := statusOf(t, Evaluate(rec), tc.surface)
			if s.Status != tc.status || s.Cause != tc.cause || !strings.Contains(s.Detail, tc.says) {
				t.Errorf("%+v", s)
			}
			if len(rec.Exchanges) > rec.Planned {
				t.Errorf("%d requests, planned %d", len(rec.Exchanges), rec.Planned)
			}
		})
	}
}

// TestNoPromptNoRequest: what a scenario has no prompt for is not probed.
func TestNoPromptNoRequest(t *testing.T) {
	d, rec, _ := probed(t, Scenario{Name: "small", Messages: []string{"hello"}})
	for _, s := range Evaluate(rec).Surfaces {
		switch s.Name {
		case SurfaceMessages, SurfaceInput, SurfaceAuth:
			if s.Status != Supported {
				t.Errorf("%+v", s)
			}
		default:
			if s.Status != NotProbed || len(s.Exchanges) > 0 || s.Detail == "" {
				t.Errorf("%+v", s)
			}
		}
	}
	if d.seen != rec.Planned || rec.Planned != 9 {
		t.Errorf("%d requests, planned %d", d.seen, rec.Planned)
	}
}

// TestUnencodable: what cannot be written is told as not sent, and as ours.
func TestUnencodable(t *testing.T) {
	d := newDesk(t)
	driving, err := newDriver(d.config(deskScenario(t)))
	if err != nil {
		t.Fatal(err)
	}
	thread := newThread(deskScenario(t), interrupt.Profile{})
	driving.post(t.Context(), thread, SurfaceInterrupts, stepApprove, "r", interrupt.Wire{Resume: []agui.ResumeEntry{{Status: "odd"}}}, nil)
	want := Skipped{Step: Step{Number: 6, Surface: SurfaceInterrupts, Name: stepApprove}, Why: `resume[0].status: unknown status "odd"`, Ours: true}
	if got := driving.rec.Skipped; d.seen != 0 || len(got) != 1 || got[0] != want {
		t.Errorf("%d requests, %+v", d.seen, got)
	}
}

// TestManyEvents: what a hostile agent can send in one answer is judged in time
// that its size explains.
func TestManyEvents(t *testing.T) {
	var body strings.Builder
	body.WriteString(`data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n")
	fmt.Fprintf(&body, "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":%q}\n\n", strings.Repeat("x", 4<<20))
	fmt.Fprintf(&body, "data: {\"type\":\"TOOL_CALL_CHUNK\",\"toolCallId\":\"c\",\"toolCallName\":\"f\",\"delta\":%q}\n\n", strings.Repeat("x", 4<<20))
	for i := range 20_000 {
		fmt.Fprintf(&body, "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"x\"}\n\n")
		fmt.Fprintf(&body, "data: {\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c\",\"delta\":\"x\"}\n\n")
		fmt.Fprintf(&body, "data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c%d\",\"toolCallName\":\"f\"}\n\n", i)
	}
	rec := everything(t)
	addStep(t, rec, SurfaceTools, stepCall, "")
	rec.Exchanges[0].Body = []byte(body.String())
	begun := time.Now()
	if m := Evaluate(rec); len(m.Violations) < 20_000 {
		t.Errorf("%d violations", len(m.Violations))
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestRecordingReadsBack: a recording makes the same matrix when it is read back.
func TestRecordingReadsBack(t *testing.T) {
	_, rec, _ := probed(t, deskScenario(t), "again")
	rec.Versions = map[string]string{"desk": "1"}
	dir := t.TempDir()
	for range 2 { // the second replaces the first
		if err := rec.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	back, err := ReadRecording(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Evaluate(back), Evaluate(rec); !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for i, x := range back.Exchanges {
		if was := rec.Exchanges[i]; !bytes.Equal(x.Body, was.Body) || x.stream() && len(x.Times) != len(was.Times) {
			t.Errorf("%s differs", x.File)
		}
	}
}
