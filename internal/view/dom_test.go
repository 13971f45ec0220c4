package view

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dom is a page a browser would hold, reduced to what patches need.
type dom struct {
	t    *testing.T
	root *html.Node
}

// newDOM holds the three elements that patches replace.
func newDOM(t *testing.T, f Frame) *dom {
	d := &dom{t: t}
	d.root = parse(t, `<div id="chat-items"></div><div id="composer-state"></div><div id="panel"></div>`)
	d.apply(f)
	return d
}

func parse(t *testing.T, markup string) *html.Node {
	t.Helper()
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(markup), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root
}

func (d *dom) apply(f Frame) {
	d.t.Helper()
	for _, p := range f {
		target := d.find(strings.TrimPrefix(p.Selector, "#"))
		if target == nil {
			d.t.Fatalf("patch %s %s has no target", p.Mode, p.Selector)
		}
		fresh := parse(d.t, p.HTML)
		switch p.Mode {
		case ModeOuter:
			move(fresh, target.Parent, target)
			target.Parent.RemoveChild(target)
		case ModeInner:
			for target.FirstChild != nil {
				target.RemoveChild(target.FirstChild)
			}
			move(fresh, target, nil)
		case ModeAppend:
			move(fresh, target, nil)
		case ModeBefore:
			move(fresh, target.Parent, target)
		case ModeRemove:
			target.Parent.RemoveChild(target)
		default:
			d.t.Fatalf("mode %q", p.Mode)
		}
	}
}

// move puts all children of from into parent, before a node or at the end.
func move(from, parent, before *html.Node) {
	for from.FirstChild != nil {
		n := from.FirstChild
		from.RemoveChild(n)
		parent.InsertBefore(n, before)
	}
}

func (d *dom) find(id string) *html.Node {
	for n := range d.root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				return n
			}
		}
	}
	return nil
}

// String is the page without the white space that means nothing.
func (d *dom) String() string {
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		indent := strings.Repeat(" ", depth)
		switch n.Type {
		case html.TextNode:
			if text := strings.TrimSpace(n.Data); text != "" {
				fmt.Fprintf(&b, "%s%q\n", indent, text)
			}
		case html.ElementNode:
			if n.DataAtom == atom.Noscript { // a tab that gets patches shows none
				return
			}
			fmt.Fprintf(&b, "%s<%s", indent, n.Data)
			for _, a := range n.Attr {
				fmt.Fprintf(&b, " %s=%q", a.Key, a.Val)
			}
			b.WriteString(">\n")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, depth+1)
		}
	}
	walk(d.root, 0)
	return b.String()
}
