package agui_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/agui"
)

// join concatenates deltas, given as JSON strings without their quotes.
func join(t *testing.T, deltas ...string) string {
	t.Helper()
	var b strings.Builder
	held := ""
	for _, delta := range deltas {
		ev, err := agui.Decode([]byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"` + delta + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		var text string
		text, held = agui.JoinSurrogates(held, ev.(*agui.TextMessageContent).Delta)
		b.WriteString(text)
	}
	if held != "" {
		b.WriteString("\uFFFD")
	}
	return b.String()
}

func TestJoinSurrogates(t *testing.T) {
	for _, tt := range []struct {
		deltas []string
		want   string
	}{
		{[]string{"a", "b"}, "ab"},
		{[]string{`x\ud83d`, `\ude00y`}, "x😀y"},
		{[]string{`\uD83D`, ``, `\uDE00`}, "😀"},
		{[]string{`\ud83d\ude00`}, "😀"},
		{[]string{`\ud83d`}, "\uFFFD"},
		{[]string{`\ude00`}, "\uFFFD"},
		{[]string{`\ud83d`, `x`}, "\uFFFDx"},
		{[]string{`\ude00\ud83d`, `\ud83d`, `\ude00\ude00`}, "\uFFFD\uFFFD😀\uFFFD"},
		{[]string{"\xed\x9f\xbf\xee\x80\x80"}, "\ud7ff\ue000"},
	} {
		if got := join(t, tt.deltas...); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.deltas, got, tt.want)
		}
	}
}

// However a text is cut between UTF-16 units, its parts join to the same text.
func TestJoinSurrogatesWhereverItIsCut(t *testing.T) {
	units := []string{"a", `\ud83d`, `\ude00`, `\ud83d`, `\udc4d`, `\ud83c`, `\udffd`, "é", `\u00e9`}
	for cuts := range 1 << (len(units) - 1) {
		var deltas []string
		delta := ""
		for i, unit := range units {
			if delta += unit; cuts>>i&1 == 1 || i == len(units)-1 {
				deltas = append(deltas, delta)
				delta = ""
			}
		}
		if got := join(t, deltas...); got != "a😀👍🏽éé" {
			t.Fatalf("%q: got %q", deltas, got)
		}
	}
}

// Only deltas keep halves: nothing repairs other strings.
func TestHalvesInOtherStrings(t *testing.T) {
	for _, in := range []string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"\ud83d","delta":""}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"\ud83d","Delta":""}`,
	} {
		ev, err := agui.Decode([]byte(in))
		if err != nil || ev.(*agui.TextMessageContent).MessageID != "\uFFFD" {
			t.Errorf("%s: %+v, %v", in, ev, err)
		}
	}
}

func FuzzJoinSurrogates(f *testing.F) {
	f.Add("", "a\xed\xa0\xbd")
	f.Add("\xed\xa0\xbd", "\xed\xb8\x80b")
	f.Add("\xed\xa0\xbd", "\xed\xed")
	f.Fuzz(func(t *testing.T, held, delta string) {
		text, rest := agui.JoinSurrogates(held, delta)
		if utf8.ValidString(held+delta) && (text != held+delta || rest != "") {
			t.Fatalf("%q changed to %q, %q", held+delta, text, rest)
		}
		if rest != "" && (len(rest) != 3 || !strings.HasSuffix(held+delta, rest)) {
			t.Fatalf("%q holds %q", held+delta, rest)
		}
		if again, more := agui.JoinSurrogates("", text); again != text || more != "" {
			t.Fatalf("%q is not settled: %q, %q", text, again, more)
		}
	})
}
