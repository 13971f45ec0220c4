package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/hub"
)

// Create implements threadlog.Log.
func (l *Log) Create(ctx context.Context, t threadlog.Thread) error {
	if t.ID == "" || t.Owner == "" {
		return fmt.Errorf("threadlog: create thread %q of owner %q: %w: both are needed", t.ID, t.Owner, threadlog.ErrInvalid)
	}
	t.CreatedAt = micro(t.CreatedAt)
	t.UpdatedAt, t.LastSeq, t.Running = t.CreatedAt, 0, false
	return l.do(ctx, func(s *Store) error {
		if s.find(t.ID) != nil {
			return threadlog.ErrExists
		}
		s.threads = append(s.threads, &thread{Thread: t})
		s.tell(func(h *hub.Hub) { h.Changed(t.Owner) })
		return nil
	}, "create thread %s", t.ID)
}

// Thread implements threadlog.Log.
func (l *Log) Thread(ctx context.Context, id string) (found threadlog.Thread, err error) {
	err = l.change(ctx, "thread", id, func(_ *Store, t *thread) { found = t.Thread })
	return found, err
}

// Threads implements threadlog.Log.
func (l *Log) Threads(ctx context.Context, owner, query string, limit int) (ts []threadlog.Thread, err error) {
	err = l.do(ctx, func(s *Store) error {
		ts = s.listed(owner, query)
		if limit > 0 {
			ts = ts[:min(limit, len(ts))]
		}
		return nil
	}, "threads of an owner")
	return ts, err
}

// Rename implements threadlog.Log.
func (l *Log) Rename(ctx context.Context, id, title string) error {
	return l.change(ctx, "rename thread", id, func(s *Store, t *thread) {
		t.Title = title
		s.tell(func(h *hub.Hub) { h.Changed(t.Owner) })
	})
}

// Delete implements threadlog.Log.
func (l *Log) Delete(ctx context.Context, id string) error {
	return l.change(ctx, "delete thread", id, func(s *Store, t *thread) {
		t.deleted = time.Now()
		s.tell(func(h *hub.Hub) {
			h.Drop(id)
			h.Changed(t.Owner)
		})
	})
}

// change does something with one thread.
func (l *Log) change(ctx context.Context, what, id string, f func(*Store, *thread)) error {
	return l.do(ctx, func(s *Store) error {
		t, err := s.live(id)
		if err == nil {
			f(s, t)
		}
		return err
	}, what+" %s", id)
}

// Restore implements threadlog.Log.
func (l *Log) Restore(ctx context.Context, owner, id string) error {
	return l.do(ctx, func(s *Store) error {
		t := s.find(id)
		if t == nil || t.Owner != owner {
			return threadlog.ErrNotFound
		}
		t.deleted = time.Time{}
		s.tell(func(h *hub.Hub) {
			h.Publish(id, t.LastSeq)
			h.Changed(owner)
		})
		return nil
	}, "restore thread %s", id)
}

// Purge implements threadlog.Log, in one step.
func (l *Log) Purge(ctx context.Context, before time.Time) (n int, err error) {
	err = l.do(ctx, func(s *Store) error {
		s.threads = slices.DeleteFunc(s.threads, func(t *thread) bool {
			if t.deleted.IsZero() || !t.deleted.Before(before) {
				return false
			}
			for key := range s.records {
				if strings.HasPrefix(key, threadlog.KeyPrefix(t.ID)) {
					delete(s.records, key)
				}
			}
			n++
			return true
		})
		return nil
	}, "purge")
	return n, err
}

// Watch implements threadlog.Log.
func (l *Log) Watch(ctx context.Context, owner string) <-chan struct{} {
	return l.hub.Watch(ctx, owner)
}

// newest orders a list of threads.
func newest(a, b threadlog.Thread) int {
	return cmp.Compare(b.UpdatedAt.UnixMicro(), a.UpdatedAt.UnixMicro())
}

// listed returns an owner's threads in the order of the list.
func (s *Store) listed(owner, query string) (ts []threadlog.Thread) {
	for _, t := range slices.Backward(s.threads) {
		if t.Owner == owner && t.deleted.IsZero() && t.Matches(query) {
			ts = append(ts, t.Thread)
		}
	}
	slices.SortStableFunc(ts, newest)
	return ts
}

// micro is a time as it is kept; the zero time is now.
func micro(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Now()
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}
