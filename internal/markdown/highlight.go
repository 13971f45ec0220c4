package markdown

import (
	"html"
	"path"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// highlightLimit is the largest source that is coloured, in bytes, and
	// highlightLine the longest line: lexers are regular expressions, and the
	// agent chooses what they run on.
	highlightLimit = 256 << 10
	highlightLine  = 4 << 10
	// maxLang is the longest name of a language, in bytes: an unknown one is tried
	// against every lexer's file patterns.
	maxLang = 40
	// highlightTime bounds one source whatever it holds, and openTime one that is
	// rendered again with the next update. The first is long enough never to be
	// met by code that a person wrote, so that the same text gives the same HTML.
	highlightTime = 5 * time.Second
	openTime      = 100 * time.Millisecond
)

// Highlight colours a source file: one HTML a line, each whole by itself, with
// the classes of HighlightCSS. The file name chooses the language.
func Highlight(name, src string) []HTML {
	var lines []HTML
	for _, line := range highlight(lexerByFile(name), normalise(src), highlightTime) {
		lines = append(lines, sanitise(line))
	}
	return lines
}

func lexerByFile(name string) chroma.Lexer {
	if l := lexers.Match(path.Base(name)); l != nil {
		return l
	}
	if strings.HasSuffix(name, ".templ") {
		return lexers.Get("go")
	}
	return nil
}

func lexerByName(lang string) chroma.Lexer {
	if lang == "" || len(lang) > maxLang {
		return nil
	}
	return lexers.Get(lang)
}

// highlight returns the lines of normalised source as escaped text in class
// spans. Without a lexer, past a limit or when the lexer fails it returns plain
// lines.
func highlight(lexer chroma.Lexer, src string, limit time.Duration) []string {
	plain := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
	if src == "" {
		return nil
	}
	for i := range plain {
		if len(plain[i]) > highlightLine {
			lexer = nil
		}
	}
	if lexer != nil && len(src) <= highlightLimit {
		if lines, ok := colour(lexer, src, limit); ok && len(lines) == len(plain) {
			return lines
		}
	}
	for i, line := range plain {
		plain[i] = html.EscapeString(line)
	}
	return plain
}

// colour runs a lexer; ok is false when it panics, takes too long or loses text.
func colour(lexer chroma.Lexer, src string, limit time.Duration) (lines []string, ok bool) {
	defer func() {
		if recover() != nil { // a third-party lexer on hostile input
			lines, ok = nil, false
		}
	}()
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, src)
	if err != nil {
		return nil, false
	}
	deadline := time.Now().Add(limit)
	var b strings.Builder
	length := 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if time.Now().After(deadline) {
			return nil, false
		}
		length += len(t.Value)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, b.String())
				b.Reset()
			}
			writeToken(&b, t.Type, part)
		}
	}
	if b.Len() > 0 {
		lines = append(lines, b.String())
	}
	// Lexers may end the text with a newline of their own.
	return lines, length == len(src) || length == len(src)+1
}

func writeToken(b *strings.Builder, t chroma.TokenType, s string) {
	if s == "" {
		return
	}
	class := tokenClass(t)
	if class == "" {
		b.WriteString(html.EscapeString(s))
		return
	}
	b.WriteString(`<span class="` + class + `">` + html.EscapeString(s) + `</span>`)
}

// tokenClass is chroma's class of the nearest type that HighlightCSS colours.
func tokenClass(t chroma.TokenType) string {
	for _, t := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if class := chroma.StandardTypes[t]; coloured()[class] {
			return class
		}
	}
	return ""
}
