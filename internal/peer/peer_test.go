package peer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/agui/sse"
	"cairn/internal/peer"
)

const root = "../.."

// TestSameAsPeer folds every captured stream with our conversation and with the
// protocol's own client, and compares messages, activities and state.
//
// CAIRN_PEER=1 makes it fail, not skip, where node or the packages are missing.
func TestSameAsPeer(t *testing.T) {
	captured := streams(t, root+"/agentclient/testdata/transcripts")
	sameAsPeer(t, append(captured, streams(t, root+"/testdata/transcripts")...))
}

// TestSameAsPeerMadeUp does so with runs that no agent was seen to send.
func TestSameAsPeerMadeUp(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for seed := range uint64(200) {
		path, run := filepath.Join(dir, fmt.Sprintf("%03d.sse", seed)), generate(seed, 60)
		if err := os.WriteFile(path, []byte(run), 0o600); err != nil {
			t.Fatal(err)
		}
		kept[label(path)] = strings.Contains(run, "MESSAGES_SNAPSHOT")
		files = append(files, path)
	}
	sameAsPeer(t, files)
}

func sameAsPeer(t *testing.T, files []string) {
	t.Helper()
	folded, err := peer.Fold(t.Context(), root, absolute(t, files))
	if errors.Is(err, peer.ErrMissing) && os.Getenv("CAIRN_PEER") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, theirs := range folded {
		t.Run(label(files[i]), func(t *testing.T) {
			for part, reason := range rejected {
				if theirs.Error != "" && strings.Contains(theirs.Error, part) {
					t.Skip(reason)
				}
			}
			if theirs.Error != "" {
				t.Fatalf("the peer fails with %q", theirs.Error)
			}
			c := fold(t, files[i])
			our, their := withoutAnswers(messages(t, c)), sendable(theirs.Messages)
			if renamed[label(files[i])] {
				our, their = byID(our), byID(their)
			}
			if wordsAfter[label(files[i])] {
				their = inTwo(their)
			}
			if kept[label(files[i])] {
				our = withoutKept(our, their)
			}
			compare(t, "message", our, their)
			compare(t, "activity", activities(t, c), activitiesOf(theirs.Messages))
			if ours := parsed(t, c.State()); !same(ours, theirs.State) {
				t.Errorf("state\nours   %s\ntheirs %s", line(ours), line(theirs.State))
			}
		})
	}
}

// label is a file's name with its directory's.
func label(file string) string {
	return strings.TrimSuffix(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), ".sse")
}

// fold folds a stream into a conversation that begins with the messages and the
// state of its request, as the peer's does.
func fold(t *testing.T, file string) *conversation.Conversation {
	t.Helper()
	c := conversation.New()
	var request struct{ Body agui.RunAgentInput }
	raw, err := os.ReadFile(strings.TrimSuffix(file, ".sse") + ".request.json")
	if err == nil {
		err = json.Unmarshal(raw, &request)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if s := request.Body.State; len(s) > 0 {
		c.Apply(&agui.RunStarted{Base: agui.Base{Type: agui.TypeRunStarted}})
		c.Apply(&agui.StateSnapshot{Base: agui.Base{Type: agui.TypeStateSnapshot}, Snapshot: s})
		c.Apply(&agui.RunFinished{Base: agui.Base{Type: agui.TypeRunFinished}})
	}
	for _, m := range request.Body.Messages {
		c.AddMessage(m)
	}
	c.BeginRun(request.Body.RunID)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := sse.NewReader(f, sse.Limits{}); ; {
		frame, err := r.Next()
		if err == io.EOF {
			return c
		}
		if err != nil {
			t.Fatal(err)
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			t.Fatalf("frame %d: %v", frame.Number, err)
		}
		c.Apply(ev)
	}
}

func parsed(t *testing.T, raw json.RawMessage) (out any) {
	t.Helper()
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func messages(t *testing.T, c *conversation.Conversation) (out []map[string]any) {
	t.Helper()
	raw, err := json.Marshal(c.History())
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sendable(out)
}

// activities is id, type and content of the activities shown at the top level.
func activities(t *testing.T, c *conversation.Conversation) (out []map[string]any) {
	t.Helper()
	for _, e := range c.Entries() {
		if e.Message == nil || e.Message.Role != agui.RoleActivity {
			continue
		}
		var content any
		if err := json.Unmarshal(e.Message.Content(), &content); err != nil {
			t.Fatal(err)
		}
		out = append(out, map[string]any{"id": e.Message.ID, "activityType": e.Message.ActivityType, "content": content})
	}
	return out
}

func activitiesOf(all []map[string]any) (out []map[string]any) {
	for _, m := range all {
		if m["role"] == "activity" && m["subagentRunId"] == nil {
			out = append(out, map[string]any{"id": m["id"], "activityType": m["activityType"], "content": m["content"]})
		}
	}
	return out
}

func compare(t *testing.T, what string, ours, theirs []map[string]any) {
	t.Helper()
	for i := range max(len(ours), len(theirs)) {
		var a, b map[string]any
		if i < len(ours) {
			a = ours[i]
		}
		if i < len(theirs) {
			b = theirs[i]
		}
		if !same(a, b) {
			t.Errorf("%s %d of %d and %d\nours   %s\ntheirs %s", what, i+1, len(ours), len(theirs), line(a), line(b))
			return
		}
	}
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

func line(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func streams(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		// The answer to a body that is no request is no conversation.
		if strings.HasSuffix(path, ".sse") && !strings.Contains(path, "-input-") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no streams in %s", dir)
	}
	return files
}

func absolute(t *testing.T, files []string) (out []string) {
	t.Helper()
	for _, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}
