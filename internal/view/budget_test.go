package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/demos"
	"cairn/internal/threadlog"
)

func TestIndentedIsBounded(t *testing.T) {
	nested := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	deepAndWide := strings.Repeat("[", 30) + strings.Repeat("1,", 20000) + "1" + strings.Repeat("]", 30)
	for name, c := range map[string]struct {
		in   string
		note string // what is said of it, "" for nothing
		want string // what it begins with
	}{
		"object":          {`{"a":[1,2]}`, "", "{\n  \"a\": [\n    1,\n    2\n  ]\n}"},
		"no JSON":         {`not JSON`, "", "not JSON"},
		"half JSON":       {`{"a":"b`, "", `{"a":"b`},
		"brackets":        {`["[[[[\"[["]`, "", "[\n  \"[[[["},
		"nested":          {nested, asItCame, "[[[["},
		"deep and wide":   {deepAndWide, onlyBeginning, "[[[["},
		"long":            {strings.Repeat("x", 10<<20), onlyBeginning, "xxxx"},
		"long and quoted": {strings.Repeat(`"`, 1<<20), onlyBeginning, `""""`},
		"long JSON":       {`["` + strings.Repeat("x", 1<<20) + `"]`, onlyBeginning, `["xxx`},
		"runes":           {strings.Repeat("é", 1<<20), onlyBeginning, "éé"},
	} {
		text, over := indented(c.in, maxResult)
		if over.Note != c.note || !strings.HasPrefix(text, c.want) {
			t.Errorf("%s: %q, begins with %.20q", name, over.Note, text)
		}
		if _, size := htmlLen(text, 1<<30); size > maxResult+3 {
			t.Errorf("%s: %d bytes of HTML", name, size)
		}
		if strings.ContainsRune(text, '\uFFFD') {
			t.Errorf("%s: cut inside a character", name)
		}
	}
}

func TestClipKeepsWhatFits(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc", "&": "", "a&": "a", "é": "é", "aéb": "aé"} {
		got, cut := clip(in, 3)
		if got != want || cut != (got != in) {
			t.Errorf("%q becomes %q, cut %t", in, got, cut)
		}
	}
}

// TestLargePartsLeadToTheirText: a part that is not shown whole says so, and leads to the
// whole of it.
func TestLargePartsLeadToTheirText(t *testing.T) {
	args, result := `{"q":"`+strings.Repeat("a", 40<<10)+`"}`, strings.Repeat("r", 100<<10)
	words := strings.Repeat("w", 200<<10)
	w := watch(t)
	w.steps(ask(m1, words, "r1"))
	for _, e := range []map[string]any{
		{"type": "RUN_STARTED", "threadId": "t", "runId": "r1"},
		{"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "find"},
		{"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": args},
		{"type": "TOOL_CALL_END", "toolCallId": "c"},
		{"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "x", "content": result},
		{"type": "RUN_FINISHED", "threadId": "t", "runId": "r1"},
	} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		w.row(threadlog.KindEvent, "r1", json.RawMessage(raw))
	}
	html := htmlOf(w.now())
	if len(html) > 200<<10 {
		t.Errorf("%d bytes", len(html))
	}
	for part, want := range map[string]string{"1-text": words, "2-args": args, "2-result": result} {
		key, kind, _ := strings.Cut(part, "-")
		n := int(key[0] - '0')
		if got, err := w.text(n, kind); err != nil || got != want {
			t.Errorf("%s: %d of %d bytes, %v", part, len(got), len(want), err)
		}
		if link := "/text/" + part + `"`; !strings.Contains(html, link) {
			t.Errorf("no link %s", link)
		}
	}
	for _, part := range []string{"1-args", "2-text", "9-text", "1-", "0-text"} {
		key, kind, _ := strings.Cut(part, "-")
		if _, err := w.text(int(key[0]-'0'), kind); err != ErrNoText {
			t.Errorf("%s: %v", part, err)
		}
	}
}

// TestHugePausesCanOnlyBeDeclined: nobody approves what the page does not show.
func TestHugePausesCanOnlyBeDeclined(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf(`{"id":"i%d","reason":"x"}`, i))
	}
	large := fmt.Sprintf(`{"id":"i","reason":"x","metadata":{"text":%q}}`, strings.Repeat("x", 5<<20))
	for name, batch := range map[string]string{"many": strings.Join(many, ","), "large": large} {
		t.Run(name, func(t *testing.T) {
			w := asking(t, demos.Strands(), "["+batch+"]")
			card := w.approval()
			html := htmlOf(w.now())
			if len(html) > maxApproval+32<<10 || strings.Contains(html, `data-testid="approve"`) || !strings.Contains(html, "/text/") {
				t.Errorf("%d requests in %d bytes: %.300s", len(card.Requests), len(html), html)
			}
		})
	}
}
