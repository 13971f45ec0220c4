package probe

import (
	"strings"
	"testing"
)

func TestGrammar(t *testing.T) {
	for _, tc := range []struct{ name, lines, want string }{
		{"text", "begin\nsay a\nsay b\nend", "RUN_STARTED TEXT_MESSAGE_CHUNK+ RUN_FINISHED"},
		{"one delta is as many", "begin\nsay a\nend", "RUN_STARTED TEXT_MESSAGE_CHUNK+ RUN_FINISHED"},
		{"pause", "begin\nnotice x\nask", "RUN_STARTED CUSTOM(on_interrupt) RUN_FINISHED(interrupt)"},
		{"success said aloud", `RUN_FINISHED {"outcome":{"type":"success"}}`, "RUN_FINISHED"},
		{"whole events are not folded", "STATE_SNAPSHOT {\"snapshot\":1}\nSTATE_SNAPSHOT {\"snapshot\":2}", "STATE_SNAPSHOT STATE_SNAPSHOT"},
		{"subagent", `SUBAGENT_STARTED {"subagentRunId":"s","name":"n"}
			TEXT_MESSAGE_CHUNK {"subagentRunId":"s","messageId":"m","delta":"a"}
			TEXT_MESSAGE_CHUNK {"subagentRunId":"s","messageId":"m","delta":"b"}
			say c
			SUBAGENT_FINISHED {"subagentRunId":"s"}`, "SUBAGENT_STARTED TEXT_MESSAGE_CHUNK@sub+ TEXT_MESSAGE_CHUNK+ SUBAGENT_FINISHED"},
		{"mirrored", "begin\nRAW {\"event\":1}\nTEXT_MESSAGE_START {\"messageId\":\"m\",\"role\":\"assistant\"}\nTEXT_MESSAGE_CONTENT {\"messageId\":\"m\",\"delta\":\"a\"}\nRAW {\"event\":1}\nTEXT_MESSAGE_CONTENT {\"messageId\":\"m\",\"delta\":\"b\"}\nRAW {\"event\":1}\nTEXT_MESSAGE_END {\"messageId\":\"m\"}",
			"RUN_STARTED RAW+ TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT+ RAW+ TEXT_MESSAGE_END"},
		{"mirrored chunks", "say a\nRAW {\"event\":1}\nsay b\nRAW {\"event\":1}", "TEXT_MESSAGE_CHUNK+ RAW+"},
		{"chunks in turn", "say a\nTOOL_CALL_CHUNK {\"toolCallId\":\"c\",\"toolCallName\":\"n\"}\nsay b\nsay c", "TEXT_MESSAGE_CHUNK+ TOOL_CALL_CHUNK+ TEXT_MESSAGE_CHUNK+"},
		{"deltas in turn", `TOOL_CALL_ARGS {"toolCallId":"c","delta":""}
			STATE_DELTA {"delta":[]}
			TOOL_CALL_ARGS {"toolCallId":"c","delta":""}
			STATE_DELTA {"delta":[]}`, "TOOL_CALL_ARGS+ STATE_DELTA+"},
		{"unknown", `NEW_THING {"x":1}`, "NEW_THING"},
		{"failure", "begin\nfail no", "RUN_STARTED RUN_ERROR"},
	} {
		x := answer(t, tc.lines)
		events, _ := x.Events()
		if got := strings.Join(Grammar(events), " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestViolations(t *testing.T) {
	for _, tc := range []struct {
		name, lines string
		want        string // "frame rule", joined
	}{
		{"clean", "begin\nsay a\nend", ""},
		{"done marker", "begin\nend\n!raw data: [DONE]", ""},
		{"done marker, too early", "begin\n!raw data: [DONE]\nend", "2 1.1"},
		{"comment and keep-alive", "begin\n!raw : ping\n!raw data:\nend", ""},
		{"no end", "begin", "1 9.2"},
		{"left", "begin\n!left", ""},
		{"member missing", "begin\nTEXT_MESSAGE_CONTENT {\"messageId\":\"m\"}\nend", "2 1.1 2 R10"},
		{"every one is named", "say a\nTEXT_MESSAGE_END {\"messageId\":\"x\"}\nend\nend", "1 R3 2 R10 4 R2"},
		{"empty", "", "0 9.2"},
	} {
		x := answer(t, tc.lines)
		_, broken := x.Events()
		var got []string
		for _, v := range broken {
			got = append(got, strings.TrimSpace(strings.Join([]string{string(rune('0' + v.Frame)), v.Rule}, " ")))
		}
		if all := strings.Join(got, " "); all != tc.want {
			t.Errorf("%s: %q, want %q: %+v", tc.name, all, tc.want, broken)
		}
	}
	x := answer(t, "begin\nend")
	x.Body = x.Body[:len(x.Body)-5]
	if _, broken := x.Events(); len(broken) != 2 || broken[0].Rule != "7.3" || broken[1].Rule != "9.2" {
		t.Errorf("cut inside a frame: %+v", broken)
	}
}

// FuzzEvaluate: whatever agents send can be judged.
func FuzzEvaluate(f *testing.F) {
	for _, lines := range []string{
		"@1 begin\n@2 say a\n@3 end", "begin\nask", "begin\nnotice {\"toolCallId\":\"c\"}\nend", "begin\nfail no",
		"begin\nSTATE_DELTA {\"delta\":[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]}\nresult x\nend",
		"SUBAGENT_STARTED {\"subagentRunId\":\"s\"}\nTEXT_MESSAGE_CHUNK {\"subagentRunId\":\"s\",\"messageId\":\"m\",\"delta\":\"a\"}\nend",
		"begin\nMESSAGES_SNAPSHOT {\"messages\":[{\"id\":\"1\",\"role\":\"tool\",\"content\":\"x\",\"toolCallId\":\"c\"}]}\nend",
	} {
		body := answer(&testing.T{}, lines).Body
		f.Add(body, []byte("data: "), 200, false)
		f.Add(body, body, 500, true)
	}
	s, err := LoadScenario("mastra")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b []byte, status int, aborted bool) {
		rec := &Recording{Version: recordingVersion, Scenario: s, Token: true}
		for i, step := range Plan(s, true) {
			x := Exchange{Step: step, Status: status, ContentType: "text/event-stream", Body: a, Aborted: aborted, Request: b}
			if i%2 == 1 {
				x.Body, x.Request, x.Status = b, a, 200
			}
			rec.Exchanges = append(rec.Exchanges, x)
		}
		m := Evaluate(rec)
		if len(m.Surfaces) != len(surfaceOrder) {
			t.Errorf("%d surfaces", len(m.Surfaces))
		}
		for _, surface := range m.Surfaces {
			if surface.Detail == "" || surface.Status == "" || surface.Cause == "" {
				t.Errorf("%+v", surface)
			}
		}
	})
}

// A frame that the probe left inside of is no violation; one that was cut is.
func TestCutFrame(t *testing.T) {
	for _, left := range []bool{true, false} {
		x := answer(t, "begin")
		x.Body, x.Aborted = append(x.Body, `data: {"type":"TEXT_MESSAGE_CON`...), left
		var rules []string
		_, broken := x.Events()
		for _, v := range broken {
			rules = append(rules, v.Rule)
		}
		if got, want := strings.Join(rules, " "), map[bool]string{false: "7.3 9.2"}[left]; got != want {
			t.Errorf("left %t: %q, want %q", left, got, want)
		}
	}
}
