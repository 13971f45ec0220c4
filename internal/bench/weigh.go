package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

const (
	weighTabs    = 400
	weighThreads = 400
	weighList    = 60 // conversations of the one whose tabs are weighed
)

// weight is what stays in memory, in KiB: on the heap and on the stacks of
// goroutines. What the kernel keeps for a connection is not counted.
type weight struct {
	Tab    float64 // of an open page that nothing happens on, over TCP, beside a full list of conversations
	Thread float64 // of a thread somebody watches: one question, one tool, an answer of a hundred words
}

func measureWeight(ctx context.Context, dir string) (w weight, err error) {
	for name, weigh := range map[string]func(s *stage) error{ // each alone: memory that one frees must not count for the other
		"tab":    func(s *stage) (err error) { w.Tab, err = s.weighTab(ctx); return err },
		"thread": func(s *stage) (err error) { w.Thread, err = s.weighThread(ctx); return err },
	} {
		s, err := newStage(ctx, filepath.Join(dir, "weigh-"+name))
		if err != nil {
			return w, err
		}
		if err := errors.Join(weigh(s), s.close()); err != nil {
			return w, err
		}
	}
	return w, nil
}

// weighTab opens many tabs on one thread with an answer; each end of a connection
// is in this process, and the reading one is as bare as it can be.
func (s *stage) weighTab(ctx context.Context) (float64, error) {
	v, err := s.visit("idle", func(say func(string) error) {
		for n := range 100 {
			if say(word(n)) != nil {
				return
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if err := s.ended(ctx, v.thread); err != nil {
		return 0, err
	}
	if err := s.fillList(ctx, v.thread); err != nil {
		return 0, err
	}
	tabs := make([]net.Conn, 0, weighTabs+1)
	defer func() {
		for _, c := range tabs {
			_ = c.Close()
		}
	}()
	buf := bufio.NewReaderSize(nil, 4<<10)
	open := func() error {
		conn, err := v.dial(ctx)
		if err != nil {
			return err
		}
		tabs = append(tabs, conn)
		buf.Reset(conn)
		return skipTo(buf, "selector #panel")
	}
	if err := open(); err != nil { // the view, which is not a tab's
		return 0, err
	}
	before := inUse()
	for range weighTabs {
		if err := open(); err != nil {
			return 0, err
		}
	}
	return (inUse() - before) / weighTabs, nil
}

// fillList creates so many threads for the owner of a thread that a list of them is full.
func (s *stage) fillList(ctx context.Context, id string) error {
	t, err := s.log.Thread(ctx, id)
	if err != nil {
		return err
	}
	for i := range weighList {
		t := threadlog.Thread{ID: fmt.Sprint("listed-", i), Owner: t.Owner, Demo: t.Demo, Title: "A conversation about the weather"}
		if err := s.log.Create(ctx, t); err != nil {
			return err
		}
		if _, err := s.log.Append(ctx, t.ID, 0, exchange()...); err != nil {
			return err
		}
	}
	return nil
}

// weighThread watches many threads, each in one tab that is no more than a channel.
func (s *stage) weighThread(ctx context.Context) (float64, error) {
	ids := make([]string, weighThreads)
	for i := range ids {
		ids[i] = fmt.Sprint("weigh-", i)
		if err := s.log.Create(ctx, threadlog.Thread{ID: ids[i], Owner: "bench", Demo: "mastra"}); err != nil {
			return 0, err
		}
		if _, err := s.log.Append(ctx, ids[i], 0, exchange()...); err != nil {
			return 0, err
		}
	}
	before := inUse()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for _, id := range ids {
		frames, err := s.views.Watch(ctx, id)
		if err != nil {
			return 0, err
		}
		if f := <-frames; len(f) == 0 || !bytes.Contains([]byte(f[0].HTML), []byte("word99")) {
			return 0, fmt.Errorf("thread %s shows nothing", id)
		}
	}
	return (inUse() - before) / weighThreads, nil
}

// exchange is a question, a tool's work and an answer.
func exchange() []threadlog.Row {
	rows := []threadlog.Row{
		thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: "u", Text: "What is the weather like in Tuolumne Meadows?"}),
		thread.NewRow(threadlog.KindRun, "r", agentclient.RunData{Reason: agentclient.ReasonMessage}),
	}
	say := func(event string) {
		rows = append(rows, threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: []byte(event)})
	}
	say(started)
	say(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"get_conditions"}`)
	say(`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"park\":\"Tuolumne Meadows\"}"}`)
	say(`{"type":"TOOL_CALL_END","toolCallId":"c"}`)
	say(`{"type":"TOOL_CALL_RESULT","messageId":"t","toolCallId":"c","content":"{\"sky\":\"clear\",\"low_f\":38}"}`)
	for n := range 100 {
		say(word(n))
	}
	say(finished)
	return append(rows, thread.NewRow(threadlog.KindEnd, "r", agentclient.EndData{Outcome: agentclient.OutcomeFinished}))
}

// ended waits for the end of a thread's run.
func (s *stage) ended(ctx context.Context, thread string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for newest := range s.log.Follow(ctx, thread) {
		if t, err := s.log.Thread(ctx, thread); err != nil || !t.Running && t.LastSeq == newest {
			return err
		}
	}
	return context.Cause(ctx)
}

// skipTo reads lines until one contains the text, and the event it is in to its end.
func skipTo(lines *bufio.Reader, text string) error {
	found := false
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("before %q: %w", text, io.ErrUnexpectedEOF)
		}
		found = found || bytes.Contains(line, []byte(text))
		if found && len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
	}
}

// inUse is the KiB that are in use after everything else was collected.
func inUse() float64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC() // pools drop their values in the second, stacks shrink
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc+m.StackInuse) / 1024
}
