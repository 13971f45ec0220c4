package conformance_test

// counts is how the cases of each suite come out.
var counts = map[string]tally{
	"verify":  {Equal: 136, Different: 19},
	"chunks":  {Equal: 101, Different: 3},
	"apply":   {Equal: 159, Different: 32},
	"sse":     {Equal: 10},
	"compact": {Equal: 38, Different: 2},
}

// departures are the cases that ours treats otherwise deliberately, and why.
var departures = map[string]map[string]string{
	"verify": {
		"subagent-verify-32": emptyTag,
		"subagent-verify-33": emptyTag,
		"subagent-verify-49": emptyTag,
		"subagent-verify-64": nullIsAbsent,
		"subagent-verify-65": nullIsAbsent,
		"subagent-verify-66": nullIsAbsent,
		"subagent-verify-67": nullIsAbsent,
		"subagent-verify-68": nullIsAbsent,
		"subagent-verify-69": nullIsAbsent,
		"subagent-verify-70": nullIsAbsent,
		"subagent-verify-71": nullIsAbsent,
		"subagent-verify-72": nullIsAbsent,
		"subagent-verify-73": unknownOutcome,
		"subagent-verify-74": unknownOutcome,
		"subagent-verify-75": unknownOutcome,
		"subagent-verify-76": notRead,
		"subagent-verify-77": notRead,
		"subagent-verify-78": notRead,
		"subagent-verify-83": "A SUBAGENT_ERROR without a message is noted by the decoder, and ends the subagent all the same (agui.Decoder, R27).",
	},
	"chunks": {
		"chunk-lanes-27":     "A message that RUN_ERROR cuts short gets no END, because it is not complete (verify.Lenient, section 4.4).",
		"subagent-chunks-13": nullIsAbsent,
		"transform-19":       "Chunks of a tool call go on with it after others came between, and are put together (RULES 47, section 4.2).",
	},
	"apply": {
		"agent-result-16":     userWords,
		"activity-06":         userWords,
		"activity-14":         userWords,
		"agent-subscriber-08": emptyMessage,
		"agent-subscriber-15": emptyMessage,
		"apply-debug-01":      emptyMessage,
		"apply-debug-02":      emptyMessage,
		"metadata-04":         emptyMessage,
		"metadata-05":         emptyMessage,
		"metadata-06":         emptyMessage,
		"metadata-07":         emptyMessage,
		"text-message-05":     emptyMessage,
		"subagent-apply-02":   emptyMessage,
		"subagent-apply-09":   emptyMessage,
		"agent-concurrent-02": answered,
		"agent-concurrent-03": answered,
		"agent-concurrent-04": answered,
		"agent-concurrent-06": answered,
		"agent-concurrent-07": answered,
		"metadata-09":         noArguments,
		"subagent-apply-04":   noArguments,
		"subagent-apply-05":   noArguments,
		"subagent-apply-06":   noArguments,
		"tool-calls-02":       noArguments,
		"tool-calls-05":       noArguments,
		"tool-calls-14":       noArguments,
		"subagent-apply-10":   activityOwner,
		"subagent-apply-11":   activityOwner,
		"subagent-apply-12":   activityOwner,
		"text-message-03":     "Words that begin after the result of a call of their message are another message, after it (RULES 46).",
		"tool-calls-07":       "A call has one result, the last, because models refuse two, and the other is noted (RULES 49, section 6.3).",
		"tool-calls-08":       "Calls whose parent is the message of a result share one message, with an id of its own (section 6.3).",
	},
	"compact": {
		"metadata-07": "Their compaction puts the call that ended first in front, and calls stay in order of their starts (section 6.11).",
		"metadata-14": "Their compaction keeps the name of a second START, and a message keeps the name it began with (section 6.2).",
	},
}

const (
	emptyTag       = "An empty subagentRunId is the top-level agent, as an absent one is, and names no subagent (agui.Base, section 1.2)."
	nullIsAbsent   = "Null reads as absent, in an array too, and is never written (section 8.1; R6, R7, R8)."
	unknownOutcome = "A subagent's outcome of no known type reads as success, as on the wire (section 1.8; R7)."
	notRead        = "An outcome that is no object is refused at the same event, but by the decoder, before any order rule (section 8.4; R7)."
	userWords      = "No event or snapshot changes, replaces or removes what the user wrote (RULES 36, 48)."
	answered       = "A call that ended without a result is answered in the history, because models refuse one that is not (RULES 49)."
	noArguments    = "A call whose arguments are not known to be whole JSON is sent with {}, because models refuse others (RULES 49)."
	activityOwner  = "An activity stays where it was shown, in the work of the agent that began it (section 6.7)."
	emptyMessage   = "Messages that carry nothing are not sent, because models refuse them (Conversation.History, section 2.2)."
)
