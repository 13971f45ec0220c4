package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"
)

const (
	liveTurns  = 6                     // short ones: on a shared machine some of them are undisturbed
	liveMany   = 200                   // threads that are active at the same time
	livePace   = 50 * time.Millisecond // between two events of such a thread
	liveWords  = 60                    // of each of them: three seconds
	quietPace  = 70 * time.Millisecond // between two events of a thread that is alone: more than a frame
	quietWords = 30
	liveTabs   = 100 // on one thread
)

// live is how long it takes, in milliseconds, from the moment in which the agent
// begins to write an event until something has happened.
type live struct {
	One, Hundred spread // the patch is at the tab: one quiet thread, with so many tabs
	Woken        spread // many threads: the event is on the disk and its followers are woken
	Many         spread // many threads: the patch is at the tab
}

// measureLive takes turns; of each measure the best counts.
func measureLive(ctx context.Context, dir string, rounds int) (*live, error) {
	var best *live
	for i := range min(rounds, liveTurns) {
		l, err := liveTurn(ctx, filepath.Join(dir, fmt.Sprint("live-", i)))
		if err != nil {
			return nil, err
		}
		if best != nil {
			l = l.better(*best)
		}
		best = &l
	}
	return best, nil
}

func (l live) better(o live) live {
	pick := func(a, b spread) spread {
		if b.P99 < a.P99 {
			return b
		}
		return a
	}
	return live{pick(l.One, o.One), pick(l.Hundred, o.Hundred), pick(l.Woken, o.Woken), pick(l.Many, o.Many)}
}

func liveTurn(ctx context.Context, dir string) (l live, err error) {
	for _, m := range []struct {
		threads, tabs, words int
		pace                 time.Duration
		woken, patched       *spread
	}{
		{1, 1, quietWords, quietPace, nil, &l.One},
		{1, liveTabs, quietWords, quietPace, nil, &l.Hundred},
		{liveMany, 1, liveWords, livePace, &l.Woken, &l.Many},
	} {
		s, err := newStage(ctx, filepath.Join(dir, fmt.Sprint(m.threads, "-", m.tabs)))
		if err != nil {
			return l, err
		}
		woken, patched, err := s.fanOut(ctx, m.threads, m.tabs, m.words, m.pace)
		if err := errors.Join(err, s.close()); err != nil {
			return l, err
		}
		*m.patched = patched
		if m.woken != nil {
			*m.woken = woken
		}
	}
	return l, nil
}

// speech is one thread that is spoken in: when each word was written by the agent,
// and what of it has arrived where.
type speech struct {
	sent  []time.Time
	woken []time.Duration
	tabs  [][]time.Duration
}

// fanOut lets an agent speak in so many threads at the same time, a word at each
// beat of the pace, the beats of the threads spread evenly, and follows it in the
// log and in so many tabs of each thread.
func (s *stage) fanOut(ctx context.Context, threads, tabs, words int, pace time.Duration) (woken, patched spread, err error) {
	ctx, timeout := context.WithTimeoutCause(ctx, time.Minute+3*time.Duration(words)*pace, errors.New("not all that was said has arrived"))
	defer timeout()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := make(chan struct{}) // closed when all tabs are open; then began is set
	var began time.Time
	all := make([]*speech, threads)
	visitors := make([]*visitor, threads)
	for i := range all {
		sp := &speech{sent: make([]time.Time, words), tabs: make([][]time.Duration, tabs)}
		all[i] = sp
		visitors[i], err = s.visit(fmt.Sprint("thread ", i), func(say func(string) error) {
			select {
			case <-begin:
			case <-ctx.Done():
				return
			}
			first := began.Add(pace * time.Duration(i) / time.Duration(threads))
			for n := range words {
				time.Sleep(time.Until(first.Add(time.Duration(n) * pace)))
				sp.sent[n] = time.Now()
				if say(word(n)) != nil {
					return
				}
			}
		})
		if err != nil {
			return woken, patched, err
		}
	}
	open := make([]*bufio.Reader, threads*tabs)
	for i := range open {
		lines, conn, err := visitors[i/tabs].open(ctx)
		if err != nil {
			return woken, patched, err
		}
		defer conn.Close()
		context.AfterFunc(ctx, func() { _ = conn.Close() }) // its reader is not left waiting
		open[i] = lines
	}
	began = time.Now().Add(pace)
	close(begin)
	err = each(len(open)+threads, func(i int) (err error) {
		if i < len(open) {
			sp := all[i/tabs]
			sp.tabs[i%tabs], err = arrivals(open[i], sp.sent)
		} else {
			sp := all[i-len(open)]
			sp.woken, err = s.wakes(ctx, visitors[i-len(open)].thread, sp.sent)
		}
		if err != nil {
			cancel(err)
		}
		return err
	})
	if err != nil {
		return woken, patched, err
	}
	var wakes, patches []time.Duration
	for _, sp := range all {
		wakes = append(wakes, sp.woken...)
		for _, tab := range sp.tabs {
			patches = append(patches, tab...)
		}
	}
	return spreadOf(wakes), spreadOf(patches), nil
}

// word is the n-th of an answer: a paragraph has forty.
func word(n int) string {
	gap := " "
	if n%40 == 39 {
		gap = `\n\n`
	}
	return fmt.Sprintf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"word%d%s"}`, n, gap)
}

// lastWord is the number of the last word in a text, -1 when there is none.
func lastWord(text []byte) int {
	i := bytes.LastIndex(text, []byte("word"))
	if i < 0 {
		return -1
	}
	digits := text[i+len("word"):]
	for n := range digits {
		if digits[n] < '0' || digits[n] > '9' {
			digits = digits[:n]
			break
		}
	}
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return -1
	}
	return n
}

// arrivals reads a stream until it has shown all words, and returns how long each took
// to be shown.
func arrivals(lines *bufio.Reader, sent []time.Time) ([]time.Duration, error) {
	var took []time.Duration
	for len(took) < len(sent) {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("after %d of %d words: %w", len(took), len(sent), err)
		}
		newest := lastWord(line)
		for now := time.Now(); len(took) <= newest; {
			took = append(took, now.Sub(sent[len(took)]))
		}
	}
	return took, nil
}

// wakes follows a thread until all words are in its log, and returns how long each
// took.
func (s *stage) wakes(ctx context.Context, thread string, sent []time.Time) ([]time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type wake struct {
		seq int64
		at  time.Time
	}
	var all []wake
	for newest := range s.log.Follow(ctx, thread) {
		all = append(all, wake{newest, time.Now()})
		if newest < int64(len(sent)) {
			continue
		}
		if t, err := s.log.Thread(ctx, thread); err != nil {
			return nil, err
		} else if !t.Running && t.LastSeq == newest {
			break
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	rows, err := s.log.Read(ctx, thread, 1, 0)
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, r := range rows {
		if n := lastWord(r.Data); n == len(took) {
			for all[0].seq < r.Seq {
				all = all[1:]
			}
			took = append(took, all[0].at.Sub(sent[n]))
		}
	}
	if len(took) != len(sent) {
		return nil, fmt.Errorf("%d of %d words are in the log: %w", len(took), len(sent), io.ErrUnexpectedEOF)
	}
	return took, nil
}
