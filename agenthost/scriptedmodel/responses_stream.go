package scriptedmodel

// responseEvent is any event of a Responses stream; each kind has its own
// members, and all have the type and a number that counts from zero.
type responseEvent map[string]any

// frames are the answer as the API streams it: the response begins, each item is
// added, filled piece by piece and done, and the response comes once more, whole.
func (r response) frames(out []outputItem, u usage) []frame {
	var all []frame
	send := func(kind string, paced bool, members responseEvent) {
		members["type"], members["sequence_number"] = kind, len(all)
		all = append(all, frame{event: kind, data: members, paced: paced})
	}
	send("response.created", false, responseEvent{"response": r})
	send("response.in_progress", false, responseEvent{"response": r})
	for i, it := range out {
		begun := it
		begun.Status = "in_progress"
		if it.Type == "message" {
			begun.Content = &[]outputText{}
			send("response.output_item.added", false, responseEvent{"output_index": i, "item": begun})
			r.textFrames(i, it, send)
		} else {
			begun.Arguments = new(string)
			send("response.output_item.added", true, responseEvent{"output_index": i, "item": begun})
			for _, p := range pieces(*it.Arguments, argumentPiece) {
				send("response.function_call_arguments.delta", true, responseEvent{"item_id": it.ID, "output_index": i, "delta": p})
			}
			send("response.function_call_arguments.done", false, responseEvent{"item_id": it.ID, "output_index": i, "name": it.Name, "arguments": *it.Arguments})
		}
		send("response.output_item.done", false, responseEvent{"output_index": i, "item": it})
	}
	send("response.completed", false, responseEvent{"response": r.completed(out, u)})
	return all
}

func (r response) textFrames(i int, it outputItem, send func(string, bool, responseEvent)) {
	text := (*it.Content)[0].Text
	at := func(more responseEvent) responseEvent {
		more["item_id"], more["output_index"], more["content_index"] = it.ID, i, 0
		return more
	}
	send("response.content_part.added", false, at(responseEvent{"part": textPart("")}))
	for _, w := range words(text) {
		send("response.output_text.delta", true, at(responseEvent{"delta": w, "logprobs": []struct{}{}}))
	}
	send("response.output_text.done", false, at(responseEvent{"text": text, "logprobs": []struct{}{}}))
	send("response.content_part.done", false, at(responseEvent{"part": textPart(text)}))
}
