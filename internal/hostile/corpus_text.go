package hostile

import (
	"cmp"
	"fmt"
	"strings"
)

// whitespace varies kinds, sizes, roles, ends and deltas. The short form has each kind
// and size once, and each other value in turn; the long form has a sixth of the combinations.
func whitespace(c *corpus) {
	n := 0
	for _, kind := range []struct{ name, s string }{
		{"spaces", " "}, {"tabs", "\t"}, {"cr", "\r"}, {"lf", "\n"}, {"crlf", "\r\n"}, {"nbsp", " \u00a0\t\u2003\n"},
	} {
		for _, size := range []int{2048, 2049, 100_000} {
			short := n
			n++
			variant := 0
			for _, end := range []End{Finish, Fail, Cut, Stop} {
				for _, delta := range []int{1, 200, 1 << 20} {
					for role, p := range map[string][2]func(int, string) Play{"text": {textBy, openText}, "reasoning": {reasoningBy, openReasoning}} {
						play := p[0]
						if end != Finish {
							play = p[1]
						}
						made := play(delta, fill(size, kind.s))
						if delta == 200 && size < 10_000 {
							made = paced(made)
						}
						isShort := variant == short%12 && (role == "text") == (short%4 != 3)
						if !isShort && variant%6 != short%6 {
							continue
						}
						*c = append(*c, Case{Name: fmt.Sprintf("whitespace/%s-%d-%s-by-%d-%s", kind.name, size, role, delta, cmp.Or(end, "ended")), Play: made, End: end, Long: !isShort})
					}
					variant++
				}
			}
		}
	}
	c.add("whitespace/then-text", paced(textBy(1000, fill(4000, " ")+"end")))
	c.add("whitespace/between", paced(textBy(1000, "begin\n\n"+fill(4000, " \n")+"end")))
	c.add("whitespace/list", paced(textBy(500, "- "+fill(3000, " ")+"\n- "+fill(3000, "\t"))))
}

func nests(c *corpus) {
	for name, s := range map[string]string{
		"quotes": ">", "quotes-spaced": "> ", "bullets": "- ", "numbers": "1. ", "mixed": "> - 1. ", "stars": "* + - ", "tabs": "-\t>",
	} {
		c.add("nest/"+name, text(fill(100_000, s)+"x"))
		c.long("nest/"+name+"-lines", text(strings.Repeat(fill(500, s)+"x\n", 200)))
		c.long("nest/"+name+"-paced", paced(textBy(5000, fill(100_000, s))))
	}
	indent := func(s string, n int) string {
		return list(n, func(i int) string { return strings.Repeat(s, i) + "- x\n" })
	}
	c.add("nest/indent", text(strings.ReplaceAll(indent("  ", 300), ",", "")))
	c.add("nest/growing-quotes", text(strings.ReplaceAll(list(400, func(i int) string { return strings.Repeat(">", i) + " x\n" }), ",", "")))
	c.long("nest/fences", text(strings.Repeat("> ```\n", 15_000)))
	c.long("nest/html", text(fill(100_000, "<div><p><b>")))
}

func tables(c *corpus) {
	table := func(columns, rows int) string {
		return fill(2*columns, "|a") + "\n" + fill(2*columns, "|-") + "|\n" + fill(2*rows, "|\n")
	}
	c.add("table/15KB", text(table(2500, 2500)))
	c.add("table/wide", text(table(20_000, 10)))
	c.add("table/tall", text(table(3, 30_000)))
	c.add("table/pipes", text(fill(100_000, "|")))
	c.add("table/paced", paced(textBy(1500, table(2500, 2500))))
	c.long("table/100KB", text(table(12_000, 25_000)))
	c.long("table/rows-in-quotes", text(strings.ReplaceAll(table(1000, 2000), "\n", "\n> ")))
	c.long("table/many", text(strings.Repeat(table(50, 50)+"\n", 200)))
	c.long("table/escaped", text("|a|\n|-|\n|"+fill(100_000, "\\|")+"|"))
}

