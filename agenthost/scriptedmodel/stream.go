package scriptedmodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// argumentPiece is how many characters of tool arguments one event carries.
// Twelve is what the captured transcripts were made with: a list item is
// longer than that, so an observer sees every item arrive.
const argumentPiece = 12

// frame is one server-sent event of an answer.
type frame struct {
	event string // empty: the event has no name
	data  any    // encoded as JSON; a rawData is written as it is
	paced bool   // comes after a pause, as it carries a piece of the answer
}

// rawData is an event that is no JSON.
type rawData string

// errCut ends a stream that was asked to be dropped.
var errCut = errors.New("dropped as the user's message asks")

// cutAfter is how many paced frames a dropped stream gets to send.
const cutAfter = 4

// stream writes the frames, and returns how many paced ones it wrote. It stops
// early, with the context's error, as soon as the client goes away.
func stream(ctx context.Context, w http.ResponseWriter, frames []frame, delay time.Duration, drop bool) (sent int, err error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	for _, f := range frames {
		if f.paced {
			if drop && sent == cutAfter {
				return sent, errCut
			}
			if err := pause(ctx, delay); err != nil {
				return sent, err
			}
			sent++
		}
		if err := ctx.Err(); err != nil {
			return sent, err
		}
		if err := f.write(w); err != nil {
			return sent, err
		}
		if err := flush.Flush(); err != nil {
			return sent, fmt.Errorf("flushing an event: %w", err)
		}
	}
	if drop {
		return sent, errCut
	}
	return sent, nil
}

func (f frame) write(w http.ResponseWriter) error {
	name := ""
	if f.event != "" {
		name = "event: " + f.event + "\n"
	}
	data, raw := f.data.(rawData)
	if !raw {
		b, err := json.Marshal(f.data)
		if err != nil {
			return fmt.Errorf("encoding an event: %w", err)
		}
		data = rawData(b)
	}
	if _, err := fmt.Fprintf(w, "%sdata: %s\n\n", name, data); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return nil
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

// words cuts text in front of each space or newline that starts a new word, so
// that joining the pieces makes the text again.
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
