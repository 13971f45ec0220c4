// Package memory keeps threads in memory: the twin that shows that the contract
// of threadlog is not the habits of one store, and a quick log for tests. It
// keeps nothing when the process ends, and a process that needs that not to
// matter must not use it.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/hub"
)

// Store is what is kept. Every Log opened on it sees the same, and is woken by
// what another wrote, as several nodes on one store would be.
type Store struct {
	mu      sync.Mutex
	threads []*thread // in the order they were created
	records map[string]record
	logs    map[*Log]struct{}
}

type thread struct {
	threadlog.Thread
	rows    []threadlog.Row
	deleted time.Time // zero: it is not
}

type record struct {
	value []byte
	rev   int64
}

// New makes an empty store.
func New() *Store {
	return &Store{records: map[string]record{}, logs: map[*Log]struct{}{}}
}

// Open returns one more Log on the store; closing it leaves the others open.
func (s *Store) Open() *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &Log{store: s}
	s.logs[l] = struct{}{}
	return l
}

// Log is a threadlog.Log.
type Log struct {
	store *Store
	hub   hub.Hub
}

var _ threadlog.Log = (*Log)(nil)

// Close implements threadlog.Log.
func (l *Log) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	delete(l.store.logs, l)
	l.hub.Close()
	return nil
}

// do runs f alone on the store and names what was attempted if it fails.
func (l *Log) do(ctx context.Context, f func(s *Store) error, what string, args ...any) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	err := ctx.Err()
	if _, open := l.store.logs[l]; !open {
		err = threadlog.ErrClosed
	}
	if err == nil {
		err = f(l.store)
	}
	if err != nil {
		return fmt.Errorf("threadlog: "+what+": %w", append(args, err)...)
	}
	return nil
}

// tell wakes through every hub on the store.
func (s *Store) tell(f func(h *hub.Hub)) {
	for l := range s.logs {
		f(&l.hub)
	}
}

// find returns a thread, also a deleted one, or nil.
func (s *Store) find(id string) *thread {
	for _, t := range s.threads {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// live returns a thread that is not deleted.
func (s *Store) live(id string) (*thread, error) {
	if t := s.find(id); t != nil && t.deleted.IsZero() {
		return t, nil
	}
	return nil, threadlog.ErrNotFound
}

// Append implements threadlog.Log.
func (l *Log) Append(ctx context.Context, id string, expected int64, rows ...threadlog.Row) (last int64, err error) {
	for _, r := range rows {
		if !r.Kind.Valid() {
			return 0, fmt.Errorf("threadlog: append to %s: %w: kind %q", id, threadlog.ErrInvalid, r.Kind)
		}
	}
	err = l.do(ctx, func(s *Store) error {
		t, err := s.live(id)
		if err != nil {
			return err
		}
		if t.LastSeq != expected {
			return threadlog.ErrConflict
		}
		was := t.Thread
		for _, r := range rows {
			r.Seq, r.At, r.Data = t.LastSeq+1, micro(r.At), bytes.Clone(r.Data)
			t.Advance(r)
			r.Status = ""
			t.rows = append(t.rows, r)
		}
		if last = t.LastSeq; last > expected {
			s.tell(func(h *hub.Hub) { h.Publish(id, last) })
		}
		if t.Status != was.Status || t.Running != was.Running {
			s.tell(func(h *hub.Hub) { h.Changed(t.Owner) })
		}
		return nil
	}, "append to %s after %d", id, expected)
	return last, err
}

// Read implements threadlog.Log.
func (l *Log) Read(ctx context.Context, id string, from int64, limit int) (rows []threadlog.Row, err error) {
	err = l.do(ctx, func(s *Store) error {
		t, err := s.live(id)
		if err != nil {
			return err
		}
		rest := t.rows[min(max(from-1, 0), t.LastSeq):]
		if limit > 0 {
			rest = rest[:min(limit, len(rest))]
		}
		room := threadlog.ReadBytes
		for _, r := range rest {
			r.Data = bytes.Clone(r.Data)
			rows = append(rows, r)
			if room -= len(r.Data); limit > 0 && room <= 0 {
				break
			}
		}
		return nil
	}, "read %s from %d", id, from)
	return rows, err
}

// Follow implements threadlog.Log.
func (l *Log) Follow(ctx context.Context, id string) <-chan int64 {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	f := l.hub.Follow(ctx, id)
	if t, err := l.store.live(id); err == nil {
		f.Wake(t.LastSeq)
	}
	return f.C
}

// CompareAndSet implements threadlog.Log.
func (l *Log) CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (newRev int64, err error) {
	err = l.do(ctx, func(s *Store) error {
		if s.records[key].rev != rev {
			return threadlog.ErrConflict
		}
		newRev = rev + 1
		s.records[key] = record{bytes.Clone(value), newRev}
		return nil
	}, "set %s at revision %d", key, rev)
	return newRev, err
}

// Get implements threadlog.Log.
func (l *Log) Get(ctx context.Context, key string) (value []byte, rev int64, err error) {
	err = l.do(ctx, func(s *Store) error {
		r, ok := s.records[key]
		if !ok {
			return threadlog.ErrNotFound
		}
		value, rev = bytes.Clone(r.value), r.rev
		return nil
	}, "get %s", key)
	return value, rev, err
}

// Open implements threadlog.Log.
func (l *Log) Open(ctx context.Context) (ids []string, err error) {
	err = l.do(ctx, func(s *Store) error {
		for _, t := range s.threads {
			if t.Running && t.deleted.IsZero() {
				ids = append(ids, t.ID)
			}
		}
		return nil
	}, "open runs")
	return ids, err
}
