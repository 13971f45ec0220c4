package scriptedmodel

import "cairn/agenthost/scriptedmodel/script"

// frames are the answer in the API's order: the role, the text a word at a time,
// each tool call and its arguments in pieces, the finish reason, the usage if
// asked for, and "[DONE]".
func (e envelope) frames(rep script.Reply, u usage, withUsage bool) []frame {
	var out []frame
	for i, d := range deltas(rep) {
		out = append(out, frame{data: e.chunk(d, "", withUsage), paced: i > 0})
	}
	out = append(out, frame{data: e.chunk(delta{}, finishReason(rep), withUsage)})
	if withUsage {
		out = append(out, frame{data: e.usageChunk(u)})
	}
	return append(out, frame{data: rawData("[DONE]")})
}

// deltas cuts an answer into what each chunk adds to it.
func deltas(rep script.Reply) []delta {
	first := delta{Role: "assistant"}
	if len(rep.Calls) == 0 {
		first.Content = new(string)
	}
	out := []delta{first}
	for _, w := range words(rep.Text) {
		out = append(out, delta{Content: &w})
	}
	for i, c := range rep.Calls {
		out = append(out, delta{ToolCalls: []callDelta{{
			Index: i, ID: c.ID, Type: "function", Function: functionDelta{Name: c.Name},
		}}})
		for _, p := range pieces(c.Arguments, argumentPiece) {
			out = append(out, delta{ToolCalls: []callDelta{{Index: i, Function: functionDelta{Arguments: p}}}})
		}
	}
	return out
}
