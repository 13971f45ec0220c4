// Package agentclient runs AG-UI agents over HTTP: it posts a RunAgentInput,
// reads the server-sent events of the answer, and gives each event as it was
// received, within limits of time and size. It never retries, reconnects or
// follows a redirect, because a run may have acted before it broke off; it
// expands no chunks and reduces nothing ([cairn/agentclient/conversation] does).
//
//	client, err := agentclient.New(agentclient.Config{URL: "http://127.0.0.1:8000/agent", Token: token})
//	...
//	for received, err := range client.Run(ctx, input) {
//		if err != nil {
//			return err // an *Error; what came before it stands
//		}
//		changes := conversation.Apply(received.Event)
//		...
//	}
//
// Leaving the loop closes the connection, which is how a run is stopped.
package agentclient
