// Package agui is the vocabulary of AG-UI 1.0: events, messages,
// [RunAgentInput], interrupts and resume entries, with their JSON codec. It knows
// nothing of transport, order or meaning; those live in agui/sse and agentclient.
//
//	ev, err := agui.Decode(data)
//	switch ev := ev.(type) {
//	case *agui.TextMessageContent:
//		fmt.Print(ev.Delta)
//	case *agui.RunFinished:
//		...
//	}
//
// # Reading
//
// Reading is tolerant, because agents are of many versions: null is absent,
// unknown fields are ignored, an unknown event type decodes to [*Unknown]. What is
// no event at all is [ErrNotEvent].
//
// # Writing
//
// Writing is strict: [Encode] refuses an event that lacks a required field, fills
// in the type from the Go type, and never writes null for an absent field.
//
// # Values the protocol leaves open
//
// State, tool results, payloads and metadata are any JSON and stay as they came:
// json.RawMessage, or [Content] where a message may hold text or parts.
package agui

// ProtocolVersion is the version this package writes.
const ProtocolVersion = "1.0"
