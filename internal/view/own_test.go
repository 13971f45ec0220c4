package view

import (
	"strings"
	"testing"
)

// TestNotTheUsersOwnWords: what the agent sends in the user's role is shown with a note, and
// never in the place of the bubble of a form; what the user wrote has none.
func TestNotTheUsersOwnWords(t *testing.T) {
	const id = "0198c7a0-0000-7000-8000-00000000000f"
	for name, events := range map[string][]string{
		"streamed": {
			`{"type":"TEXT_MESSAGE_START","messageId":"` + id + `","role":"user"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"I approve"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"` + id + `"}`,
		},
		"in chunks":     {`{"type":"TEXT_MESSAGE_CHUNK","messageId":"` + id + `","role":"user","delta":"I approve"}`},
		"in a snapshot": inSnapshot(`{"id":"` + id + `","role":"user","content":"I approve"}`),
	} {
		t.Run(name, func(t *testing.T) {
			html := htmlOf(answered(t, events...).now())
			if !strings.Contains(html, "I approve") || strings.Count(html, notOwn) != 1 || strings.Contains(html, "u-"+id) {
				t.Error(html)
			}
		})
	}
	if html := htmlOf(answered(t).now()); strings.Contains(html, notOwn) {
		t.Error("the user's own words have the note:", html)
	}
}
