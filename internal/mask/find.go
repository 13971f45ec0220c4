package mask

import (
	"slices"
	"strings"
)

// maxLayers bounds how many encodings around a secret are undone.
const maxLayers = 3

// span is a range of bytes of a text.
type span struct{ from, to int }

// find returns where text holds one of forms, in order and without overlaps. Its cost
// is that of len(forms) searches of text.
func find(text string, forms []form) []span {
	if len(forms) == 0 {
		return nil
	}
	var found []span
	v := view{text: text}
	for layer := 0; ; layer++ {
		for _, f := range forms {
			found = append(found, v.find(f)...)
		}
		next, more := decode(v)
		if !more || layer == maxLayers {
			break
		}
		v = next
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	merged := found[:0]
	for _, s := range found {
		if last := len(merged) - 1; last >= 0 && s.from < merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// find returns where the view holds f, or the beginning of f before a cut, as spans
// of the original text.
func (v view) find(f form) (found []span) {
	head := f.text[:min(len(f.text), headBytes)]
	for at := 0; ; {
		i := strings.Index(v.text[at:], head)
		if i < 0 {
			return found
		}
		from := at + i
		to := from + len(head)
		for to < len(v.text) && to-from < len(f.text) && v.text[to] == f.text[to-from] {
			to++
		}
		whole := to-from == len(f.text)
		if !whole && !cutAt(v.text[to:]) {
			at = from + 1
			continue
		}
		at = to
		if whole {
			for range f.after {
				if to < len(v.text) && isBase64(v.text[to]) {
					to++
				}
			}
		}
		for range f.before {
			if from > 0 && isBase64(v.text[from-1]) {
				from--
			}
		}
		found = append(found, span{v.origin(from), v.origin(to)})
	}
}

// cutAt reports whether rest looks like what follows the place where a text was cut.
func cutAt(rest string) bool {
	if rest == "" {
		return true
	}
	for _, mark := range []string{"…", "...", `"`, "'", "`"} {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return false
}
