package verify_test

import (
	"strings"
	"testing"

	"cairn/agentclient/verify"
)

func newAt(t *testing.T, script string) *verify.Verifier {
	t.Helper()
	v := verify.New(verify.Lenient)
	for _, ev := range parse(t, script) {
		if _, broken := v.Feed(ev); len(broken) > 0 {
			t.Fatal(broken)
		}
	}
	return v
}

// TestExpand has the rows of protocol sections 4.1 to 4.3. out is what follows
// RUN_STARTED.
func TestExpand(t *testing.T) {
	const m, n = "TEXT_MESSAGE_CHUNK messageId=m delta=x\n", "TEXT_MESSAGE_CHUNK messageId=n delta=y subagentRunId=s\n"
	const mOut, nOut = "textmessagestart m assistant; textmessagecontent m x", "textmessagestart n assistant @s; textmessagecontent n y @s"
	tests := []struct{ name, script, out, rules string }{
		{"4.1.1 an open id names its lane", n + "TEXT_MESSAGE_CHUNK messageId=n delta=z", nOut + "; textmessagecontent n z @s", ""},
		{"4.1.1 with another tag it is wrong", n + "TEXT_MESSAGE_CHUNK messageId=n delta=z subagentRunId=q", nOut + "; textmessagecontent n z @s", "4.1"},
		{"4.1.1 a new id opens in its tag's lane", m + n, mOut + "; " + nOut, ""},
		{"4.1.2 no id goes by the tag", m + n + "TEXT_MESSAGE_CHUNK delta=z subagentRunId=s", mOut + "; " + nOut + "; textmessagecontent n z @s", ""},
		{"4.1.3 no id and no tag: the parent's", n + m + "TEXT_MESSAGE_CHUNK delta=z", nOut + "; " + mOut + "; textmessagecontent m z", ""},
		{"4.1.3 else the only one", n + "TEXT_MESSAGE_CHUNK delta=z", nOut + "; textmessagecontent n z @s", ""},
		{"4.1.3 several are ambiguous", n + "TEXT_MESSAGE_CHUNK messageId=o delta=y subagentRunId=q\nTEXT_MESSAGE_CHUNK delta=z", nOut + "; textmessagestart o assistant @q; textmessagecontent o y @q", "4.1"},
		{"4.1.3 none wants an id", "TEXT_MESSAGE_CHUNK delta=z", "", "4.2"},

		{"4.2 continue without an id", m + "TEXT_MESSAGE_CHUNK delta=z", mOut + "; textmessagecontent m z", ""},
		{"4.2 continue with what was said", m + "TEXT_MESSAGE_CHUNK messageId=m role=assistant delta=z", mOut + "; textmessagecontent m z", ""},
		{"4.2 another role", m + "TEXT_MESSAGE_CHUNK role=user delta=z", mOut + "; textmessagecontent m z", "4.2"},
		{"4.2 a late name", m + "TEXT_MESSAGE_CHUNK name=z delta=z", mOut + "; textmessagecontent m z", "4.2"},
		{"4.2 a late parent", "TOOL_CALL_CHUNK toolCallId=c toolCallName=f\nTOOL_CALL_CHUNK parentMessageId=m delta={}", "toolcallstart c f; toolcallargs c {}", "4.2"},
		{"4.2 another tool name", "TOOL_CALL_CHUNK toolCallId=c toolCallName=f\nTOOL_CALL_CHUNK toolCallName=g delta={}", "toolcallstart c f; toolcallargs c {}", "4.2"},
		{"4.2 another id closes and opens", m + "TEXT_MESSAGE_CHUNK messageId=n role=user name=z", mOut + "; textmessageend m; textmessagestart n userz", ""},
		{"4.2 another kind closes and opens", m + "REASONING_MESSAGE_CHUNK messageId=n delta=z", mOut + "; textmessageend m; reasoningmessagestart n; reasoningmessagecontent n z", ""},
		{"4.2 a tool call needs a name", "TOOL_CALL_CHUNK toolCallId=c delta={}", "", "4.2"},
		{"4.2 a tool call keeps its parent", "TOOL_CALL_CHUNK toolCallId=c toolCallName=f parentMessageId=m delta={}", "toolcallstart c fm; toolcallargs c {}", ""},
		{"4.2 an empty id is an id", `TEXT_MESSAGE_CHUNK messageId="" delta=x`, "textmessagestart assistant; textmessagecontent x", ""},

		{"4.3 an empty delta is content", `TEXT_MESSAGE_CHUNK messageId=m delta=""`, "textmessagestart m assistant; textmessagecontent m", ""},
		{"4.3 a raw event is content", "TEXT_MESSAGE_CHUNK messageId=m rawEvent=1", "textmessagestart m assistant; textmessagecontent m +raw", ""},
		{"4.3 neither, opening", "TEXT_MESSAGE_CHUNK messageId=m", "textmessagestart m assistant", ""},
		{"4.3 neither, opening, with metadata", `TEXT_MESSAGE_CHUNK messageId=m metadata={"a":1}`, "textmessagestart m assistant +metadata", ""},
		{"4.3 metadata alone, continuing", m + `TEXT_MESSAGE_CHUNK messageId=m metadata={"a":1}`, mOut + "; textmessagecontent m +metadata", ""},
		{"4.3 nothing, continuing", m + "TEXT_MESSAGE_CHUNK messageId=m", mOut, ""},
		{"4.3 metadata on both", `TEXT_MESSAGE_CHUNK messageId=m delta=x metadata={"a":1}`, "textmessagestart m assistant +metadata; textmessagecontent m x +metadata", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, out := judge(t, "run\n"+tt.script)
			if out = strings.TrimPrefix(strings.TrimPrefix(out, "runstarted"), "; "); out != tt.out || rules != tt.rules {
				t.Errorf("gives %q, breaks %q\nwant %q, %q", out, rules, tt.out, tt.rules)
			}
		})
	}
}

