// Package agenthost serves agents over AG-UI: POST /agent/{topic} takes a
// RunAgentInput and answers with events, one SSE frame each.
//
// An [Agent] is instructions, tools and child agents around a model that speaks
// the OpenAI Chat Completions API. A tool may suspend its run until the user
// decides. The suspended run and the agent's working memory are in a [Store] and
// survive restarts. Package dialect writes the events: plain AG-UI by default.
//
// A decision is accepted only on the thread that asked. It is stored before the
// tool runs and the result after, so a tool runs at most once per decision,
// whatever is repeated or killed. A thread has one run at a time. [New] requires a
// token. Error texts of the model's server are not sent to clients. The
// conversation is not stored: every request has the history.
package agenthost
