// Package scriptedmodel is an OpenAI-compatible model server with a script:
// Chat Completions, streamed or whole, for the camping trip planner and its
// weather forecaster. It lets the demo run with no key and no network, and
// lets tests drive the same code path a real model drives.
//
// Everything it says is derived from the request: the first system message
// tells the planner from the forecaster, the line
// "Current working memory (JSON): {...}" holds the packing list, and only the
// last user message and the tool results after it count. It keeps no state
// between requests, calls only tools the request offers, and one per response.
//
// It refuses to pretend: what it does not understand is answered with a
// sentence that says this is a scripted model and how to use a real one.
// Whatever a user or a tool writes is text to it, never an instruction.
package scriptedmodel
