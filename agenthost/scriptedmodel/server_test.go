package scriptedmodel

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// tripRequest is a request to the trip planner as a host builds it.
func tripRequest(stream bool, msgs ...string) string {
	s := "false"
	if stream {
		s = "true"
	}
	return `{"model":"gpt-4o-mini","stream":` + s + `,"stream_options":{"include_usage":true},"tools":[` + tripTools + `],"messages":[` + strings.Join(msgs, ",") + `]}`
}

const (
	tripTools = `{"type":"function","function":{"name":"check_conditions","parameters":{"type":"object","properties":{"location":{"type":"string"}},"required":["location"]}}},
		{"type":"function","function":{"name":"reserve_campsite","parameters":{"type":"object","required":["site","nights"]}}},
		{"type":"function","function":{"name":"agent-weather_forecaster","parameters":{"type":"object","required":["prompt","threadId"]}}},
		{"type":"function","function":{"name":"updateWorkingMemory","parameters":{"type":"object","required":["memory"]}}}`
	plannerSays = "You are a terse camping trip planner. For weather you MUST delegate to the weather_forecaster agent."
)

func system(memory string) string {
	text := plannerSays
	if memory != "" {
		text += "\nCurrent working memory (JSON): " + memory
	}
	return msg("system", text)
}

func msg(role, text string) string {
	b, err := json.Marshal(map[string]string{"role": role, "content": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func post(ctx context.Context, h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	return w
}

func TestRefusals(t *testing.T) {
	h := New(Config{NoDelay: true})
	const ok = `{"role":"user","content":"hi"}`
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		param, code        string
	}{
		"unknown path":       {"GET", "/v1/embeddings", "", 404, "", ""},
		"responses with GET": {"GET", "/v1/responses", "", 405, "", "method_not_supported"},
		"input no JSON":      {"POST", "/v1/responses", "hello", 400, "", ""},
		"input of a number":  {"POST", "/v1/responses", `{"model":"m","input":7}`, 400, "", ""},
		"no input":           {"POST", "/v1/responses", `{"model":"m"}`, 400, "input", "missing_required_parameter"},
		"input, no model":    {"POST", "/v1/responses", `{"input":"hi"}`, 400, "model", "missing_required_parameter"},
		"unknown item":       {"POST", "/v1/responses", `{"model":"m","input":[{"type":"dream"}]}`, 400, "input[0].type", "invalid_value"},
		"input of a robot":   {"POST", "/v1/responses", `{"model":"m","input":[{"role":"robot","content":"x"}]}`, 400, "input[0].role", "invalid_value"},
		"tool, no name":      {"POST", "/v1/responses", `{"model":"m","input":"hi","tools":[{"type":"function"}]}`, 400, "tools[0].name", "missing_required_parameter"},
		"output, no call":    {"POST", "/v1/responses", `{"model":"m","input":[{"type":"function_call_output","call_id":"a","output":"x"}]}`, 400, "input", ""},
		"call, no output":    {"POST", "/v1/responses", `{"model":"m","input":[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},` + ok + `]}`, 400, "input", ""},
		"unknown response":   {"POST", "/v1/responses", `{"model":"m","input":"hi","previous_response_id":"resp_x"}`, 400, "previous_response_id", "previous_response_not_found"},
		"chat with GET":      {"GET", "/v1/chat/completions", "", 405, "", "method_not_supported"},
		"models with POST":   {"POST", "/v1/models", "", 405, "", "method_not_supported"},
		"no JSON":            {"POST", "/v1/chat/completions", "hello", 400, "", ""},
		"two values":         {"POST", "/v1/chat/completions", `{"model":"m","messages":[` + ok + `]} {}`, 400, "", ""},
		"cut short":          {"POST", "/v1/chat/completions", `{"model":"m","mess`, 400, "", ""},
		"no model":           {"POST", "/v1/chat/completions", `{"messages":[` + ok + `]}`, 400, "model", ""},
		"no messages":        {"POST", "/v1/chat/completions", `{"model":"m"}`, 400, "messages", "empty_array"},
		"messages no array":  {"POST", "/v1/chat/completions", `{"model":"m","messages":"hi"}`, 400, "messages", "invalid_type"},
		"unknown role":       {"POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"robot","content":"x"}]}`, 400, "messages[0].role", "invalid_value"},
		"two choices":        {"POST", "/v1/chat/completions", `{"model":"m","n":2,"messages":[` + ok + `]}`, 400, "n", "unsupported_value"},
		"tool without name":  {"POST", "/v1/chat/completions", `{"model":"m","tools":[{"type":"function"}],"messages":[` + ok + `]}`, 400, "tools[0]", "invalid_value"},
		"result, no call":    {"POST", "/v1/chat/completions", `{"model":"m","messages":[` + ok + `,{"role":"tool","tool_call_id":"a","content":"x"}]}`, 400, "messages[1].role", ""},
		"call, no result":    {"POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},` + ok + `]}`, 400, "messages.[1].role", ""},
		"call, no more":      {"POST", "/v1/chat/completions", `{"model":"m","messages":[` + ok + `,{"role":"assistant","tool_calls":[{"id":"a"}]}]}`, 400, "messages.[1].role", ""},
		"content of numbers": {"POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body)))
			var got struct {
				Error *struct {
					Message, Type string
					Param, Code   *string
				}
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Error == nil {
				t.Fatalf("body %s: %v", w.Body, err)
			}
			str := func(p *string) string {
				if p == nil {
					return ""
				}
				return *p
			}
			if w.Code != c.status || got.Error.Type != "invalid_request_error" || got.Error.Message == "" ||
				c.param != "" && str(got.Error.Param) != c.param || str(got.Error.Code) != c.code && c.code != "" {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestModels(t *testing.T) {
	w := httptest.NewRecorder()
	New(Config{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/models", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"id":"scripted"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// TestStreamShape holds every line of a stream to the API's order.
func TestStreamShape(t *testing.T) {
	w := post(t.Context(), New(Config{NoDelay: true}), tripRequest(true, system(""), msg("user", "Add a lantern")))
	if ct := w.Header().Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		t.Errorf("content type %q", ct)
	}
	type chunkJSON struct {
		ID, Object, Model string
		Created           int64
		Usage             *usage
		Choices           []struct {
			Delta struct {
				Role      string
				ToolCalls []struct {
					Index    *int
					ID, Type string
					Function struct {
						Name      string
						Arguments *string
					}
				} `json:"tool_calls"`
			}
			FinishReason *string `json:"finish_reason"`
		}
	}
	var chunks []chunkJSON
	done := false
	for sc := bufio.NewScanner(w.Body); sc.Scan(); {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		switch {
		case sc.Text() == "":
		case !ok || done:
			t.Fatalf("unexpected line %q", sc.Text())
		case data == "[DONE]":
			done = true
		default:
			var c chunkJSON
			if err := json.Unmarshal([]byte(data), &c); err != nil {
				t.Fatal(err)
			}
			chunks = append(chunks, c)
		}
	}
	n := len(chunks)
	if !done || n < 6 {
		t.Fatalf("%d chunks, done %v", n, done)
	}
	for _, c := range chunks {
		if c.ID != chunks[0].ID || c.Object != "chat.completion.chunk" || c.Model != "gpt-4o-mini" || c.Created == 0 {
			t.Errorf("chunk %+v", c)
		}
	}
	if chunks[0].Choices[0].Delta.Role != "assistant" {
		t.Error("the first chunk names no role")
	}
	head := chunks[1].Choices[0].Delta.ToolCalls[0]
	if head.Index == nil || head.ID == "" || head.Type != "function" || head.Function.Name != "updateWorkingMemory" || *head.Function.Arguments != "" {
		t.Errorf("call begins with %+v", head)
	}
	args := ""
	for _, c := range chunks[2 : n-2] {
		d := c.Choices[0].Delta.ToolCalls[0]
		if d.ID != "" || d.Type != "" || d.Function.Name != "" || len(*d.Function.Arguments) > argumentPiece {
			t.Errorf("piece %+v", d)
		}
		args += *d.Function.Arguments
	}
	if want := `{"memory":{"packing_list":{"title":"Packing list","items":[{"name":"lantern","qty":1}]}}}`; args != want {
		t.Errorf("arguments %s", args)
	}
	if f := chunks[n-2].Choices[0].FinishReason; f == nil || *f != "tool_calls" {
		t.Errorf("finish reason %v", f)
	}
	if last := chunks[n-1]; len(last.Choices) != 0 || last.Usage == nil || last.Usage.Total == 0 {
		t.Errorf("usage chunk %+v", last)
	}
}

// stalled is a client that goes away after its first few chunks.
type stalled struct {
	*httptest.ResponseRecorder
	writes int
}

func (s *stalled) Write(b []byte) (int, error) { s.writes++; return s.ResponseRecorder.Write(b) }

func TestStopsWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(110*time.Millisecond, cancel)
		w := &stalled{ResponseRecorder: httptest.NewRecorder()}
		began := time.Now()
		New(Config{}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions",
			strings.NewReader(tripRequest(true, system(""), msg("user", "help")))))
		if took := time.Since(began); took != 110*time.Millisecond {
			t.Errorf("returned after %v", took)
		}
		if w.writes != 5 { // the role, then one word each 25 ms
			t.Errorf("%d chunks before the client left", w.writes)
		}
		if strings.Contains(w.Body.String(), "[DONE]") {
			t.Error("a cut stream says it is done")
		}
	})
}

func TestDelay(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want time.Duration // for the pieces of a two-word answer and its role chunk
	}{
		"default": {Config{}, 25 * time.Millisecond},
		"named":   {Config{Delay: time.Second}, time.Second},
		"none":    {Config{Delay: time.Second, NoDelay: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				w := post(t.Context(), New(c.cfg), tripRequest(true, system(""), msg("user", "thanks")))
				pieces := time.Duration(len(words("You're welcome, enjoy the trip!")))
				if got := time.Since(began); got != c.want*pieces {
					t.Errorf("took %v, want %v a piece", got, c.want)
				}
				if !strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n") {
					t.Error("stream did not end")
				}
			})
		})
	}
}

func TestPieces(t *testing.T) {
	const text = "Größe 18 °C:\n- **Samstag:** schön  \n"
	if got := strings.Join(words(text), ""); got != text {
		t.Errorf("words lose text: %q", got)
	}
	ps := pieces(`{"name":"Schlafsäcke und Zelt","qty":2}`, 12)
	if strings.Join(ps, "") != `{"name":"Schlafsäcke und Zelt","qty":2}` || ps[1] != "lafsäcke und" {
		t.Errorf("pieces %q", ps)
	}
}
