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
// unknown members are ignored (and kept in [Interrupt.Extra]), an unknown event type
// decodes to [*Unknown], a fractional timestamp is truncated, the last of two members
// of one name counts. What is no event at all is [ErrNotEvent], and a known member of
// the wrong type, or arrays of more than 100,000 elements in all, a [*MemberError].
//
// Names are exact: "messageID" is an unknown member. So [Decode] reads them, and
// encoding/json when it reads a [RunAgentInput], a [Message] or an [Interrupt]; the
// other structs it would read with its own rules.
//
// [Decode] reads one event by itself. A [Decoder] reads a stream: it also turns the
// retired THINKING_* events into REASONING_*, and its Diagnostics tell what was
// left out or read leniently. An unknown outcome is kept, and is not a success.
//
// A character may be cut in two between deltas; concatenate them with
// [JoinSurrogates]. [Content.Parts] returns content as text, images, audio, video and
// documents.
//
// # Writing
//
// Writing is strict: [Encode] and the marshalling of [RunAgentInput] write 1.0, fill
// in the type from the Go type, leave out what the type has no place for, never
// write null for an absent field, and refuse the rest, text that is not Unicode
// included, with the path of what is wrong.
//
// # Values the protocol leaves open
//
// State, tool results, payloads and metadata are any JSON and stay as they came:
// json.RawMessage, or [Content] where a message may hold text or parts.
package agui

// ProtocolVersion is the version this package writes.
const ProtocolVersion = "1.0"
