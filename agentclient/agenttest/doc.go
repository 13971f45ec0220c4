// Package agenttest is for tests of programs that use AG-UI agents: it plays the
// agent, well or badly.
//
//   - [Script] answers with events written in Go: slowly, cut, silent, or with an
//     HTTP error. It records every request, and a turn may check its own.
//   - [Player] answers with captured transcripts, and checks every request it
//     gets against a [Scenario]: the token, how a decision travels, that the whole
//     history and the last committed state are there. What an application does
//     against a real runtime can so be tested without one.
//   - [Transcript] is a capture alone, played at the speed it came, at another, or
//     at once.
//   - [Break] damages a stream on its way, and [Transport] does so to every answer
//     an HTTP client gets.
//
// Script and Player are an http.Handler for net/http/httptest:
//
//	agent := httptest.NewServer(agenttest.NewScript(agenttest.Events(
//		&agui.RunStarted{},
//		&agui.RunFinished{},
//	)))
//	defer agent.Close()
//
// [InProcess] is the same without a network, also inside a testing/synctest bubble.
//
// An agent of your own is tested the other way round, by a strict client in front
// of its handler; see the example.
//
// Nothing here judges what an application shows, and nothing imports the client
// library: a mistake in it cannot hide itself.
package agenttest
