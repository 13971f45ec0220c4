package agenthost_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

const minimal = `{"threadId":"t","runId":"r","messages":[]}`

// TestRoutes holds the route contract byte for byte.
func TestRoutes(t *testing.T) {
	s := newService(t)
	for _, tc := range []struct {
		name, method, path, token string
		status                    int
		body                      string
	}{
		{"health needs no token", "GET", "/ok", "", 200, `{"ok":true}`},
		{"no token", "POST", "/agent/mastra", "", 401, `{"detail":"unauthorized"}`},
		{"wrong token", "POST", "/agent/mastra", "wrong", 401, `{"detail":"unauthorized"}`},
		{"token comes before the path", "GET", "/nowhere", "", 401, `{"detail":"unauthorized"}`},
		{"health is GET", "POST", "/ok", "", 401, `{"detail":"unauthorized"}`},
		{"unknown path", "POST", "/nowhere", testToken, 404, `{"detail":"not found"}`},
		{"method", "GET", "/agent/mastra", testToken, 404, `{"detail":"not found"}`},
		{"options", "OPTIONS", "/agent/mastra", testToken, 404, `{"detail":"not found"}`},
		{"trailing slash", "POST", "/agent/mastra/", testToken, 404, `{"detail":"not found"}`},
		{"upper case", "POST", "/agent/MASTRA", testToken, 404, `{"detail":"not found"}`},
		{"escaped", "POST", "/agent/mastr%61", testToken, 404, `{"detail":"not found"}`},
		{"unknown topic", "POST", "/agent/nope", testToken, 404, `{"detail":"no such topic: nope"}`},
		{"a child is no topic", "POST", "/agent/weather_forecaster", testToken, 404, `{"detail":"no such topic: weather_forecaster"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, body, _ := s.do(t, tc.method, tc.path, minimal, map[string]string{"X-Internal-Token": tc.token})
			if status != tc.status || body != tc.body {
				t.Errorf("%d %s, want %d %s", status, body, tc.status, tc.body)
			}
		})
	}
}

// TestBadBodies: what is wrong is named, and nothing reaches the model.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, tc := range []struct {
		body   string
		status int
		names  string
	}{
		{``, 400, "JSON object"}, {`null`, 400, "JSON object"}, {`[]`, 400, "JSON object"}, {`{"a":`, 400, "JSON object"},
		{`{}`, 400, "threadId"},
		{`{"threadId":"t","messages":[]}`, 400, "runId"},
		{`{"threadId":"t","runId":"r"}`, 400, "messages"},
		{`{"threadId":"t","runId":"r","messages":null}`, 400, "messages"},
		{`{"threadId":7,"runId":"r","messages":[]}`, 400, "threadId"},
		{`{"threadId":"","runId":"r","messages":[]}`, 400, "threadId"},
		{`{"threadId":"t","runId":"","messages":[]}`, 400, "runId"},
		{`{"threadId":"t","runId":"r","messages":{}}`, 400, "messages"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","content":"x"}]}`, 400, "messages[0].role"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"king","content":"x"}]}`, 400, "messages[0].role"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user"}]}`, 400, "messages[0].content"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":5}]}`, 400, "messages[0].content"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"tool","content":"x"}]}`, 400, "messages[0].toolCallId"},
		{`{"threadId":"t","runId":"r","messages":[],"tools":"x"}`, 400, "tools"},
		{`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"a b"}]}`, 400, "tools[0].name"},
		{`{"threadId":"t","runId":"r","messages":[],"resume":{}}`, 400, "resume"},
		{`{"threadId":"t","runId":"r","messages":[],"resume":[{"status":"resolved"}]}`, 400, "resume[0].interruptId"},
		{`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"x","status":"maybe"}]}`, 400, "resume[0].status"},
		{`{"threadId":"` + strings.Repeat("x", 17<<20) + `"}`, 413, "larger"},
	} {
		status, body, _ := s.do(t, "POST", "/agent/mastra", tc.body, map[string]string{"X-Internal-Token": testToken})
		if status != tc.status || !strings.Contains(body, tc.names) || !strings.HasPrefix(body, `{"detail":"`) {
			t.Errorf("%.60s: %d %s, want %d naming %s", tc.body, status, body, tc.status, tc.names)
		}
	}
	if n := len(s.model.asked()); n > 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestContentNegotiation(t *testing.T) {
	s := newService(t)
	for _, tc := range []struct {
		header, value string
		status        int
	}{
		{"Content-Type", "text/plain", 415},
		{"Content-Type", "application/json; charset=utf-8", 200},
		{"Accept", "application/json", 406},
		{"Accept", "text/event-stream", 200},
		{"Accept", "text/html, */*;q=0.1", 200},
		{"Accept", "text/event-stream;q=0", 406},
	} {
		if tc.status == 200 {
			s.model.says(modelAnswer{text: "hi"})
		}
		status, body, header := s.do(t, "POST", "/agent/mastra", minimal, map[string]string{"X-Internal-Token": testToken, tc.header: tc.value})
		if status != tc.status {
			t.Errorf("%s %s: %d %s, want %d", tc.header, tc.value, status, body, tc.status)
		}
		if status == 200 {
			if header.Get("Content-Type") != "text/event-stream" || header.Get("Cache-Control") != "no-store" || header.Get("X-Accel-Buffering") != "no" {
				t.Errorf("headers %v", header)
			}
			for line := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
				if !strings.HasPrefix(line, "data: {") || strings.Contains(line, "\n") {
					t.Errorf("frame %q", line)
				}
			}
		}
	}
}

// do sends a request as it is; an empty header value sends none.
func (s *service) do(t *testing.T, method, path, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}
