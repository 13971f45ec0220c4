// Package viewtest is a page as a browser would hold it, reduced to what patches
// need: tests apply what a tab is sent, and compare with what a reload shows. It
// does not morph; that the browser's morph comes to the same is for the browser's
// own tests.
package viewtest

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is a document, or a part of one.
type Page struct{ Root *html.Node }

// Parts are the ids of the elements that a stream keeps up to date.
var Parts = []string{"chat-items", "composer-state", "panel"}

// New is a page of empty Parts.
func New() Page {
	p, err := Parse(`<div id="chat-items"></div><div id="composer-state"></div><div id="panel"></div>`)
	if err != nil {
		panic("viewtest: " + err.Error()) // it is constant
	}
	return p
}

// Parse reads markup as the inside of a body.
func Parse(markup string) (Page, error) {
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(markup), root)
	if err != nil {
		return Page{}, err
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return Page{root}, nil
}

// Apply makes one change; the modes are those of the wire.
func (p Page) Apply(selector, mode, markup string) error {
	target := p.Find(strings.TrimPrefix(selector, "#"))
	if target == nil {
		return fmt.Errorf("patch %s %s has no target", mode, selector)
	}
	fresh, err := Parse(markup)
	if err != nil {
		return err
	}
	switch mode {
	case "outer":
		move(fresh.Root, target.Parent, target)
		target.Parent.RemoveChild(target)
	case "inner":
		for target.FirstChild != nil {
			target.RemoveChild(target.FirstChild)
		}
		move(fresh.Root, target, nil)
	case "append":
		move(fresh.Root, target, nil)
	case "before":
		move(fresh.Root, target.Parent, target)
	case "remove":
		target.Parent.RemoveChild(target)
	default:
		return fmt.Errorf("mode %q", mode)
	}
	return nil
}

// move puts all children of from into parent, before a node or at the end.
func move(from, parent, before *html.Node) {
	for from.FirstChild != nil {
		n := from.FirstChild
		from.RemoveChild(n)
		parent.InsertBefore(n, before)
	}
}

// Find returns the element with an id, or nil.
func (p Page) Find(id string) *html.Node {
	for n := range p.Root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				return n
			}
		}
	}
	return nil
}

// String is the page with a line for each element and each text, where texts that
// stand beside each other are one: patches may split what a reload has whole.
// White space counts.
func (p Page) String() string {
	var b strings.Builder
	write(&b, p.Root, 0)
	return b.String()
}

// Shown is String of the Parts alone.
func (p Page) Shown() string {
	var b strings.Builder
	for _, id := range Parts {
		if n := p.Find(id); n != nil {
			write(&b, n, 0)
		}
	}
	return b.String()
}

func write(b *strings.Builder, n *html.Node, depth int) {
	if n.Type == html.ElementNode {
		if n.DataAtom == atom.Noscript { // a tab that gets patches shows none
			return
		}
		fmt.Fprintf(b, "%*s<%s", depth, "", n.Data)
		for _, a := range n.Attr {
			fmt.Fprintf(b, " %s=%q", a.Key, a.Val)
		}
		b.WriteString(">\n")
	}
	for c := n.FirstChild; c != nil; {
		if c.Type != html.TextNode {
			write(b, c, depth+1)
			c = c.NextSibling
			continue
		}
		var text strings.Builder
		for ; c != nil && c.Type == html.TextNode; c = c.NextSibling {
			text.WriteString(c.Data)
		}
		if text.Len() > 0 {
			fmt.Fprintf(b, "%*s%q\n", depth+1, "", text.String())
		}
	}
}
