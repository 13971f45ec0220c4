package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/internal/threadlog"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// answered is a view of a conversation with these events of one run.
func answered(t *testing.T, events ...string) *watched {
	w := watch(t)
	w.steps(ask(m1, "Show me", "r1"))
	all := append([]string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`}, events...)
	for _, raw := range append(all, `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`) {
		w.row(threadlog.KindEvent, "r1", json.RawMessage(raw))
	}
	return w
}

// result is a tool call with a result; content is JSON.
func result(content string) []string {
	return []string{
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"draw_chart"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":` + content + `}`,
	}
}

func inSnapshot(messages string) []string {
	return []string{`{"type":"MESSAGES_SNAPSHOT","messages":[` + messages + `]}`}
}

// TestPartsAreShown: a picture is an address on the page, what is no picture is named with
// its size and a way to it, and no data is in the markup.
func TestPartsAreShown(t *testing.T) {
	picture := `{"type":"image","source":{"type":"data","value":"` + pixel + `","mimeType":"image/png"}}`
	mcp := `{"content":[{"type":"text","text":"Sales by month"},{"type":"image","data":"` + pixel + `","mimeType":"image/png"}]}`
	quoted, _ := json.Marshal(mcp)
	twice, _ := json.Marshal(string(quoted))
	const shown = `<img src="/t/7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10/media/2-0"`
	for name, c := range map[string]struct {
		events []string
		has    []string
		hasNot []string
	}{
		"picture with text":   {result(`[{"type":"text","text":"Sales by month"},` + picture + `]`), []string{shown, `alt="image from draw_chart"`, `width="1"`, "image, 70 bytes", "Sales by month", `data-status="complete" open`}, nil},
		"picture alone":       {result(`[` + picture + `]`), []string{shown, "?download=1"}, nil},
		"MCP":                 {result(string(quoted)), []string{shown, "Sales by month"}, []string{"mimeType"}},
		"MCP in a string":     {result(string(twice)), []string{shown, "Sales by month"}, []string{"mimeType"}},
		"in a snapshot":       {inSnapshot(`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"draw_chart","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":[` + picture + `]}`), []string{shown, "draw_chart"}, nil},
		"without a call":      {result(`[` + picture + `]`)[2:], []string{shown, `alt="image from a tool"`}, nil},
		"svg":                 {result(`[{"type":"image","source":{"type":"data","value":"PHN2Zy8+","mimeType":"image/svg+xml"}}]`), []string{"image, 6 bytes", "/media/2-0?download=1"}, []string{"<img"}},
		"html as a png":       {result(`[{"type":"image","source":{"type":"data","value":"PGh0bWw+","mimeType":"image/png"}}]`), []string{"image, 6 bytes"}, []string{"<img"}},
		"audio":               {result(`[{"type":"audio","source":{"type":"data","value":"` + strings.Repeat("AAAA", 4096) + `","mimeType":"audio/mpeg"}}]`), []string{"audio, 12 KB", "/media/2-0?download=1"}, []string{"<audio", "AAAA"}},
		"retired binary":      {result(`[{"type":"binary","mimeType":"application/pdf","data":"AAAA","filename":"a.pdf"}]`), []string{"document, 3 bytes", "a.pdf"}, nil},
		"address elsewhere":   {result(`[{"type":"image","source":{"type":"url","value":"https://example.com/a.png","mimeType":"image/png"}}]`), []string{`href="https://example.com/a.png"`, "Open at example.com", "noreferrer"}, []string{"<img", `src="https`}},
		"dangerous address":   {result(`[{"type":"image","source":{"type":"url","value":"javascript:alert(1)"}}]`), []string{">image<", "cannot show it"}, []string{"javascript:"}},
		"kept by a provider":  {result(`[{"type":"document","source":{"type":"file","value":"file-abc","provider":"openai","mimeType":"application/pdf"}}]`), []string{">document<", "Kept by openai"}, nil},
		"unknown":             {result(`[{"type":"hologram","source":{"type":"data","value":"AAAA","mimeType":"x/y"}}]`), []string{"hologram, 3 bytes"}, nil},
		"unknown and hostile": {result(`[{"type":"<img src=x onerror=alert(1)>","name":"\"><script>"}]`), []string{"&lt;img"}, []string{"<img", "<script>"}},
		"no type":             {result(`[{},7,null]`), []string{"a part without a type"}, nil},
		"broken base64":       {result(`[{"type":"image","source":{"type":"data","value":"!!!!","mimeType":"image/png"}}]`), []string{"image, 3 bytes"}, []string{"<img"}},
		"user's":              {inSnapshot(`{"id":"u0","role":"user","content":[{"type":"text","text":"before"},{"type":"hologram","source":{"type":"data","value":"AAAA","mimeType":"x/y"}},` + picture + `,{"type":"text","text":"after"}]}`), []string{"before\nafter", "hologram, 3 bytes", "/media/2-1\"", `alt="image from you"`}, nil},
		"user's, alone":       {inSnapshot(`{"id":"u0","role":"user","content":[` + picture + `]}`), []string{shown}, []string{`<div class="bubble" hx-ignore></div>`}},
		"the agent's":         {inSnapshot(`{"id":"a0","role":"assistant","content":[` + picture + `]}`), []string{shown, `alt="image from the agent"`}, nil},
		"a subagent's tool": {append([]string{`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"painter"}`,
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"draw_chart","subagentRunId":"s"}`}, `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","subagentRunId":"s","content":[`+picture+`]}`),
			[]string{"/media/3-0", `alt="image from draw_chart"`}, nil},
		"domain JSON": {result(`"[{\"type\":\"dog\",\"data\":\"rex\"}]"`), []string{"rex"}, []string{`data-testid="media"`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := answered(t, c.events...)
			html := htmlOf(w.now())
			for _, want := range c.has {
				if !strings.Contains(html, want) {
					t.Errorf("no %s in %s", want, html)
				}
			}
			for _, no := range append(c.hasNot, pixel) {
				if strings.Contains(html, no) {
					t.Errorf("%s in %s", no, html)
				}
			}
			if again := htmlOf(answered(t, c.events...).now()); again != html {
				t.Error("another page after a reload")
			}
		})
	}
}

// TestMediaOfACardAreBounded: in number and in what is shown of them.
func TestMediaOfACardAreBounded(t *testing.T) {
	one := `{"type":"image","source":{"type":"data","value":"` + pixel + `","mimeType":"image/png"}}`
	html := htmlOf(answered(t, result(`[`+strings.Repeat(one+",", 500)+one+`]`)...).now())
	if n := strings.Count(html, "<img"); n != maxPictures {
		t.Errorf("%d pictures", n)
	}
	if n := strings.Count(html, `data-testid="medium"`); n != 20 || !strings.Contains(html, "more parts") || len(html) > 32<<10 {
		t.Errorf("%d parts in %d bytes", n, len(html))
	}
}

// TestPictureArrivesAsAPatch: what a tab sees is what a reload shows.
func TestPictureArrivesAsAPatch(t *testing.T) {
	w := watch(t)
	w.steps(ask(m1, "Show me", "r1"))
	w.next()
	page := newDOM(t, w.all())
	events := append([]string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`}, result(fmt.Sprintf(`[{"type":"image","source":{"type":"data","value":%q,"mimeType":"image/png"}}]`, pixel))...)
	events = append(events, inSnapshot(`{"id":"a0","role":"assistant","content":[{"type":"image","source":{"type":"data","value":"`+pixel+`","mimeType":"image/png"}}]}`)...)
	for _, raw := range events {
		w.row(threadlog.KindEvent, "r1", json.RawMessage(raw))
		page.apply(w.next())
	}
	if got, want := page.Shown(), newDOM(t, w.all()).Shown(); got != want || !strings.Contains(got, "<img") {
		t.Errorf("%s\nwant %s", got, want)
	}
}
