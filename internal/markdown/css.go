package markdown

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// tone is one meaning of colour in code, for the chroma classes that share it.
type tone struct {
	name, light, dark string
	classes           string // separated by spaces
	rule              string // further declarations
}

// tones reuse the page's palette: moss for text one writes, sky for the
// language's own words, ember for values, rose for what is wrong. Each has AA
// contrast on the card and sunk backgrounds of its theme.
func tones() []tone {
	return []tone{
		{"comment", "#636b5e", "#98a193", "c ch cm c1 cs cp cpf", "font-style:italic"},
		{"keyword", "#2f5a7c", "#94bfe0", "k kc kd kn kp kr ow", ""},
		{"type", "#6b4a8a", "#c3a6e0", "kt nc nt bp no", ""},
		{"function", "#7a4a12", "#e0b57a", "nf fm nd na", ""},
		{"string", "#3d6a4c", "#8cc39b", "s sa sb sc dl sd s2 se sh si sx sr s1 ss", ""},
		{"number", "#a34a18", "#ec9a63", "m mb mf mh mi il mo", ""},
		{"punctuation", "#5f665a", "#a7ae9f", "o p", ""},
		{"heading", "#22261f", "#e9ebe4", "gh gu gs", "font-weight:600"},
		{"inserted", "#3d6a4c", "#8cc39b", "gi", ""},
		{"deleted", "#a23a3a", "#e38b8b", "gd err gr", ""},
	}
}

// coloured are the chroma classes that HighlightCSS has a rule for.
var coloured = sync.OnceValue(func() map[string]bool {
	classes := map[string]bool{}
	for _, t := range tones() {
		for class := range strings.FieldsSeq(t.classes) {
			classes[class] = true
		}
	}
	return classes
})

// HighlightCSS writes the style sheet of highlighted code: colours by theme as
// custom properties, following data-theme on the root element and otherwise the
// reader's preference, and one rule a tone.
func HighlightCSS(w io.Writer) error {
	var light, dark, rules strings.Builder
	for _, t := range tones() {
		fmt.Fprintf(&light, "--hl-%s:%s;", t.name, t.light)
		fmt.Fprintf(&dark, "--hl-%s:%s;", t.name, t.dark)
		classes := strings.Fields(t.classes)
		fmt.Fprintf(&rules, ".chroma :is(.%s){color:var(--hl-%s);%s}\n", strings.Join(classes, ",."), t.name, t.rule)
	}
	_, err := fmt.Fprintf(w, `:root{%[1]s}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){%[2]s}}
:root[data-theme=dark]{%[2]s}
%[3]s`, light.String(), dark.String(), rules.String())
	return err
}
