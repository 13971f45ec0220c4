package rules

import (
	"strings"
	"testing"

	"cairn/agui"
)

func TestRule46TextMessagesByTheirID(t *testing.T) {
	th := newThread(t).run("r1", started+hello+`
		{"type":"TEXT_MESSAGE_START","messageId":"b","role":"assistant"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"Two"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":", you"}
		`+over+`{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"!"}`)
	want(t, "two at once, and the id of one of them used again", th.page(), `
		assistant a~1 complete: Hello, you
		assistant b streaming: Two
		assistant a streaming: !`)
	th.more("r1", finished)
	want(t, "the end closes what is open", th.page(), `
		assistant a~1 complete: Hello, you
		assistant b complete: Two
		assistant a complete: !`)
}

func TestRule47ChunksAreExpanded(t *testing.T) {
	th := newThread(t).run("r1", started+`
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Let me "}
		{"type":"TEXT_MESSAGE_CHUNK","delta":"look"}
		{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"look","parentMessageId":"a","delta":"{\"at\":"}
		{"type":"TOOL_CALL_CHUNK","delta":"1}"}
		`+finished)
	want(t, "page", th.page(), `
		assistant a complete: Let me look
		call c look incomplete {"at":1} ->`)
	if th.NoteCount() != 0 {
		t.Errorf("%+v", th.Notes())
	}
}

func TestRule48SnapshotsMerge(t *testing.T) {
	th := newThread(t)
	th.AddMessage(user("u1", "Hi"))
	th.run("r1", started+hello+over+finished)
	key := th.Entries()[1].Key
	th.run("r2", started+`
		{"type":"TEXT_MESSAGE_START","messageId":"b","role":"assistant"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"Still go"}`)
	said := `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"Hi"},{"id":"a","role":"assistant","content":"Hello"},` +
		`{"id":"b","role":"assistant","content":"Still go","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}]}`
	changes := th.Apply(events(t, said)[0])
	if len(changes.Keys) != 1 || th.Entries()[1].Key != key {
		t.Errorf("changed %v; what the snapshot repeats stays as it is", changes.Keys)
	}
	th.more("r2", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"ing"}`+"\n"+finished)
	want(t, "page", th.page(), `
		user u1 complete: Hi
		assistant a complete: Hello
		assistant b complete: Still going
		call c1 look incomplete {} ->`)
}

func TestRule49ToolCalls(t *testing.T) {
	const call = `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"at\":"}`
	th := newThread(t).run("r1", started+call)
	want(t, "half written arguments are there as they are", th.page(), `call c1 look running {"at": ->`)
	th.more("r1", `{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"1}"}`+"\n"+`{"type":"TOOL_CALL_END","toolCallId":"c1"}`)
	want(t, "the end of a call is not its result", th.page(), `call c1 look running {"at":1} ->`)
	th.more("r1", `{"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"seen"}`+"\n"+
		`{"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"never-announced","content":[{"type":"text","text":"booked"}]}`)
	want(t, "a result", th.page(), `
		call c1 look complete {"at":1} -> seen
		call never-announced  complete  -> booked`)
}

func TestRule50ACallWithoutAParentHasItsOwnMessage(t *testing.T) {
	th := newThread(t)
	th.AddMessage(user("u1", "Hi"))
	th.run("r1", started+`
		{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look"}
		{"type":"TOOL_CALL_END","toolCallId":"c1"}
		{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"look","parentMessageId":"u1"}
		{"type":"TOOL_CALL_END","toolCallId":"c2"}
		`+finished)
	want(t, "history", th.sent(), `
		{"id":"u1","role":"user","content":"Hi"}
		{"id":"c1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}
		{"id":"c1~none","role":"tool","content":"The call ended without a result.","toolCallId":"c1"}
		{"id":"c2","role":"assistant","toolCalls":[{"id":"c2","type":"function","function":{"name":"look","arguments":"{}"}}]}
		{"id":"c2~none","role":"tool","content":"The call ended without a result.","toolCallId":"c2"}`)
}

func TestRule51State(t *testing.T) {
	th := newThread(t).run("r1", started+`
		{"type":"STATE_SNAPSHOT","snapshot":{"n":1,"list":["a"]}}
		{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/-","value":"b"},{"op":"add","path":"/__proto__","value":{"x":1}}]}`)
	want(t, "state", th.state(), `{"__proto__":{"x":1},"list":["a","b"],"n":1}`)
	th.more("r1", `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2},{"op":"remove","path":"/missing"}]}`)
	want(t, "a batch that fails changes nothing", th.state(), `{"__proto__":{"x":1},"list":["a","b"],"n":1}`)
	if !th.Diverged() {
		t.Error("the failure is not visible")
	}
	th.more("r1", `{"type":"STATE_SNAPSHOT","snapshot":{"n":3}}`)
	if string(th.State()) != `{"n":3}` || th.Diverged() {
		t.Errorf("a snapshot replaces: %s, diverged %v", th.State(), th.Diverged())
	}
}

func TestRule52Activities(t *testing.T) {
	th := newThread(t).run("r1", started+`
		{"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"PLAN","content":{"done":0}}
		{"type":"ACTIVITY_DELTA","messageId":"p","activityType":"PLAN","patch":[{"op":"replace","path":"/done","value":1}]}
		{"type":"ACTIVITY_DELTA","messageId":"p","activityType":"PLAN","patch":[{"op":"replace","path":"/nowhere","value":1}]}
		{"type":"CUSTOM","name":"anything","value":1}
		{"type":"RAW","event":{"x":1}}
		{"type":"STEP_STARTED","stepName":"s"}
		{"type":"STEP_FINISHED","stepName":"s"}
		{"type":"NEWER_THAN_US","x":1}`)
	want(t, "page", th.page(), `activity p complete: {"done":1}`)
	if n := th.NoteCount(); n != 2 {
		t.Errorf("%d notes, want the bad patch and the unknown type: %+v", n, th.Notes())
	}
}

func TestRule53OnlyTheProtocolsFieldsAreSent(t *testing.T) {
	th := newThread(t)
	th.AddMessage(user("u1", "Hi"))
	th.Mark("the application's own")
	th.run("r1", started+hello+`
		{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look","parentMessageId":"a"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}
		{"type":"TOOL_CALL_END","toolCallId":"c1"}
		{"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"seen"}
		{"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"PLAN","content":{}}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"!"}`+"\n"+failed)
	want(t, "history", th.sent(), `
		{"id":"u1","role":"user","content":"Hi"}
		{"id":"a","role":"assistant","content":"Hello!","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}
		{"id":"m1","role":"tool","content":"seen","toolCallId":"c1"}`)
}

// The program that offers tools runs them, and adds the result as a message.
func TestRule54TheClientsOwnTools(t *testing.T) {
	th := newThread(t).run("r1", started+`
		{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"ask_browser"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}
		{"type":"TOOL_CALL_END","toolCallId":"c1"}
		{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["c1"]}}`)
	want(t, "a call that waits for us", th.page(), `call c1 ask_browser incomplete {} ->`)
	th.AddMessage(agui.Message{ID: "tool-c1", Role: agui.RoleTool, ToolCallID: "c1", Content: agui.TextContent("done")})
	want(t, "answered", th.page(), `call c1 ask_browser complete {} -> done`)
	if !strings.HasSuffix(th.sent(), `{"id":"tool-c1","role":"tool","content":"done","toolCallId":"c1"}`) {
		t.Error(th.sent())
	}
}