func inlines(c *corpus) {
	ticks := strings.ReplaceAll(list(400, func(i int) string { return strings.Repeat("`", i+1) + " a " }), ",", "")
	for name, s := range map[string]string{
		"emphasis/stars": "*a **b ", "emphasis/underscores": "_a __b ", "emphasis/strike": "~~a ~b ", "emphasis/run": "*", "emphasis/alternating": "*_", "emphasis/closers": "a**b*c",
		"link/brackets": "[", "link/open": "[a](", "link/image": "![a](", "link/closed": "[a](b)", "link/pairs": "[]", "link/angle": "[a](<b", "link/reference": "[a][b]",
		"link/definitions": "[a]: b\n", "link/title": `[a](b "`, "autolink/www": "www.a.b.", "autolink/mail": "a@b.c", "autolink/angle": "<http://a", "autolink/paren": "http://a.b/(",
		"html/open": "<a ", "html/comment": "<!--", "html/entity": "&amp", "backtick/pairs": "`a``b", "escape": "\\",
	} {
		c.add(name, text(fill(50_000, s)))
		c.long(name+"-1MB", text(fill(1_000_000, s)))
		c.long(name+"-paced", paced(textBy(2500, fill(50_000, s))))
	}
	c.add("backtick/growing", text(ticks))
	c.long("backtick/growing-paced", paced(textBy(4000, ticks)))
	c.add("autolink/long", text("http://a.b/"+fill(100_000, "x)")))
}

func words(c *corpus) {
	for _, n := range []int{20_000, 1_000_000} {
		w := fill(n, "abcdefghij")
		for name, s := range map[string]string{
			"text": w, "heading": "# " + w, "bold": "**" + w + "**", "code": "```\n" + w + "\n```", "span": "`" + w + "`", "cell": "|a|\n|-|\n|" + w + "|", "link": "[" + w + "](http://" + w + ")", "bullet": "- " + w,
		} {
			*c = append(*c, Case{Name: fmt.Sprintf("word/%s-%d", name, n), Play: text(s), Long: n > 20_000 && name != "text" && name != "code" && name != "cell"})
		}
		c.add(fmt.Sprintf("word/tool-%d", n), call(w, `{}`, `{}`))
		c.add(fmt.Sprintf("word/args-%d", n), call("look", quote(w), quote(w)))
		c.add(fmt.Sprintf("word/fact-%d", n), suspend("reserve_campsite", `{"site":`+quote(w)+`,"nights":2,"total_usd":72}`))
	}
	c.add("word/bidi", both(text(fill(30_000, "abc\u202edef\u2066\u200b")), suspend("reserve\u202e_campsite\u200b", `{"site":"North\u202ePines\u2069","nights":2,"total_usd":72}`)))
	c.add("word/combining", text("a"+fill(60_000, "\u0301")))
	c.add("word/nul", text(fill(20_000, "a\x00\x1b[31m")))
}

func code(c *corpus) {
	for i, lang := range []string{"go", "json", "html", "javascript", "python", "markdown", "css", "yaml", "perl", "sql", "latex", "c++"} {
		for name, s := range map[string]string{"brackets": "({[", "quotes": `"'`, "lines": "let a = b; // c\n", "comment": "/* <!-- ", "words": "a "} {
			p := text("```" + lang + "\n" + fill(300_000, s) + "\n```\n")
			*c = append(*c, Case{Name: "code/" + lang + "-" + name, Play: p, Long: i > 3 || name != "brackets" && name != "lines"})
		}
	}
	c.add("code/open", paced(textBy(20_000, "```go\n"+fill(300_000, "f(x)\n"))))
	c.add("code/many", text(strings.Repeat("```go\nx\n```\n", 5000)))
	c.add("code/info", text("```"+fill(50_000, "go")+"\nx\n```"))
}

func lines(c *corpus) {
	for name, s := range map[string]string{
		"short": "a\n", "paragraphs": "a\n\n", "headings": "# a\n", "rules": "---\n", "bullets": "- a\n", "tasks": "- [ ] a\n", "breaks": "a  \n", "setext": "a\n=\n", "definitions": "a\n: b\n",
	} {
		c.add("lines/"+name, text(fill(200_000, s)))
		c.long("lines/"+name+"-1MB", text(fill(1_000_000, s)))
		c.long("lines/"+name+"-by-100", textBy(100, fill(200_000, s)))
	}
	c.add("lines/one", text(fill(1_000_000, "word and ")))
	c.add("lines/one-paced", paced(textBy(50_000, fill(1_000_000, "word and "))))
	c.long("lines/cr", text(fill(200_000, "a\r")))
	c.long("lines/5MB", text(fill(5_000_000, "All good words are here, and more.\n\n")))
}
