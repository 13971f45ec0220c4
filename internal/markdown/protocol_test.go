package markdown

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
)

// small are limits that a fuzz test reaches with little text.
var small = bounds{
	html: 20_000, bytes: 3_000, outline: 60_000, block: 60_000, message: 500_000, open: 30_000,
	nesting: 8, columns: 6, cells: 60, delims: 20, depth: 12, plain: 200, checking: 2_000,
}

func lower(t testing.TB, to bounds) {
	before := limits
	limits = to
	t.Cleanup(func() { limits = before })
}

// ending is a context that ends after its error was asked for some times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// protocol writes src as rnd says, with updates, bodies and contexts that end in
// between and perhaps an early end, and holds the page against Body at every
// moment and against the text rendered at once in the end.
func protocol(t *testing.T, src string, rnd *rand.Rand) {
	t.Helper()
	var s Stream
	p := &page{}
	most := 1 + rnd.IntN(1+len(src)/2)
	stop := len(src)
	if rnd.IntN(4) == 0 {
		stop = rnd.IntN(len(src) + 1)
	}
	check := func() {
		t.Helper()
		p.apply(t, update(t, &s))
		b := bodyOf(t, &s)
		if b.shown() != p.shown() || b.Cut != p.cut || b.Plain != p.plain {
			t.Fatalf("Body is not what the updates add up to:\n%s\n%s", firstDifference(b.shown(), p.shown()), firstDifference(p.shown(), b.shown()))
		}
		if s.Size() != len(b.shown()) || s.Size() > limits.html {
			t.Fatalf("Size() = %d with %d bytes, at most %d", s.Size(), len(b.shown()), limits.html)
		}
	}
	for at := 0; at < stop; {
		n := min(1+rnd.IntN(most), stop-at)
		s.Write(src[at : at+n])
		at += n
		switch rnd.IntN(6) {
		case 0: // several writes in one update
		case 1:
			bodyOf(t, &s)
		case 2:
			ctx := &ending{t.Context(), rnd.IntN(8)}
			u, err := s.Update(ctx)
			if err == nil {
				p.apply(t, u)
			} else if err != context.Canceled || u.Changed {
				t.Fatalf("a context that ends gives %+v, %v", u, err)
			}
		default:
			check()
		}
	}
	s.Close()
	if rnd.IntN(2) == 0 {
		s.Write("ignored")
	}
	check()
	s.Write("ignored")
	check()
	if p.head != "" || p.tail != "" {
		t.Fatalf("after Close the head is %q and the tail %q", p.head, p.tail)
	}
	if u := update(t, &s); u.Changed {
		t.Fatalf("an update of nothing: %+v", u)
	}
	var once Stream
	once.Write(src[:stop])
	once.Close()
	b := bodyOf(t, &once)
	if want := join(b.Closed); p.closed != want || b.Cut != p.cut || b.Plain != p.plain {
		t.Fatalf("ends as\n%s\nwant\n%s", firstDifference(p.closed, want), firstDifference(want, p.closed))
	}
}

// blanks are messages of nothing but white space, longer than an open block.
func blanks() []string {
	var out []string
	for _, unit := range []string{" ", "\n", "\t", "\r", "\r\n", " \n", "\n ", "\t\r\n ", "    \n"} {
		out = append(out, strings.Repeat(unit, OpenBlockLimit/len(unit)+1), strings.Repeat(unit, 3*OpenBlockLimit))
	}
	return out
}

func seeds() []string {
	seeds := append(hostile(), blanks()...)
	for _, src := range sizes() {
		seeds = append(seeds, src)
	}
	for _, unit := range nasty() {
		seeds = append(seeds, unit.text(3_000))
	}
	for _, blank := range blanks() {
		seeds = append(seeds, "text\n\n"+blank+"\nmore", "> q\n"+blank, "- a\n"+blank+"b")
	}
	return seeds
}

func FuzzProtocol(f *testing.F) {
	for _, src := range seeds() {
		f.Add(src, uint64(len(src)), true)
	}
	for _, src := range append(hostile(), blanks()...) {
		f.Add(src, uint64(len(src)), false)
	}
	f.Fuzz(func(t *testing.T, src string, seed uint64, tight bool) {
		if len(src) > 20_000 {
			return
		}
		if tight {
			lower(t, small)
		}
		protocol(t, src, rand.New(rand.NewPCG(seed, 0)))
	})
}
