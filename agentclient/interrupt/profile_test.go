package interrupt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// campsite is a profile for the captured frames: the notice first, then where the
// outcome's metadata repeats it.
var campsite = interrupt.Profile{
	ToolName: []string{"legacy.toolName", "native.metadata.mastra.toolName"},
	Payload:  []string{"legacy.suspendPayload", "native.metadata.mastra.suspendPayload"},
	Args:     []string{"legacy.args", "native.metadata.mastra.args"},
}

// captured reads the events of a measured transcript.
func captured(t *testing.T, name string) []agui.Event {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "transcripts", "mastra", name))
	if err != nil {
		t.Fatal(err)
	}
	var events []agui.Event
	for line := range strings.Lines(string(raw)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		ev, err := agui.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}

func TestProfileOnCapturedPause(t *testing.T) {
	const want = `reserve_campsite {"site":"North Pines","nights":2,"total_usd":72} {"site":"North Pines","nights":2}`
	for name, keep := range map[string]func(agui.Event) bool{
		"both conventions": func(agui.Event) bool { return true },
		"notice alone": func(ev agui.Event) bool {
			if f, ok := ev.(*agui.RunFinished); ok {
				f.Outcome = nil
			}
			return true
		},
		"outcome alone": func(ev agui.Event) bool { _, custom := ev.(*agui.Custom); return !custom },
	} {
		for _, tr := range []interrupt.Transport{interrupt.TransportAuto, interrupt.TransportMastraCommand} {
			t.Run(name+" "+string(tr), func(t *testing.T) {
				s := session{interrupt.New(tr, campsite), t}
				for _, ev := range captured(t, "10-interrupt.sse") {
					if keep(ev) {
						s.Observe(ev, "run-0022-27883")
					}
				}
				s.RunEnded("run-0022-27883", interrupt.EndedClean)
				s.want(interrupt.PhasePending, 1)
				p := s.Pending()
				if len(p) != 1 {
					t.Fatalf("%d pending", len(p))
				}
				equal(t, p[0].ToolName+" "+string(p[0].Payload)+" "+string(p[0].Args), want)
				equal(t, p[0].ToolCallID, "call_0000128l4ybv")
				if !json.Valid(p[0].Schema) || p[0].Schema[0] != '{' {
					t.Fatalf("schema %s", p[0].Schema)
				}
			})
		}
	}
}

func TestCapturedPauseAndResume(t *testing.T) {
	for _, tc := range []struct{ pause, resume, decision, wire string }{
		{"10-interrupt.sse", "11-resume-approve.sse", `{"approved":true}`,
			`{"forwardedProps":{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call_0000128l4ybv","runId":"run-0022-27883"}}}}`},
		{"14-interrupt-for-decline.sse", "15-resume-decline-approved-false.sse", `{"approved":false}`,
			`{"forwardedProps":{"command":{"resume":{"approved":false},"interruptEvent":{"toolCallId":"call_000019dixe9e","runId":"run-0028-27883"}}}}`},
	} {
		t.Run(tc.pause, func(t *testing.T) {
			s := session{interrupt.New(interrupt.TransportMastraCommand, campsite), t}
			for _, ev := range captured(t, tc.pause) {
				s.Observe(ev, "")
			}
			resumed := captured(t, tc.resume)
			runID := resumed[0].(*agui.RunStarted).RunID
			equal(t, sent(t, s.claim(runID, tc.decision)), tc.wire)
			for _, ev := range resumed {
				s.Observe(ev, "")
			}
			s.want(interrupt.PhaseNone, 1)
		})
	}
}

func TestProfilePaths(t *testing.T) {
	p := interrupt.Profile{Payload: []string{"elsewhere.x", "legacy.missing", "legacy.list.9", "legacy.nil", "legacy.list.1.deep", "native.message"}}
	for _, tc := range []struct{ name, notice, message, want string }{
		{"array index", `{"nil":null,"list":[0,{"deep":[1]}]}`, "", `[1]`},
		{"through JSON text", `{"list":"[0,{\"deep\":\"{\\\"a\\\":1}\"}]"}`, "", `{"a":1}`},
		{"plain text stays a string", `{"list":[0,{"deep":"no { json"}]}`, "", `"no { json"`},
		{"JSON in the message", ``, `{"topic":"review"}`, `{"topic":"review"}`},
		{"nothing", `{}`, ``, ``},
		{"no object", `[1]`, ``, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := session{interrupt.New("", p), t}
			if tc.notice != "" {
				s.Observe(notice(tc.notice), "run-1")
			}
			if tc.message != "" {
				s.Observe(outcome(agui.Interrupt{ID: "i", Message: tc.message}), "run-1")
			}
			equal(t, string(s.Pending()[0].Payload), tc.want)
		})
	}
}

