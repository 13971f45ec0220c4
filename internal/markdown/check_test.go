package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkHTML holds every output to what the package promises: elements open and
// close in order, and nothing in it acts, loads or styles.
func checkHTML(src HTML) error {
	void := []string{"br", "hr", "input", "wbr"}
	allowed := strings.Fields("p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code span em strong del table thead tbody tr th td input a wbr")
	var open []string
	for z := html.NewTokenizer(strings.NewReader(string(src))); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Errorf("left open: %v", open)
			}
			return checkText(src)
		case html.StartTagToken:
			tok := z.Token()
			if !slices.Contains(allowed, tok.Data) {
				return fmt.Errorf("element %s", tok.Data)
			}
			for _, a := range tok.Attr {
				if !attrOK(tok.Data, a) {
					return fmt.Errorf("<%s %s=%q>", tok.Data, a.Key, a.Val)
				}
			}
			if !slices.Contains(void, tok.Data) {
				if tok.Data == "a" && slices.Contains(open, "a") {
					return fmt.Errorf("a link in a link")
				}
				open = append(open, tok.Data)
			}
		case html.EndTagToken:
			tok := z.Token()
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				return fmt.Errorf("</%s> closes %v", tok.Data, open)
			}
			open = open[:len(open)-1]
		case html.CommentToken, html.DoctypeToken, html.SelfClosingTagToken:
			return fmt.Errorf("token %s", z.Raw())
		}
	}
}

func checkText(src HTML) error {
	if i := strings.IndexAny(string(src), "\r\x00"); i >= 0 {
		return fmt.Errorf("control character at %d", i)
	}
	if strings.ToValidUTF8(string(src), "?") != string(src) {
		return fmt.Errorf("invalid UTF-8")
	}
	return nil
}

var (
	hrefOK  = regexp.MustCompile(`^(?i:https?://[^/]|mailto:.)`)
	startOK = regexp.MustCompile(`^\d+$`)
	langOK  = regexp.MustCompile(`^[\w+#.-]+$`)
	classOK = regexp.MustCompile(`^[a-z0-9 -]+$`)
)

func attrOK(element string, a html.Attribute) bool {
	switch element + " " + a.Key {
	case "a href":
		return hrefOK.MatchString(a.Val)
	case "a rel":
		return a.Val == "noopener noreferrer nofollow"
	case "a target":
		return a.Val == "_blank"
	case "input type":
		return a.Val == "checkbox"
	case "input checked", "input disabled":
		return a.Val == ""
	case "ol start":
		return startOK.MatchString(a.Val)
	case "th align", "td align":
		return slices.Contains([]string{"left", "right", "center"}, a.Val)
	case "pre tabindex":
		return a.Val == "0"
	case "pre data-lang":
		return langOK.MatchString(a.Val)
	}
	return a.Key == "class" && classOK.MatchString(a.Val)
}

// page applies updates as a browser does.
type page struct {
	closed, head, tail HTML
	bytes              int
	cut, plain         bool
}

func (p *page) apply(t testing.TB, u Update) {
	t.Helper()
	before := *p
	for _, c := range u.Closed {
		p.closed += c
		p.bytes += len(c)
	}
	if u.HeadReset {
		p.head = ""
	}
	p.head += u.Head
	p.tail = u.Tail
	p.bytes += len(u.Head)
	if u.Changed {
		p.bytes += len(u.Tail)
	}
	p.cut, p.plain = u.Cut, u.Plain
	if changed := before.closed != p.closed || before.head != p.head || before.tail != p.tail || before.cut != p.cut || before.plain != p.plain; changed != u.Changed {
		t.Fatalf("Changed = %v, but the page changed: %v", u.Changed, changed)
	}
	for _, part := range append(slices.Clone(u.Closed), u.Head, u.Tail) {
		if err := checkHTML(part); err != nil {
			t.Fatalf("%v in %q", err, part)
		}
	}
}

func (p *page) shown() HTML { return p.closed + p.head + p.tail }

func (b Body) shown() HTML { return join(b.Closed) + b.Head + b.Tail }

// whole renders a text at once.
func whole(t testing.TB, src string) HTML {
	t.Helper()
	h, err := Render(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func update(t testing.TB, s *Stream) Update {
	t.Helper()
	u, err := s.Update(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func bodyOf(t testing.TB, s *Stream) Body {
	t.Helper()
	b, err := s.Body(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// textOf is what a reader sees.
func textOf(src HTML) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(string(src))); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.WriteString(z.Token().Data)
		}
	}
}
