// Package scriptedmodel is an OpenAI-compatible model server with a script: Chat
// Completions and the Responses API, streamed or whole, for the agents of the
// four demos and their specialists. It lets the demos run with no key and no
// network, and lets tests drive the same code path a real model drives.
//
// A request of either API becomes a turn (package script), a demo's script says
// what to answer (packages camping, meeting, expense and refund), and the answer
// is written in the API it was asked in. The demo is told by the tools offered
// and the first system message, a specialist by that message alone.
//
// Everything it says is derived from the request; only what the Responses API
// lets a caller refer to by id is kept, in memory and within bounds. Only the
// last user message and the tool results after it count, and the message it
// completes when the model had asked. It calls only tools the request offers.
//
// It refuses to pretend: what it does not understand is answered with a
// sentence that says this is a scripted model and how to use a real one.
// Whatever a user, a tool or a schema says is data to it, with one exception, for
// measuring how a runtime takes a model that misbehaves. In the last user message
//
//	[model: error 500]  answers with that HTTP error (also 400, 401, 403, 404, 408, 409, 429, 502, 503 and 504)
//	[model: drop]       cuts the connection after a few words
//	[model: slow]       answers with 200 words, 30 ms or more apart
//	[model: two tools]  calls the demo's plain tool twice at once
//
// Slow and two tools are for a run's first request: once there is a tool's result
// the model answers it.
package scriptedmodel
