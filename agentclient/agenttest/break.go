package agenttest

import (
	"bytes"
	"io"
	"testing/iotest"
)

// Mode is a way to damage a stream.
type Mode func(io.Reader) io.Reader

// Break reads r through the modes, the first one next to r.
func Break(r io.Reader, modes ...Mode) io.Reader {
	for _, m := range modes {
		r = m(r)
	}
	return r
}

// OneByte delivers one byte at a time.
func OneByte() Mode { return iotest.OneByteReader }

// CutAfter delivers n bytes and then fails as a cut connection does.
func CutAfter(n int64) Mode {
	return func(r io.Reader) io.Reader {
		return io.MultiReader(io.LimitReader(r, n), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
}

// DuplicateFrame sends the n-th frame (from 1) twice. It reads the whole stream
// first.
func DuplicateFrame(n int) Mode {
	return func(r io.Reader) io.Reader {
		raw, err := io.ReadAll(r)
		var out bytes.Buffer
		for i, f := range splitFrames(raw) {
			out.Write(f)
			if i == n-1 {
				out.Write(f)
			}
		}
		if err != nil {
			return io.MultiReader(&out, iotest.ErrReader(err))
		}
		return &out
	}
}
