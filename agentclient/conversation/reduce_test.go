package conversation_test

import (
	"slices"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestReduce folds scripts and compares the page, the rules noted, and when
// given the state and the history ("role:id" each).
func TestReduce(t *testing.T) {
	tests := []struct {
		name, script string
		page         string
		notes        string
		state        string
		history      string
	}{
		{
			name:    "text",
			script:  started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}`,
			page:    `#1 assistant streaming "Hello"`,
			history: "assistant:m",
		},
		{
			name:   "a message without text makes no entry",
			script: started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":""}` + "\n" + `{"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n" + finished,
		},
		{
			name:   "reopened message goes on",
			script: started + textOf("m", "a") + textOf("m", "b") + finished,
			page:   `#1 assistant complete "ab"`,
		},
		{
			name:   "content for an unknown message is dropped",
			script: started + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}` + "\n" + finished,
			notes:  "R10 6.2",
		},
		{
			name:   "the agent cannot write into the user's message",
			script: "!user u hello\n" + started + textOf("u", " and obey") + `{"type":"ACTIVITY_SNAPSHOT","messageId":"u","activityType":"x","content":{}}` + "\n" + finished,
			page:   `#1 user complete "hello"`,
			notes:  "6.2 6.2 6.2 6.7",
		},

		// Chunks.
		{
			name:   "chunks",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"c"}`,
			page:   "#1 assistant complete \"ab\"\n#2 assistant streaming \"c\"",
		},
		{
			name:   "RAW leaves a chunk stream open",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"RAW","event":null}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`,
			page:   `#1 assistant streaming "ab"`,
		},
		{
			name:   "CUSTOM closes it, and then a chunk needs an id",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"CUSTOM","name":"x","value":1}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"c"}`,
			page:   `#1 assistant streaming "ac"`,
			notes:  "4.2",
		},
		{
			name:   "tool chunks",
			script: started + `{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"f","parentMessageId":"m","delta":"{\"a\""}` + "\n" + `{"type":"TOOL_CALL_CHUNK","delta":":1}"}` + "\n" + `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"ok"}`,
			page:   `#1 tool "f" complete args {"a":1} result ok`, history: "assistant:m tool:r",
		},
		{
			name:   "tool chunk without a name",
			script: started + `{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{}"}`,
			notes:  "4.2",
		},
		{
			name:   "a chunk of another role goes on as the first said",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"user","delta":"b"}`,
			page:   `#1 assistant streaming "ab"`, notes: "4.2",
		},
		{
			name: "lanes: parent and subagent interleave",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"s","delta":"x"}
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"b"}
				{"type":"TEXT_MESSAGE_CHUNK","subagentRunId":"s","delta":"y"}`,
			page: "#1 assistant streaming \"ab\"\n#2 subagent \"\" running for \"\"\n  #3 assistant streaming \"xy\"",
		},
		{
			name: "ambiguous chunk",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"s1","delta":"a"}
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"s2","delta":"b"}
				{"type":"TEXT_MESSAGE_CHUNK","delta":"?"}`,
			page:  "#1 subagent \"\" running for \"\"\n  #2 assistant streaming \"a\"\n#3 subagent \"\" running for \"\"\n  #4 assistant streaming \"b\"",
			notes: "4.1",
		},

		// Tool calls.
		{
			name:    "call without a parent makes its own holder",
			script:  started + toolOf("c", "f", `{}`) + finished,
			page:    `#1 tool "f" incomplete args {}`,
			history: "assistant:c tool:c~none",
		},
		{
			name:    "text of the holder comes after its call",
			script:  started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"done"}`,
			page:    "#1 tool \"f\" running args \n#2 assistant streaming \"done\"",
			history: "assistant:m",
		},
		{
			name:    "orphan result",
			script:  started + resultOf("r", "c", "ok") + finished,
			page:    `#1 tool "" complete args  result ok`,
			history: "tool:r",
		},
		{
			name:    "a result before its call finds it",
			script:  started + resultOf("r", "c", "ok") + textOf("m", "hi") + toolOf("c", "f", `{}`) + finished,
			page:    "#1 tool \"f\" complete args {} result ok\n#2 assistant complete \"hi\"",
			history: "assistant:m assistant:c tool:r",
		},
		{
			name:    "the same result twice is one",
			script:  started + toolOf("c", "f", `{}`) + resultOf("r", "c", "ok") + resultOf("r", "c", "ok") + finished,
			page:    `#1 tool "f" complete args {} result ok`,
			history: "assistant:c tool:r",
		},
		{
			name:    "another result for a call counts instead",
			script:  started + toolOf("c", "f", `{}`) + resultOf("r1", "c", "one") + resultOf("r2", "c", "two") + finished,
			page:    `#1 tool "f" complete args {} result two`,
			history: "assistant:c tool:r2",
			notes:   "6.3",
		},
		{
			name:    "a call without a result that the next run starts again",
			script:  started + toolOf("c", "f", `{"a":1}`) + finished + started + toolOf("c", "f", `{"a":2}`) + resultOf("r", "c", "ok") + finished,
			page:    `#1 tool "f" complete args {"a":2} result ok`,
			history: "assistant:c tool:r",
		},
		{
			name:    "a call id used again in another turn is another call",
			script:  "!begin r\n" + started + toolOf("c", "f", `{"a":1}`) + finished + "!begin r\n" + started + toolOf("c", "f", `{"a":2}`) + resultOf("r", "c", "ok") + finished,
			page:    "#1 tool \"f\" incomplete args {\"a\":1}\n#2 tool \"f\" complete args {\"a\":2} result ok",
			notes:   "6.3",
			history: "assistant:c~2 tool:c~1~none assistant:c tool:r",
		},
		{
			name:   "an error object is a failed tool, also inside a string",
			script: started + toolOf("c", "f", `{}`) + resultOf("r", "c", `{\"error\":true,\"message\":\"no\"}`) + toolOf("d", "f", `{}`) + resultOf("s", "d", `\"{\\\"error\\\":true}\"`) + toolOf("e", "f", `{}`) + resultOf("v", "e", `{\"error\":false}`) + finished,
			page: `#1 tool "f" error args {} result {"error":true,"message":"no"}
#2 tool "f" error args {} result "{\"error\":true}"
#3 tool "f" complete args {} result {"error":false}`,
		},
		{
			name:    "parallel results keep their order of arrival",
			script:  started + `{"type":"TOOL_CALL_START","toolCallId":"a","toolCallName":"f","parentMessageId":"m"}` + "\n" + `{"type":"TOOL_CALL_START","toolCallId":"b","toolCallName":"g","parentMessageId":"m"}` + "\n" + textOf("n", "x") + resultOf("rb", "b", "2") + resultOf("ra", "a", "1"),
			page:    "#1 tool \"f\" complete args  result 1\n#2 tool \"g\" complete args  result 2\n#3 assistant complete \"x\"",
			history: "assistant:m tool:rb tool:ra assistant:n",
		},

		// Ends.
		{
			name:   "RUN_ERROR with open things",
			script: started + state(`{"a":1}`) + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"half"}` + "\n" + `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}` + "\n" + `{"type":"TEXT_MESSAGE_START","messageId":"n"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"x"}` + "\n" + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}` + "\n" + `{"type":"RUN_ERROR","message":"boom"}` + "\n" + textOf("late", "x"),
			page:   "#1 assistant complete \"half\"\n#2 tool \"f\" incomplete args \n#3 assistant error \"x\"\n#4 subagent \"w\" error for \"\"",
			notes:  "R1 R1 R1",
			state:  `{"a":1}`,
		},
		{
			name:   "an error in the middle of chunks leaves no complete message",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"half"}` + "\n" + `{"type":"RUN_ERROR","message":"boom"}` + "\n" + started + finished,
			page:   `#1 assistant error "half"`,
		},
		{
			name:   "finish with open things is applied and noted",
			script: started + state(`{"a":1}`) + `{"type":"TEXT_MESSAGE_START","messageId":"n"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"x"}` + "\n" + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}` + "\n" + finished,
			page:   "#1 assistant complete \"x\"\n#2 subagent \"w\" complete for \"\"",
			notes:  "R21 R24",
			state:  `{"a":1}`,
		},
		{
			name:   "stopped by the user",
			script: "!begin r\n" + started + state(`{"a":1}`) + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"half"}` + "\n!end stopped\n" + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"late"}`,
			page:   `#1 assistant stopped "half"`,
			state:  `{"a":1}`,
			notes:  "R1",
		},
		{
			name:   "an interrupt keeps the call it asks about running until its result",
			script: started + toolOf("c", "f", `{}`) + toolOf("d", "g", `{}`) + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","toolCallId":"c"}]}}`,
			page:   "#1 tool \"f\" running args {}\n#2 tool \"g\" incomplete args {}",
		},
		{
			name:   "a resumed run that gives no result leaves the call incomplete",
			script: started + toolOf("c", "f", `{}`) + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","toolCallId":"c"}]}}` + "\n" + started + finished,
			page:   `#1 tool "f" incomplete args {}`,
		},
		{
			name:   "a cancelled run keeps its state",
			script: started + state(`{"a":1}`) + finished + started + state(`{"a":2}`) + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`,
			state:  `{"a":2}`,
		},
		{
			name:   "events after the finish are ignored",
			script: started + finished + textOf("m", "x"),
			notes:  "R2 R2 R2",
		},
		{
			name:   "a stream that begins in the middle",
			script: textOf("m", "x") + finished,
			page:   `#1 assistant complete "x"`, notes: "R3",
		},
		{
			name:   "a run displaced by another",
			script: started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}` + "\n" + started + finished,
			page:   `#1 assistant interrupted "x"`, notes: "R4",
		},
		{
			name:   "unknown events are nothing",
			script: `{"type":"NEW_THING"}` + "\n" + started + finished,
			notes:  "8.4",
		},

		// Subagents.
		{
			name: "attribution",
			script: started + toolOf("d", "delegate", `{}`) + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w","description":"looks","parentToolCallId":"d"}
				{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}
				{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}
				{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"deep","parentSubagentRunId":"s"}
				{"type":"SUBAGENT_ERROR","subagentRunId":"s2","message":"no"}
				{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"y","subagentRunId":"s"}`,
			page: `#1 tool "delegate" running args {}
#2 subagent "w" complete for "d"
  #3 assistant streaming "xy"
  #4 tool "f" running args 
  #5 subagent "deep" error for "" error "no"`,
		},
		{
			name:   "announced late",
			script: started + strings.ReplaceAll(textOf("m", "x"), `"messageId"`, `"subagentRunId":"s","messageId"`) + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w","parentToolCallId":"d"}`,
			page:   "#1 subagent \"w\" running for \"d\"\n  #2 assistant complete \"x\"",
		},
		{
			name:   "announced and silent",
			script: started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}`,
			page:   `#1 subagent "w" pending for ""`,
		},
		{
			name:   "a duplicate start changes nothing, a later run may use the id again",
			script: started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}` + "\n" + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"other"}` + "\n" + `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n" + finished + started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w2"}`,
			page:   "#1 subagent \"w\" complete for \"\"\n#2 subagent \"w2\" pending for \"\"",
			notes:  "R25",
		},
		{
			name:   "suspended with the run, taken up by the next",
			script: started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}` + "\n" + `{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended"}}` + "\n" + finished + started + strings.ReplaceAll(textOf("m", "x"), `"messageId"`, `"subagentRunId":"s","messageId"`),
			page:   "#1 subagent \"w\" running for \"\"\n  #2 assistant complete \"x\"",
		},
		{
			name:   "a tag that is not the owner's",
			script: started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","subagentRunId":"s"}`,
			page:   `#1 assistant streaming "x"`, notes: "R30",
		},

		// Snapshots.
		{
			name:    "a snapshot keeps, replaces, sets aside and appends",
			script:  "!user u hi\n" + started + textOf("a", "old") + textOf("b", "gone") + toolOf("c", "f", `{}`) + `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"n","role":"assistant","content":"new"},{"id":"a","role":"assistant","content":"changed"},{"id":"u","role":"user","content":"hi"},{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":"ok"}]}`,
			page:    "#1 user complete \"hi\"\n#2 assistant complete \"changed\"\n#3 assistant complete \"gone\"\n#4 tool \"f\" complete args {} result ok\n#5 assistant complete \"new\"",
			history: "user:u assistant:a assistant:c tool:r assistant:n",
			notes:   "6.6",
		},
		{
			name:   "a snapshot without messages removes nothing",
			script: started + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}` + "\n" + `{"type":"MESSAGES_SNAPSHOT","messages":[]}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"y"}`,
			page:   `#1 assistant streaming "xy"`,
			notes:  "6.6",
		},
		{
			name:    "reasoning survives a snapshot without any",
			script:  started + `{"type":"REASONING_MESSAGE_CHUNK","messageId":"q","delta":"hm"}` + "\n" + textOf("a", "x") + `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"x"}]}`,
			page:    "#1 reasoning complete \"hm\"\n#2 assistant complete \"x\"",
			history: "reasoning:q assistant:a",
		},
		{
			name:   "ids of the holder may change, the call stays where it is",
			script: "!user u hi\n" + started + toolOf("c", "f", `{}`) + resultOf("r", "c", "ok") + "!mark card\n" + textOf("b", "bye") + `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"hi"},{"id":"a2","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"r2","role":"tool","toolCallId":"c","content":"ok"},{"id":"b2","role":"assistant","content":"bye"}]}`,
			page:   "#1 user complete \"hi\"\n#2 tool \"f\" complete args {} result ok\n#3 marker card\n#4 assistant complete \"bye\"",
		},

		{
			name:   "a chunked message that a cancelled run cuts short is stopped",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`,
			page:   `#1 assistant stopped "a"`,
		},
		{
			name:   "and one that a pause without a question cuts short failed",
			script: started + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}` + "\n" + `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`,
			page:   `#1 assistant error "a"`, notes: "3.1",
		},
		{
			name: "nested subagents survive the next run, one that was closed begins a new card",
			script: started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}
				{"type":"SUBAGENT_STARTED","subagentRunId":"q","name":"deep","parentSubagentRunId":"s"}
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"q","delta":"a"}
				{"type":"SUBAGENT_FINISHED","subagentRunId":"q"}
				{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n" + finished + started + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}
				{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"s","delta":"b"}
				{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n" + finished,
			page: "#1 subagent \"w\" complete for \"\"\n  #2 subagent \"deep\" complete for \"\"\n    #3 assistant complete \"a\"\n#4 subagent \"w\" complete for \"\"\n  #5 assistant complete \"b\"",
		},

		// Activities.
		{
			name:   "activity",
			script: started + `{"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"plan","content":{"n":1}}` + "\n" + `{"type":"ACTIVITY_DELTA","messageId":"p","activityType":"plan","patch":[{"op":"replace","path":"/n","value":2}]}` + "\n" + `{"type":"ACTIVITY_DELTA","messageId":"p","activityType":"plan","patch":[{"op":"remove","path":"/x"}]}`,
			page:   `#1 activity complete "" plan {"n":2}`,
			notes:  "6.7",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation.New()
			apply(t, c, tt.script)
			check(t, c, tt.page, tt.notes)
			if got := string(c.State()); tt.state != "" && got != tt.state {
				t.Errorf("state %s, want %s", got, tt.state)
			}
			var history []string
			for _, m := range c.History() {
				history = append(history, string(m.Role)+":"+m.ID)
			}
			if got := strings.Join(history, " "); tt.history != "" && got != tt.history {
				t.Errorf("history %s, want %s", got, tt.history)
			}
		})
	}
}

func TestChangesNameTopLevelEntries(t *testing.T) {
	c := conversation.New()
	apply(t, c, started+textOf("m", "x")+`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}`+"\n"+
		strings.ReplaceAll(textOf("n", "y"), `"messageId"`, `"subagentRunId":"s","messageId"`))
	ev, err := agui.Decode([]byte(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"s","delta":"z"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := c.Apply(ev)
	if !slices.Equal(got.Keys, []int{2}) || got.State || got.Run || got.Structure || got.Notes != 0 {
		t.Errorf("got %+v, want only key 2", got)
	}
	if m := c.Entry(3).Message; m.Text() != "yz" || m.Slice(1) != "z" || m.Slice(9) != "" || m.Len() != 2 {
		t.Errorf("child message %q", m.Text())
	}
	if c.Entry(0) != nil || c.Entry(99) != nil {
		t.Error("Entry gives something for a key that is not there")
	}
	if got := c.AddMessage(agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("")}); !slices.Equal(got.Keys, []int{4}) {
		t.Errorf("new message: %+v", got)
	}
	if got := c.AddMessage(agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("other")}); len(got.Keys) != 0 {
		t.Errorf("known message: %+v", got)
	}
}
