package markdown

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestHighlight(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		lines     []string
	}{
		{"a.go", "package a\n\n/* two\nlines */\n", []string{
			`<span class="kn">package</span> a`, "",
			`<span class="cm">/* two</span>`, `<span class="cm">lines */</span>`}},
		{"dir/a.unknown", "<b>\r\n&", []string{"&lt;b&gt;", "&amp;"}},
		{"empty.go", "", nil},
		{"blank.go", "\n\n\n", []string{"", "", ""}},
		{"blank.txt", "\n\n\n", []string{"", "", ""}},
	} {
		got := Highlight(tt.name, tt.src)
		if len(got) != len(tt.lines) {
			t.Errorf("%s: %d lines %q, want %d", tt.name, len(got), got, len(tt.lines))
			continue
		}
		for i := range got {
			if string(got[i]) != tt.lines[i] {
				t.Errorf("%s line %d = %q, want %q", tt.name, i+1, got[i], tt.lines[i])
			}
		}
	}
}

func TestHighlightKeepsEveryLine(t *testing.T) {
	for name, src := range map[string]string{
		"a.go":     "package a\n\nvar s = `raw\n<b>\n`\n\n\n",
		"a.templ":  "package a\n\ntempl A(x string) {\n\t<p class=\"b\">{ x }</p>\n\t<!-- c\n d -->\n}\n",
		"a.yaml":   "a: |\n  b\n  c\n\nd: [1, true]\n",
		"a.md":     "# a\n\n```go\nx\n```\n",
		"a.ts":     "const a = `x\n${b}\ny`;\n",
		"a.json":   "{\n \"a\": [1, null]\n}",
		"Makefile": "all:\n\techo $(X)\n",
		"long.go":  "// " + strings.Repeat("x", 2*highlightLine) + "\npackage a",
		"a.html":   "<!doctype html>\n<script>\nlet a = '<b>';\n</script>\n",
	} {
		lines := Highlight(name, src)
		want := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
		if len(lines) != len(want) {
			t.Errorf("%s: %d lines, want %d", name, len(lines), len(want))
			continue
		}
		spans := 0
		for i, line := range lines {
			if err := checkHTML(line); err != nil {
				t.Errorf("%s line %d: %v in %q", name, i+1, err, line)
			}
			if textOf(line) != want[i] {
				t.Errorf("%s line %d = %q, want %q", name, i+1, textOf(line), want[i])
			}
			spans += strings.Count(string(line), "<span")
		}
		if spans == 0 && name != "long.go" {
			t.Errorf("%s is not coloured", name)
		}
	}
}

func TestHighlightCSS(t *testing.T) {
	var b strings.Builder
	if err := HighlightCSS(&b); err != nil {
		t.Fatal(err)
	}
	css := b.String()
	for _, want := range []string{":root{--hl-", "@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--hl-", ":root[data-theme=dark]{--hl-", ".chroma :is(.k,"} {
		if !strings.Contains(css, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, used := range regexp.MustCompile(`var\((--hl-\w+)\)`).FindAllStringSubmatch(css, -1) {
		if n := strings.Count(css, used[1]+":#"); n != 3 {
			t.Errorf("%s is defined %d times, want 3", used[1], n)
		}
	}
}

// TestContrast holds code to AA (4.5 to 1) on the backgrounds it stands on: card
// and sunk, in both themes.
func TestContrast(t *testing.T) {
	var b strings.Builder
	if err := HighlightCSS(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, backgrounds := range [][]string{{"#fffefb", "#f2efe7"}, {"#1c201b", "#11140f"}, {"#1c201b", "#11140f"}} {
		colours := regexp.MustCompile(`--hl-(\w+):(#[0-9a-f]{6});`).FindAllStringSubmatch(lines[i], -1)
		if len(colours) != len(tones()) {
			t.Errorf("line %d has %d colours: %s", i+1, len(colours), lines[i])
		}
		for _, c := range colours {
			for _, bg := range backgrounds {
				if r := contrast(t, c[2], bg); r < 4.5 {
					t.Errorf("%s %s on %s has contrast %.2f", c[1], c[2], bg, r)
				}
			}
		}
	}
}

// contrast is the ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
