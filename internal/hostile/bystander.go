package hostile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// bystander is a second user: it loads pages, sends messages, and reads an answer of
// numbered words as they come.
type bystander struct {
	mu    sync.Mutex
	waits []time.Duration
	worst time.Duration // since the last call of take
	fails []error
	stop  context.CancelFunc
	done  sync.WaitGroup
}

const bystanderWords = 40 // of an answer

// startBystander starts a bystander, which ends with the returned value's end.
func startBystander(a *Agent, base string) *bystander {
	b := new(bystander)
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	u := newUser(base)
	b.done.Go(func() { // ends with ctx
		for n := 0; ctx.Err() == nil; n++ {
			b.fail(ctx, b.converse(ctx, a, u, n))
		}
	})
	b.done.Go(func() { // ends with ctx
		beat := time.NewTicker(paceEvery)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				b.fail(ctx, b.timed(func() error { return b.ok(u.get(ctx, "/mastra")) }))
			case <-ctx.Done():
				return
			}
		}
	})
	return b
}

// end stops the bystander.
func (b *bystander) end() { b.stop(); b.done.Wait() }

func (b *bystander) ok(status int, _ []byte, err error) error {
	if err == nil && status != 200 {
		err = fmt.Errorf("status %d", status)
	}
	return err
}

// fail keeps an error, and waits a moment so that a dead server is not asked at once
// again.
func (b *bystander) fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	b.mu.Lock()
	b.fails = append(b.fails, err)
	b.mu.Unlock()
	select {
	case <-time.After(paceEvery):
	case <-ctx.Done():
	}
}

func (b *bystander) waited(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waits = append(b.waits, d)
	b.worst = max(b.worst, d)
}

func (b *bystander) timed(f func() error) error {
	began := time.Now()
	err := f()
	b.waited(time.Since(began))
	return err
}

// take returns the longest wait, and the first error, since it was called last.
func (b *bystander) take() (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, err := b.worst, error(nil)
	if len(b.fails) > 0 {
		err = b.fails[0]
	}
	b.worst, b.fails = 0, nil
	return d, err
}

// all returns every wait, the shortest first.
func (b *bystander) all() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.waits))
}

// converse is one message and its answer. The wait for a word begins when the agent
// writes it and ends when the tab has read it.
func (b *bystander) converse(ctx context.Context, a *Agent, u *user, n int) error {
	var mu sync.Mutex
	var sent []time.Time
	message := fmt.Sprint("bystander ", n)
	t := a.expect(message, Case{Play: func(o *Out) {
		o.paced = true
		for i := range bystanderWords {
			mu.Lock()
			sent = append(sent, time.Now())
			mu.Unlock()
			o.Event("TEXT_MESSAGE_CHUNK", "messageId", "m", "role", "assistant", "delta", "word"+strconv.Itoa(i)+" ")
		}
	}})
	var thread string
	err := b.timed(func() (err error) { thread, err = u.begin(ctx, "mastra", message); return err })
	if err != nil {
		return err
	}
	tab, err := u.tab(ctx, thread)
	if err != nil {
		return err
	}
	defer tab.Close()
	read, begun := 0, false
	for err == nil {
		line, e := tab.lines.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte("data: selector #panel")) && !begun {
			close(t.begin)
			begun = true
		}
		newest := lastWord(line)
		mu.Lock()
		for now := time.Now(); read <= newest && read < len(sent); read++ {
			b.waited(now.Sub(sent[read]))
		}
		mu.Unlock()
		if err = e; read == bystanderWords {
			return nil
		}
	}
	return fmt.Errorf("after %d of %d words: %w", read, bystanderWords, err)
}

// lastWord is the number of the last word in a line, -1 without one.
func lastWord(line []byte) int {
	i := bytes.LastIndex(line, []byte("word"))
	if i < 0 {
		return -1
	}
	n := -1
	for _, c := range line[i+len("word"):] {
		if c < '0' || c > '9' {
			break
		}
		n = max(n, 0)*10 + int(c-'0')
	}
	return n
}
