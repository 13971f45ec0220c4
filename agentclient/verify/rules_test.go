package verify_test

import "testing"

// TestRules has the numbered rules of protocol section 5: what each forbids, and
// beside it what it allows. rules are those broken, in order.
func TestRules(t *testing.T) {
	const text = "TEXT_MESSAGE_START messageId=m\n"
	const tool = "TOOL_CALL_START toolCallId=c toolCallName=f\n"
	const sub = "SUBAGENT_STARTED subagentRunId=s name=w\n"
	tests := []struct{ name, script, rules string }{
		{"R1 nothing after RUN_ERROR", "run\nRUN_ERROR message=x\n" + text, "R1"},
		{"R1 nor another RUN_ERROR", "run\nRUN_ERROR message=x\nRUN_ERROR message=y", "R1"},
		{"R1 but a run", "run\nRUN_ERROR message=x\nrun\ndone", ""},
		{"R2 nothing after RUN_FINISHED", "run\ndone\n" + text, "R2"},
		{"R2 but an error or a run", "run\ndone\nRUN_ERROR message=x\nrun\ndone", ""},
		{"R3 RUN_STARTED comes first", text + "TEXT_MESSAGE_END messageId=m\ndone", "R3"},
		{"R3 or RUN_ERROR, or what is unknown", "NEWS x=1\nRUN_ERROR message=x", ""},
		{"R4 RUN_STARTED in a run", "run\nrun\ndone", "R4"},
		{"R4 ids are not compared", "run\nRUN_FINISHED threadId=u runId=q", ""},
		{"R5 the end of the stream is not checked", "run\n" + text, ""},
		{"R6 null is absent", "run\nTEXT_MESSAGE_START messageId=m subagentRunId=null\nTEXT_MESSAGE_END messageId=m\ndone", ""},
		{"R7 null is absent", "run\nSUBAGENT_STARTED subagentRunId=s name=w description=null\nSUBAGENT_FINISHED subagentRunId=s outcome=null\ndone", ""},
		{"R7 an outcome of unknown type is dropped", `run
			SUBAGENT_STARTED subagentRunId=s name=w
			SUBAGENT_FINISHED subagentRunId=s outcome={"type":"x"}
			done`, ""},
		{"R8 null is absent", `run
			MESSAGES_SNAPSHOT messages=[{"id":"m","role":"user","content":"x","subagentRunId":null}]
			RUN_FINISHED threadId=t runId=r outcome={"type":"interrupt","interrupts":[{"id":"i","reason":"x","subagentRunId":null}]}`, ""},

		{"R9 text start of an open id", "run\n" + text + text + "TEXT_MESSAGE_END messageId=m\ndone", "R9"},
		{"R9 again after its end", "run\n" + text + "TEXT_MESSAGE_END messageId=m\n" + text + "TEXT_MESSAGE_END messageId=m\ndone", ""},
		{"R9 explicit and chunked framing mixed", "run\n" + text + "TEXT_MESSAGE_CHUNK messageId=m delta=x\ndone", "R9"},
		{"R10 content without start", "run\nTEXT_MESSAGE_CONTENT messageId=m delta=x\ndone", "R10"},
		{"R10 end without start", "run\nTEXT_MESSAGE_END messageId=m\ndone", "R10"},

		{"R11 tool start of an open id", "run\n" + tool + tool + "TOOL_CALL_END toolCallId=c\ndone", "R11"},
		{"R11 again after its end", "run\n" + tool + "TOOL_CALL_END toolCallId=c\n" + tool + "TOOL_CALL_END toolCallId=c\ndone", ""},
		{"R12 arguments without start", "run\nTOOL_CALL_ARGS toolCallId=c delta={}\ndone", "R12"},
		{"R12 end without start", "run\nTOOL_CALL_END toolCallId=c\ndone", "R12"},
		{"R13 tool tag disagrees with its message", "run\n" + text + "TOOL_CALL_START toolCallId=c toolCallName=f parentMessageId=m subagentRunId=s", "R13"},
		{"R13 untagged calls inherit", `run
			TEXT_MESSAGE_START messageId=m subagentRunId=s
			TOOL_CALL_START toolCallId=c toolCallName=f parentMessageId=m
			TOOL_CALL_ARGS toolCallId=c delta={} subagentRunId=s`, ""},
		{"R14 call and message of different owners", `run
			TEXT_MESSAGE_START messageId=m subagentRunId=s
			TOOL_CALL_START toolCallId=c toolCallName=f subagentRunId=q
			TOOL_CALL_END toolCallId=c
			TOOL_CALL_START toolCallId=c toolCallName=f parentMessageId=m`, "R14"},
		{"R14 also when the message is the parent's", "run\n" + text + `
			TOOL_CALL_START toolCallId=c toolCallName=f subagentRunId=q
			TOOL_CALL_END toolCallId=c
			TOOL_CALL_START toolCallId=c toolCallName=f parentMessageId=m`, "R14"},
		{"R15 results are free", "run\n" + tool + `
			TOOL_CALL_RESULT messageId=r toolCallId=c content=x
			TOOL_CALL_RESULT messageId=r toolCallId=c content=x
			TOOL_CALL_END toolCallId=c
			TOOL_CALL_RESULT messageId=q toolCallId=unknown content=x
			done`, ""},
		{"R15 a result records its owner", `run
			TOOL_CALL_RESULT messageId=r toolCallId=c content=x subagentRunId=s
			REASONING_ENCRYPTED_VALUE subtype=message entityId=r encryptedValue=x subagentRunId=q`, "R30"},

		{"R16 span start of an open id", "run\nREASONING_START messageId=m\nREASONING_START messageId=m", "R16"},
		{"R16 message start of an open id", "run\nREASONING_MESSAGE_START messageId=m role=reasoning\nREASONING_MESSAGE_START messageId=m role=reasoning", "R16"},
		{"R16 a span and a message may share an id", "run\nREASONING_START messageId=m\nREASONING_MESSAGE_START messageId=m role=reasoning\nREASONING_MESSAGE_END messageId=m\nREASONING_END messageId=m\ndone", ""},
		{"R17 span end without start", "run\nREASONING_END messageId=m", "R17"},
		{"R17 message content without start", "run\nREASONING_START messageId=m\nREASONING_MESSAGE_CONTENT messageId=m delta=x", "R17"},
		{"R17 message end without start", "run\nREASONING_MESSAGE_END messageId=m", "R17"},
		{"R18 spans and messages need not nest", "run\nREASONING_START messageId=a\nREASONING_MESSAGE_START messageId=b role=reasoning\nREASONING_END messageId=a\nREASONING_MESSAGE_END messageId=b\ndone", ""},

		{"R19 step start of an open step", "run\nSTEP_STARTED stepName=a\nSTEP_STARTED stepName=a\nSTEP_FINISHED stepName=a\ndone", "R19"},
		{"R19 but under another owner", "run\nSTEP_STARTED stepName=a\nSTEP_STARTED stepName=a subagentRunId=s\nSTEP_FINISHED stepName=a\nSTEP_FINISHED stepName=a subagentRunId=s\ndone", ""},
		{"R20 step end without start", "run\nSTEP_FINISHED stepName=a\ndone", "R20"},
		{"R20 step of another owner", "run\nSTEP_STARTED stepName=a\nSTEP_FINISHED stepName=a subagentRunId=s\nSTEP_FINISHED stepName=a\ndone", "R20"},

		{"R21 steps, then text open at the end", "run\n" + text + "STEP_STARTED stepName=a\ndone", "R21 R21"},
		{"R22 reasoning, then spans open at the end", "run\nREASONING_START messageId=m\nREASONING_MESSAGE_START messageId=m role=reasoning\ndone", "R22 R22"},
		{"R23 tool calls open at the end", "run\n" + tool + "done", "R23"},
		{"R24 subagents active at the end", "run\n" + sub + "done", "R24"},
		{"R21 to R24 in their order", "run\n" + sub + tool + text + "REASONING_START messageId=m\nSTEP_STARTED stepName=a\ndone", "R21 R21 R22 R23 R24"},
		{"R21 to R24 not at an error", "run\n" + sub + tool + text + "REASONING_START messageId=m\nSTEP_STARTED stepName=a\nRUN_ERROR message=x", ""},

		{"R25 without an id", "run\nSUBAGENT_STARTED subagentRunId=\"\" name=w", "R25"},
		{"R25 without a name", "run\nSUBAGENT_STARTED subagentRunId=s", "R25"},
		{"R25 already active", "run\n" + sub + sub, "R25"},
		{"R25 already closed in this run", "run\n" + sub + "SUBAGENT_FINISHED subagentRunId=s\n" + sub, "R25"},
		{"R25 a later run may use the id again", "run\n" + sub + "SUBAGENT_FINISHED subagentRunId=s\ndone\nrun\n" + sub + "SUBAGENT_FINISHED subagentRunId=s\ndone", ""},
		{"R26 unknown parent", "run\nSUBAGENT_STARTED subagentRunId=s name=w parentSubagentRunId=p", "R26"},
		{"R26 a closed parent will do", "run\nSUBAGENT_STARTED subagentRunId=p name=w\nSUBAGENT_FINISHED subagentRunId=p\nSUBAGENT_STARTED subagentRunId=s name=w parentSubagentRunId=p", ""},
		{"R27 finish of one not active", "run\nSUBAGENT_FINISHED subagentRunId=s", "R27"},
		{"R27 error of one closed", "run\n" + sub + "SUBAGENT_FINISHED subagentRunId=s\nSUBAGENT_ERROR subagentRunId=s message=x", "R27"},
		{"R28 a parent may finish before its child", `run
			SUBAGENT_STARTED subagentRunId=p name=w
			SUBAGENT_STARTED subagentRunId=s name=w parentSubagentRunId=p
			SUBAGENT_FINISHED subagentRunId=p
			TEXT_MESSAGE_START messageId=m subagentRunId=p
			TEXT_MESSAGE_END messageId=m subagentRunId=p
			SUBAGENT_FINISHED subagentRunId=s
			done`, ""},
		{"R29 a tag never announced", "run\nTEXT_MESSAGE_START messageId=m subagentRunId=s\nTEXT_MESSAGE_END messageId=m subagentRunId=s\ndone", ""},
		{"R29 parents are not checked", "run\nSUBAGENT_STARTED subagentRunId=s name=w parentToolCallId=x parentMessageId=y\nSUBAGENT_FINISHED subagentRunId=s\ndone", ""},

		{"R30 text of another owner", "run\nTEXT_MESSAGE_START messageId=m subagentRunId=s\nTEXT_MESSAGE_CONTENT messageId=m delta=x subagentRunId=q", "R30"},
		{"R30 the parent is an owner", "run\n" + text + "TEXT_MESSAGE_END messageId=m subagentRunId=s", "R30"},
		{"R30 start of an id owned by another", "run\n" + text + "TEXT_MESSAGE_END messageId=m\nTEXT_MESSAGE_START messageId=m subagentRunId=s", "R30"},
		{"R30 arguments of another owner", "run\n" + tool + "TOOL_CALL_ARGS toolCallId=c delta={} subagentRunId=s", "R30"},
		{"R30 reasoning of another owner", "run\nREASONING_MESSAGE_START messageId=m role=reasoning\nREASONING_MESSAGE_CONTENT messageId=m delta=x subagentRunId=s", "R30"},
		{"R30 a span of another owner", "run\nREASONING_START messageId=m\nREASONING_END messageId=m subagentRunId=s", "R30"},
		{"R30 encrypted value of a call", "run\n" + tool + "REASONING_ENCRYPTED_VALUE subtype=tool-call entityId=c encryptedValue=x subagentRunId=s", "R30"},
		{"R30 encrypted value of a text before a reasoning message", "run\n" + text + "REASONING_MESSAGE_START messageId=m role=reasoning subagentRunId=s\nREASONING_ENCRYPTED_VALUE subtype=message entityId=m encryptedValue=x subagentRunId=s", "R30"},
		{"R30 encrypted value of a reasoning message", "run\nREASONING_MESSAGE_START messageId=m role=reasoning subagentRunId=s\nREASONING_ENCRYPTED_VALUE subtype=message entityId=m encryptedValue=x subagentRunId=s", ""},
		{"R30 activity of another owner", "run\nACTIVITY_SNAPSHOT messageId=a activityType=x content={}\nACTIVITY_DELTA messageId=a activityType=x patch=[] subagentRunId=s", "R30"},
		{"R30 untagged always passes", "run\nTEXT_MESSAGE_START messageId=m subagentRunId=s\nTEXT_MESSAGE_CONTENT messageId=m delta=x\nTEXT_MESSAGE_END messageId=m\ndone", ""},
		{"R30 an untagged start changes no owner", "run\nTEXT_MESSAGE_START messageId=m subagentRunId=s\nTEXT_MESSAGE_END messageId=m\n" + text + "TEXT_MESSAGE_END messageId=m subagentRunId=s\ndone", ""},
		{"R31 an activity snapshot sets the owner", "run\nACTIVITY_SNAPSHOT messageId=a activityType=x content={}\nACTIVITY_SNAPSHOT messageId=a activityType=x content={} subagentRunId=s\nACTIVITY_DELTA messageId=a activityType=x patch=[] subagentRunId=s", ""},
		{"R31 unless it replaces nothing", "run\nACTIVITY_SNAPSHOT messageId=a activityType=x content={}\nACTIVITY_SNAPSHOT messageId=a activityType=x content={} subagentRunId=s replace=false\nACTIVITY_DELTA messageId=a activityType=x patch=[] subagentRunId=s", "R30"},
		{"R32 a snapshot overwrites owners", "run\n" + text + `
			MESSAGES_SNAPSHOT messages=[{"id":"m","role":"assistant","subagentRunId":"s","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]
			TEXT_MESSAGE_END messageId=m subagentRunId=s
			REASONING_ENCRYPTED_VALUE subtype=tool-call entityId=c encryptedValue=x subagentRunId=q`, "R30"},
		{"R32 an echoed input seeds owners", `
			RUN_STARTED threadId=t runId=r input={"threadId":"t","runId":"r","messages":[{"id":"m","role":"assistant","content":"x","subagentRunId":"s"}]}
			TEXT_MESSAGE_START messageId=m subagentRunId=q`, "R30"},
		{"R33 a tag on state, custom and raw is provenance", "run\nSTATE_SNAPSHOT snapshot={} subagentRunId=s\nSTATE_DELTA delta=[] subagentRunId=q\nCUSTOM name=x value=1 subagentRunId=q\nRAW event=1 subagentRunId=q\ndone", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := judge(t, tt.script); got != tt.rules {
				t.Errorf("broken %q, want %q", got, tt.rules)
			}
		})
	}
}

// TestEnd has the two ways out of a stream that has no terminal event.
func TestEnd(t *testing.T) {
	v := newAt(t, "run\nTEXT_MESSAGE_CHUNK messageId=m delta=x")
	v.End()
	if events, broken := v.Feed(parse(t, "TEXT_MESSAGE_CHUNK delta=x")[0]); len(events) > 0 || len(broken) == 0 {
		t.Errorf("after End: %s %v", sayAll(events), broken)
	}
	v.Reset()
	if events, broken := v.Feed(parse(t, "run")[0]); len(events) != 1 || len(broken) > 0 {
		t.Errorf("after Reset: %s %v", sayAll(events), broken)
	}
}
