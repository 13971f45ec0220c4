package agenthost

import (
	"context"
	"errors"
	"fmt"
)

// runError ends a run with RUN_ERROR. The message is for the user and has no text of the
// model's server or the store. The detail is for the log.
type runError struct {
	code, message, detail string
	err                   error
}

func (e *runError) Error() string {
	s := e.code + ": " + e.message
	if e.detail != "" {
		s += " (" + e.detail + ")"
	}
	if e.err != nil {
		s += ": " + e.err.Error()
	}
	return s
}

func (e *runError) Unwrap() error { return e.err }

// The failures that do not depend on the request.
var (
	errModelTimeout = &runError{code: "model_timeout", message: "The model took too long to answer."}
	errModelCut     = &runError{code: "model_incomplete", message: "The model's answer broke off."}
	errRunTimeout   = &runError{code: "run_timeout", message: "The agent worked for too long and was stopped."}
	errOutputLimit  = &runError{code: "output_limit", message: "The agent sent too much and was stopped."}
	errAnswerLimit  = &runError{code: "answer_limit", message: "The model's answer was too large, so it was stopped."}
	errCallLimit    = &runError{code: "call_limit", message: "The agent used too many tools and was stopped."}
	errStepLimit    = &runError{code: "step_limit", message: "The agent needed too many steps and was stopped."}
	errShuttingDown = &runError{code: "shutting_down", message: "The agent service is shutting down."}
	errThreadBusy   = &runError{code: "thread_busy", message: "Another run is in progress on this thread."}
	errPending      = &runError{code: "interrupt_pending", message: "A decision is pending on this thread. Answer it first."}
	errResolved     = &runError{code: "interrupt_already_resolved", message: "This was already decided otherwise. Nothing was done."}
	errNoInterrupt  = &runError{code: "interrupt_not_found", message: "There is no such pending decision on this thread. Nothing was done."}
	errWrongCall    = &runError{code: "interrupt_wrong_call", message: "That tool call does not wait for a decision. Nothing was done."}
	errIncomplete   = &runError{code: "resume_incomplete", message: "Several decisions are pending. Answer all of them together. Nothing was done."}
	errExpired      = &runError{code: "interrupt_expired", message: "The time to decide is over. Nothing was done."}
	errUnknownEnd   = &runError{code: "outcome_unknown", message: "The service stopped while this was being carried out. Whether it happened is not known, so it was not repeated."}
	errRunIDUsed    = &runError{code: "run_id_reused", message: "This run id already waits for a decision. Use a new one."}
)

// errClientGone ends a run whose client no longer listens. It is not sent.
var errClientGone = errors.New("the client went away")

func invalidResume(format string, args ...any) error {
	return &runError{code: "invalid_resume", message: fmt.Sprintf(format, args...) + " Nothing was done."}
}

// asRunError returns the error to send for any error of a run.
func asRunError(ctx context.Context, err error) *runError {
	var re *runError
	if cause := context.Cause(ctx); errors.As(cause, &re) {
		return re
	}
	if errors.As(err, &re) {
		return re
	}
	return &runError{code: "internal", message: "The agent service failed.", err: err}
}
