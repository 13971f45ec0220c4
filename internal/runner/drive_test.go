package runner

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"cairn/agentclient"
	"cairn/internal/threadlog"
)

// full is a log whose disk is full for some appends.
type full struct {
	threadlog.Log
	failures atomic.Int32
}

func (f *full) Append(ctx context.Context, th string, expected int64, rows ...threadlog.Row) (int64, error) {
	if rows[0].Kind != threadlog.KindUser && f.failures.Add(-1) >= 0 {
		return 0, threadlog.ErrFull
	}
	return f.Log.Append(ctx, th, expected, rows...)
}

func TestFullDiskEndsTheRunAndIsRecordedWhenThereIsRoom(t *testing.T) {
	f := &full{Log: openLog(t)}
	f.failures.Store(4)
	w := newWorld(t, f)
	w.send("m1", "Hi")
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeNotStored {
		t.Fatalf("run %+v", th.Run)
	}
}

func TestErrorsOfTheClientBecomeEnds(t *testing.T) {
	for _, c := range []struct {
		err  *agentclient.Error
		want agentclient.Outcome
	}{
		{&agentclient.Error{Kind: agentclient.KindStatus, Status: 401}, agentclient.OutcomeRefused},
		{&agentclient.Error{Kind: agentclient.KindNotSSE}, agentclient.OutcomeNotStream},
		{&agentclient.Error{Kind: agentclient.KindTruncated}, agentclient.OutcomeTruncated},
		{&agentclient.Error{Kind: agentclient.KindStalled}, agentclient.OutcomeStalled},
		{&agentclient.Error{Kind: agentclient.KindMalformed}, agentclient.OutcomeMalformed},
		{&agentclient.Error{Kind: agentclient.KindTooLarge}, agentclient.OutcomeTooLarge},
	} {
		if got := endOf(context.Background(), fmt.Errorf("run: %w", c.err)); got.Outcome != c.want || got.Status != c.err.Status {
			t.Errorf("%v: %+v", c.err.Kind, got)
		}
	}
}
