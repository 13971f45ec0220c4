package agentclient_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// directives are the lines of an http part.
type directives struct {
	status   int    // "status 404"
	media    string // "type text/html"
	framing  string // "framing crlf" or "cr"
	bom      bool   // "bom" in front
	raw      bool   // "raw": the wire as it stands
	trim     bool   // "trim": the last frame is not terminated
	bytewise bool   // "bytewise": one byte a write
	drop     bool   // "drop": the connection breaks after the wire
	hold     bool   // "hold": it stays open after the wire
	stop     int    // "stop 2": the user stops after so many events; 0 is before the header
	stops    bool
	limit    int // "limit 100": bytes a frame may have
}

func parseDirectives(t *testing.T, text string) directives {
	d := directives{status: 200, media: "text/event-stream"}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(rest)
		switch word {
		case "status":
			d.status = n
		case "type":
			d.media = rest
		case "framing":
			d.framing = rest
		case "bom":
			d.bom = true
		case "raw":
			d.raw = true
		case "trim":
			d.trim = true
		case "bytewise":
			d.bytewise = true
		case "drop":
			d.drop = true
		case "hold":
			d.hold = true
		case "stop":
			d.stop, d.stops = n, true
		case "limit":
			d.limit = n
		default:
			t.Fatalf("directive %q", line)
		}
	}
	return d
}

// body is the wire as it is sent.
func (d directives) body(wire string) []byte {
	var b strings.Builder
	if d.bom {
		b.WriteString("\uFEFF")
	}
	for line := range strings.Lines(wire) {
		if strings.HasPrefix(line, "{") && !d.raw {
			line = "data: " + line + "\n"
		}
		b.WriteString(line)
	}
	out := b.String()
	if d.trim {
		out = strings.TrimRight(out, "\n")
	}
	switch d.framing {
	case "crlf":
		out = strings.ReplaceAll(out, "\n", "\r\n")
	case "cr":
		out = strings.ReplaceAll(out, "\n", "\r")
	}
	return []byte(out)
}

func (d directives) answer(wire string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client leave
		if d.stops && d.stop == 0 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", d.media)
		w.WriteHeader(d.status)
		body := d.body(wire)
		for d.bytewise && len(body) > 1 {
			_, _ = w.Write(body[:1])
			_ = http.NewResponseController(w).Flush()
			body = body[1:]
		}
		_, _ = w.Write(body)
		_ = http.NewResponseController(w).Flush()
		if d.drop {
			panic(http.ErrAbortHandler)
		}
		if d.hold {
			<-r.Context().Done()
		}
	}
}
