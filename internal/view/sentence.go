package view

import (
	"net/http"
	"strings"

	"cairn/agentclient"
)

// The settings that a sentence names. Their values are never shown.
const (
	checkURL   = " Check AG_UI_AGENT_URL, or url in the upstreams file."
	checkToken = " Check AG_UI_INTERNAL_TOKEN, or token_env in the upstreams file."
)

// sentence returns the text for the end of a run: the cause and the next step, without codes.
func sentence(end agentclient.EndData) string {
	switch end.Outcome {
	case agentclient.OutcomeNotSent:
		return notSent(causeOf(end))
	case agentclient.OutcomeNoAnswer:
		switch cause := causeOf(end); {
		case cause == agentclient.CauseDropped:
			return "The connection to the agent was lost before it answered."
		case cause == agentclient.CauseTLS:
			return "The agent's certificate was not accepted, so it was not asked." + checkURL
		case cause != agentclient.CauseTimeout && end.Detail != "":
			return "The connection to the agent failed before it answered."
		}
		return "The agent did not answer in time."
	case agentclient.OutcomeTruncated:
		if causeOf(end) == agentclient.CauseUnfinished {
			return "The agent ended its answer before it had finished."
		}
		return "The connection to the agent was lost in the middle of its answer."
	case agentclient.OutcomeStalled:
		return "The agent was silent for too long, so the run was ended."
	case agentclient.OutcomeNotStream:
		return "What answered is no agent: it sent something else than an event stream." + checkURL
	case agentclient.OutcomeMalformed:
		return "The agent sent something that could not be read."
	case agentclient.OutcomeCancelled:
		return "The agent's side cancelled this run. What came of it is above."
	case agentclient.OutcomeTooLarge:
		return "The agent sent more than this server accepts."
	case agentclient.OutcomeShutdown:
		return "This server was stopped while the agent was working."
	case agentclient.OutcomeNotStored:
		return "This server could not store the agent's answer. Its disk may be full."
	case agentclient.OutcomeCrashed:
		return "This server made an error of its own while it read the answer. The reason is in its log."
	case agentclient.OutcomeFailed:
		if known, ok := agentErrors[end.Code]; ok {
			return known
		}
		return "The agent reported an error and stopped."
	case agentclient.OutcomeRefused:
		return refused(end.Status)
	}
	return "The run did not finish."
}

// notSent is the sentence for a request that did not leave.
func notSent(c agentclient.Cause) string {
	switch c {
	case agentclient.CauseRefused:
		return "The agent cannot be reached: nothing listens at its address. Nothing was sent. Start the agent, or check AG_UI_AGENT_URL, or url in the upstreams file."
	case agentclient.CauseUnknownHost:
		return "The agent cannot be reached: the host name in its address is not known. Nothing was sent." + checkURL
	case agentclient.CauseTLS:
		return "The agent cannot be reached: a secure connection could not be made, since its certificate was not accepted. Nothing was sent." + checkURL
	case agentclient.CauseUnreachable:
		return "The agent cannot be reached: there is no way to its network from here. Nothing was sent." + checkURL
	case agentclient.CauseTimeout:
		return "The agent cannot be reached: it did not accept a connection in time. Nothing was sent."
	}
	return "The agent cannot be reached. Nothing was sent."
}

// refused is the sentence for an answer with an HTTP status that is no success.
func refused(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "The agent refused this server's token." + checkToken
	case http.StatusForbidden:
		return "The agent does not allow this server in with its token." + checkToken
	case http.StatusNotFound, http.StatusGone:
		return "There is no agent at the configured address." + checkURL
	case http.StatusMethodNotAllowed:
		return "The configured address is not one that runs are sent to." + checkURL
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "The agent did not answer in time."
	case http.StatusRequestEntityTooLarge:
		return "This conversation has grown larger than the agent accepts. Please start a new one."
	case http.StatusTooManyRequests:
		return "The agent is busy. Please wait a moment."
	case http.StatusBadGateway:
		return "What stands before the agent could not reach it. Please try again in a moment."
	case http.StatusServiceUnavailable:
		return "The agent is not available just now. Please try again in a moment."
	}
	switch {
	case status >= 300 && status < 400:
		return "The agent's address leads on to another. Set the final one in AG_UI_AGENT_URL, or as url in the upstreams file."
	case status >= 500:
		return "The agent has a problem of its own and could not answer."
	}
	return "The agent refused the request."
}

// causes are the words of Go's errors, and of the client's, in the details that operators
// read; the first that is there counts. They word the rows that were written before causes
// were.
var causes = []struct {
	words string
	cause agentclient.Cause
}{
	{"connection refused", agentclient.CauseRefused},
	{"no such host", agentclient.CauseUnknownHost}, {"server misbehaving", agentclient.CauseUnknownHost},
	{"x509:", agentclient.CauseTLS}, {"tls:", agentclient.CauseTLS}, {"HTTP response to HTTPS client", agentclient.CauseTLS},
	{"i/o timeout", agentclient.CauseTimeout}, {"no answer in time", agentclient.CauseTimeout}, {"deadline exceeded", agentclient.CauseTimeout},
	{"the stream ended before the run did", agentclient.CauseUnfinished},
	{"EOF", agentclient.CauseDropped}, {"connection reset", agentclient.CauseDropped}, {"broken pipe", agentclient.CauseDropped},
}

// causeOf returns the cause of an end. When it is not known, it is empty, and the sentence
// claims none.
func causeOf(end agentclient.EndData) agentclient.Cause {
	if end.Cause != "" {
		return end.Cause
	}
	for _, c := range causes {
		if strings.Contains(end.Detail, c.words) {
			return c.cause
		}
	}
	return ""
}
