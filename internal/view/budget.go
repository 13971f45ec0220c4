package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"cairn/components"
)

// Budgets of the parts of an entry, in bytes of what is shown unless said otherwise.
// Each is checked before the work it bounds, and what is over it is offered whole as
// plain text. An agent chooses all of these texts.
const (
	// maxText is for a text that is shown as it is: the user's words, a value.
	maxText = 128 << 10
	// maxArgs and maxResult are for one tool card; maxRunningArgs is for a call that
	// still grows, since it is sent again while it does.
	maxArgs        = 16 << 10
	maxResult      = 32 << 10
	maxRunningArgs = 4 << 10
	// maxIndented bounds the JSON that is indented, maxNesting its depth. More is shown
	// as it came.
	maxIndented = 64 << 10
	maxNesting  = 32
	// maxSummary bounds what a demo reads to sum a finished call up.
	maxSummary = 64 << 10
	// maxName bounds a name that the agent chose, in characters.
	maxName = 120
	// maxChildren bounds the messages and calls of a subagent that are shown, the last
	// ones, and maxChildPart a text of one of them.
	maxChildren  = 10
	maxLevels    = 3 // of cards within cards that show work
	maxChildPart = 16 << 10
	// maxRequests bounds the requests of one approval that are shown, maxRequest what one
	// of them may hold, and maxApproval the whole card.
	maxRequests = 100
	maxRequest  = 64 << 10
	maxApproval = 160 << 10
)

const (
	onlyBeginning = "Only the beginning is shown."
	asItCame      = "It is too large to lay out, so it is shown as it came."
)

// htmlLen returns the bytes of s[:n] when it is escaped for HTML, for the longest n at
// which that is at most limit. It looks at limit bytes of s at most.
func htmlLen(s string, limit int) (n, size int) {
	for n < len(s) {
		w := 1
		switch c := s[n]; c {
		case '&', '"', '\'':
			w = 5
		case '<', '>':
			w = 4
		}
		if size+w > limit {
			return n, size
		}
		size += w
		n++
	}
	return n, size
}

// clip returns the beginning of s that takes at most limit bytes of HTML, cut between
// characters, and reports whether that is not all of it.
func clip(s string, limit int) (string, bool) {
	n, _ := htmlLen(s, limit)
	if n == len(s) {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.ToValidUTF8(s[:n], "\uFFFD"), true
}

// indented returns JSON text with a line for each value, and anything else as it is.
// Text larger or deeper than a page shows is cut; over then describes the cut, without a URL.
func indented(s string, limit int) (text string, over components.Over) {
	pretty := s
	if fits, valid := indentable(s); fits && valid {
		var b bytes.Buffer
		_ = json.Indent(&b, []byte(s), "", "  ") // it is valid
		pretty = b.String()
	} else if !fits && len(s) <= limit {
		over = components.Over{Note: asItCame, Bytes: len(s)}
	}
	text, cut := clip(pretty, limit)
	if cut {
		over = components.Over{Note: onlyBeginning, Bytes: len(s)}
	}
	return text, over
}

// indentable reports whether s, indented, is within maxIndented and maxNesting, and
// whether it is JSON at all. It looks at the text once.
func indentable(s string) (fits, valid bool) {
	if len(s) > maxIndented {
		return false, false
	}
	depth, size, quoted := 0, len(s), false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			size += 1 + 2*depth
		case c == '}' || c == ']':
			depth--
			size += 1 + 2*max(depth, 0)
		case c == ',':
			size += 1 + 2*max(depth, 0)
		}
		if depth > maxNesting || size > maxIndented {
			return false, false
		}
	}
	return true, json.Valid([]byte(s))
}
