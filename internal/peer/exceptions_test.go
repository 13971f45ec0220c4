package peer_test

import (
	"maps"
	"slices"
	"strings"

	"cairn/agentclient/conversation"
)

// This file lists where we differ from the peer on purpose, each with the reason.

// rejected says why a stream that the peer fails, by a part of its error, is not
// compared: it is not valid, and ours goes on where the peer loses what follows.
var rejected = map[string]string{
	"has already errored": "events after RUN_ERROR (protocol section 9 row 16): noted and ignored, what came before is kept",
}

// renamed are streams whose MESSAGES_SNAPSHOT calls the message that holds a call
// by another id than the call streamed under. The peer drops the one and appends
// the other behind everything that came since, so that the call stands after its
// answer. Ours adopts the id where the message stands; the messages are the same.
var renamed = map[string]bool{"langgraph/17-resume-array-approve": true}

// kept are streams whose MESSAGES_SNAPSHOT leaves out what the user wrote, or what was
// shown in its own run. The peer drops it. Ours keeps it, shown and sent. Runs that are made
// up join when they have a snapshot.
var kept = map[string]bool{
	"langgraph/18-interrupts-approve-after-plain-message":        true,
	"langgraph-native/18-interrupts-approve-after-plain-message": true,
	"langgraph/40-resume-on-fresh-thread":                        true,
	"langgraph-extra/07-resume-after-platform-restart":           true,
	"langgraph/42-resume-parallel-first":                         true,
	"langgraph/44-subagent-default":                              true,
}

// wordsAfter are streams with the words of a message after the results of its calls. The peer
// sends them before, in one message. Ours sends what was said after as said after.
var wordsAfter = map[string]bool{
	"strands/49-subagent-emitter":               true,
	"strands/51-subagent-emitter-model-failure": true,
	"strands/72-messages-snapshot-off":          true,
	"strands-responses-api/11-subagent-emitter": true,
}

// inTwo is the messages with those that hold words and calls parted, the words at the end.
func inTwo(their []map[string]any) (out []map[string]any) {
	var after []map[string]any
	for _, m := range their {
		if m["role"] == "assistant" && m["content"] != nil && m["toolCalls"] != nil {
			words := maps.Clone(m)
			delete(words, "toolCalls")
			delete(m, "content")
			m["id"] = m["id"].(string) + "~1"
			after = append(after, words)
		}
		out = append(out, m)
	}
	return append(out, after...)
}

// withoutAnswers is our messages without those that say that a call has no result: models
// refuse a call that nothing answers, and the peer sends it as it is.
func withoutAnswers(our []map[string]any) []map[string]any {
	return slices.DeleteFunc(our, func(m map[string]any) bool { return m["content"] == conversation.NoResult })
}

// withoutKept is our messages without those that theirs lack.
func withoutKept(our, their []map[string]any) []map[string]any {
	return slices.DeleteFunc(our, func(m map[string]any) bool {
		return !slices.ContainsFunc(their, func(t map[string]any) bool { return t["id"] == m["id"] })
	})
}

// sendable is the messages a next run is sent: activities are display state, and
// a message that carries nothing is left out of ours, because models refuse it. A
// message without content and one with an empty one are the same.
func sendable(all []map[string]any) (out []map[string]any) {
	for _, m := range all {
		if m["content"] == "" && m["role"] == "assistant" {
			delete(m, "content")
		}
		if calls, _ := m["toolCalls"].([]any); len(calls) == 0 {
			delete(m, "toolCalls")
		}
		empty := m["content"] == nil || m["content"] == ""
		if m["role"] == "activity" ||
			m["role"] != "tool" && empty && m["toolCalls"] == nil && m["encryptedValue"] == nil {
			continue
		}
		out = append(out, m)
	}
	return behindCalls(out)
}

// behindCalls moves each tool message behind the one that called. A TOOL_CALL_RESULT
// puts it there in both; a MESSAGES_SNAPSHOT that brings the call later leaves it
// where it was in the peer. Of two results for one call the later stays (maf/07
// and embedded/08 say one again); the peer keeps both. Models refuse a second result, and one anywhere
// else, so ours is always alone and where it belongs.
func behindCalls(all []map[string]any) (out []map[string]any) {
	results, called := map[any]map[string]any{}, map[any]bool{}
	for _, m := range all {
		for _, id := range callsOf(m) {
			called[id] = true
		}
		if m["role"] == "tool" {
			results[m["toolCallId"]] = m
		}
	}
	for _, m := range all {
		if m["role"] == "tool" {
			id := m["toolCallId"]
			if !called[id] { // the call was never told, so its result stands for itself
				called[id] = true
				out = append(out, results[id])
			}
			continue
		}
		out = append(out, m)
		for _, id := range callsOf(m) {
			if result, ok := results[id]; ok {
				out = append(out, result)
			}
		}
	}
	return out
}

// callsOf returns the ids of a message's tool calls.
func callsOf(m map[string]any) (ids []any) {
	calls, _ := m["toolCalls"].([]any)
	for _, c := range calls {
		ids = append(ids, c.(map[string]any)["id"])
	}
	return ids
}

// byID sorts messages by their id.
func byID(all []map[string]any) []map[string]any {
	slices.SortStableFunc(all, func(a, b map[string]any) int { return strings.Compare(line(a["id"]), line(b["id"])) })
	return all
}
