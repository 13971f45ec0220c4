package markdown

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"cairn/internal/testall"
)

// ordinary are texts that people and models write; none is over a budget.
func ordinary(t *testing.T) map[string]string {
	table := "|" + strings.Repeat(" head |", 8) + "\n|" + strings.Repeat("---|", 8) + "\n"
	var list strings.Builder
	for i := range 300 {
		fmt.Fprintf(&list, "%s- item **%d** with `code` and [a link](https://a.b/%d)\n", strings.Repeat("  ", i%6), i, i)
	}
	var para strings.Builder
	for i := range 200 {
		fmt.Fprintf(&para, "Some *words* that **go** on, snake_case and 2 * 3, see [the %dth page](https://a.b/c?d=%d) or https://e.f/g_h. ", i, i)
		para.WriteString("More words of the same paragraph follow here.\n")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	architecture, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"table":         table + strings.Repeat("|"+strings.Repeat(" some *cell* |", 8)+"\n", 60),
		"list":          list.String(),
		"code":          "```go\n" + strings.Repeat("func f(a int) string { return \"x\" } // words\n", 50<<10/45) + "```\n",
		"dense code":    "```go\n" + strings.Repeat("a.b(c,d,e);f[g]=h+i;\n", 40<<10/21) + "```\n",
		"paragraph":     para.String(),
		"cjk":           strings.Repeat("这是一个很长的段落，没有空格。**重点**在这里。", 1200),
		"sample":        strings.Repeat(sample, 20),
		"quote":         strings.Repeat("> > a *quoted* line\n> > and more\n>\n", 300),
		"readme":        string(readme),
		"architecture":  string(architecture),
		"lines":         strings.Repeat("a line of **text** that is not long\n", 800),
		"numbered":      strings.Repeat("1. step\n\n   ```sh\n   make\n   ```\n\n   > note\n\n", 200),
		"wide table":    strings.Repeat("|a", 40) + "|\n" + strings.Repeat("|-", 40) + "|\n" + strings.Repeat(strings.Repeat("|b", 40)+"|\n", 50),
		"long address":  "https://a.b/" + strings.Repeat("abc/", 400),
		"citations":     strings.Repeat("Words of a text with sources [1][2] and [3]. ", 400),
		"deep emphasis": strings.Repeat("***a** b* and __c _d_ e__ ~~f~~ ", 300),
	}
}

func TestOrdinaryTextIsNotPlain(t *testing.T) {
	for name, src := range ordinary(t) {
		var s Stream
		for at := 0; at < len(src); at += 500 {
			s.Write(src[at:min(len(src), at+500)])
			if u := update(t, &s); u.Plain || u.Cut {
				t.Fatalf("%s: after %d bytes of %d Plain is %v and Cut %v", name, at, len(src), u.Plain, u.Cut)
			}
		}
		s.Close()
		if b := bodyOf(t, &s); b.Plain || b.Cut {
			t.Errorf("%s: Plain is %v and Cut %v", name, b.Plain, b.Cut)
		}
		t.Logf("%s: %d bytes, work %d", name, len(src), s.spent)
	}
}

// TestWorkIsBounded holds the work for a nasty text, and what it becomes. Between
// two looks at the context there is at most limits.checking work.
func TestWorkIsBounded(t *testing.T) {
	for _, x := range testall.Sample(t, nasty(), 12) {
		var s Stream
		src := x.text(20_000)
		s.Write(src)
		s.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		count := &counting{Context: t.Context()}
		b, err := s.Body(count)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if count.asked < s.spent/limits.checking {
			t.Errorf("%s: the context was looked at %d times for work %d", x.name, count.asked, s.spent)
		}
		// Over the budget is at most one step.
		if s.spent > limits.message+limits.block {
			t.Errorf("%s: work %d", x.name, s.spent)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
			t.Errorf("%s: allocates %d MiB", x.name, n>>20)
		}
		if s.Size() > MaxHTML {
			t.Errorf("%s: %d bytes of HTML", x.name, s.Size())
		}
		if err := checkHTML(b.shown()); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if got := textOf(b.shown()); b.Plain && !b.Cut && !strings.Contains(got, "Shown as plain text: ") {
			t.Errorf("%s: plain and not said so: %.200q", x.name, got)
		}
	}
}

func TestPlainShowsAllText(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("> ", 3000) + "<end>\n",
		strings.Repeat("|a", 3000) + "|\n" + strings.Repeat("|-", 3000) + "|\n" + strings.Repeat("|b", 3000) + "|\n",
		strings.Repeat("*a_ _b* **c__ ", 5000) + "\n",
	} {
		got := string(whole(t, "before\n\n"+src+"\n*after*"))
		const start, end = "<p>before</p>\n<p class=\"said\">Shown as plain text: ", "<p><em>after</em></p>\n"
		if !strings.HasPrefix(got, start) || !strings.HasSuffix(got, end) {
			t.Fatalf("got %.200q … %q", got, got[max(0, len(got)-200):])
		}
		_, plain, _ := strings.Cut(strings.TrimSuffix(got, end), ".</p>\n")
		plain = strings.ReplaceAll(plain, "</pre>\n<pre class=\"plain\">", "")
		if text := strings.TrimSpace(textOf(HTML(plain))); text != strings.TrimSpace(src) {
			t.Errorf("shown as %d bytes, want %d: %.100q", len(text), len(src), text)
		}
	}
}

