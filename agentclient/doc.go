// Package agentclient runs AG-UI agents over HTTP and keeps what happens in a thread.
//
// A [Session] is a thread: what to show of it, what to store, what to send, and what the
// agent waits for. A [Client] posts its requests, reads the server-sent events of the
// answers, and returns each event as it was received, within limits of time and size.
//
//	client, err := agentclient.New(agentclient.Config{URL: url, Token: token})
//	...
//	s := agentclient.NewSession(agentclient.SessionConfig{ThreadID: thread})
//	turn, err := s.Send(runID, messageID, "Hello", time.Now())
//	...
//	for effects, err := range client.Converse(ctx, s, turn) {
//		if err != nil {
//			return err // an *Error; what came before it stands
//		}
//		draw(s, effects)
//	}
//
// # A run
//
// A run is one request and its answer. The answer is read to its end: it may tell
// earlier runs first, hold several, or say after RUN_FINISHED that the run failed.
// An answer that stays open after its end is left a moment later. A RUN_ERROR is an
// event, because the agent said it; an [*Error] is what the agent did not say: no
// answer, a broken stream, a limit. Its Kind says what went wrong, and its Cause why a
// connection was not made or was lost. Everything valid before a defect is returned first,
// and a frame that is no event is one of them: it is an [*agui.Malformed].
//
// Leaving the loop, or ending the context, closes the connection, which is how a
// run is stopped. No goroutine and no connection is left then. The agent may go
// on; AG-UI has no request to stop one.
//
// The client never retries, reconnects or follows a redirect, because a run may
// have acted before it broke off. [Error.Dispatched] tells when it is known that
// it did not.
//
// # What to do with the events
//
// [Client.Run] hands events on as they came: chunks are not expanded, nothing is
// put together. A session does that, with the packages below it, and each can be used
// alone:
//
//   - [cairn/agentclient/conversation] folds events into messages, tool calls,
//     subagents and shared state, and returns what the next run is sent.
//   - [cairn/agentclient/interrupt] keeps a pause: what is asked, whether it may
//     be answered, how the answer travels, and what became of it.
//   - [cairn/agentclient/verify] expands chunks and judges the order of events.
//   - [cairn/agentclient/agenttest] plays agents in tests.
//
// # Limits
//
// An agent is not trusted to be quick, brief or well-behaved. The wait for an
// answer, the silence within one, its bytes, events, lines and frames are all
// bounded; [Config] has the numbers, and a zero is the default, never no limit.
// An agent that breaks the order of the protocol is followed as far as it makes
// sense, unless [Config.Strict] asks to end there.
//
// # Secrets
//
// The token is a [Secret]: it prints as a placeholder, is sent in one header, and
// never to another host. Neither it nor a value of the URL's query is in the text of
// an [Error], also where the agent sends it back; see [RedactURL].
package agentclient
