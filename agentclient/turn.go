package agentclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// The errors with which a user's request is refused. Nothing has changed then.
var (
	ErrRunning        = errors.New("a run is going on in this conversation")
	ErrPending        = errors.New("a decision is pending in this conversation")
	ErrStale          = errors.New("that decision is no longer open")
	ErrUnanswerable   = errors.New("that question cannot be answered")
	ErrNothingToRetry = errors.New("there is nothing to send again")
	ErrIDTaken        = errors.New("another message has this id")
)

// Turn is a run that a person asked for: what to store before it is sent. The zero Turn
// asks for nothing. [Session.Begin] folds a turn that was stored and returns what to send.
type Turn struct {
	RunID   string
	Records []Record
}

// add appends a record that happens at now.
func (t *Turn) add(kind RecordKind, now time.Time, body any) {
	r := NewRecord(kind, t.RunID, body)
	r.At = now
	t.Records = append(t.Records, r)
}

// Send returns the turn of a message by the user. A message whose id and text are there
// already is a repeat, which asks for nothing. ErrIDTaken, ErrRunning, ErrPending.
func (s *Session) Send(runID, messageID, text string, now time.Time) (Turn, error) {
	if old, ok := s.userText(messageID); ok {
		if old == text {
			return Turn{}, nil
		}
		return Turn{}, ErrIDTaken
	}
	if s.Run.Open {
		return Turn{}, ErrRunning
	}
	if s.Blocked(now) {
		return Turn{}, ErrPending
	}
	t := Turn{RunID: runID}
	t.add(RecordUser, now, UserData{ID: messageID, Text: text})
	t.add(RecordRun, now, RunData{Reason: ReasonMessage})
	return t, nil
}

// Decide returns the turn of the decision on the open question of the generation, with a
// verdict on each of its requests in their order. ErrStale, also when it was decided
// before; ErrUnanswerable.
func (s *Session) Decide(runID string, generation int, each []Verdict, now time.Time) (Turn, error) {
	a := s.Open()
	if a == nil || a.Generation != generation || a.Decision != nil || a.Phase != interrupt.PhasePending || s.Run.Open ||
		len(each) != len(a.Pending) {
		return Turn{}, ErrStale
	}
	t := Turn{RunID: runID}
	t.add(RecordClaim, now, ClaimData{Generation: generation, Approved: approved(each), Resume: s.Answer(a, each), Each: each})
	t.add(RecordRun, now, RunData{Reason: ReasonDecision})
	return t, s.check(t.Records[0])
}

// Retry returns the turn that repeats the last run after it failed. One that carried a
// decision is sent again as it was, which only a user may choose who knows that it
// may take effect twice. Failure is the [Failure.Record] that is meant, so that a request
// that comes twice repeats the run once; 0 is whichever is the last. ErrRunning,
// ErrNothingToRetry, ErrPending, ErrUnanswerable.
func (s *Session) Retry(runID string, failure int64, now time.Time) (Turn, error) {
	if s.Run.Open {
		return Turn{}, ErrRunning
	}
	f := s.Run.Failure
	if f == nil || failure != 0 && failure != f.Record {
		return Turn{}, ErrNothingToRetry
	}
	t := Turn{RunID: runID}
	a := s.Open()
	if a == nil {
		t.add(RecordRun, now, RunData{Reason: ReasonRetry, Skip: f.RunID, Replaces: s.Run.Replaces})
		return t, nil
	}
	if a.Decision == nil {
		return Turn{}, ErrPending
	}
	if s.Interrupts.Retryable() {
		t.RunID = a.Decision.RunID // the very same request, which never left
	}
	t.add(RecordClaim, now, ClaimData{Generation: a.Generation, Approved: a.Decision.Approved(), Again: true})
	t.add(RecordRun, now, RunData{Reason: ReasonDecision})
	return t, s.check(t.Records[0])
}

// Regenerate returns the turn that asks for another answer in the place of that of
// the run, which must be the thread's last; "" is whichever is the last. The old
// answer is neither sent nor shown, and comes back when the new one fails. ErrRunning,
// ErrPending, ErrHadEffect, ErrNoAnswer.
func (s *Session) Regenerate(runID, answer string, now time.Time) (Turn, error) {
	if s.Run.Open {
		return Turn{}, ErrRunning
	}
	if s.Open() != nil {
		return Turn{}, ErrPending
	}
	last, err := s.Regenerable()
	if err != nil {
		return Turn{}, err
	}
	if answer != "" && answer != last {
		return Turn{}, ErrNoAnswer
	}
	t := Turn{RunID: runID}
	t.add(RecordRun, now, RunData{Reason: ReasonAgain, Replaces: last})
	return t, nil
}

// check reports why a claim would not fold.
func (s *Session) check(claim Record) error {
	var d ClaimData
	if err := json.Unmarshal(claim.Data, &d); err != nil {
		return err
	}
	_, err := claimed(s.Interrupts.Clone(), claim, d)
	if errors.Is(err, interrupt.ErrExpired) || errors.Is(err, interrupt.ErrNotAddressable) {
		return fmt.Errorf("%w: %w", ErrUnanswerable, err)
	}
	return err
}

// Begin folds a turn and returns the request to send.
func (s *Session) Begin(t Turn) (agui.RunAgentInput, error) {
	for _, r := range t.Records {
		if _, err := s.Fold(r); err != nil {
			return agui.RunAgentInput{}, err
		}
	}
	return s.Input(), nil
}

// Input returns the request of the open run: every message but those of the failed run
// that it repeats, and the shared state. With a decision goes the attempt as it was claimed,
// and with anything else the cancelling of what was left without an answer.
func (s *Session) Input() agui.RunAgentInput {
	in := agui.RunAgentInput{
		ThreadID:        s.threadID,
		RunID:           s.Run.ID,
		ProtocolVersion: agui.ProtocolVersion,
		State:           s.Conversation.State(),
		Messages:        s.Conversation.HistoryWithout(s.skip),
	}
	if a := s.Open(); s.Run.Decision && a != nil && a.Decision != nil {
		in.ForwardedProps = a.Decision.Wire.ForwardedProps
		in.Resume = slices.Clone(a.Decision.Wire.Resume)
	} else if !s.Run.Decision {
		in.Resume = s.Interrupts.Owed()
	}
	return in
}

// End folds how the open run ended, at now.
func (s *Session) End(end EndData, now time.Time) []Effect {
	r := NewRecord(RecordEnd, s.Run.ID, end)
	r.At = now
	effects, _ := s.Fold(r) // an end always folds
	return effects
}
