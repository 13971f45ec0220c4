package scriptedmodel

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bodies are one message to a demo's agent in both APIs, by path.
func bodies(user string, stream bool) map[string]string {
	chat, err := json.Marshal(map[string]any{"model": "m", "stream": stream, "messages": []any{map[string]string{"role": "user", "content": user}},
		"tools": []any{map[string]any{"type": "function", "function": map[string]string{"name": "check_availability"}}}})
	if err != nil {
		panic(err)
	}
	resp, err := json.Marshal(map[string]any{"model": "m", "stream": stream, "input": user,
		"tools": []any{map[string]string{"type": "function", "name": "check_availability"}}})
	if err != nil {
		panic(err)
	}
	return map[string]string{"/v1/chat/completions": string(chat), "/v1/responses": string(resp)}
}

func send(ctx context.Context, h http.Handler, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body)))
	return w
}

func TestErrorDirective(t *testing.T) {
	h := New(Config{NoDelay: true})
	for said, want := range map[string]struct {
		status int
		kind   string
	}{
		"Hello [model: error 500]":  {500, "server_error"},
		"[Model: Error 503] hello":  {503, "server_error"},
		"[model: error 400]":        {400, "invalid_request_error"},
		"hello [model:error 429]":   {429, "requests"},
		"hello [model: error 200]":  {200, ""},
		"hello [model: error 5000]": {200, ""},
		"hello (model: error 500)":  {200, ""},
	} {
		for _, stream := range []bool{true, false} {
			for path, body := range bodies(said, stream) {
				w := send(t.Context(), h, path, body)
				if w.Code != want.status || !strings.Contains(w.Body.String(), want.kind) {
					t.Errorf("%q on %s: %d %s", said, path, w.Code, w.Body)
				}
			}
		}
	}
	// An earlier message asks for nothing any more.
	w := post(t.Context(), h, `{"model":"m","messages":[`+msg("user", "x [model: error 500]")+`,`+msg("assistant", "y")+`,`+msg("user", "hello")+`]}`)
	if w.Code != 200 {
		t.Errorf("got %d", w.Code)
	}
}

// TestDropDirective: the connection ends after a few words, without an end.
func TestDropDirective(t *testing.T) {
	srv := httptest.NewServer(New(Config{NoDelay: true}))
	t.Cleanup(srv.Close)
	for path, body := range bodies("What is free on Monday? [model: drop]", true) {
		res, err := srv.Client().Post(srv.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil {
			t.Errorf("%s ended properly", path)
		}
		if n := strings.Count(string(got), "delta"); n < cutAfter || strings.Contains(string(got), "[DONE]") || strings.Contains(string(got), "completed\"") {
			t.Errorf("%s sent %s", path, got)
		}
	}
	for path, body := range bodies("hi [model: drop]", false) {
		res, err := srv.Client().Post(srv.URL+path, "application/json", strings.NewReader(body))
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%s answered %d", path, res.StatusCode)
		}
	}
}

func TestSlowDirective(t *testing.T) {
	for path, body := range bodies("hi [model: slow]", true) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			w := send(t.Context(), New(Config{}), path, body)
			if took := time.Since(began); took != slowWords*slowDelay {
				t.Errorf("%s took %v", path, took)
			}
			if !strings.Contains(w.Body.String(), "word-200") {
				t.Errorf("%s is cut short", path)
			}
		})
	}
}

// TestSlowOnce: a tool's result is answered, not dawdled over.
func TestSlowOnce(t *testing.T) {
	h := demoHost(t, "meeting", "chat", false)
	h.history = []map[string]any{
		{"role": "user", "content": "What is free on Friday? [model: slow]"},
		{"role": "assistant", "tool_calls": []toolCall{{ID: "c", Type: "function"}}},
		{"role": "tool", "tool_call_id": "c", "content": "x"},
	}
	if rep := h.step(); len(rep.Calls) != 1 {
		t.Errorf("got %+v", rep)
	}
}

// TestLeavingStopsTheWords: once the client is gone no piece more is made, and
// the log says how many were.
func TestLeavingStopsTheWords(t *testing.T) {
	for path, body := range bodies("hi [model: slow]", true) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*slowDelay+time.Millisecond, cancel)
			var log strings.Builder
			h := New(Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			began := time.Now()
			w := send(ctx, h, path, body)
			if took := time.Since(began); took > 11*slowDelay {
				t.Errorf("%s went on for %v", path, took)
			}
			if n := strings.Count(w.Body.String(), "word-"); n != 10 || !strings.Contains(log.String(), "pieces=10") {
				t.Errorf("%s sent %d words, logged %s", path, n, log.String())
			}
		})
	}
}

func TestTwoToolsDirective(t *testing.T) {
	for _, demo := range []struct{ name, calls, text string }{
		{"meeting", `check_availability {"weekday":"Tuesday"} / check_availability {"weekday":"Thursday"}`, "Tuesday is free at 10:00 and 15:00. Thursday is free at 09:30, 14:00 and 16:30."},
		{"expense", `lookup_expense_policy {"category":"meals"} / lookup_expense_policy {"category":"travel"}`, "Policy for meals: limit $300, receipts above $25. Policy for travel: limit $300, receipts above $25."},
		{"refund", `lookup_customer {"customer_id":"cus_a8x2k"} / lookup_customer {"customer_id":"cus_z19fp"}`, "cus_a8x2k is Alder & Finch on the Team plan, last charged $47.50 and $47.50. cus_z19fp is Alder & Finch on the Team plan, last charged $47.50 and $47.50."},
		{"small refund", "", "I am the built-in scripted model and only know refunds to draft and the refund policy; set OPENAI_API_KEY to use a real one."},
	} {
		for _, api := range []string{"chat", "responses"} {
			h := demoHost(t, demo.name, api, false)
			calls, text := h.says("Go [model: two tools]")
			if got := strings.Join(calls, " / "); got != demo.calls || text != demo.text {
				t.Errorf("%s on %s: %s, %q", demo.name, api, got, text)
			}
		}
	}
	h := demoHost(t, "meeting", "chat", false)
	h.more, h.history = `{"parallel_tool_calls":false}`, []map[string]any{{"role": "user", "content": "[model: two tools]"}}
	if n := len(h.step().Calls); n > 1 {
		t.Errorf("%d calls at once where one is allowed", n)
	}
}
