package agenttest

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"slices"
)

// editFrames damages a stream frame by frame: edit gets each frame, counted from
// 1, with the blank line that ends it, and returns what is sent instead. At the end
// of the stream it is called once more with nil, to send what it kept. Frames are
// handed on as they come. A comment with its blank line counts as a frame.
//
// newEdit is called once for each stream, so that an edit may remember.
func editFrames(newEdit func() func(n int, frame []byte) [][]byte) Mode {
	return func(_ context.Context, r io.Reader) io.Reader {
		return &editor{src: bufio.NewReader(r), edit: newEdit()}
	}
}

// editor reads a stream through an edit.
type editor struct {
	src  *bufio.Reader
	edit func(n int, frame []byte) [][]byte
	n    int
	cr   bool   // the last byte was a CR, so an LF now belongs to it
	out  []byte // to be delivered
	err  error  // what follows it
}

func (e *editor) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		frame, err := e.frame()
		if len(frame) > 0 {
			e.n++
			e.out = slices.Concat(e.edit(e.n, frame)...)
		}
		if e.err = err; err != nil {
			e.out = append(e.out, slices.Concat(e.edit(e.n+1, nil)...)...)
		}
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// frame reads up to and with the blank line that ends a frame. It waits for
// nothing behind it: when that line ends in a CR whose LF has not arrived, the LF
// comes with the next frame, where it says nothing.
func (e *editor) frame() ([]byte, error) {
	var frame []byte
	empty, content := true, false // this line; the frame
	for {
		c, err := e.src.ReadByte()
		if err != nil {
			return frame, err
		}
		frame = append(frame, c)
		second := c == '\n' && e.cr
		e.cr = c == '\r'
		switch {
		case second:
			continue
		case c != '\n' && c != '\r':
			empty, content = false, true
			continue
		case e.cr && e.src.Buffered() > 0:
			if next, _ := e.src.Peek(1); next[0] == '\n' {
				_, _ = e.src.Discard(1)
				frame = append(frame, '\n')
				e.cr = false
			}
		}
		if empty && content {
			return frame, nil
		}
		empty = true
	}
}

// stateless makes an edit of a function that remembers nothing.
func stateless(edit func(n int, frame []byte) [][]byte) Mode {
	return editFrames(func() func(int, []byte) [][]byte { return edit })
}

// DuplicateFrame sends the n-th frame twice.
func DuplicateFrame(n int) Mode {
	return stateless(func(i int, f []byte) [][]byte {
		if i == n {
			return [][]byte{f, f}
		}
		return [][]byte{f}
	})
}

// DropFrame leaves the n-th frame out.
func DropFrame(n int) Mode {
	return stateless(func(i int, f []byte) [][]byte {
		if i == n {
			return nil
		}
		return [][]byte{f}
	})
}

// InsertFrame sends raw, of which nothing needs to be valid, before the n-th frame,
// or at the end when n is one more than there are.
func InsertFrame(n int, raw string) Mode {
	return stateless(func(i int, f []byte) [][]byte {
		if i == n {
			return [][]byte{[]byte(raw), f}
		}
		return [][]byte{f}
	})
}

// SwapFrames exchanges the n-th frame and the one after it.
func SwapFrames(n int) Mode {
	return editFrames(func() func(int, []byte) [][]byte {
		var kept []byte
		return func(i int, f []byte) [][]byte {
			if i == n && f != nil {
				kept = f
				return nil
			}
			out := [][]byte{f, kept}
			kept = nil
			return out
		}
	})
}

// Shuffle sends all frames in an order that seed determines. It reads the stream
// to its end first.
func Shuffle(seed uint64) Mode {
	return editFrames(func() func(int, []byte) [][]byte {
		var all [][]byte
		return func(_ int, f []byte) [][]byte {
			if f != nil {
				all = append(all, f)
				return nil
			}
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		}
	})
}
