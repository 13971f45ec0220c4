// Package markdown turns text by an agent into HTML that a page may show, and
// source files into highlighted lines. It is the only producer of trusted HTML.
//
// It shows raw HTML as text, loads no image (an image is a link to it), follows
// no scheme but http, https and mailto, and writes neither style attributes nor
// handlers. Everything passes through one allow-list before it is an HTML.
//
// Reference definitions ("[1]: https://…") are not resolved but shown with
// their address linked: blocks are rendered one by one as they arrive, and what
// a definition would change has been shown long before.
package markdown

import (
	"context"
	"html"
	"io"
	"strings"
)

// HTML is sanitised markup. Only this package makes it.
type HTML string

// Render writes the markup; it makes HTML a templ.Component.
func (h HTML) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(h))
	return err
}

// Text returns s as HTML that shows s and nothing else.
func Text(s string) HTML {
	// Without a context that ends, sanitise does not fail.
	h, _ := sanitise(context.Background(), html.EscapeString(normalise(s)))
	return h
}

// Render turns a whole text into HTML, block by block. It fails only when ctx
// ends.
func Render(ctx context.Context, src string) (HTML, error) {
	var s Stream
	s.Write(src)
	s.Close()
	body, err := s.Body(ctx)
	return join(body.Closed), err
}

// normalise ends lines with LF and replaces what HTML cannot hold.
func normalise(s string) string {
	var n normaliser
	return strings.ToValidUTF8(string(n.append(nil, s)), "\uFFFD")
}

// normaliser does so for a text in pieces: CR and CRLF become LF, and control
// characters become U+FFFD.
type normaliser struct{ cr bool }

func (n *normaliser) append(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\n' && n.cr: // second half of a CRLF
		case c == '\r':
			dst = append(dst, '\n')
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, c)
		}
		n.cr = c == '\r'
	}
	return dst
}
