package demos

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/agui/sse"
)

// pause folds a pause as a runtime sent it. The files of testdata/pauses hold the
// frames of measured runs that a pause is made of; those of strands-python,
// strands-document and agent-framework are written after these bridges' documents.
func pause(t *testing.T, d Dialect, file string) *interrupt.Session {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "pauses", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := interrupt.New(d.Transport, d.Profile)
	r := sse.NewReader(f, sse.Limits{})
	for {
		frame, err := r.Next()
		if err != nil {
			break
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			t.Fatal(err)
		}
		s.Observe(ev, "run-asked")
	}
	s.RunEnded("run-asked", interrupt.EndedClean)
	if s.Phase() != interrupt.PhasePending {
		t.Fatalf("%s: phase %s", file, s.Phase())
	}
	return s
}

func TestDialectsReadWhatIsAskedAndAnswerIt(t *testing.T) {
	const (
		book  = `{"topic":"Quarterly review","slot":"Tue 10:00"}`
		graph = `{"reason":"approval_required","message":"Book Quarterly review at Tue 10:00?","topic":"Quarterly review","slot":"Tue 10:00"}`
		spend = `{"expense":{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":220,"memo":"Team dinner"}}`
	)
	array := func(id string) string {
		return `{"resume":[{"interruptId":"` + id + `","status":"resolved","payload":{"approved":true}}]}`
	}
	for _, tc := range []struct {
		file    string
		dialect Dialect
		tool    string
		payload string
		args    string
		call    string
		wire    string
	}{
		{"mastra.sse", MastraDialect(), "reserve_campsite",
			`{"site":"North Pines","nights":2,"total_usd":72}`, `{"site":"North Pines","nights":2}`, "call_0000128l4ybv",
			`{"forwardedProps":{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call_0000128l4ybv","runId":"run-0022-27883"}}}}`},
		{"strands-typescript.sse", StrandsDialect(), "book_meeting", book, "", "", array("tool:call_0012_0:book_meeting")},
		{"strands-python.sse", StrandsDialect(), "book_meeting",
			`{"topic":"Q3 roadmap review","slot":"Tuesday 10:00"}`, "", "", array("v1:tool_call:call_s1:5f0c")},
		{"strands-document.sse", StrandsDialect(), "",
			`{"topic":"Q3 roadmap review","slot":"Tuesday 10:00"}`, "", "", array("v1:tool_call:call_s1:5f0c")},
		{"agent-framework.sse", AgentFrameworkDialect(), "submit_expense", spend, spend, "call_f1", array("call_f1")},
		{"langgraph-notice.sse", LangGraphDialect(), "", graph, "", "", `{"forwardedProps":{"command":{"resume":{"approved":true}}}}`},
		{"langgraph-both.sse", LangGraphDialect(), "", graph, "", "", array("017dad083157a2b585438cbb20290326")},
		{"langgraph-outcome.sse", LangGraphDialect(), "", graph, "", "", array("4ff6af42f722b7f5889226d567002a11")},
	} {
		t.Run(tc.file, func(t *testing.T) {
			s := pause(t, tc.dialect, tc.file)
			asked := s.Pending()
			if len(asked) != 1 {
				t.Fatalf("%d questions", len(asked))
			}
			p := asked[0]
			for what, pair := range map[string][2]string{
				"tool": {p.ToolName, tc.tool}, "payload": {string(p.Payload), tc.payload},
				"args": {string(p.Args), tc.args}, "call": {p.ToolCallID, tc.call},
				"wire": {answer(t, s, `{"approved":true}`), tc.wire},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s:\n got %s\nwant %s", what, pair[0], pair[1])
				}
			}
			if p.Expired(time.Now()) {
				t.Error("expired")
			}
		})
	}
}

// Two calls that pause at once are two questions, answered in one array
// (measured: Strands over the Responses API).
func TestTwoQuestionsAtOnce(t *testing.T) {
	s := pause(t, StrandsDialect(), "strands-two.sse")
	asked := s.Pending()
	if len(asked) != 2 || string(asked[0].Payload) != `{"topic":"Alpha","slot":"Tue 10:00"}` || string(asked[1].Payload) != `{"topic":"Beta","slot":"Wed 14:00"}` {
		t.Fatalf("asked %s and so on", asked)
	}
	if _, err := s.Claim(1, "run-answer", json.RawMessage(`{"approved":true}`), time.Now()); !errors.Is(err, interrupt.ErrBadDecision) {
		t.Fatalf("one answer to two questions: %v", err)
	}
	got := answer(t, s, `[{"interruptId":"`+asked[0].ID+`","payload":{"approved":true}},{"interruptId":"`+asked[1].ID+`","payload":{"approved":false}}]`)
	want := `{"resume":[{"interruptId":"tool:call_0076_0:book_meeting","status":"resolved","payload":{"approved":true}},{"interruptId":"tool:call_0076_1:book_meeting","status":"resolved","payload":{"approved":false}}]}`
	if got != want {
		t.Fatalf("\n got %s\nwant %s", got, want)
	}
}

// answer claims the pause and returns the members of the request that carry it.
func answer(t *testing.T, s *interrupt.Session, decision string) string {
	t.Helper()
	w, err := s.Claim(s.Generation(), "run-answer", json.RawMessage(decision), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(struct {
		Props  json.RawMessage    `json:"forwardedProps,omitempty"`
		Resume []agui.ResumeEntry `json:"resume,omitempty"`
	}{w.ForwardedProps, w.Resume})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The library, the runner and the view know transports, not runtimes: what a runtime does differently is
// in profiles.go. Tests and their captured files may say where they come from.
func TestTheLibraryNamesNoRuntime(t *testing.T) {
	allowed := strings.NewReplacer("TransportMastraCommand", "", "MastraCommandTransport", "", `"mastra-command"`, "")
	seen := 0
	for _, dir := range []string{"agentclient", "agui", "internal/runner", "internal/view"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			seen++
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := strings.ToLower(allowed.Replace(string(src)))
			for _, name := range []string{"mastra", "strands", "langgraph", "agent_framework", "agent framework"} {
				if strings.Contains(text, name) {
					t.Errorf("%s says %q", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 20 {
		t.Fatalf("%d files looked at", seen)
	}
}
