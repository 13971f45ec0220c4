package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/threadlog/memory"
)

// shown is the text of what the thread's page shows, in order.
func shown(t *agentclient.Session) string {
	var all []string
	for _, e := range t.Conversation.Entries() {
		if e.Message != nil && e.Message.Len() > 0 && !t.Replaced(e) {
			all = append(all, e.Message.Text())
		}
	}
	return strings.Join(all, "|")
}

func sent(in agui.RunAgentInput) string {
	var all []string
	for _, m := range in.Messages {
		all = append(all, m.Content.Text())
	}
	return strings.Join(all, "|")
}

// says is a run that says its number, and the state as it is.
func says(w *world) func(context.Context, agui.RunAgentInput, func(string) bool) error {
	return func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		n := len(w.agent.requests())
		started(in, yield)
		yield(fmt.Sprintf(`{"type":"STATE_SNAPSHOT","snapshot":%s}`, in.State))
		yield(fmt.Sprintf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a%s","role":"assistant","delta":"Answer %d"}`, in.RunID, n))
		yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`, in.RunID))
		return nil
	}
}

func TestAnotherAnswerInThePlaceOfTheLast(t *testing.T) {
	w := newWorld(t, memory.New().Open())
	w.agent.play = says(w)
	if err := w.Regenerate(t.Context(), id, ""); !errors.Is(err, ErrNoAnswer) {
		t.Fatalf("before the first message: %v", err)
	}
	w.send("m1", "One")
	w.settled()
	w.send("m2", "Two")
	first := w.settled().Run.ID
	if err := w.Regenerate(t.Context(), id, first); err != nil {
		t.Fatal(err)
	}
	th := w.settled()
	if err := w.Regenerate(t.Context(), id, first); !errors.Is(err, ErrNoAnswer) {
		t.Fatalf("the same click again: %v", err)
	}
	in := w.agent.requests()[2]
	if got := sent(in); got != "One|Answer 1|Two" {
		t.Errorf("sent %q", got)
	}
	if got := shown(th); got != "One|Answer 1|Two|Answer 3" {
		t.Errorf("shown %q", got)
	}
	if err := w.Regenerate(t.Context(), id, ""); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if in := w.agent.requests()[3]; sent(in) != "One|Answer 1|Two" {
		t.Errorf("a third one: sent %q", sent(in))
	}
	w.send("m3", "Three")
	if got := shown(w.settled()); got != "One|Answer 1|Two|Answer 4|Three|Answer 5" {
		t.Errorf("shown %q", got)
	}
	if in := w.agent.requests()[4]; sent(in) != "One|Answer 1|Two|Answer 4|Three" {
		t.Errorf("the next message: sent %q", sent(in))
	}
}

// TestAnAnswerIsNotLostToAReplacementThatFails: it is back, also for the agent, and a
// retry takes its place after all.
func TestAnAnswerIsNotLostToAReplacementThatFails(t *testing.T) {
	w := newWorld(t, memory.New().Open())
	w.agent.play = says(w)
	w.send("m1", "One")
	w.settled()
	w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		return &agentclient.Error{Kind: agentclient.KindTruncated}
	}
	if err := w.Regenerate(t.Context(), id, ""); err != nil {
		t.Fatal(err)
	}
	th := w.settled()
	if got := shown(th); got != "One|Answer 1" || th.Run.Failure == nil {
		t.Fatalf("shown %q", got)
	}
	if err := w.Regenerate(t.Context(), id, ""); !errors.Is(err, ErrNoAnswer) {
		t.Fatalf("after a failure, which is for a retry: %v", err)
	}
	w.agent.play = says(w)
	if err := w.Retry(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if got := shown(w.settled()); got != "One|Answer 3" {
		t.Errorf("after the retry: shown %q", got)
	}
	if in := w.agent.requests()[2]; sent(in) != "One" {
		t.Errorf("the retry sent %q", sent(in))
	}
}

// TestAStoppedReplacement: without a word it replaces nothing, with some it does.
func TestAStoppedReplacement(t *testing.T) {
	for text, want := range map[string]string{"": "One|Answer 1", "Half": "One|Half"} {
		w := newWorld(t, memory.New().Open())
		w.agent.play = says(w)
		w.send("m1", "One")
		w.settled()
		speaking := make(chan struct{})
		w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
			started(in, yield)
			if text != "" {
				yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","role":"assistant","delta":"Half"}`)
			}
			close(speaking)
			<-ctx.Done()
			return &agentclient.Error{Kind: agentclient.KindAborted, Err: ctx.Err()}
		}
		if err := w.Regenerate(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
		<-speaking
		if text != "" {
			w.untilEntries(3)
		}
		if err := w.Stop(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got := shown(w.folded()); got != want {
			t.Errorf("stopped after %q: shown %q", text, got)
		}
	}
}

// TestWhatWouldHappenAgainIsNotAskedForAgain: a question that is open, and a run that
// called a tool, carried a decision or changed the shared state.
func TestWhatWouldHappenAgainIsNotAskedForAgain(t *testing.T) {
	w := newWorld(t, memory.New().Open())
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		switch {
		case len(in.ForwardedProps) > 0:
			return answer(ctx, in, yield)
		case in.Messages[len(in.Messages)-1].Content.Text() == "Note":
			started(in, yield)
			yield(`{"type":"STATE_SNAPSHOT","snapshot":{"list":["tent"]}}`)
			yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","role":"assistant","delta":"Noted."}`)
			yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`, in.RunID))
			return nil
		case len(in.Messages) > 2:
			started(in, yield)
			yield(`{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"charge_card"}`)
			yield(`{"type":"TOOL_CALL_END","toolCallId":"c2"}`)
			return answer(ctx, in, yield)
		}
		return asks(ctx, in, yield)
	}
	refused := func(when string, want error) {
		t.Helper()
		before := w.folded().Records
		if err := w.Regenerate(t.Context(), id, ""); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
		if after := w.folded().Records; after != before {
			t.Errorf("%s: rows were stored", when)
		}
	}
	w.send("m1", "Reserve")
	w.settled()
	refused("while a question is open", ErrPending)
	if err := decide(w.Runner, t.Context(), 1, true); err != nil {
		t.Fatal(err)
	}
	w.settled()
	refused("after a decision", ErrHadEffect)
	w.send("m2", "Charge")
	w.settled()
	refused("after a tool", ErrHadEffect)
	w.send("m3", "Note")
	w.settled()
	refused("after the shared state changed", ErrHadEffect)
}

func TestNoSecondAnswerWhileTheFirstGoesOn(t *testing.T) {
	w := newWorld(t, memory.New().Open())
	goOn := make(chan struct{})
	w.agent.play = speaks(goOn, make(chan error, 1))
	w.send("m1", "Hi")
	w.untilEntries(2)
	if err := w.Regenerate(t.Context(), id, ""); !errors.Is(err, ErrRunning) {
		t.Errorf("%v", err)
	}
	close(goOn)
	w.settled()
}
