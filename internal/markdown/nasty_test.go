package markdown

import "strings"

// nastyText is a text that costs a parser more than its length.
type nastyText struct {
	name, head, unit string
	make             func(n int) string
}

// text is about n bytes of it.
func (x nastyText) text(n int) string {
	if x.make != nil {
		return x.make(n)
	}
	return x.head + strings.Repeat(x.unit, max(1, (n-len(x.head))/len(x.unit)))
}

func nasty() []nastyText {
	return []nastyText{
		{name: "quotes", unit: ">"},
		{name: "quotes spaced", unit: "> "},
		{name: "quote lines", unit: strings.Repeat(">", 50) + "a\n"},
		{name: "lazy", head: strings.Repeat(">", 60) + "a\n", unit: "a\n"},
		{name: "bullets", unit: "- "},
		{name: "bullet lines", unit: strings.Repeat("- ", 30) + "a\n"},
		{name: "numbers nested", unit: "1. "},
		{name: "growing indent", make: func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				b.WriteString(strings.Repeat("  ", i) + "- a\n")
			}
			return b.String()
		}},
		{name: "wide table", make: func(n int) string {
			c := n / 6
			return strings.Repeat("|a", c) + "|\n" + strings.Repeat("|-", c) + "|\n" + strings.Repeat("|b", c) + "|\n"
		}},
		{name: "padded table", make: func(n int) string {
			c := n / 8
			return strings.Repeat("|a", c) + "|\n" + strings.Repeat("|-", c) + "|\n" + strings.Repeat("a\n", n/4)
		}},
		{name: "padded 90", head: strings.Repeat("|a", 90) + "|\n" + strings.Repeat("|-", 90) + "|\n", unit: "|\n"},
		{name: "escaped pipes", head: "|a|\n|-|\n", unit: "|`\\|`|\n"},
		{name: "many tables", unit: "|a|b|\n|-|-|\n|c|d|\n\n"},
		{name: "delimiters only", unit: "|a\n|-:-\n"},
		{name: "emphasis", unit: "*a **b "},
		{name: "emphasis closing", unit: "a* b_ "},
		{name: "emphasis mixed", unit: "*a_ _b* **c__ "},
		{name: "stars", unit: "*"},
		{name: "star words", unit: "a*"},
		{name: "underscores", unit: "a_"},
		{name: "tildes", unit: "~"},
		{name: "tilde words", unit: "~a "},
		{name: "brackets", unit: "["},
		{name: "brackets closed", make: func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }},
		{name: "bracket words", unit: "[a "},
		{name: "links open", unit: "[a]("},
		{name: "link titles", unit: "[a](b \"c "},
		{name: "link closing", unit: "]("},
		{name: "images", unit: "!["},
		{name: "images nested", make: func(n int) string { return strings.Repeat("![", n/6) + strings.Repeat("](x)", n/6) }},
		{name: "links", unit: "[*a*](b) "},
		{name: "links http", unit: "[a](http://b.c) "},
		{name: "references", unit: "[a][b] "},
		{name: "backticks", make: func(n int) string {
			var b strings.Builder
			for i := 1; b.Len() < n; i++ {
				b.WriteString("a" + strings.Repeat("`", i) + " ")
			}
			return b.String()
		}},
		{name: "code spans", unit: "`a` "},
		{name: "autolinks", unit: "<a:"},
		{name: "autolink words", unit: "<http://a"},
		{name: "www", unit: "~www.A"},
		{name: "www links", unit: "www.a.b "},
		{name: "http", unit: "http://"},
		{name: "http words", unit: " http://" + strings.Repeat("a", 60)},
		{name: "mail", unit: "a@b."},
		{name: "mail words", unit: "*a@b"},
		{name: "entities", unit: "&amp;"},
		{name: "ampersands", unit: "&"},
		{name: "backslashes", unit: "\\"},
		{name: "tabs", unit: "\t"},
		{name: "tab items", unit: "-\ta\n\t"},
		{name: "setext", unit: "a\n=\n"},
		{name: "dashes", unit: "-\n"},
		{name: "rules", unit: "- - -x"},
		{name: "headings", unit: "# a\n"},
		{name: "one line", unit: "word "},
		{name: "letters", unit: "a"},
		{name: "short lines", unit: "a\n"},
		{name: "pipes", unit: "|"},
		{name: "pipe lines", unit: "|\n"},
		{name: "tasks", unit: "- [ ] a\n"},
		{name: "empty items", unit: "-\n\n"},
		{name: "fence info", head: "```", unit: "x"},
		{name: "fences", unit: "```\n"},
		{name: "open fence", head: "```\n", unit: "a\n"},
		{name: "fence in depth", head: strings.Repeat("> ", 30) + "```\n", unit: strings.Repeat("> ", 30) + "a\n"},
		{name: "blocks", unit: "a\n\n"},
		{name: "blank in depth", head: strings.Repeat("- ", 28) + "a\n", unit: "\n"},
		{name: "comments", head: "```c\n", unit: "/*"},
		{name: "strings", head: "```js\n", unit: "\"\\"},
		{name: "templates", head: "```js\n", unit: "`${"},
		{name: "heredocs", head: "```sh\n", unit: "<<A\n"},
		{name: "tags", head: "```html\n", unit: "<a b=\"\n"},
		{name: "yaml", head: "```yaml\n", unit: "- ? "},
		{name: "nul", unit: "\x00"},
		{name: "html", unit: "<div>\"'"},
		{name: "cjk", unit: "你好*世"},
		{name: "joined", unit: "👩\u200d"},
		{name: "marks", head: "a", unit: "\u0301"},
	}
}
