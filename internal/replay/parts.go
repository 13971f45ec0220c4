package replay

import (
	"cmp"
	"fmt"

	"cairn/agui"
	"cairn/internal/media"
)

// partsOf names the parts of content that are no text.
func partsOf(content agui.Content) (named []string) {
	l := media.Read(content.Raw)
	for _, p := range l.Others() {
		name := cmp.Or(p.Kind, "part without a type")
		switch {
		case p.Data != "":
			name += fmt.Sprintf(" (%s, %d bytes)", cmp.Or(p.MIME, "no type"), p.Size())
		case p.URL != "":
			name += " (at an address)"
		case p.Provider != "":
			name += fmt.Sprintf(" (kept by %s)", p.Provider)
		}
		named = append(named, name)
	}
	if l.More {
		named = append(named, "more")
	}
	return named
}
