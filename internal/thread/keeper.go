// Package thread keeps the sessions of the threads in use. A thread's rows are decoded
// and folded once: the runner decides from the session, and views draw it.
package thread

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"sync"

	"cairn/agentclient"
	"cairn/internal/threadlog"
)

// maxIdle bounds what sessions take that nobody uses, in bytes; see
// [agentclient.Session.Size].
const maxIdle = 16 << 20

// Log is what a keeper reads of a log.
type Log interface {
	Thread(ctx context.Context, id string) (threadlog.Thread, error)
	Read(ctx context.Context, thread string, from int64, limit int) ([]threadlog.Row, error)
}

// Config is what a keeper needs.
type Config struct {
	Log    Log
	Logger *slog.Logger
	// Session returns how a demo's agent is asked and answered.
	Session func(demo string) agentclient.SessionConfig
	// Attach makes the follower of a new thread, which sees each record folded; nil
	// makes none.
	Attach func(demo string, s *agentclient.Session) Follower
}

// Follower receives the effects of each record, in the goroutine that folds it.
type Follower interface {
	Folded([]agentclient.Effect)
}

// Keeper keeps the sessions of the threads in use, and of those used last. It is safe
// for concurrent use.
type Keeper struct {
	cfg Config

	mu      sync.Mutex
	threads map[string]*Thread
	idle    list.List // of *Thread without users, the longest unused first
	bytes   int       // that the idle ones take
}

// NewKeeper returns a keeper of the log's threads.
func NewKeeper(c Config) *Keeper {
	return &Keeper{cfg: c, threads: map[string]*Thread{}}
}

// Use returns a thread, which is kept until its Release was called as often. It may not
// have been read yet. threadlog.ErrNotFound.
func (k *Keeper) Use(ctx context.Context, id string) (*Thread, error) {
	info, err := k.cfg.Log.Thread(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("find the thread: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.threads[id]
	if t != nil && t.users == 0 && t.folded.Load() > info.LastSeq { // it was purged, and begins anew
		k.forget(t)
		t = nil
	}
	if t == nil {
		t = newThread(k, info)
		k.threads[id] = t
	}
	if t.place != nil {
		k.idle.Remove(t.place)
		k.bytes -= t.size
		t.place = nil
	}
	t.users++
	return t, nil
}

// release is [Thread.Release].
func (k *Keeper) release(t *Thread) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.users--; t.users > 0 || k.threads[t.ID] != t {
		return
	}
	t.size = int(t.weight.Load())
	k.bytes += t.size
	t.place = k.idle.PushBack(t)
	for k.bytes > maxIdle {
		k.forget(k.idle.Front().Value.(*Thread))
	}
}

// drop makes the next use of the thread's id fold its rows anew.
func (k *Keeper) drop(t *Thread) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(t)
}

func (k *Keeper) forget(t *Thread) {
	if k.threads[t.ID] == t {
		delete(k.threads, t.ID)
	}
	if t.place != nil {
		k.idle.Remove(t.place)
		k.bytes -= t.size
		t.place = nil
	}
}
