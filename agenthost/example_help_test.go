package agenthost_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"cairn/agui"
	"cairn/agui/sse"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// cannedModel is an OpenAI-compatible server that answers with one delta each.
func cannedModel(deltas ...string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if len(deltas) == 0 {
			return
		}
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`+"\n\n", deltas[0])
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		deltas = deltas[1:]
	}))
}

// say posts a request and prints what is answered.
func say(url, body string) {
	req, err := http.NewRequest(http.MethodPost, url+"/agent/shop", bytes.NewBufferString(body))
	must(err)
	req.Header.Set("X-Internal-Token", "a long random string")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	must(err)
	defer func() { _ = resp.Body.Close() }()
	for frames := sse.NewReader(resp.Body, sse.Limits{}); ; {
		frame, err := frames.Next()
		if err == io.EOF {
			return
		}
		must(err)
		ev, err := agui.Decode([]byte(frame.Data))
		must(err)
		fmt.Println(strings.TrimSpace(string(ev.Head().Type) + " " + gist(ev)))
	}
}

// gist is what is worth printing of an event.
func gist(ev agui.Event) string {
	switch e := ev.(type) {
	case *agui.ToolCallStart:
		return e.ToolCallName
	case *agui.ToolCallArgs:
		return e.Delta
	case *agui.ToolCallResult:
		return e.Content.Text()
	case *agui.TextMessageContent:
		return e.Delta
	}
	return ""
}
