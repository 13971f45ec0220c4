package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cairn/internal/threadlog"
)

const (
	// leaseTime is how long a run counts as owned after its owner was last heard of.
	// It is renewed three times as often, so the clocks of the processes on one log
	// have to agree to within two thirds of it.
	leaseTime = 30 * time.Second
	// releaseWait bounds the release of a lease; it expires by itself otherwise.
	releaseWait = 5 * time.Second
)

// errLost ends a run that another process has taken for dead.
var errLost = errors.New("another process has closed this run")

// lease names the process that drives a thread's run. It is a hint about which processes live: what
// is true of a run are its rows, and whose append comes first decides. The zero lease
// is a released one.
type lease struct {
	Owner string `json:"owner,omitempty"`
	Run   string `json:"run,omitempty"`
	// After is the last row the run's own come after.
	After   int64     `json:"after,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
}

func leaseKey(threadID string) string { return threadlog.Key(threadID, "lease") }

// lease reads the thread's; rev is 0 when it never had one.
func (r *Runner) lease(ctx context.Context, threadID string) (l lease, rev int64, err error) {
	raw, rev, err := r.log.Get(ctx, leaseKey(threadID))
	switch {
	case errors.Is(err, threadlog.ErrNotFound):
		return lease{}, 0, nil
	case err != nil:
		return lease{}, 0, fmt.Errorf("read the lease of %s: %w", threadID, err)
	}
	if json.Unmarshal(raw, &l) != nil {
		return lease{}, rev, nil // unknown format: it counts as expired, and replacing it defeats its owner's renewal
	}
	return l, rev, nil
}

// foreign reports whether another process that may live holds the lease at now.
func (r *Runner) foreign(l lease, now time.Time) bool {
	return l.Owner != "" && l.Owner != r.owner && now.Before(l.Expires)
}

func (r *Runner) setLease(ctx context.Context, threadID string, rev int64, l lease) (int64, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return 0, err
	}
	return r.log.CompareAndSet(ctx, leaseKey(threadID), rev, raw)
}

// acquireLease makes this process the owner of a run whose rows will follow the row seq, as of
// which no run is open. ErrRunning: another process is about to start one.
func (r *Runner) acquireLease(ctx context.Context, run *run, seq int64) error {
	if r.alone {
		return nil
	}
	l, rev, err := r.lease(ctx, run.threadID)
	if err != nil {
		return err
	}
	if r.foreign(l, time.Now()) && l.After >= seq { // else its run has come and gone
		return ErrRunning
	}
	run.lease, run.rev = lease{Run: run.runID, After: seq}, rev
	if err = r.renew(ctx, run); errors.Is(err, threadlog.ErrConflict) {
		return ErrRunning
	}
	return err
}

// takeOverLease makes this process the owner of an open run that nobody drives. An owner
// that lives after all (its machine slept) finds its lease taken.
func (r *Runner) takeOverLease(ctx context.Context, run *run, o *orphan) error {
	if r.alone {
		return nil
	}
	run.lease = lease{Run: o.run, After: o.seq}
	return r.renew(ctx, run)
}

// renew writes the run's lease, for another while. ErrConflict: it is someone else's.
func (r *Runner) renew(ctx context.Context, run *run) error {
	run.lease.Owner, run.lease.Expires = r.owner, time.Now().Add(r.leaseTime)
	rev, err := r.setLease(ctx, run.threadID, run.rev, run.lease)
	if err != nil {
		return fmt.Errorf("write the lease of %s: %w", run.threadID, err)
	}
	run.rev = rev
	return nil
}

// renewLoop renews the run's lease until release is called, and stops the run when another
// process has taken the lease.
func (r *Runner) renewLoop(run *run) (release func()) {
	if r.alone {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(run.ctx))
	done := make(chan struct{})
	go func() { // ends with release, or when the lease is lost
		defer close(done)
		tick := time.NewTicker(r.leaseTime / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			switch err := r.renew(ctx, run); {
			case err == nil:
			case errors.Is(err, threadlog.ErrConflict):
				run.cancel(errLost)
				return
			case ctx.Err() == nil: // a full disk; the run goes on while nobody else claims it
				r.logger.Warn("renew a run's lease", "thread", run.threadID, "run", run.runID, "err", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		r.releaseLease(run)
	}
}

// releaseLease marks the lease as free for other processes.
func (r *Runner) releaseLease(run *run) {
	if r.alone {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(run.ctx), releaseWait)
	defer cancel()
	_, err := r.setLease(ctx, run.threadID, run.rev, lease{})
	if err != nil && !errors.Is(err, threadlog.ErrConflict) {
		r.logger.Debug("release a lease; it expires by itself", "thread", run.threadID, "err", err)
	}
}