// TestTable44 has what closes chunked streams implicitly: "parent", "sub" or
// both, before the event that does it.
func TestTable44(t *testing.T) {
	const open = "run\nTEXT_MESSAGE_START messageId=e\nTOOL_CALL_START toolCallId=e toolCallName=f\nREASONING_START messageId=e\n" +
		"REASONING_MESSAGE_START messageId=e role=reasoning\nSTEP_STARTED stepName=e\nSUBAGENT_STARTED subagentRunId=s name=w\n" +
		"TEXT_MESSAGE_CHUNK messageId=p delta=x\nTEXT_MESSAGE_CHUNK messageId=s delta=y subagentRunId=s\n"
	const parent, sub = "textmessageend p", "textmessageend s @s"
	tests := []struct{ events, closes string }{
		{"TEXT_MESSAGE_CHUNK messageId=q", parent},
		{"TEXT_MESSAGE_CHUNK messageId=q subagentRunId=s", sub},
		{"TOOL_CALL_CHUNK toolCallId=q toolCallName=f", parent},
		{"TEXT_MESSAGE_START messageId=q", parent},
		{"TEXT_MESSAGE_START messageId=q subagentRunId=s", sub},
		{"TEXT_MESSAGE_CONTENT messageId=e delta=x", parent},
		{"TEXT_MESSAGE_END messageId=e", parent},
		{"TOOL_CALL_START toolCallId=q toolCallName=f", parent},
		{"TOOL_CALL_ARGS toolCallId=e delta={}", parent},
		{"TOOL_CALL_END toolCallId=e", parent},
		{"TOOL_CALL_RESULT messageId=q toolCallId=e content=x", parent},
		{"TOOL_CALL_RESULT messageId=q toolCallId=e content=x subagentRunId=s", sub},
		{"REASONING_START messageId=q", parent},
		{"REASONING_END messageId=e", parent},
		{"REASONING_MESSAGE_START messageId=q role=reasoning", parent},
		{"REASONING_MESSAGE_CONTENT messageId=e delta=x", parent},
		{"REASONING_MESSAGE_END messageId=e", parent},
		{"STATE_SNAPSHOT snapshot={}", parent},
		{"STATE_DELTA delta=[] subagentRunId=s", sub},
		{"CUSTOM name=x value=1", parent},
		{"STEP_STARTED stepName=q subagentRunId=s", sub},
		{"STEP_FINISHED stepName=e", parent},
		{"SUBAGENT_FINISHED subagentRunId=s", sub},
		{"SUBAGENT_ERROR subagentRunId=s message=x", sub},
		{"MESSAGES_SNAPSHOT messages=[]", parent + "; " + sub},
		{"RUN_ERROR message=x", parent + "; " + sub},
		{"RAW event=1", ""},
		{"ACTIVITY_SNAPSHOT messageId=a activityType=x content={}", ""},
		{"ACTIVITY_DELTA messageId=a activityType=x patch=[]", ""},
		{"REASONING_ENCRYPTED_VALUE subtype=message entityId=e encryptedValue=x", ""},
		{"SUBAGENT_STARTED subagentRunId=q name=w", ""},
		{"NEWS x=1", ""},
	}
	for _, tt := range tests {
		t.Run("4.4 "+tt.events, func(t *testing.T) {
			for _, mode := range []verify.Mode{verify.Strict, verify.Lenient} {
				v := verify.New(mode)
				events := parse(t, open+tt.events)
				var got string
				for i, ev := range events {
					out, broken := v.Feed(ev)
					if len(broken) > 0 {
						t.Fatal(broken)
					}
					if i == len(events)-1 {
						got = sayAll(out[:len(out)-1])
					}
				}
				want := tt.closes
				if mode == verify.Lenient && strings.HasPrefix(tt.events, "RUN_ERROR") {
					want = "" // what an error cuts short is not complete
				}
				if got != want {
					t.Errorf("mode %d: closes %q, want %q", mode, got, want)
				}
			}
		})
	}
}

// TestTable44RunEvents has the run events, which want nothing else open.
func TestTable44RunEvents(t *testing.T) {
	const open = "run\nTEXT_MESSAGE_CHUNK messageId=p delta=x\nTEXT_MESSAGE_CHUNK messageId=s delta=y subagentRunId=s\n"
	const opened = "runstarted; textmessagestart p assistant; textmessagecontent p x; textmessagestart s assistant @s; textmessagecontent s y @s; "
	const ends = "textmessageend p; textmessageend s @s; "
	tests := []struct{ name, event, out, rules string }{
		{"RUN_FINISHED", "done", ends + "runfinished", ""},
		{"RUN_STARTED", "run", ends + "runstarted", "R4"},
		{"RUN_FINISHED cancelled: neither is complete", `RUN_FINISHED threadId=t runId=r outcome={"type":"cancelled"}`, "runfinished", ""},
	}
	for _, tt := range tests {
		t.Run("4.4 "+tt.name, func(t *testing.T) {
			var got []string
			var rules []string
			v := verify.New(verify.Lenient)
			for _, ev := range parse(t, open+tt.event) {
				out, broken := v.Feed(ev)
				got = append(got, sayAll(out))
				for _, b := range broken {
					rules = append(rules, b.Rule)
				}
			}
			if s := strings.Join(got, "; "); s != opened+tt.out || strings.Join(rules, " ") != tt.rules {
				t.Errorf("gives %q %v, want %q %q", s, rules, opened+tt.out, tt.rules)
			}
		})
	}
}
