package markdown

import (
	"bytes"
	"html"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// engine is CommonMark with tables, strikethrough, task lists and bare links,
// without raw HTML and without reference definitions.
var engine = sync.OnceValue(func() goldmark.Markdown { return newEngine(highlightTime) })

// openEngine is for what is rendered again with the next update.
var openEngine = sync.OnceValue(func() goldmark.Markdown { return newEngine(openTime) })

func newEngine(limit time.Duration) goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)
	return goldmark.New(
		goldmark.WithParser(p),
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList, extension.Linkify,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{limit}, 100))),
	)
}

// parse reads normalised text into a tree.
func parse(src []byte) ast.Node {
	return engine().Parser().Parse(text.NewReader(src))
}

// maxDepth is how deep elements may nest. Deeper is no text for people, and
// costs the browser more than it costs to write; it is shown as source.
const maxDepth = 100

// renderTree writes a tree that parse made of src.
func renderTree(e goldmark.Markdown, tree ast.Node, src []byte) HTML {
	if deeper(tree, maxDepth) {
		return sanitise("<pre tabindex=\"0\"><code>" + html.EscapeString(string(src)) + "</code></pre>\n")
	}
	var b bytes.Buffer
	// Renderers fail when their writer does; a buffer does not.
	_ = e.Renderer().Render(&b, src, tree)
	return sanitise(b.String())
}

func deeper(tree ast.Node, limit int) (found bool) {
	depth := 0
	_ = ast.Walk(tree, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > limit {
			found = true
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}

// renderBlock renders a finished block.
func renderBlock(src []byte) HTML {
	src = bytes.ToValidUTF8(src, []byte("\uFFFD"))
	return renderTree(engine(), parse(src), src)
}

// nodes renders what differs from plain CommonMark HTML.
type nodes struct {
	limit time.Duration // for colouring one code block
}

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
func (n nodes) code(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
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
	for _, line := range highlight(lexerByName(lang), body.String(), n.limit) {
		_, _ = w.WriteString(line)
		_ = w.WriteByte('\n')
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}
