package conversation_test

import (
	"testing"

	"cairn/agentclient/conversation"
)

// A character two deltas share is whole or, when its second half never comes,
// replaced once.
func TestSurrogateHalves(t *testing.T) {
	c := conversation.New()
	apply(t, c, started+`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a\ud83c"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"\udfd5b"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"a\ud83c"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\"\ud83c"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\udfd5\""}
		{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"d","delta":"\ud83c"}
		{"type":"TEXT_MESSAGE_START","messageId":"o"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"o","delta":"\ud83c"}
		{"type":"RUN_ERROR","message":"x"}`)
	check(t, c, `#1 assistant complete "a🏕b"
#2 assistant complete "a`+"\ufffd"+`"
#3 tool "f" incomplete args "🏕"
#4 tool "f" incomplete args `+"\ufffd"+`
#5 assistant error "`+"\ufffd"+`"`, "")
}
