package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestRenameHiddenCharacters: a control character refuses the title, another character
// that cannot be seen is taken out, and what a script or an emoji needs stays.
func TestRenameHiddenCharacters(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := b.create("Old name")
	for _, tt := range []struct {
		title, want string // "" is a refusal
	}{
		{"a\x00b", ""}, {"a\x1b[31mb", ""}, {"a\u009bb", ""}, {"a\x7fb", ""}, {"\x00", ""},
		{"\u200b\u2060 \u3164", ""}, {"", ""},
		{"pay \u202e08€ \u2066now\u200b", "pay 08€ now"},
		{"one\ttwo\r\nthree\u2028four\u0085five", "one two three four five"},
		{"👨\u200d👩\u200d👧 می\u200cخواهم", "👨\u200d👩\u200d👧 می\u200cخواهم"},
		{strings.Repeat("x\u200b", 200), strings.Repeat("x", 200)},
		{strings.Repeat("x\u200b", 201), ""},
		{"  \u200b" + strings.Repeat(" ", 5000) + "far\u00a0away", "far away"},
	} {
		before, _ := s.log.Thread(t.Context(), id)
		a := b.do("POST", "/t/"+id+"/rename", url.Values{"title": {tt.title}}, "HX-Request", "true")
		status := http.StatusNoContent
		if tt.want == "" {
			status, tt.want = http.StatusUnprocessableEntity, before.Title
		}
		if th, err := s.log.Thread(t.Context(), id); err != nil || a.StatusCode != status || th.Title != tt.want {
			t.Errorf("%.40q: %d %q, title %q, %v", tt.title, a.StatusCode, a.body, th.Title, err)
		}
	}
}
