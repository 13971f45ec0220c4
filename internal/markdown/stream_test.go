package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cairn/internal/testall"
)

// sample is a message with everything in it.
const sample = `# Weekend in Yosemite

You asked for **two nights** with *easy* hikes and ~~no~~ some climbing. See [the park](https://www.nps.gov/yose) or ![map](https://a.b/map.png).

Plan
----

1. Pack the *tent*:
   - poles, pegs
   - [x] stove

     with a long note that goes on
     over lines

   ` + "```sh" + `
   # not a heading

   make camp && echo "done"
   ` + "```" + `
2. Drive

   > Roads close **early**.
   > - even in May

| Site | Price |
|:-----|------:|
| Upper Pines | $36 |
| ` + "`a|b`" + ` | **$12** |

` + "```go" + `
package main

/* a comment
   over lines */
func main() { println("<b>") }
` + "```" + `
Text right after code.
***
    indented code

    more of it

你好 🌍 👩‍👩‍👧 — end. Visit https://example.com/a_b_c.
`

// stream feeds src in the pieces that next chooses, checks the page after each,
// and returns it.
func stream(t testing.TB, src string, next func(left int) int) *page {
	t.Helper()
	var s Stream
	p := &page{}
	for rest := src; rest != ""; {
		n := min(max(1, next(len(rest))), len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
		p.apply(t, update(t, &s))
		if got := bodyOf(t, &s).shown(); got != p.shown() {
			t.Fatalf("Body is not what the updates add up to:\n%q\n%q", got, p.shown())
		}
	}
	s.Close()
	p.apply(t, update(t, &s))
	if p.head != "" || p.tail != "" {
		t.Fatalf("after Close the head is %q and the tail %q", p.head, p.tail)
	}
	if u := update(t, &s); u.Changed {
		t.Fatalf("an update of nothing: %+v", u)
	}
	return p
}

// sizes are documents that reach every way of freezing.
func sizes() map[string]string {
	return map[string]string{
		"sample":      sample,
		"samples":     strings.Repeat(sample, 3),
		"code":        "```go\n" + strings.Repeat("// "+strings.Repeat("words ", 20)+"\nfunc f(a int) string { return \"x\" }\n\n", 20) + "```\n\nafter",
		"open code":   "```\n" + strings.Repeat("# no heading\n", 500),
		"code line":   "```json\n" + strings.Repeat(`{"a":"b"},`, 400) + "\n```\n",
		"list":        strings.Repeat("- an **item** of a list\n  with more\n", 200) + "\nafter",
		"loose list":  strings.Repeat("7. an **item** of a list\n\n   with more\n\n", 200) + "after\n",
		"nested":      "1. top\n" + strings.Repeat("   - an item\n     > quoted `code`\n\n", 200) + "2. next\n\nafter",
		"item code":   "12. top\n\n    ```\n" + strings.Repeat("    def f(): pass # and more words\n\n", 80) + "    ```\n    after\n13. next",
		"item text":   "- " + strings.Repeat("word and *word* ", 500) + "\n- next",
		"table":       "| a | b |\n|---|:-:|\n" + strings.Repeat("| cell | `x` **b** |\n", 300) + "\nafter",
		"item table":  "- x\n\n  | a | b |\n  |---|:-:|\n" + strings.Repeat("  | cell | `x` **b** |\n", 300) + "\nafter",
		"quote":       strings.Repeat("> a *quoted* line\n>\n> - item\n", 200) + "lazy\n\nafter",
		"line":        strings.Repeat("Words **go** on. ", 300),
		"lines":       strings.Repeat("Words **go** on\n", 800) + "---\nafter",
		"no spaces":   strings.Repeat("你好🌍", 900),
		"setext":      strings.Repeat("Words\n", 800) + "===\n# h\n",
		"emphasis":    strings.Repeat("*", 5000),
		"numbers":     strings.Repeat("1", 5000),
		"dashes":      "a\n" + strings.Repeat("-", 5000) + "\nb\n",
		"spaces":      "a" + strings.Repeat(" ", 5000) + "\nb\n" + strings.Repeat("\n", 3000) + "c",
		"backticks":   "a " + strings.Repeat("`", 5000) + "\nb\n",
		"fence line":  "```" + strings.Repeat("x", 5000) + "\nb\n```\n",
		"wide table":  strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|b", 2000),
		"quotes":      strings.Repeat(">", 5000) + "a\n" + strings.Repeat(">", 3000) + "b\n",
		"line breaks": strings.Repeat("a\r\r\nb\r\n", 700),
		"indented":    strings.Repeat("    code\n\n", 400) + "after",
		"tabs":        strings.Repeat("-\tx and more words to fill the line\n\n\ty and more\n", 60),
	}
}

func TestAnySplitEndsAsRender(t *testing.T) {
	for name, src := range sizes() {
		t.Run(name, func(t *testing.T) {
			want := whole(t, src)
			if err := checkHTML(want); err != nil {
				t.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(1, uint64(len(src))))
			splits := map[string]func(int) int{"any": func(int) int { return 1 + rnd.IntN(1500) }}
			if len(src) < 3000 {
				splits["lines"] = func(n int) int {
					line, _, _ := strings.Cut(src[len(src)-n:], "\n")
					return len(line) + 1
				}
			}
			if name == "sample" {
				splits["bytes"] = func(int) int { return 1 }
			}
			for split, next := range splits {
				if got := stream(t, src, next).closed; got != want {
					t.Fatalf("%s: ends as\n%s\nwant\n%s", split, firstDifference(got, want), firstDifference(want, got))
				}
			}
		})
	}
}

func firstDifference(a, b HTML) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("…%q", a[max(0, i-100):min(len(a), i+200)])
}

