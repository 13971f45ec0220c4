// Package agui is the vocabulary of AG-UI 1.0: events, messages, RunAgentInput,
// interrupts and resume entries, with their JSON codec. It knows nothing of
// transport, order or meaning; those live in agui/sse and agentclient.
//
// Reading is tolerant: null is absent, unknown fields are ignored, an unknown
// event type decodes to [Unknown]. Writing is strict: [Encode] refuses an event
// that lacks a required field and never writes null for an absent one.
package agui

// ProtocolVersion is the version this package writes.
const ProtocolVersion = "1.0"
