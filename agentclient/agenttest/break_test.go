package agenttest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

const threeFrames = "data: 1\n\ndata: 2\r\n\r\ndata: 3\n\n"

func TestBreak(t *testing.T) {
	read := func(modes ...Mode) string {
		got, err := io.ReadAll(Break(t.Context(), strings.NewReader(threeFrames), modes...))
		if err != nil {
			return string(got) + "!" + err.Error()
		}
		return string(got)
	}
	remembers := editFrames(func() func(int, []byte) [][]byte {
		count := 0
		return func(int, []byte) [][]byte { count++; return [][]byte{[]byte(strings.Repeat("x", count))} }
	})
	for _, tc := range []struct{ name, got, want string }{
		{"nothing", read(), threeFrames},
		{"one byte", read(OneByte()), threeFrames},
		{"pieces", read(Pieces(0), Pieces(4)), threeFrames},
		{"split", read(SplitAt(3)), threeFrames},
		{"cut", read(CutAfter(4)), "data!unexpected EOF"},
		{"cut at once", read(CutAfter(0)), "!unexpected EOF"},
		{"cut past the end", read(CutAfter(99)), threeFrames},
		{"end", read(EndAfter(4)), "data"},
		{"duplicate", read(DuplicateFrame(2)), "data: 1\n\ndata: 2\r\n\r\ndata: 2\r\n\r\ndata: 3\n\n"},
		{"duplicate, then cut", read(DuplicateFrame(1), CutAfter(18)), "data: 1\n\ndata: 1\n\n!unexpected EOF"},
		{"cut, then duplicate", read(CutAfter(9), DuplicateFrame(1)), "data: 1\n\ndata: 1\n\n!unexpected EOF"},
		{"cut inside a frame", read(CutAfter(12), DuplicateFrame(2)), "data: 1\n\ndatdat!unexpected EOF"},
		{"bytewise", read(OneByte(), DuplicateFrame(2)), "data: 1\n\ndata: 2\r\n\rdata: 2\r\n\r\ndata: 3\n\n"},
		{"insert at the end", read(InsertFrame(4, "x")), threeFrames + "x"},
		{"insert past the end", read(InsertFrame(5, "x")), threeFrames},
		{"drop", read(DropFrame(2)), "data: 1\n\ndata: 3\n\n"},
		{"drop all", read(DropFrame(1), DropFrame(1), DropFrame(1)), ""},
		{"insert", read(InsertFrame(3, "data: [DONE]\n\n")), "data: 1\n\ndata: 2\r\n\r\ndata: [DONE]\n\ndata: 3\n\n"},
		{"swap", read(SwapFrames(1)), "data: 2\r\n\r\ndata: 1\n\ndata: 3\n\n"},
		{"swap the last", read(SwapFrames(3)), threeFrames},
		{"swap none", read(SwapFrames(9)), threeFrames},
		{"an edit of one's own", read(remembers), "xxxxxxxxxx"},
		{"the same for another stream", read(remembers), "xxxxxxxxxx"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, tc.got, tc.want)
		}
	}
	frames := func(s string) []string {
		var all []string
		for _, f := range splitFrames([]byte(s)) {
			all = append(all, string(f))
		}
		slices.Sort(all)
		return all
	}
	shuffled := map[string]bool{}
	for seed := range uint64(20) {
		got := read(Shuffle(seed))
		if got != read(Shuffle(seed)) || !slices.Equal(frames(got), frames(threeFrames)) {
			t.Errorf("shuffled: %q", got)
		}
		shuffled[got] = true
	}
	if len(shuffled) < 4 {
		t.Errorf("20 seeds give %d orders", len(shuffled))
	}
}

// reads returns what each read of a stream brings.
func reads(r io.Reader) []string {
	var got []string
	buf := make([]byte, 100)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			got = append(got, string(buf[:n]))
		}
		if err != nil {
			return got
		}
	}
}

func TestWhereReadsEnd(t *testing.T) {
	for _, tc := range []struct {
		name string
		mode Mode
		want []string
	}{
		{"one byte", OneByte(), []string{"a", "b", "c", "d", "e"}},
		{"pieces", Pieces(2), []string{"ab", "cd", "e"}},
		{"split", SplitAt(1), []string{"a", "bcde"}},
		{"split at nothing", SplitAt(0), []string{"abcde"}},
	} {
		if got := reads(Break(t.Context(), strings.NewReader("abcde"), tc.mode)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

// An edit hands a frame on before the next one arrives, also when lines end in CR.
func TestEditsDoNotWait(t *testing.T) {
	for _, first := range []string{"data: 1\n\n", "data: 1\r\n\r\n", "data: 1\r\r"} {
		src := io.MultiReader(strings.NewReader(first), iotest.ErrReader(errors.New("too far")))
		got := make([]byte, len(first))
		if _, err := io.ReadFull(Break(t.Context(), src, DropFrame(2)), got); err != nil || string(got) != first {
			t.Errorf("%q: %q %v", first, got, err)
		}
	}
}

func TestStallAndSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		got, err := io.ReadAll(Break(ctx, strings.NewReader("abcde"), StallAfter(3)))
		if string(got) != "abc" || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Hour {
			t.Errorf("stalled: %q %v after %v", got, err, time.Since(begun))
		}
		begun = time.Now()
		got, err = io.ReadAll(Break(t.Context(), strings.NewReader("abc"), OneByte(), Slow(time.Second)))
		if string(got) != "abc" || err != nil || time.Since(begun) != 4*time.Second { // the end is a read too
			t.Errorf("slow: %q %v after %v", got, err, time.Since(begun))
		}
		if _, err = io.ReadAll(Break(ctx, strings.NewReader("abc"), Slow(time.Second))); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow after the end: %v", err)
		}
	})
}
