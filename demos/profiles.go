package demos

import "cairn/agentclient/interrupt"

// Dialect is how a runtime's bridge asks, and how it wants to be answered.
type Dialect struct {
	Runtime   string
	Transport interrupt.Transport
	Profile   interrupt.Profile
}

// MastraDialect signals a pause twice, and reads the answer from
// forwardedProps.command; auto, which prefers the native form, is not used.
func MastraDialect() Dialect {
	return Dialect{
		Runtime:   "Mastra",
		Transport: interrupt.TransportMastraCommand,
		Profile: interrupt.Profile{
			ToolName: []string{"legacy.toolName", "native.metadata.mastra.toolName"},
			Payload:  []string{"legacy.suspendPayload", "native.metadata.mastra.suspendPayload"},
			Args:     []string{"legacy.args", "native.metadata.mastra.args"},
		},
	}
}

// StrandsDialect covers the two bridges of AWS Strands. The TypeScript one puts
// what is asked, as JSON text, into the message and the tool into strandsName
// (measured). The Python one puts it into metadata.reason and the tool's name into
// the reason, or, from its next version, into metadata.name; its documents show a
// value, which agui reads into metadata.value.
func StrandsDialect() Dialect {
	return Dialect{
		Runtime:   "AWS Strands",
		Transport: interrupt.TransportProtocol,
		Profile: interrupt.Profile{
			ToolName: []string{"native.metadata.strandsName", "native.metadata.name", "native.reason"},
			Payload:  []string{"native.metadata.reason", "native.metadata.value", "native.message"},
		},
	}
}

// AgentFrameworkDialect asks with the call it would make; every open question must
// be answered at once (documented).
func AgentFrameworkDialect() Dialect {
	const call = "native.metadata.agent_framework.function_call."
	return Dialect{
		Runtime:   "Microsoft Agent Framework",
		Transport: interrupt.TransportProtocol,
		Profile: interrupt.Profile{
			ToolName: []string{call + "name"},
			Payload:  []string{call + "arguments"},
			Args:     []string{call + "arguments"},
		},
	}
}

// LangGraphDialect asks with whatever the graph passed to its interrupt: as the
// value of a notice, in an outcome's metadata, or both, by the bridge's settings.
// It takes either answer whatever the settings are (measured), so auto serves all.
func LangGraphDialect() Dialect {
	return Dialect{
		Runtime:   "LangGraph",
		Transport: interrupt.TransportAuto,
		Profile: interrupt.Profile{
			ToolName: []string{"native.metadata.langgraph.raw.toolName"},
			Payload:  []string{"native.metadata.langgraph.raw", "legacy"},
			Args:     []string{"native.metadata.langgraph.raw.args"},
		},
	}
}