// TestPlainEnds holds that text after a block over its budget is markup again.
func TestPlainEnds(t *testing.T) {
	got := string(whole(t, strings.Repeat("> ", 500)+"a\nlazy\n\n  indented\n\n**b**\n"))
	if want := "</pre>\n<p><strong>b</strong></p>\n"; !strings.HasSuffix(got, want) || !strings.Contains(got, "lazy\n\n  indented") {
		t.Errorf("got %q", got[max(0, len(got)-200):])
	}
}

func TestMessageIsCut(t *testing.T) {
	src := strings.Repeat("A paragraph of *words*.\n\n", 40_000)
	var s Stream
	s.Write(src)
	u := update(t, &s)
	if !u.Cut || s.Size() > MaxHTML || s.Size() < MaxHTML-100 {
		t.Errorf("Cut = %v with %d bytes", u.Cut, s.Size())
	}
	shown := len(u.Closed)
	s.Write("more\n\n")
	if u := update(t, &s); u.Changed || !u.Cut {
		t.Errorf("after the cut: %+v", u)
	}
	s.Close()
	if b := bodyOf(t, &s); len(b.Closed) != shown || !b.Cut {
		t.Errorf("%d blocks after Close, %d before; Cut is %v", len(b.Closed), shown, b.Cut)
	}
}

// TestOpenBlockDoesNotFit holds that an open block over MaxHTML stops growing.
func TestOpenBlockDoesNotFit(t *testing.T) {
	var s Stream
	s.Write("```\n")
	for range 2 * MaxHTML / 4000 {
		s.Write(strings.Repeat(strings.Repeat("x", 79)+"\n", 50))
		update(t, &s)
		if s.Size() > MaxHTML {
			t.Fatalf("%d bytes", s.Size())
		}
	}
	if u := update(t, &s); !u.Cut {
		t.Error("not cut")
	}
}

// counting is a context that counts how often its error is asked for.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error { c.asked++; return nil }

// TestContextEnds ends the context at every point where it is looked at; the
// stream then goes on as if nothing had been.
func TestContextEnds(t *testing.T) {
	lower(t, small)
	src := sample + strings.Repeat("*a **b ", 400) + "\n\n" + strings.Repeat("> ", 30) + "x\n\nend\n\n" + strings.Repeat("- a\n", 700)
	count := &counting{Context: t.Context()}
	want, err := Render(count, src)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("looked at %d times", count.asked)
	for stop := 0; stop < count.asked; stop += 1 + count.asked/50 {
		var s Stream
		s.Write(src)
		s.Close()
		if _, err := s.Update(&ending{t.Context(), stop}); err != context.Canceled {
			t.Fatalf("after %d looks: %v", stop, err)
		}
		if got := join(update(t, &s).Closed); got != want {
			t.Fatalf("after %d looks: %s\nwant %s", stop, firstDifference(got, want), firstDifference(want, got))
		}
	}
}

// TestContextStopsRendering has a generous bound: it is for a rendering that does
// not stop at all.
func TestContextStopsRendering(t *testing.T) {
	for _, x := range testall.Sample(t, nasty(), 12) {
		var s Stream
		s.Write(x.text(300_000))
		s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, err := s.Update(ctx)
		late := time.Duration(0)
		if end, _ := ctx.Deadline(); err != nil {
			late = time.Since(end)
		}
		cancel()
		if late > 5*time.Second {
			t.Errorf("%s: stops %v after its context", x.name, late)
		}
		if late > 20*time.Millisecond {
			t.Logf("%s: stops %v after its context", x.name, late)
		}
	}
}

func TestLongRunsCanBreak(t *testing.T) {
	run := strings.Repeat("a", 20_000)
	for name, got := range map[string]HTML{
		"paragraph": whole(t, run), "code": whole(t, "```\n"+run+"\n```"), "span": whole(t, "`"+run+"`"), "item": whole(t, "- "+run),
		"cell": whole(t, "|a|\n|-|\n|"+run+"|\n"), "link": whole(t, "https://a.b/"+run), "text": Text(run),
		"entities": Text(strings.Repeat("<", 20_000)), "emphasis": whole(t, strings.Repeat("*a*b", 900)), "marks": Text(strings.Repeat("e\u0301", 10_000)),
	} {
		if err := checkHTML(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		longest := 0
		for part := range strings.SplitSeq(string(got), "<wbr>") {
			longest = max(longest, len(textOf(HTML(part))))
		}
		if longest > 4*longestRun {
			t.Errorf("%s: a run of %d bytes", name, longest)
		}
		if text := textOf(got); name == "text" && text != run {
			t.Errorf("%s: the text is another", name)
		}
	}
	for _, src := range []string{strings.Repeat("你好世界", 5000), strings.Repeat("👩‍👩‍👧", 2000), strings.Repeat("word ", 5000), "https://example.com/" + strings.Repeat("a/", 40)} {
		if got := whole(t, src); strings.Contains(string(got), "<wbr>") {
			t.Errorf("breaks in %.60q", src)
		}
	}
}
