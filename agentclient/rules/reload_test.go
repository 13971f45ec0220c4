package rules

import (
	"encoding/json"
	"errors"
	"go/build"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// row is what a program stores of a thread: what it did and what it received.
type row struct {
	Kind  string // begin, event, claim, sent, end
	RunID string
	Data  json.RawMessage `json:",omitempty"`
}

// log is a store with compare-and-swap: an append names the length it saw.
type log []row

func (l *log) append(seen int, r row) bool {
	if seen != len(*l) {
		return false
	}
	*l = append(*l, r)
	return true
}

// rebuild folds stored rows, as a program does that starts.
func rebuild(t *testing.T, l log) *thread {
	t.Helper()
	stored, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var rows log
	if err := json.Unmarshal(stored, &rows); err != nil {
		t.Fatal(err)
	}
	th := newThread(t)
	for _, r := range rows {
		switch r.Kind {
		case "begin":
			th.BeginRun(r.RunID)
		case "event":
			th.more(r.RunID, string(r.Data))
		case "claim":
			if _, err := th.pause.Claim(th.pause.Generation(), r.RunID, r.Data, noon); err != nil {
				t.Fatal(err)
			}
		case "sent":
			th.pause.Dispatched(r.RunID)
		case "end":
			th.EndRun(conversation.RunTruncated)
			th.pause.RunEnded(r.RunID, interrupt.EndedBroken)
		}
	}
	return th
}

// asked is the log of a thread that waits for an answer.
func asked(t *testing.T) log {
	l := log{{Kind: "begin", RunID: "r1"}}
	for _, line := range []string{started, `{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Shall I?"}`,
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"book","parentMessageId":"a","delta":"{}"}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","parentToolCallId":"c1"}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"ok?","toolCallId":"c1"},{"id":"i2","reason":"sure?"}]}}`} {
		l = append(l, row{Kind: "event", RunID: "r1", Data: json.RawMessage(strings.ReplaceAll(line, `"runId":"r"`, `"runId":"r1"`))})
	}
	return l
}

const both = `[{"interruptId":"i1","payload":true},{"interruptId":"i2","status":"cancelled"}]`

func TestRule31TheRowsAreTheRecord(t *testing.T) {
	l := asked(t)
	seen := len(l)
	// Two tabs decide on what they saw; the second loses, before anything is sent.
	if !l.append(seen, row{"claim", "r2", json.RawMessage(both)}) {
		t.Fatal("the first decision was refused")
	}
	if l.append(seen, row{"claim", "r3", json.RawMessage(both)}) {
		t.Fatal("the second decision was stored")
	}
	a, b := rebuild(t, l), rebuild(t, l)
	ta, _ := a.pause.Attempt()
	tb, _ := b.pause.Attempt()
	ja, _ := json.Marshal(ta)
	jb, _ := json.Marshal(tb)
	if string(ja) != string(jb) || a.page() != b.page() || a.pause.Phase() != b.pause.Phase() {
		t.Errorf("one log, two threads:\n%s\n%s", ja, jb)
	}
	if ta.RunID != "r2" || ta.Generation != 1 || len(ta.Wire.Resume) != 2 {
		t.Errorf("attempt %+v", ta)
	}
}

func TestRule33AReloadRestoresEverythingAndRunsNothing(t *testing.T) {
	th := rebuild(t, asked(t))
	want(t, "page", th.page(), `
		assistant a complete: Shall I?
		call c1 book running {} ->
		sub s1 researcher [c1] complete ()`)
	if th.state() != `{"n":1}` || th.Run().Status != conversation.RunInterrupted {
		t.Errorf("state %s, run %s", th.State(), th.Run().Status)
	}
	open := th.pause.Pending()
	if len(open) != 2 || open[0].ToolCallID != "c1" || open[1].ID != "i2" || !th.pause.Blocked() {
		t.Errorf("pending %v", open)
	}
	if err := th.pause.Answerable(json.RawMessage(both), noon); err != nil {
		t.Error(err)
	}
}

// The library keeps no state of its own anywhere: what to store, and where, is
// the program's.
func TestRule34NoStoreIsBundled(t *testing.T) {
	for _, dir := range []string{"..", "../conversation", "../interrupt", "../../agui", "../../agui/sse"} {
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range p.Imports {
			if imp == "os" || strings.HasPrefix(imp, "database/") || strings.Contains(imp, "sqlite") {
				t.Errorf("%s imports %s", dir, imp)
			}
		}
	}
}

func TestRule35ReplayGoesThroughTheLiveReducer(t *testing.T) {
	const input = `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"u1","role":"user","content":"Book it"}]}}` + "\n"
	th := newThread(t)
	th.more("r1", input+asks) // events alone, as an agent's history has them
	want(t, "the user's turns come from the inputs", th.page(), `user u1 complete: Book it`)
	if th.pause.Phase() != interrupt.PhasePending {
		t.Errorf("it ends on a pause, phase %s", th.pause.Phase())
	}
	// A run that follows answered the pause; nothing here knows with what.
	th.pause.Abandon()
	th.more("r2", started+hello)
	th.EndRun(conversation.RunTruncated)
	want(t, "it ends in the middle", th.page(), `
		user u1 complete: Book it
		assistant a error: Hello`)
	if th.Run().Status != conversation.RunTruncated || th.pause.Blocked() {
		t.Errorf("run %s, phase %s", th.Run().Status, th.pause.Phase())
	}
}

// A decision that a process was sending when it died is in doubt, and stays so until a
// person or an authority decides.
func TestRule32DemotionOfARebuiltThread(t *testing.T) {
	l := append(asked(t), row{"claim", "r2", json.RawMessage(both)}, row{Kind: "sent", RunID: "r2"})
	th := rebuild(t, l)
	if !th.pause.Demote() || th.pause.Phase() != interrupt.PhaseUncertain {
		t.Fatalf("phase %s", th.pause.Phase())
	}
	if _, err := th.pause.Retry(1, noon); !errors.Is(err, interrupt.ErrAlreadyClaimed) {
		t.Errorf("a decision in doubt was retried: %v", err)
	}
	th = rebuild(t, append(l, row{Kind: "begin", RunID: "r2"}, row{"event", "r2", json.RawMessage(strings.TrimSpace(started))}))
	if !th.pause.Demote() || th.pause.Phase() != interrupt.PhaseRecoveryRequired {
		t.Fatalf("phase %s", th.pause.Phase())
	}
	if _, err := agui.Decode(json.RawMessage(`{"kind":"a row nobody can read"}`)); err == nil {
		t.Error("a bad row was read")
	}
}
