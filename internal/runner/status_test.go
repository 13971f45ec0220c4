package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/agui/sse"
	"cairn/demos"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// TestTheStatusIsWhatTheThreadSays: for every recording that is committed, whole and
// cut short, the word that the runner keeps for the list of threads is the one that the
// whole thread folds to.
func TestTheStatusIsWhatTheThreadSays(t *testing.T) {
	log := memory.New().Open()
	recordings, seen, played := map[string]recording{}, map[string]int{}, 0
	agents := map[string]Upstream{}
	for _, d := range demos.All() {
		a := &agent{play: func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
			return recordings[in.ThreadID].play(yield)
		}}
		agents[d.Slug] = Upstream{Agent: a, Transport: d.Transport, Profile: d.Profile}
	}
	r := New(log, agents, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	for _, dir := range []string{"../../testdata/transcripts", "../../agentclient/testdata/transcripts"} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".sse" {
				return err
			}
			demo := demoOf(agents, path)
			whole := readRecording(t, path)
			for _, n := range []int{len(whole), len(whole) * 2 / 3} {
				threadID := uuid.NewString()
				recordings[threadID] = whole[:n]
				if err := log.Create(t.Context(), threadlog.Thread{ID: threadID, Owner: "o", Demo: demo}); err != nil {
					return err
				}
				if err := r.Send(t.Context(), threadID, uuid.NewString(), "Hi"); err != nil {
					return err
				}
				for range log.Follow(t.Context(), threadID) {
					if info, err := log.Thread(t.Context(), threadID); err != nil || !info.Running {
						break
					}
				}
				info, err := log.Thread(t.Context(), threadID)
				if err != nil {
					return err
				}
				th, err := thread.Read(t.Context(), log, threadID, Sessions(r.upstreams)(info.Demo))
				if err != nil {
					return err
				}
				if want := th.Status(time.Now()); info.Status != want {
					t.Errorf("%s, %d of %d events: %q, the thread says %q", path, n, len(whole), info.Status, want)
				}
				played++
				seen[info.Status]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, status := range []string{agentclient.StatusIdle, agentclient.StatusNeedsYou, agentclient.StatusFailed} {
		if seen[status] < 20 {
			t.Errorf("%d of %d runs end %q", seen[status], played, status)
		}
	}
}

func demoOf(agents map[string]Upstream, path string) string {
	for slug := range agents {
		if strings.Contains(path, "/"+slug) {
			return slug
		}
	}
	return demo
}

type recording []json.RawMessage

func (rec recording) play(yield func(string) bool) error {
	for _, raw := range rec {
		if !yield(string(raw)) {
			break
		}
		if ev, err := agui.Decode(raw); err == nil && ends(ev, false) {
			return nil // as the client does
		}
	}
	return &agentclient.Error{Kind: agentclient.KindTruncated, Err: fmt.Errorf("the recording ends")}
}

func readRecording(t *testing.T, path string) (all recording) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := sse.NewReader(f, sse.Limits{}); ; {
		frame, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(path, err)
		}
		all = append(all, json.RawMessage(frame.Data))
	}
}
