package agenttest

import (
	"context"
	"io"
	"time"
)

// Mode is a way to damage a stream, for [Break] and [Transport]. What it starts or
// waits for ends with ctx.
type Mode func(ctx context.Context, r io.Reader) io.Reader

// Break reads r through the modes, the first one next to r.
func Break(ctx context.Context, r io.Reader, modes ...Mode) io.Reader {
	for _, m := range modes {
		r = m(ctx, r)
	}
	return r
}

// readFunc is an io.Reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// Pieces delivers at most n bytes at a time.
func Pieces(n int) Mode {
	n = max(n, 1)
	return func(_ context.Context, r io.Reader) io.Reader {
		return readFunc(func(p []byte) (int, error) { return r.Read(p[:min(len(p), n)]) })
	}
}

// OneByte delivers one byte at a time, so that every character, line end and
// field is split wherever it can be.
func OneByte() Mode { return Pieces(1) }

// SplitAt lets one read end after n bytes, as a packet may; what comes before and
// after stays as it is.
func SplitAt(n int64) Mode {
	return func(_ context.Context, r io.Reader) io.Reader {
		left := n
		return readFunc(func(p []byte) (int, error) {
			if left > 0 && int64(len(p)) > left {
				p = p[:left]
			}
			got, err := r.Read(p)
			left -= int64(got)
			return got, err
		})
	}
}

// CutAfter delivers n bytes and then fails as a cut connection does.
func CutAfter(n int64) Mode { return endAfter(n, io.ErrUnexpectedEOF) }

// EndAfter delivers n bytes and then ends in order, as an agent does that is
// shut down or a proxy that gives up.
func EndAfter(n int64) Mode { return endAfter(n, io.EOF) }

func endAfter(n int64, end error) Mode {
	return func(_ context.Context, r io.Reader) io.Reader {
		return after(r, n, func() error { return end })
	}
}

// StallAfter delivers n bytes and then nothing more, without an end, until ctx
// ends or the answer's body is closed.
func StallAfter(n int64) Mode {
	return func(ctx context.Context, r io.Reader) io.Reader {
		return after(r, n, func() error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
	}
}

// after reads n bytes of r, and then what then returns.
func after(r io.Reader, n int64, then func() error) io.Reader {
	left := n
	return readFunc(func(p []byte) (int, error) {
		if left <= 0 {
			return 0, then()
		}
		got, err := r.Read(p[:min(int64(len(p)), left)])
		left -= int64(got)
		return got, err
	})
}

// Slow waits before each read.
func Slow(d time.Duration) Mode {
	return func(ctx context.Context, r io.Reader) io.Reader {
		return readFunc(func(p []byte) (int, error) {
			if err := pause(ctx, d); err != nil {
				return 0, err
			}
			return r.Read(p)
		})
	}
}
