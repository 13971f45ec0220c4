package thread

import (
	"context"

	"cairn/agentclient"
)

// watcher receives the changes of a thread.
type watcher struct {
	folded func([]agentclient.Effect)
	wake   func()
}

// Watch calls folded with the effects of each record from now on, while the session is
// in use, and then wake, which is also called when the thread should be read again. Both
// must not wait. stop ends it.
func (t *Thread) Watch(ctx context.Context, folded func([]agentclient.Effect), wake func()) (stop func(), err error) {
	w := &watcher{folded, wake}
	err = t.use(ctx, func() error { t.watchers[w] = struct{}{}; return nil })
	return func() {
		<-t.turn
		delete(t.watchers, w)
		t.turn <- struct{}{}
	}, err
}

func (t *Thread) wakeAll() {
	for w := range t.watchers {
		w.wake()
	}
}
