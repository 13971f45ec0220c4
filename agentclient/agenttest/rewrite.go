package agenttest

import (
	"bytes"
	"slices"

	"cairn/agui"
)

// splitFrames cuts a transcript after each blank line. The bytes stay as they are.
func splitFrames(raw []byte) [][]byte {
	var frames [][]byte
	start := 0
	for i := 0; i < len(raw); {
		line := i
		for i < len(raw) && raw[i] != '\n' && raw[i] != '\r' {
			i++
		}
		blank := i == line && line > start
		if i < len(raw) {
			if raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			i++
		}
		if blank {
			frames = append(frames, raw[start:i])
			start = i
		}
	}
	if start < len(raw) {
		frames = append(frames, raw[start:])
	}
	return frames
}

// eventsOf decodes the events of frames with one data line; others are passed over.
func eventsOf(frames [][]byte) []agui.Event {
	var events []agui.Event
	for _, f := range frames {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(f), []byte("data:"))
		if !ok {
			continue
		}
		if ev, err := agui.Decode(bytes.TrimSpace(data)); err == nil {
			events = append(events, ev)
		}
	}
	return events
}

// rewrite replaces ids by others, where they stand alone: not as a part of a
// longer word. It works on the bytes, so it also reaches ids in JSON within a
// string, and in compound ids such as "<run>::<call>".
func rewrite(frame []byte, swap map[string]string) []byte {
	ids := make([]string, 0, len(swap))
	for id, to := range swap {
		if id != "" && id != to {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return len(b) - len(a) })
	out := make([]byte, 0, len(frame))
scan:
	for i := 0; i < len(frame); {
		if i == 0 || !word(frame[i-1]) {
			for _, id := range ids {
				end := i + len(id)
				if bytes.HasPrefix(frame[i:], []byte(id)) && (end == len(frame) || !word(frame[end])) {
					out = append(out, swap[id]...)
					i = end
					continue scan
				}
			}
		}
		out = append(out, frame[i])
		i++
	}
	return out
}

func word(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
