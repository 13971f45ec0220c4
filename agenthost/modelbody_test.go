package agenthost

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// endless repeats a text for ever and counts what is read of it.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[(e.read+n)%len(e.text):])
	}
	e.read += n
	return n, nil
}

func (e *endless) Close() error { return nil }

// sends is a model's server that answers with one body.
type sends struct {
	status int
	body   io.ReadCloser
}

func (s sends) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	return &http.Response{StatusCode: s.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: s.body, Request: r}, nil
}

// TestModelsBytesAreBounded: whatever a model's server sends, little of it is read and
// less of it is decoded.
func TestModelsBytesAreBounded(t *testing.T) {
	t.Parallel()
	chunk := func(members string) string {
		return `data: {"choices":[{"index":0,"delta":{` + members + `}}]}` + "\n\n"
	}
	const size = 10_000
	for _, tc := range []struct {
		name, body, code string
		most             int // bytes read
	}{
		{"a line without end", "data: ", "answer_limit", 2*size + 2*frameOverhead},
		{"lines without end", "data: x\n", "answer_limit", 5 * (2*size + frameOverhead)},
		{"nothing but comments", ": x\n\n", "answer_limit", streamPerAnswer*size + 2*frameOverhead},
		{"text without end", chunk(`"content":"words "`), "answer_limit", streamPerAnswer*size + 2*frameOverhead},
		{"refusal without end", chunk(`"refusal":"words "`), "answer_limit", streamPerAnswer*size + 2*frameOverhead},
		{"calls without names", chunk(`"tool_calls":[{"index":1},{"index":2},{"index":3},{"index":4},{"index":5},{"index":6}]`), "call_limit", frameOverhead},
		{"empty calls", `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + strings.Repeat("{},", maxFrameValues), "answer_limit", 2*size + 3*frameOverhead},
		{"nests", "data: " + strings.Repeat("[", maxValueDepth+1), "answer_limit", 2*size + 2*frameOverhead},
	} {
		t.Run(tc.name, func(t *testing.T) {
			from := &endless{text: tc.body}
			m := newModel(ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: sends{200, from}}})
			m.maxAnswer, m.maxCalls = size, 5
			_, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
			if told := asRunError(t.Context(), err); told.code != tc.code || from.read > tc.most {
				t.Errorf("%v after %d bytes, want %s before %d", err, from.read, tc.code, tc.most)
			}
		})
	}
}

// TestAnErrorsBodyIsNotRead: the body can be long, repeat the key, or be no JSON.
func TestAnErrorsBodyIsNotRead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		code   string
	}{
		{"the key in JSON", 401, `{"error":{"message":"the key sk-123 is wrong"}}`, "model_unauthorized"},
		{"a proxy's page", 403, "<html><h1>Forbidden</h1>sk-123</html>", "model_unauthorized"},
		{"plain text", 400, "bad request sk-123\n", "model_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := &endless{text: tt.body}
			m := newModel(ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: sends{tt.status, from}}})
			_, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
			if got := asRunError(t.Context(), err); got.code != tt.code || from.read > 0 || strings.Contains(got.Error(), "sk-123") {
				t.Errorf("%v after %d bytes, want %s", err, from.read, tt.code)
			}
		})
	}
}

// TestLongCallIDs: every event of a call repeats its id.
func TestLongCallIDs(t *testing.T) {
	long := strings.Repeat("x", maxCallID+1)
	body := fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":%q,"function":{"name":"n","arguments":"{}"}}]},"finish_reason":"stop"}]}`, long)
	m := newModel(ModelConfig{BaseURL: "http://model.invalid", HTTPClient: &http.Client{Transport: sends{200, io.NopCloser(strings.NewReader(body + "\n\n"))}}})
	got, err := m.ask(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, callIDs{}, quiet{})
	if err != nil || len(got.calls) != 1 || len(got.calls[0].ID) > maxCallID {
		t.Errorf("%+v, %v", got.calls, err)
	}
}
