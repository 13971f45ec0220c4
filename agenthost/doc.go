// Package agenthost serves agents over AG-UI: POST /agent/{topic} takes a
// RunAgentInput and answers with events, one SSE frame each.
//
// An [Agent] is instructions, tools and child agents around a model that speaks
// the OpenAI Chat Completions API. A tool may suspend its run until someone
// decides; the suspended run and the agent's working memory live in a [Store]
// and survive restarts. What the wire looks like is the business of
// agenthost/dialect.
//
// The host is safer than the runtimes it sounds like. A decision belongs to the
// thread it was asked on and is recorded before the tool runs, its result after,
// so a tool runs at most once per decision, whatever is repeated or killed. One
// run at a time holds a thread. It refuses to serve without a token, it never
// passes on an error text of the model's server, and it does not store the
// conversation: every request brings the history.
package agenthost