// TestBytesGrowLinearly streams in deltas of 20 bytes, as a model does, with an
// update for each.
func TestBytesGrowLinearly(t *testing.T) {
	const size = 8_000
	units := map[string]string{
		"mixed": sample,
		"list":  "- an **item** of a list that never ends\n",
		"item":  "  and *more* of the same item, line by line\n",
		"code":  "",
		"line":  "words that go on and on. ",
		"table": "| a | **b** |\n",
	}
	for _, name := range testall.Sample(t, slices.Sorted(maps.Keys(units)), 3) {
		unit := units[name]
		head := map[string]string{"item": "- top\n", "code": "```\n", "table": "| a | b |\n|---|---|\n"}[name]
		if name == "code" {
			unit = "func f() { return \"x\" } // words\n"
		}
		send := func(n int) int { return sentBytes(t, head+strings.Repeat(unit, n/len(unit))) }
		half, whole := send(size/2), send(size)
		ratio := float64(whole) / float64(half)
		t.Logf("%s: %.0f bytes sent a byte of text; twice the text costs %.2f times the bytes", name, float64(whole)/size, ratio)
		if ratio > 2.3 {
			t.Errorf("%s: twice the text costs %.2f times the bytes", name, ratio)
		}
	}
}

// sentBytes is what an update for every 20 bytes of src sends in all.
func sentBytes(t testing.TB, src string) int {
	var s Stream
	sent := 0
	send := func() {
		u := update(t, &s)
		sent += len(join(u.Closed)) + len(u.Head) + len(u.Tail)
	}
	for at := 0; at < len(src); at += 20 {
		s.Write(src[at:min(len(src), at+20)])
		send()
	}
	s.Close()
	send()
	return sent
}

func BenchmarkStream(b *testing.B) {
	for _, size := range []int{50_000, 100_000} {
		src := strings.Repeat(sample, size/len(sample)+1)[:size]
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			sent := 0
			for b.Loop() {
				sent = sentBytes(b, src)
			}
			b.ReportMetric(float64(sent), "sent-B/op")
		})
	}
}

