package markdown

import (
	"bytes"
	"unicode/utf8"
)

// boundedBuffer keeps up to room bytes and is full after that. It is what
// renderers write to.
type boundedBuffer struct {
	bytes.Buffer
	room int
	full bool
}

// fits reports whether n more bytes do.
func (w *boundedBuffer) fits(n int) bool {
	w.full = w.full || w.Len()+n > w.room
	return !w.full
}

func (w *boundedBuffer) Write(p []byte) (int, error) {
	if w.fits(len(p)) {
		w.Buffer.Write(p)
	}
	return len(p), nil
}

func (w *boundedBuffer) WriteString(s string) (int, error) {
	if w.fits(len(s)) {
		w.Buffer.WriteString(s)
	}
	return len(s), nil
}

func (w *boundedBuffer) WriteByte(c byte) error {
	if w.fits(1) {
		w.Buffer.WriteByte(c)
	}
	return nil
}

func (w *boundedBuffer) WriteRune(r rune) (int, error) {
	if w.fits(utf8.RuneLen(r)) {
		w.Buffer.WriteRune(r)
	}
	return utf8.RuneLen(r), nil
}

// Buffered and Flush make it a util.BufWriter, which renderers write to directly.
func (w *boundedBuffer) Buffered() int { return 0 }

// Flush does nothing.
func (w *boundedBuffer) Flush() error { return nil }
