package markdown

import (
	"context"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// linkRel keeps a followed link from reaching back, from telling where it was
// found and from lending rank.
const linkRel = "noopener noreferrer nofollow"

// sanitise is the last step of everything this package returns, and the only
// place that turns a string into HTML. It fails when ctx ends.
func sanitise(ctx context.Context, s string) (HTML, error) {
	var out strings.Builder
	if err := policy().SanitizeReaderToWriter(&endingReader{ctx, strings.NewReader(breakRuns(s))}, &out); err != nil {
		return "", err
	}
	// A CR in an attribute or as a character reference must not reach a stream
	// whose lines it would break.
	return HTML(strings.ReplaceAll(out.String(), "\r", "\n")), nil
}

// endingReader fails when its context ends.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *endingReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// policy allows what the renderers here write and nothing else.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6",
		"ul", "ol", "li", "blockquote", "pre", "code", "span", "em", "strong", "del", "wbr",
		"table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(chroma|md-cont|chroma md-cont|plain|said|[a-z][a-z0-9]{0,3})$`)).
		OnElements("pre", "span", "li", "p", "table")
	// A wide block scrolls, and what scrolls must be reachable by keyboard.
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre")
	p.AllowAttrs("data-lang").Matching(regexp.MustCompile(`^[A-Za-z0-9+#._-]{1,40}$`)).OnElements("pre")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")

	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")

	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile("^" + linkRel + "$")).OnElements("a")
	p.AllowAttrs("target").Matching(regexp.MustCompile("^_blank$")).OnElements("a")
	return p
})
