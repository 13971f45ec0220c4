package view

import (
	"cmp"
	"strings"

	"cairn/agentclient"
	"cairn/components"
	"cairn/internal/plaintext"
)

// maxError bounds an agent's own words about an error, in characters.
const maxError = 600

// itsWords returns the agent's own error text, or "" unless the agent is trusted to write
// errors for users: other texts may contain secrets or internals.
func (v *view) itsWords(text string) string {
	masked := v.hub.errors[v.demo.Slug]
	if masked == nil {
		return ""
	}
	return strings.TrimSpace(plaintext.Reveal(masked(text[:min(len(text), maxText)]), maxError))
}

// runError words a failed run. The agent's own error text is shown where the operator
// trusts it; otherwise operators find it in the log.
func (v *view) runError(f *agentclient.Failure) components.RunError {
	e := components.RunError{Text: sentence(f.End)}
	if f.End.Outcome == agentclient.OutcomeFailed {
		e.Text = cmp.Or(v.itsWords(f.End.Detail), e.Text)
	}
	if !f.Latest || v.thread.Run.Open {
		return e
	}
	switch f.End.Code {
	case "interrupt_already_resolved", "interrupt_expired", "interrupt_not_found", "interrupt_pending", "outcome_unknown":
		return e // sending it again cannot help
	}
	if a := v.thread.Open(); a != nil && a.Decision == nil {
		return e // a question is open; answering it is what goes on from here
	}
	e.Retry = v.hub.urls.Retry(v.threadID, f.Record)
	switch {
	case f.Retryable():
		e.RetryLabel = "Retry"
	case f.Decision && !f.MaybeDone:
		e.RetryLabel = "Send again"
		e.Warning = "Your decision did not leave, so nothing was done. Sending it again is safe."
	case f.Decision:
		e.RetryLabel = "Send again"
		e.Warning = "Your decision may already have been carried out. Check that first: sending it again may do it twice. Or leave it, and start over with a new message."
	default:
		e.RetryLabel = "Send again"
		e.Warning = "The agent may already have used a tool. Sending the message again may do that twice."
	}
	return e
}

// agentErrors are the codes of our own agent service that a person can do
// something about; other agents' codes are free text.
var agentErrors = map[string]string{
	"interrupt_already_resolved": "That request was already decided otherwise. Nothing was done.",
	"interrupt_expired":          "The time to decide is over. Nothing was done.",
	"interrupt_not_found":        "The agent no longer knows that request. Nothing was done.",
	"interrupt_pending":          "The agent still waits for a decision that did not reach it. Please start a new conversation.",
	"model_error":                "The model behind the agent answered with an error.",
	"model_incomplete":           "The model behind the agent broke off before it had finished.",
	"model_rate_limited":         "The model behind the agent is busy. Wait a moment, then try again.",
	"model_timeout":              "The model behind the agent took too long to answer.",
	"model_unauthorized":         "The model behind the agent does not accept the agent's key.",
	"model_unavailable":          "The model behind the agent cannot be reached.",
	"answer_limit":               "The model's answer was too large, so it was stopped.",
	"call_limit":                 "The agent used too many tools and was stopped.",
	"output_limit":               "The agent sent too much and was stopped.",
	"run_timeout":                "The agent worked for too long and was stopped.",
	"outcome_unknown":            "The agent was stopped while it carried this out. Whether it happened is not known, so it was not repeated.",
	"thread_busy":                "The agent is still busy with this conversation. Wait a moment, then try again.",
}
