package view

import (
	"net/http"

	"cairn/agentclient"
	"cairn/components"
)

// runError words a failed run. The agent's own error text is not shown: it may
// hold what is not for the person; operators find it in the log.
func (v *view) runError(f *agentclient.Failure) components.RunError {
	e := components.RunError{Text: sentence(f.End)}
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

// sentence says what happened and what can be done, without codes.
func sentence(end agentclient.EndData) string {
	switch end.How {
	case agentclient.EndNotSent:
		return "The agent cannot be reached. Nothing was sent."
	case agentclient.EndNoAnswer:
		return "The agent did not answer in time."
	case agentclient.EndTruncated:
		return "The connection to the agent broke before it had finished."
	case agentclient.EndStalled:
		return "The agent went silent, so the run was ended."
	case agentclient.EndNotStream:
		return "What answered was not an agent. Please check the agent's address."
	case agentclient.EndMalformed:
		return "The agent sent something that could not be read."
	case agentclient.EndCancelled:
		return "The agent's side cancelled this run. What came of it is above."
	case agentclient.EndTooLarge:
		return "The agent sent more than this server accepts."
	case agentclient.EndShutdown:
		return "This server was stopped while the agent was working."
	case agentclient.EndLog:
		return "This server could not store the agent's answer. Its disk may be full."
	case agentclient.EndCrash:
		return "This server made an error of its own while it read the answer. The reason is in its log."
	case agentclient.EndAgentError:
		if known, ok := agentErrors[end.Code]; ok {
			return known
		}
		return "The agent reported an error and stopped."
	case agentclient.EndRefused:
		switch {
		case end.Status == http.StatusUnauthorized || end.Status == http.StatusForbidden:
			return "The agent refused this server's token."
		case end.Status == http.StatusNotFound:
			return "There is no agent at the configured address."
		case end.Status == http.StatusTooManyRequests:
			return "The agent is busy. Please wait a moment."
		case end.Status >= 500:
			return "The agent has a problem of its own and could not answer."
		}
		return "The agent refused the request."
	}
	return "The run did not finish."
}
