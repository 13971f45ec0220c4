package agenthost

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestHoldWaitsForARunWithoutAClient: how long the next run of a thread waits,
// and what it is told, depends on whether the one before has a client left.
func TestHoldWaitsForARunWithoutAClient(t *testing.T) {
	const never = time.Hour
	for _, tc := range []struct {
		name       string
		over, free time.Duration // when the holder's context ends, and when it releases the thread
		gives      time.Duration // when the waiting run itself is given up
		ok         bool
		after      time.Duration
	}{
		{"free", 0, 0, never, true, 0},
		{"at work", never, never, never, false, leaveNotice},
		{"over at once", 0, 300 * time.Millisecond, never, true, 300 * time.Millisecond},
		{"seen to be over a moment later", 20 * time.Millisecond, 300 * time.Millisecond, never, true, 300 * time.Millisecond},
		{"seen too late", 150 * time.Millisecond, 300 * time.Millisecond, never, false, leaveNotice},
		{"ends by itself", never, 50 * time.Millisecond, never, true, 50 * time.Millisecond},
		{"over but busy with a tool", 0, never, never, false, leaveTime},
		{"the waiting client leaves too", 0, never, 500 * time.Millisecond, false, 500 * time.Millisecond},
		{"the waiting client leaves before anything is known", never, never, 50 * time.Millisecond, false, 50 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				list, id := threads{holders: map[Thread]*holder{}}, Thread{Agent: "a", ID: "t"}
				holding, end := context.WithCancel(t.Context())
				defer end()
				release, ok := list.acquire(holding, id)
				if !ok {
					t.Fatal("the first was refused")
				}
				over, free := time.AfterFunc(tc.over, end), time.AfterFunc(tc.free, release)
				defer over.Stop()
				defer free.Stop()
				synctest.Wait()
				waiting, giveUp := context.WithTimeout(t.Context(), tc.gives)
				defer giveUp()
				began := time.Now()
				release, ok = list.acquire(waiting, id)
				if took := time.Since(began); ok != tc.ok || took != tc.after {
					t.Errorf("%v after %v, want %v after %v", ok, took, tc.ok, tc.after)
				}
				if ok {
					release()
				}
				if other, ok := list.acquire(t.Context(), Thread{Agent: "a", ID: "other"}); !ok {
					t.Error("another thread was refused")
				} else {
					other()
				}
			})
		})
	}
}
