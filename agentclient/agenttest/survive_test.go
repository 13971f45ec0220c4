package agenttest_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// captured reads the answer that is broken.
func captured(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "transcripts", "mastra", name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// runBroken runs the client library against an agent that plays raw, behind a
// network that breaks it. It returns the events that came, what they fold to, and
// how the run failed.
func runBroken(t *testing.T, raw []byte, modes ...agenttest.Mode) (events []agui.Event, said string, kind agentclient.Kind) {
	t.Helper()
	rt := &agenttest.Transport{Base: agenttest.InProcess(agenttest.Transcript{Raw: raw}.Handler(agenttest.Instantly)), Modes: modes}
	client, err := agentclient.New(agentclient.Config{URL: "http://agent/run", HTTPClient: &http.Client{Transport: rt}, StallTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	conv := conversation.New()
	for received, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if err != nil {
			var failed *agentclient.Error
			if !errors.As(err, &failed) {
				t.Fatalf("%T %v", err, err)
			}
			kind = failed.Kind
			continue
		}
		events = append(events, received.Event)
		conv.Apply(received.Event)
	}
	if kind != "" {
		conv.EndRun(conversation.RunTruncated)
	}
	return events, summary(conv.Entries()), kind
}

func summary(entries []*conversation.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.Message != nil:
			fmt.Fprintf(&b, "%s %s %s\n", e.Message.Role, e.Message.Status, e.Message.Text())
		case e.ToolCall != nil:
			fmt.Fprintf(&b, "%s %s %s %s\n", e.ToolCall.Name, e.ToolCall.Status, e.ToolCall.Args(), e.ToolCall.Result)
		case e.Subagent != nil:
			fmt.Fprintf(&b, "%s %s {%s}\n", e.Subagent.Name, e.Subagent.Status, summary(e.Subagent.Entries))
		}
	}
	return b.String()
}

// Each way to break an answer, and the error it has to be for the caller.
func TestLibrarySurvivesEachBreak(t *testing.T) {
	raw := captured(t, "73-subagent-delegation")
	half := int64(len(raw) / 2)
	frames := strings.Count(string(raw), "\n\n")
	for _, tc := range []struct {
		name   string
		modes  []agenttest.Mode
		kind   agentclient.Kind
		events int // -1: at least one, not all
	}{
		{"not at all", nil, "", frames},
		{"one byte at a time", []agenttest.Mode{agenttest.OneByte()}, "", frames},
		{"slowly", []agenttest.Mode{agenttest.Pieces(500), agenttest.Slow(59 * time.Second)}, "", frames},
		{"too slowly", []agenttest.Mode{agenttest.Pieces(500), agenttest.Slow(61 * time.Second)}, agentclient.KindStalled, 0},
		{"cut at once", []agenttest.Mode{agenttest.CutAfter(0)}, agentclient.KindTruncated, 0},
		{"cut half-way", []agenttest.Mode{agenttest.CutAfter(half)}, agentclient.KindTruncated, -1},
		{"ended half-way", []agenttest.Mode{agenttest.EndAfter(half)}, agentclient.KindTruncated, -1},
		{"stalled half-way", []agenttest.Mode{agenttest.StallAfter(half)}, agentclient.KindStalled, -1},
		{"stalled after the end", []agenttest.Mode{agenttest.StallAfter(int64(len(raw)))}, "", frames},
		{"first frame twice", []agenttest.Mode{agenttest.DuplicateFrame(1)}, "", frames + 1},
		{"a middle frame twice", []agenttest.Mode{agenttest.DuplicateFrame(9)}, "", frames + 1},
		{"last frame twice", []agenttest.Mode{agenttest.DuplicateFrame(frames)}, "", frames + 1},
		{"a frame lost", []agenttest.Mode{agenttest.DropFrame(3)}, "", frames - 1},
		{"last frame lost", []agenttest.Mode{agenttest.DropFrame(frames)}, agentclient.KindTruncated, frames - 1},
		{"two frames exchanged", []agenttest.Mode{agenttest.SwapFrames(4)}, "", frames},
		{"the end too early", []agenttest.Mode{agenttest.SwapFrames(frames - 1)}, "", frames},
		{"garbage between", []agenttest.Mode{agenttest.InsertFrame(3, "data: oops\n\n")}, "", frames + 1},
		{"comments between", []agenttest.Mode{agenttest.InsertFrame(3, ": ping\n\n")}, "", frames},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // nothing is left running, or this fails
				events, _, kind := runBroken(t, raw, tc.modes...)
				if kind != tc.kind {
					t.Errorf("fails as %q, want %q", kind, tc.kind)
				}
				if n := len(events); tc.events >= 0 && n != tc.events || tc.events < 0 && (n == 0 || n >= frames) {
					t.Errorf("%d events of %d, want %d", n, frames, tc.events)
				}
			})
		})
	}
}

// Where a read ends changes nothing; where the stream ends, only how much came.
func TestLibrarySurvivesEveryByte(t *testing.T) {
	raw := captured(t, "76-subagent-child-http400")
	all, want, _ := runBroken(t, raw)
	for i := range int64(len(raw)) {
		events, said, kind := runBroken(t, raw, agenttest.SplitAt(i))
		if len(events) != len(all) || said != want || kind != "" {
			t.Fatalf("split at %d: %d events, %q", i, len(events), kind)
		}
		events, said, kind = runBroken(t, raw, agenttest.CutAfter(i))
		whole := strings.Count(string(raw[:i]), "\n\n")
		if len(events) != whole && len(events) != whole+1 { // the blank line itself may be what is cut
			t.Fatalf("cut after %d: %d events of %d frames", i, len(events), whole)
		}
		if done := len(events) == len(all); done != (kind == "") || !done && kind != agentclient.KindTruncated {
			t.Fatalf("cut after %d: %d events, %q", i, len(events), kind)
		}
		if strings.Contains(said, "streaming") || strings.Contains(said, "running") {
			t.Fatalf("cut after %d: left open:\n%s", i, said)
		}
	}
}

// Whatever order the frames come in, the fold ends; a run that begins after the end of
// another breaks off.
func TestLibrarySurvivesAnyOrder(t *testing.T) {
	raw := captured(t, "73-subagent-delegation")
	for seed := range uint64(200) {
		if events, _, kind := runBroken(t, raw, agenttest.Shuffle(seed)); len(events) == 0 || kind != "" && kind != agentclient.KindTruncated {
			t.Fatalf("seed %d: %d events, %q", seed, len(events), kind)
		}
	}
}
