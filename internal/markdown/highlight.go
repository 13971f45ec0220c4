package markdown

import (
	"context"
	"html"
	"path"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// highlightLimit is how much source of a message, or of one file, is coloured,
	// in bytes; further lines are plain. Of a source with a line over highlightLine
	// nothing is: lexers are regular expressions, some of them slow, and the agent
	// chooses what they run on.
	highlightLimit = 32 << 10
	highlightFile  = 256 << 10
	highlightLine  = 4 << 10
	// colouredSize is how many bytes of HTML a coloured byte of source may become, as
	// a rule: names, signs and strings are in elements of their own.
	colouredSize = 8
	// maxLang is the longest name of a language, in bytes: an unknown one is tried
	// against every lexer's file patterns.
	maxLang = 40
	// maxInk is the processor time for the colours of one message's final blocks,
	// headInk and tailInk that for its open blocks, where code is plain after that
	// until it closes, and onceInk that of one rendering of them. Code that a
	// person wrote does not need maxInk, so that the same text becomes the same
	// HTML.
	maxInk  = 500 * time.Millisecond
	headInk = 300 * time.Millisecond
	tailInk = time.Second
	onceInk = 50 * time.Millisecond
)

// palette is what colours of code may still cost.
type palette struct {
	ctx   context.Context
	bytes int // of source
	left  time.Duration
	used  time.Duration
	began time.Duration // when left was last right
}

// spend takes the time since it was last called and reports whether some is left.
func (p *palette) spend() bool {
	now := threadTime()
	p.left -= now - p.began
	p.used += now - p.began
	p.began = now
	return p.left > 0 && p.ctx.Err() == nil
}

// ink is the processor time that a message's colours took.
type ink struct {
	final, head, tail time.Duration
	coloured          int // bytes of final code
}

func (i *ink) finalPalette(ctx context.Context, most int) *palette {
	return &palette{ctx: ctx, bytes: min(most, highlightLimit-i.coloured), left: maxInk - i.final}
}

func (i *ink) headPalette(ctx context.Context, most int) *palette {
	return &palette{ctx: ctx, bytes: most, left: min(onceInk, headInk-i.head)}
}

func (i *ink) tailPalette(ctx context.Context, most int) *palette {
	return &palette{ctx: ctx, bytes: most, left: min(onceInk, tailInk-i.tail)}
}

// colourable returns how many bytes of source may be coloured where room bytes of HTML may
// still come: half of a message's HTML is left to the text itself.
func (s *Stream) colourable(room int) int {
	return max(0, min(highlightLimit, (room-s.limit()/2)/colouredSize))
}

// Highlight colours a source file: one HTML a line, each whole by itself, with
// the classes of HighlightCSS. The file name chooses the language.
func Highlight(name, src string) []HTML {
	var lines []HTML
	ctx := context.Background()
	for _, line := range highlight(lexerByFile(name), normalise(src), &palette{ctx: ctx, bytes: highlightFile, left: 10 * maxInk}) {
		h, _ := sanitise(ctx, line) // fails only when ctx ends
		lines = append(lines, h)
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
// spans. Without a lexer, past a limit or when the lexer fails they are plain.
func highlight(lexer chroma.Lexer, src string, p *palette) []string {
	if src == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
	first, size := 0, 0 // what is coloured
	for _, line := range lines {
		if len(line) > highlightLine {
			lexer = nil
		}
		if size+len(line)+1 > p.bytes {
			break
		}
		size += len(line) + 1
		first++
	}
	coloured := 0
	if lexer != nil && first > 0 {
		p.bytes -= size
		if done, ok := colour(lexer, src[:min(size, len(src))], p); ok && len(done) == first {
			coloured = copy(lines, done)
		}
	}
	for i, line := range lines[coloured:] {
		lines[coloured+i] = html.EscapeString(line)
	}
	return lines
}

// colour runs a lexer; ok is false when it panics, takes too long or loses text.
func colour(lexer chroma.Lexer, src string, p *palette) (lines []string, ok bool) {
	defer func() {
		if recover() != nil { // a third-party lexer on hostile input
			lines, ok = nil, false
		}
	}()
	stop := p.start()
	defer stop()
	tokens, err := lexer.Tokenise(nil, src)
	if err != nil {
		return nil, false
	}
	out := tokenLines{}
	length := 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		// Tokens are not joined before this, or many slow ones would pass as one.
		if !p.spend() {
			return nil, false
		}
		length += len(t.Value)
		out.add(t)
	}
	// Lexers may end the text with a newline of their own.
	return out.end(), length == len(src) || length == len(src)+1
}

// tokenLines writes tokens line by line; tokens of one kind share a span.
type tokenLines struct {
	lines []string
	line  strings.Builder
	kind  chroma.TokenType
	text  strings.Builder
}

func (l *tokenLines) add(t chroma.Token) {
	if t.Type != l.kind {
		l.flush()
		l.kind = t.Type
	}
	for i, part := range strings.Split(t.Value, "\n") {
		if i > 0 {
			l.flush()
			l.lines = append(l.lines, l.line.String())
			l.line.Reset()
		}
		l.text.WriteString(part)
	}
}

func (l *tokenLines) flush() {
	writeToken(&l.line, l.kind, l.text.String())
	l.text.Reset()
}

func (l *tokenLines) end() []string {
	if l.flush(); l.line.Len() > 0 {
		l.lines = append(l.lines, l.line.String())
	}
	return l.lines
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
