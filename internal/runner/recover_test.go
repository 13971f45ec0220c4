package runner

import (
	"testing"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

func TestRecoverEndsWhatACrashLeftOpen(t *testing.T) {
	log := openLog(t)
	w := newWorld(t, log)
	rows := []threadlog.Row{
		thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: "m1", Text: "Hi"}),
		thread.NewRow(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage}),
	}
	if _, err := log.Append(t.Context(), id, 0, rows...); err != nil {
		t.Fatal(err)
	}
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	th := w.settled()
	if th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeShutdown || !th.Run.Failure.Retryable() {
		t.Fatalf("failure %+v", th.Run.Failure)
	}
	if err := w.Retry(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
}

func TestOneUnreadableThreadDoesNotStopTheOthers(t *testing.T) {
	log := openLog(t)
	w := newWorld(t, log)
	const other = "11111111-1111-4111-8111-111111111111"
	if err := log.Create(t.Context(), threadlog.Thread{ID: other, Owner: "o", Demo: "gone"}); err != nil {
		t.Fatal(err)
	}
	for _, th := range []string{id, other} {
		if _, err := log.Append(t.Context(), th, 0, thread.NewRow(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if th := w.settled(); th.Run.Failure == nil {
		t.Fatal("the readable thread was not recovered")
	}
}
