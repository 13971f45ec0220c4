package memory

import (
	"sync"
	"testing"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/logtest"
)

func TestContract(t *testing.T) {
	var stores sync.Map // by directory, so that it can be opened again
	logtest.Run(t, func(_ *testing.T, dir string) threadlog.Log {
		s, _ := stores.LoadOrStore(dir, New())
		return s.(*Store).Open()
	})
}

// TestLateContract: the contract holds when wakes come after the writes have returned.
func TestLateContract(t *testing.T) {
	var stores sync.Map
	logtest.Run(t, func(_ *testing.T, dir string) threadlog.Log {
		s, _ := stores.LoadOrStore(dir, New())
		return logtest.Late(s.(*Store).Open())
	})
}

// TestTwoLogsShareOneStore holds what two nodes on one store see of each other.
func TestTwoLogsShareOneStore(t *testing.T) {
	ctx := t.Context()
	s := New()
	one, two := s.Open(), s.Open()
	follow, watch := two.Follow(ctx, "a"), two.Watch(ctx, "o")
	<-watch
	if err := one.Create(ctx, threadlog.Thread{ID: "a", Owner: "o"}); err != nil {
		t.Fatal(err)
	}
	<-watch
	if _, err := one.Append(ctx, "a", 0, threadlog.Row{Kind: threadlog.KindUser}); err != nil {
		t.Fatal(err)
	}
	if got := <-follow; got != 1 {
		t.Errorf("the other log is woken with %d, want 1", got)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if last, err := two.Append(ctx, "a", 1, threadlog.Row{Kind: threadlog.KindUser}); last != 2 || err != nil {
		t.Errorf("after the other log was closed: Append = %d, %v", last, err)
	}
	if got := <-follow; got != 2 {
		t.Errorf("woken with %d, want 2", got)
	}
}
