package thread

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/threadlog"
)

// readBatch is how many rows are read at once.
const readBatch = 1024

// ErrBroken is what the calls of a thread return after a panic while it was folded: how far
// the session got is not known. Another use of the thread reads it anew.
var ErrBroken = errors.New("the thread's session is not usable")

// Thread is a thread in use. Its session belongs to the caller inside [Thread.Do].
type Thread struct {
	ID, Demo string
	// Follower is what the keeper attached, nil when nothing.
	Follower Follower

	keeper *Keeper
	turn   chan struct{} // holds one element while nobody uses the session

	// The rest is for the caller that has the turn.
	session  *agentclient.Session
	driven   bool // its rows come from this process alone, by Fold
	folding  bool // true outside of a fold only after a panic in it
	watchers map[*watcher]struct{}

	folded, weight atomic.Int64 // rows, bytes

	// Guarded by the keeper's lock.
	users int
	size  int
	place *list.Element
}

func newThread(k *Keeper, info threadlog.Thread) *Thread {
	c := k.cfg.Session(info.Demo)
	c.ThreadID = info.ID
	t := &Thread{
		ID: info.ID, Demo: info.Demo, keeper: k, turn: make(chan struct{}, 1),
		session: agentclient.NewSession(c), watchers: map[*watcher]struct{}{},
	}
	if k.cfg.Attach != nil {
		t.Follower = k.cfg.Attach(info.Demo, t.session)
	}
	t.turn <- struct{}{}
	return t
}

// Release ends a use.
func (t *Thread) Release() { t.keeper.release(t) }

// Do calls f with the session as of the log's last row. Nobody else uses the session
// meanwhile.
func (t *Thread) Do(ctx context.Context, f func(*agentclient.Session) error) error {
	return t.use(ctx, func() error {
		if !t.driven {
			if err := t.catchUp(ctx); err != nil {
				return err
			}
		}
		return f(t.session)
	})
}

// Drive folds the rows that a run of this process began with, of which the last has the
// number last. Until Rest, this process alone appends rows and folds them by Fold, so
// that the log is not read.
func (t *Thread) Drive(last int64, rows []threadlog.Row) error {
	return t.use(context.Background(), func() error {
		t.driven = true
		return t.foldAppended(last, rows, nil)
	})
}

// Rest ends what Drive began.
func (t *Thread) Rest() {
	_ = t.use(context.Background(), func() error { // a broken one is not driven
		t.driven = false
		t.wakeAll() // rows of others may have come
		return nil
	})
}

// Fold folds rows that were appended, of which the last has the number last. Events are
// what has been decoded of them, nil when nothing.
func (t *Thread) Fold(last int64, rows []threadlog.Row, events []agui.Event) error {
	return t.use(context.Background(), func() error { return t.foldAppended(last, rows, events) })
}

func (t *Thread) foldAppended(last int64, rows []threadlog.Row, events []agui.Event) error {
	first := last - int64(len(rows)) + 1
	if t.session.Records+1 < first { // rows of others came before
		return t.catchUp(context.Background())
	}
	for i, row := range rows {
		if first+int64(i) != t.session.Records+1 {
			continue // folded when somebody read the log
		}
		var ev agui.Event
		if events != nil {
			ev = events[i]
		}
		t.fold(row, ev)
	}
	return nil
}

// use waits for the turn.
func (t *Thread) use(ctx context.Context, f func() error) error {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		if t.folding { // for good
			t.keeper.drop(t)
			t.wakeAll()
		}
		t.turn <- struct{}{}
	}()
	if t.folding {
		return ErrBroken
	}
	return f()
}

// catchUp folds the rows that the log has beyond those folded.
func (t *Thread) catchUp(ctx context.Context) error {
	before := t.session.Skipped
	for {
		rows, err := t.keeper.cfg.Log.Read(ctx, t.ID, t.session.Records+1, readBatch)
		if err != nil {
			return fmt.Errorf("read thread %s: %w", t.ID, err)
		}
		for _, row := range rows {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("read thread %s: %w", t.ID, err)
			}
			if row.Seq != t.session.Records+1 {
				return fmt.Errorf("read thread %s: row %d after row %d", t.ID, row.Seq, t.session.Records)
			}
			t.fold(row, nil)
		}
		if threadlog.Last(rows, readBatch) {
			break
		}
	}
	if n := t.session.Skipped - before; n > 0 {
		t.keeper.cfg.Logger.Warn("rows that do not fold were skipped", "thread", t.ID, "rows", n)
	}
	return nil
}

// fold folds the next row. One that another version of this program wrote, or that does
// not fit what came before, must not make the conversation unreadable: it is skipped.
func (t *Thread) fold(row threadlog.Row, ev agui.Event) {
	t.folding = true
	effects, err := t.session.Fold(Record(row, ev))
	if err != nil {
		t.keeper.cfg.Logger.Debug("row skipped", "thread", t.ID, "err", err)
	}
	if t.Follower != nil {
		t.Follower.Folded(effects)
	}
	t.folding = false
	t.folded.Store(t.session.Records)
	t.weight.Store(int64(t.session.Size()))
	for w := range t.watchers {
		w.folded(effects)
		w.wake()
	}
}

// Record returns what a row records; ev is what has been decoded of it, or nil.
func Record(row threadlog.Row, ev agui.Event) agentclient.Record {
	return agentclient.Record{Kind: agentclient.RecordKind(row.Kind), RunID: row.RunID, At: row.At, Data: row.Data, Event: ev}
}

// Rows returns what to append for records.
func Rows(records []agentclient.Record, status string) []threadlog.Row {
	rows := make([]threadlog.Row, len(records))
	for i, r := range records {
		rows[i] = threadlog.Row{Kind: threadlog.Kind(r.Kind), RunID: r.RunID, At: r.At, Data: r.Data}
	}
	rows[len(rows)-1].Status = status
	return rows
}

// NewRow makes a row; body is one of agentclient's, such as [agentclient.UserData].
func NewRow(kind threadlog.Kind, runID string, body any) threadlog.Row {
	return Rows([]agentclient.Record{agentclient.NewRecord(agentclient.RecordKind(kind), runID, body)}, "")[0]
}