// TestNothingFlashes streams byte by byte and holds that syntax is not seen as
// text on the way (ux report E3).
func TestNothingFlashes(t *testing.T) {
	for name, tt := range map[string]struct{ src, never string }{
		"heading":        {"## A heading\n", "#"},
		"underlined":     {"para\n- item\n", "h2"},
		"bold":           {"some **bold text** here\n", "*"},
		"italic":         {"some *it* and _em_ and ***both*** x\n", "*_"},
		"nested":         {"a **b *c* d** e\n", "*"},
		"strike":         {"a ~~b~~ c\n", "~"},
		"code":           {"a `code` b ``c`d`` e\n", ""},
		"link":           {"see [the park](https://a.b/c_d) now\n", "[]()"},
		"image":          {"see ![the map](https://a.b/c.png) now\n", "[]()"},
		"table":          {"| a **b** | c |\n|:---|---:|\n| `d` | e |\n", "|*:"},
		"table in list":  {"- x\n\n  | a | c |\n  |---|---|\n  | d | e |\n", "|"},
		"fence":          {"```go\nx := 1\n```\n", "`"},
		"fence in list":  {"- a\n\n  ```go\n  x := 1\n  ```\n- b\n", "`"},
		"tilde":          {"a\n\n~~~\nx\n~~~\n", "~"},
		"bullets":        {"- a\n  - b\n* c\n+ d\n", "*+-"},
		"numbers":        {"1. a\n2. b\n10. c\n", "."},
		"tasks":          {"- [ ] a\n- [x] b\n", "[]"},
		"quote":          {"> a\n> b\n", "\x00"},
		"rule":           {"a\n\n---\n\n***\nb\n", "-*"},
		"bold in item":   {"- **a:** b\n- **c:** d\n", "*"},
		"bold over line": {"**a\nb** c\n", "*"},
	} {
		t.Run(name, func(t *testing.T) {
			var s Stream
			for i := range len(tt.src) {
				s.Write(tt.src[i : i+1])
				u := update(t, &s)
				seen := textOf(join(u.Closed) + u.Tail)
				if strings.ContainsAny(seen, tt.never) || strings.Contains(string(u.Tail), tt.never) && tt.never == "h2" {
					t.Errorf("after %q: %q", tt.src[:i+1], u.Tail)
				}
			}
		})
	}
}

func TestQuietTextIsNotHeldBack(t *testing.T) {
	for src, want := range map[string]string{
		"2 * 3 = 6":           "2 * 3 = 6",
		"snake_case and *not": "snake_case and not",
		"a\\*b":               "a*b",
		"array[0":             "array0",
		"(see [1]) x":         "(see [1]) x",
		"done.\n\n**a\n\n":    "done.\n**a",
		"x `a*b":              "x a*b",
	} {
		var s Stream
		s.Write(src)
		u := update(t, &s)
		if got := strings.TrimSpace(textOf(join(u.Closed) + u.Tail)); got != want {
			t.Errorf("%q is shown as %q, want %q", src, got, want)
		}
	}
}

func TestUpdateIsWhatChanged(t *testing.T) {
	var s Stream
	if u := update(t, &s); u.Changed {
		t.Errorf("an empty stream changed: %+v", u)
	}
	s.Write("one\n\ntwo")
	if u := update(t, &s); len(u.Closed) != 0 || u.Tail != "<p>one</p>\n<p>two</p>\n" {
		t.Errorf("before the line ends: %+v", u)
	}
	s.Write("\n")
	if u := update(t, &s); len(u.Closed) != 1 || u.Closed[0] != "<p>one</p>\n" || u.Tail != "<p>two</p>\n" || !u.Changed {
		t.Errorf("closed block: %+v", u)
	}
	s.Write("")
	if u := update(t, &s); u.Changed {
		t.Errorf("nothing was written: %+v", u)
	}
	s.Write(strings.Repeat("more words.\n", 300))
	u := update(t, &s)
	if u.HeadReset || u.Head == "" || len(u.Head) < len(u.Tail) {
		t.Errorf("long block: head %d, tail %d bytes", len(u.Head), len(u.Tail))
	}
	s.Write("\nend")
	s.Close()
	s.Write("ignored")
	if u := update(t, &s); !u.HeadReset || u.Head != "" || u.Tail != "" || len(u.Closed) != 2 {
		t.Errorf("closed: %+v", u)
	}
}
