package scriptedmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// argumentPiece is how many characters of tool arguments one chunk carries.
// Twelve is what the captured transcripts were made with: a list item is
// longer than that, so an observer sees every item arrive.
const argumentPiece = 12

// stream writes the answer as server-sent chunks in the API's order: the role,
// the text a word at a time, the tool call and its arguments in pieces, the
// finish reason, the usage if asked for, and "[DONE]". It returns early, with
// the context's error, as soon as the client goes away.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, head envelope, rep reply, withUsage bool, tokens usage) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)

	send := func(v any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encoding a chunk: %w", err)
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
			return fmt.Errorf("writing a chunk: %w", err)
		}
		if err := flush.Flush(); err != nil {
			return fmt.Errorf("flushing a chunk: %w", err)
		}
		return nil
	}
	for i, d := range deltas(rep) {
		if i > 0 {
			if err := pause(ctx, s.delay); err != nil {
				return err
			}
		}
		if err := send(head.chunk(d, "", withUsage)); err != nil {
			return err
		}
	}
	if err := send(head.chunk(delta{}, rep.finishReason(), withUsage)); err != nil {
		return err
	}
	if withUsage {
		if err := send(head.usageChunk(tokens)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(w, "data: [DONE]\n\n"); err != nil {
		return fmt.Errorf("writing the end: %w", err)
	}
	return flush.Flush()
}

// pause waits for d or until the context ends, whose error it then returns.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// deltas cuts an answer into what each chunk adds to it.
func deltas(rep reply) []delta {
	first := delta{Role: "assistant"}
	if rep.Call == nil {
		first.Content = new(string)
	}
	out := []delta{first}
	for _, w := range words(rep.Text) {
		out = append(out, delta{Content: &w})
	}
	if c := rep.Call; c != nil {
		out = append(out, delta{ToolCalls: []callDelta{{
			ID: c.ID, Type: "function", Function: functionDelta{Name: c.Name},
		}}})
		for _, p := range pieces(c.Arguments, argumentPiece) {
			out = append(out, delta{ToolCalls: []callDelta{{Function: functionDelta{Arguments: p}}}})
		}
	}
	return out
}

// words cuts text in front of each space or newline that starts a new word, so
// that joining the pieces gives the text back.
func words(text string) []string {
	var out []string
	start, inWord := 0, false
	for i, r := range text {
		space := r == ' ' || r == '\n'
		if space && inWord {
			out, start = append(out, text[start:i]), i
		}
		inWord = !space
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// pieces cuts s every n characters, never inside one.
func pieces(s string, n int) []string {
	var out []string
	start, count := 0, 0
	for i := range s {
		if count == n {
			out, start, count = append(out, s[start:i]), i, 0
		}
		count++
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
