package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/view"
)

const (
	// warmTurns is how often a message, a decision and a page are timed on each thread.
	warmTurns = 31
	// exchangeEvents is how many events the threads have for each message.
	exchangeEvents = 10
	// asksFor is the message that the agent answers with a pause.
	asksFor = "reserve it"
	suspend = `{"type":"CUSTOM","name":"on_interrupt","value":"{\"type\":\"mastra_suspend\",\"toolCallId\":\"c\",\"toolName\":\"reserve\",\"args\":{}}"}`
)

// warmth is what a thread of some length costs: read for the first time, and then a
// message, a decision and its page while its session is kept.
type warmth struct {
	Events                  int
	Fold                    time.Duration // of all rows, without the log
	Cold                    time.Duration // of the first page
	Message, Decision, Page time.Duration // medians
}

// measureWarm measures threads of 1,000, 10,000 and 100,000 events.
func measureWarm(ctx context.Context, dir string) (all []warmth, err error) {
	s, err := newStage(ctx, filepath.Join(dir, "warm"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.played.Store(asksFor, everyOther())
	for _, n := range []int{1_000, 10_000, 100_000} {
		w, err := s.warm(ctx, fmt.Sprint("thread-", n), n)
		if err != nil {
			return nil, fmt.Errorf("a thread of %d events: %w", n, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// everyOther pauses in every other run, so that each message asks and each decision goes on.
func everyOther() part {
	var runs atomic.Int64
	return func(say func(string) error) {
		if runs.Add(1)%2 == 1 {
			_ = say(suspend)
		}
	}
}

func (s *stage) warm(ctx context.Context, id string, events int) (w warmth, err error) {
	if err := s.log.Create(ctx, threadlog.Thread{ID: id, Owner: "bench", Demo: "mastra"}); err != nil {
		return w, err
	}
	last, all := int64(0), exchanges(events/exchangeEvents)
	w.Events, w.Fold = events, folding(all)
	for rows := range slices.Chunk(all, 4096) {
		if last, err = s.log.Append(ctx, id, last, rows...); err != nil {
			return w, err
		}
	}
	page := func() error {
		_, err := s.views.Page(ctx, id, view.Place{})
		return err
	}
	if w.Cold, err = lasting(page); err != nil {
		return w, err
	}
	var messages, decisions, pages []time.Duration
	for i := range warmTurns {
		took, err := lasting(func() error { return s.runs.Send(ctx, id, fmt.Sprint("warm-", i), asksFor) })
		if err != nil {
			return w, err
		}
		messages = append(messages, took)
		if err := s.ended(ctx, id); err != nil {
			return w, err
		}
		if took, err = lasting(page); err != nil {
			return w, err
		}
		pages = append(pages, took)
		took, err = lasting(func() error { return s.runs.Decide(ctx, id, i+1, agentclient.Alike(1, true)) })
		if err != nil {
			return w, err
		}
		decisions = append(decisions, took)
		if err := s.ended(ctx, id); err != nil {
			return w, err
		}
	}
	w.Message, w.Decision, w.Page = middle(messages), middle(decisions), middle(pages)
	return w, nil
}

// exchanges are n questions with their answers, as rows.
func exchanges(n int) (rows []threadlog.Row) {
	for i := range n {
		run := fmt.Sprint("r", i)
		rows = append(rows,
			thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: fmt.Sprint("u", i), Text: "And how cold is it at night?"}),
			thread.NewRow(threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonMessage}))
		say := func(format string, args ...any) {
			rows = append(rows, threadlog.Row{Kind: threadlog.KindEvent, RunID: run, Data: fmt.Appendf(nil, format, args...)})
		}
		say(`{"type":"RUN_STARTED","threadId":"t","runId":%q}`, run)
		say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant"}`, i)
		for range exchangeEvents - 4 {
			say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m%d","delta":"About 38 degrees. "}`, i)
		}
		say(`{"type":"TEXT_MESSAGE_END","messageId":"m%d"}`, i)
		say(`{"type":"RUN_FINISHED","threadId":"t","runId":%q}`, run)
		rows = append(rows, thread.NewRow(threadlog.KindEnd, run, agentclient.EndData{Outcome: agentclient.OutcomeFinished}))
	}
	return rows
}

// folding returns the best time in which rows are folded.
func folding(rows []threadlog.Row) (best time.Duration) {
	for range 5 {
		began := time.Now()
		s := agentclient.NewSession(agentclient.SessionConfig{})
		for _, row := range rows {
			_, _ = s.Fold(thread.Record(row, nil)) // the rows are ours
		}
		if took := time.Since(began); best == 0 || took < best {
			best = took
		}
	}
	return best
}

func lasting(f func() error) (time.Duration, error) {
	began := time.Now()
	err := f()
	return time.Since(began), err
}

func middle(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// warmFigures compares the longest thread with the shortest.
func warmFigures(all []warmth) (figures []figure) {
	small, large := all[0], all[len(all)-1]
	for _, f := range []struct {
		name         string
		small, large time.Duration
	}{
		{"warm-message-100k", small.Message, large.Message},
		{"warm-decision-100k", small.Decision, large.Decision},
		{"warm-page-100k", small.Page, large.Page},
	} {
		ratio := float64(f.large) / float64(f.small)
		figures = append(figures, figure{Name: f.name, Value: float64(f.large) / 1e6, Unit: "ms", Ratio: ratio, Goal: "<=1.3", Pass: ratio <= 1.3})
	}
	perEvent := float64(large.Fold) / float64(large.Events) / 1000
	return append(figures, figure{Name: "cold-fold-100k", Value: perEvent, Unit: "us/ev", Ratio: perEvent, Goal: "<=1.5", Pass: perEvent <= 1.5})
}
