package agentclient

import (
	"errors"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
)

// Outcome is how a run ended: one word from the transport to the page.
type Outcome string

const (
	OutcomeFinished  Outcome = "clean"       // with its terminal event
	OutcomeStopped   Outcome = "stopped"     // by the person
	OutcomeNotSent   Outcome = "not-sent"    // the request did not leave
	OutcomeNoAnswer  Outcome = "no-answer"   // the request left and no answer began
	OutcomeTruncated Outcome = "truncated"   // the stream ended without a terminal event
	OutcomeStalled   Outcome = "stalled"     // the stream went silent
	OutcomeRefused   Outcome = "refused"     // the agent answered with an HTTP error
	OutcomeNotStream Outcome = "not-stream"  // the answer was no event stream
	OutcomeMalformed Outcome = "malformed"   // the stream carried too much that is no event
	OutcomeTooLarge  Outcome = "too-large"   // a limit was passed
	OutcomeShutdown  Outcome = "shutdown"    // the program stopped during the run
	OutcomeNotStored Outcome = "log"         // the log could not be written
	OutcomeCrashed   Outcome = "crash"       // the program panicked while it read the answer
	OutcomeFailed    Outcome = "agent-error" // RUN_ERROR; derived, never stored
	OutcomeCancelled Outcome = "cancelled"   // by the agent's own side; derived, never stored
)

// EndData is the body of a [RecordEnd]. Detail is for operators and never holds a
// secret; what a page says is derived from Outcome, Cause, Status and Code.
type EndData struct {
	Outcome Outcome `json:"how"`
	Cause   Cause   `json:"cause,omitempty"`
	Status  int     `json:"status,omitempty"`
	Code    string  `json:"code,omitempty"`
	Detail  string  `json:"detail,omitempty"`
}

// EndOf returns how a run ended for which [Client.Run] returned the error, nil when it returned
// none.
func EndOf(err error) EndData {
	if err == nil {
		return EndData{Outcome: OutcomeFinished}
	}
	end := EndData{Outcome: OutcomeTruncated, Detail: err.Error()}
	e := new(Error)
	if !errors.As(err, &e) {
		return end
	}
	end.Status, end.Cause = e.Status, e.Cause
	if end.Outcome = outcomes[e.Kind]; !e.Dispatched() {
		end.Outcome = OutcomeNotSent
	}
	return end
}

// outcomes are how a client's errors end a run. A request that did not leave is another.
var outcomes = map[Kind]Outcome{
	KindAborted:   OutcomeStopped,
	KindConnect:   OutcomeNoAnswer,
	KindStatus:    OutcomeRefused,
	KindNotSSE:    OutcomeNotStream,
	KindMalformed: OutcomeMalformed,
	KindViolation: OutcomeMalformed,
	KindTruncated: OutcomeTruncated,
	KindStalled:   OutcomeStalled,
	KindTooLarge:  OutcomeTooLarge,
}

// run returns what a run that ended without its terminal event is to the conversation.
func (o Outcome) run() conversation.RunStatus {
	switch o {
	case OutcomeStopped:
		return conversation.RunStopped
	case OutcomeTruncated:
		return conversation.RunTruncated
	}
	return conversation.RunFailed
}

// ended returns what the end of a run means for the decision it may have carried.
func (o Outcome) ended() interrupt.Ended {
	switch o {
	case OutcomeFinished:
		return interrupt.EndedClean
	case OutcomeNotSent:
		return interrupt.EndedNotDispatched
	}
	return interrupt.EndedBroken
}
