package markdown

import (
	"bytes"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// renderBlock renders a finished block into at most room bytes.
func renderBlock(src []byte, b *budget, room int, p *palette) (HTML, error) {
	src = bytes.ToValidUTF8(src, []byte("\uFFFD"))
	tree := parse(src, b)
	return renderTree(tree, src, b, room, p)
}

// renderTree writes a tree that parse made of src with budget b.
func renderTree(tree ast.Node, src []byte, b *budget, room int, p *palette) (HTML, error) {
	if b.failed() == nil && !prepare(tree, p) {
		b.refuse(tooDeep)
	}
	if err := b.failed(); err != nil {
		return "", err
	}
	out := &boundedBuffer{room: room}
	// Renderers fail only when their writer does.
	_ = engine().Renderer().Render(out, src, tree)
	if out.full {
		return "", over(tooLong)
	}
	b.spend(out.Len())
	if err := b.failed(); err != nil {
		return "", err
	}
	html, err := sanitise(b.ctx, out.String())
	if err == nil && len(html) > room {
		return "", over(tooLong)
	}
	return html, err
}

// paletteKey is the attribute of code blocks that holds the palette.
const paletteKey = "palette"

// prepare hands the palette to code blocks and reports whether elements nest no
// deeper than they may: deeper is no text for people, and costs the browser more
// than it costs to write.
func prepare(tree ast.Node, p *palette) bool {
	depth, ok := 0, true
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > limits.depth {
			ok = false
			return ast.WalkStop, nil
		}
		if isCode(n) {
			n.SetAttributeString(paletteKey, p)
		}
		return ast.WalkContinue, nil
	})
	return ok
}

// nodes renders what differs from plain CommonMark HTML.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (n nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, n.link)
	r.Register(ast.KindAutoLink, n.autoLink)
	r.Register(ast.KindImage, n.image)
	r.Register(ast.KindFencedCodeBlock, n.code)
	r.Register(ast.KindCodeBlock, n.code)
}

func (nodes) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	href, ok := safeURL(string(node.(*ast.Link).Destination))
	switch {
	case !ok: // its text alone
	case entering:
		openLink(w, href)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (nodes) autoLink(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	dst := string(n.URL(src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dst), "mailto:") {
		dst = "mailto:" + dst
	}
	writeLink(w, node, dst, string(n.Label(src)))
	return ast.WalkContinue, nil
}

// image shows a link, so that nothing is requested until somebody asks for it.
func (nodes) image(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	alt := strings.TrimSpace(plainText(node, src))
	if alt == "" {
		alt = "image"
	}
	writeLink(w, node, string(node.(*ast.Image).Destination), alt)
	return ast.WalkSkipChildren, nil
}

// writeLink writes a whole link, or only its label where a link may not be.
func writeLink(w util.BufWriter, node ast.Node, dst, label string) {
	href, ok := safeURL(dst)
	for p := node.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			ok = false
		}
	}
	if ok {
		openLink(w, href)
	}
	_, _ = w.WriteString(html.EscapeString(label))
	if ok {
		_, _ = w.WriteString("</a>")
	}
}

func openLink(w util.BufWriter, href string) {
	_, _ = w.WriteString(`<a href="` + html.EscapeString(href) + `" rel="` + linkRel + `" target="_blank">`)
}

// safeURL accepts absolute http, https and mailto addresses.
func safeURL(dst string) (string, bool) {
	dst = string(util.URLEscape(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(dst)))), false))
	u, err := url.Parse(dst)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return dst, u.Host != ""
	case "mailto":
		return dst, u.Opaque != ""
	}
	return "", false
}

// plainText is the text of a node's children.
func plainText(node ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(n.Segment.Value(src)))))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// code writes a highlighted block. data-lang is for the page's label.
func (nodes) code(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	lang := ""
	if fence, ok := node.(*ast.FencedCodeBlock); ok {
		lang = string(fence.Language(src))
	}
	var body strings.Builder
	for i := range node.Lines().Len() {
		seg := node.Lines().At(i)
		body.Write(seg.Value(src))
	}
	class := "chroma"
	if v, ok := node.AttributeString("class"); ok {
		class += " " + v.(string)
	}
	_, _ = w.WriteString(`<pre tabindex="0" class="` + class + `"`)
	if lang != "" {
		_, _ = w.WriteString(` data-lang="` + html.EscapeString(lang) + `"`)
	}
	_, _ = w.WriteString("><code>")
	colours, _ := node.AttributeString(paletteKey)
	for _, line := range highlight(lexerByName(lang), body.String(), colours.(*palette)) {
		_, _ = w.WriteString(line)
		_ = w.WriteByte('\n')
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}
