package agentclient_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/agui/sse"
)

func TestRunRequest(t *testing.T) {
	for _, tt := range []struct{ header, wantHeader, want string }{
		{"", "X-Internal-Token", token},
		{"authorization", "Authorization", "Bearer " + token},
	} {
		client := serve(t, agentclient.Config{Token: token, TokenHeader: tt.header}, func(w http.ResponseWriter, r *http.Request) {
			var in agui.RunAgentInput
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			if r.Method != "POST" || r.Header.Get(tt.wantHeader) != tt.want || r.Header.Get("Accept") != "text/event-stream" ||
				r.Header.Get("Content-Type") != "application/json" || in.ThreadID != "t" || in.ProtocolVersion != "1.0" || in.Tools == nil {
				t.Errorf("%s %v %+v", r.Method, r.Header, in)
			}
			stream(started+finished)(w, r)
		})
		if _, failed := collect(t, t.Context(), client); failed != nil {
			t.Error(failed)
		}
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name    string
		cfg     agentclient.Config
		answer  http.HandlerFunc
		events  int
		kind    agentclient.Kind // "" is no error
		status  int
		frame   int
		excerpt string
	}{
		{name: "finished", answer: stream(started + chunk + finished), events: 3},
		{name: "RUN_ERROR is an event", answer: stream(started + failed), events: 2},
		{name: "[DONE] after the end is nothing", answer: stream(started + finished + "data: [DONE]\n\n"), events: 2},
		{name: "an error after the end", answer: stream(started + finished + failed), events: 3},
		{name: "two runs", answer: stream(started + finished + started + chunk + finished), events: 5},
		{name: "a second run that breaks off", answer: stream(started + finished + started), events: 3, kind: agentclient.KindTruncated, status: 200},
		{name: "unterminated last frame", answer: stream(started + strings.TrimSpace(finished)), events: 2},
		{name: "keep-alives", answer: stream(": ping\n\n" + started + "data:\n\n" + finished), events: 2},
		{name: "unknown events are given", answer: stream(started + "data: {\"type\":\"NEW\"}\n\n" + finished), events: 3},
		{name: "no content type but a stream", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, started+finished)
		}, events: 2},

		{name: "truncated", answer: stream(started + chunk), events: 2, kind: agentclient.KindTruncated, status: 200},
		{name: "empty stream", answer: stream(""), kind: agentclient.KindTruncated, status: 200},
		{name: "cut in a frame", answer: stream(started + `data: {"type":"RUN_FIN`), events: 1, kind: agentclient.KindTruncated, status: 200, frame: 2, excerpt: `{"type":"RUN_FIN`},
		{name: "connection lost", answer: func(w http.ResponseWriter, r *http.Request) {
			stream(started+chunk)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, events: 2, kind: agentclient.KindTruncated, status: 200},
		{name: "one bad frame", answer: stream(started + "data: {oops}\n\n" + finished), events: 3},
		{name: "NaN", answer: stream(started + "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"n\":NaN}}\n\n" + finished), events: 3},
		{name: "a bad frame first", answer: stream("data: hello\n\n" + started + finished), events: 3},
		{name: "only a bad frame", answer: stream("data: {oops}\n\n"), events: 1, kind: agentclient.KindMalformed, status: 200, frame: 1, excerpt: "{oops}"},
		{name: "no event comes", answer: stream(strings.Repeat("data: {oops}\n\n", 100) + started), events: 8, kind: agentclient.KindMalformed, status: 200, frame: 9, excerpt: "{oops}"},
		{name: "bad without end", answer: stream(started + strings.Repeat("data: {oops}\n\n", 2000) + finished), events: 1001, kind: agentclient.KindMalformed, status: 200, frame: 1002, excerpt: "{oops}"},
		{name: "[DONE] too early", answer: stream(started + "data: [DONE]\n\n"), events: 2, kind: agentclient.KindTruncated, status: 200},
		{name: "HTML", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>\n\n<p>Log in\r\n"+strings.Repeat("x", 1<<20))
		}, kind: agentclient.KindNotSSE, status: 200, excerpt: "<html> <p>Log in " + strings.Repeat("x", 512-len("<html>\n\n<p>Log in\r\n"))},
		{name: "JSON", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"ok":true}`)
		}, kind: agentclient.KindNotSSE, status: 200, excerpt: `{"ok":true}`},
		{name: "401 that repeats the token", cfg: agentclient.Config{Token: token}, answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, "bad token "+r.Header.Get("X-Internal-Token"))
		}, kind: agentclient.KindStatus, status: 401, excerpt: "bad token [secret]"},
		{name: "401 with the token at the cut", cfg: agentclient.Config{Token: token}, answer: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, strings.Repeat("x", 505)+r.Header.Get("X-Internal-Token")+"and more")
		}, kind: agentclient.KindStatus, status: 401, excerpt: strings.Repeat("x", 505) + "[secret"},
		{name: "500", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, kind: agentclient.KindStatus, status: 500},
		{name: "500 that looks like a stream", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(500)
			_, _ = io.WriteString(w, finished)
		}, kind: agentclient.KindStatus, status: 500, excerpt: strings.TrimSpace(finished)},
		{name: "204", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, kind: agentclient.KindStatus, status: 204},
		{name: "redirect is not followed", answer: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("followed a redirect")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, kind: agentclient.KindStatus, status: 307},
		{name: "too many bytes", cfg: agentclient.Config{MaxBytes: 100}, answer: stream(started + strings.Repeat(": "+strings.Repeat("x", 50)+"\n", 10)), events: 0, kind: agentclient.KindTooLarge, status: 200},
		{name: "too many events", cfg: agentclient.Config{MaxEvents: 2}, answer: stream(started + chunk + chunk + finished), events: 2, kind: agentclient.KindTooLarge, status: 200, frame: 3},
		{name: "too large a frame", cfg: agentclient.Config{SSE: sse.Limits{MaxFrame: 60}}, answer: stream(started + "data: " + strings.Repeat("x", 100) + "\n\n"), events: 1, kind: agentclient.KindTooLarge, status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			types, failed := collect(t, t.Context(), serve(t, tt.cfg, tt.answer))
			if len(types) != tt.events {
				t.Errorf("got %v, want %d events", types, tt.events)
			}
			if tt.kind == "" {
				if failed != nil {
					t.Errorf("failed: %v", failed)
				}
				return
			}
			if failed == nil {
				t.Fatal("did not fail")
			}
			if failed.Kind != tt.kind || failed.Status != tt.status || failed.Frame != tt.frame || failed.Excerpt != tt.excerpt {
				t.Errorf("got kind %q status %d frame %d excerpt %q, want %q %d %d %q", failed.Kind, failed.Status, failed.Frame, failed.Excerpt,
					tt.kind, tt.status, tt.frame, tt.excerpt)
			}
			if !failed.Dispatched() {
				t.Error("says the request was not sent")
			}
			if strings.Contains(failed.Error(), token) {
				t.Errorf("token in %q", failed)
			}
		})
	}
}
