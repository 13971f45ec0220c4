// Package agenttest is for tests of programs that use AG-UI agents.
//
//   - [Player] answers with captured transcripts, and checks every request it
//     gets against a [Scenario]: the token, how a decision travels, that the whole
//     history and the last committed state are there. What an application does
//     against a real runtime can so be tested without one.
//   - [Script] answers with events written in Go: slowly, cut, silent, or with an
//     HTTP error.
//   - [Break] damages a stream on its way.
//
// Nothing here judges what an application shows, and nothing imports the client
// library: a mistake in it cannot hide itself.
package agenttest