// A member of the notice in other letters is another member.
func TestNamesInTheNoticeAreExact(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(notice(`{"toolCallId":"call-1","ToolCallID":"x","runID":"x","message":"m","Message":"x","reason":"r","REASON":"x"}`), "run-1")
	s.RunEnded("run-1", interrupt.EndedClean)
	p := s.Pending()[0]
	equal(t, p.ToolCallID+" "+p.Message+" "+p.Reason, "call-1 m r")
	w, err := s.Claim(s.Generation(), "run-2", json.RawMessage(`{"approved":true}`), noon)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(w.ForwardedProps), `{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call-1","runId":"run-1"}}}`)
}

// Runtimes put what a person needs to know beside the members of the protocol.
func TestProfileFindsMembersTheProtocolDoesNotHave(t *testing.T) {
	ev, err := agui.Decode([]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"run-1","outcome":{"type":"interrupt","interrupts":[` +
		`{"id":"i","reason":"r","message":"m","request":{"site":"A7"},"tool":"book","Message":"other"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := session{interrupt.New("", interrupt.Profile{ToolName: []string{"native.tool"}, Payload: []string{"native.request"}, Args: []string{"native.message"}}), t}
	s.Observe(ev, "run-1")
	p := s.Pending()[0]
	equal(t, p.ToolName+" "+string(p.Payload)+" "+string(p.Args), `book {"site":"A7"} "m"`)
	equal(t, string(p.Extra["request"]), `{"site":"A7"}`)
}

func TestFallbacksWithoutAProfile(t *testing.T) {
	s := newSession(t, interrupt.TransportLegacyCommand)
	s.Observe(notice(`{"toolName":"book","args":{"n":1},"message":"Book it?","reason":"approval","resumeSchema":"{\"type\":\"object\"}"}`), "run-1")
	p := s.Pending()[0]
	equal(t, p.ToolName+" "+string(p.Args)+" "+p.Message+" "+p.Reason+" "+string(p.Schema), `book {"n":1} Book it? approval {"type":"object"}`)
	if p.Payload != nil {
		t.Fatalf("payload %s", p.Payload)
	}
}

// FuzzSession folds any two events and takes a decision: nothing an agent sends
// may panic, and a claim that succeeds leaves a wire that is JSON.
func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"type":"CUSTOM","name":"on_interrupt","value":"{\"toolCallId\":\"c\"}"}`),
		[]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","metadata":{"mastra":{"suspendPayload":"[1]"}}}]}}`), []byte(`{"approved":true}`))
	f.Add([]byte(`{"type":"CUSTOM","name":"on_interrupt","value":null}`), []byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`), []byte(`[{"id":"i"}]`))
	f.Fuzz(func(t *testing.T, a, b, resume []byte) {
		for _, tr := range []interrupt.Transport{interrupt.TransportAuto, interrupt.TransportProtocol, interrupt.TransportMastraCommand, interrupt.TransportLegacyCommand} {
			s := interrupt.New(tr, campsite)
			for _, raw := range [][]byte{a, b} {
				if ev, err := agui.Decode(raw); err == nil {
					s.Observe(ev, "run-1")
				}
			}
			s.RunEnded("run-1", interrupt.EndedClean)
			for _, p := range s.Pending() {
				_ = p.Expired(noon)
			}
			able := s.Answerable(resume, noon)
			w, err := s.Claim(s.Generation(), "run-2", resume, noon)
			if (able == nil) != (err == nil) {
				t.Fatalf("answerable %v, claimed %v", able, err)
			}
			if err != nil {
				continue
			}
			if (w.ForwardedProps == nil) == (w.Resume == nil) {
				t.Fatalf("wire %+v", w)
			}
			if _, err := json.Marshal(w); err != nil {
				t.Fatal(err)
			}
		}
	})
}
