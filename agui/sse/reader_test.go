package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"cairn/agui/sse"
)

// read returns every frame as "event|id|data" and the error that ended the stream,
// nil for io.EOF.
func read(r io.Reader, l sse.Limits) (frames []string, err error) {
	reader := sse.NewReader(r, l)
	for {
		f, err := reader.Next()
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
		if f.Number != len(frames)+1 {
			return frames, fmt.Errorf("frame %d has number %d", len(frames)+1, f.Number)
		}
		frames = append(frames, fmt.Sprintf("%s|%s|%s", f.Event, f.ID, f.Data))
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []string{"||a"}},
		{"no space after the colon", "data:a\n\n", []string{"||a"}},
		{"only one space is dropped", "data:  a \n\n", []string{"|| a "}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"||a", "||b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"||a", "||b"}},
		{"mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", []string{"||a\nb\nc"}},
		{"CR then LF is one end", "data: a\r\ndata: b\n\n", []string{"||a\nb"}},
		{"LF then CR is two", "data: a\n\rdata: b\n\n", []string{"||a", "||b"}},
		{"lines joined", "data: a\ndata\ndata: b\n\n", []string{"||a\n\nb"}},
		{"byte order mark", "\uFEFFdata: a\n\n", []string{"||a"}},
		{"only the first byte order mark", "\uFEFF\uFEFFdata: a\n\ndata: b\n\n", []string{"||b"}},
		{"comments", ": hello\n:\ndata: a\n: more\n\n:\n\n", []string{"||a"}},
		{"event and id", "event: x\nid: 1\ndata: a\n\ndata: b\n\n", []string{"x|1|a", "|1|b"}},
		{"id with NUL is ignored", "id: 1\x00\ndata: a\n\n", []string{"||a"}},
		{"event without data is dropped", "event: x\n\ndata: a\n\n", []string{"||a"}},
		{"retry and unknown fields", "retry: 1\nfoo: bar\ndata: a\n\n", []string{"||a"}},
		{"name must match exactly", "Data: a\n data: b\ndatax: c\ndata: d\n\n", []string{"||d"}},
		{"empty data is a keep-alive", "data:\n\ndata\n\ndata: a\n\n", []string{"||a"}},
		{"colons in the value", "data: {\"a\":1}\n\n", []string{`||{"a":1}`}},
		{"extra blank lines", "\n\n\ndata: a\n\n\n\ndata: b\n\n", []string{"||a", "||b"}},
		{"unterminated frame", "data: a\n\ndata: b\n", []string{"||a", "||b"}},
		{"unterminated line", "data: a\n\ndata: b", []string{"||a", "||b"}},
		{"unterminated without data", "data: a\n\nid: 2", []string{"||a"}},
		{"UTF-8", "data: ☃ 𝄞\n\n", []string{"||☃ 𝄞"}},
		{"not UTF-8", "data: a\xffb\n\n", []string{"||a\uFFFDb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":     strings.NewReader(tt.in),
				"bytewise":  iotest.OneByteReader(strings.NewReader(tt.in)),
				"with data": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := read(r, sse.Limits{})
				if err != nil {
					t.Errorf("%s: %v", how, err)
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.want) || len(got) != len(tt.want) {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
			}
		})
	}
}

func TestReaderMarksUnterminated(t *testing.T) {
	r := sse.NewReader(strings.NewReader("data: a\n\ndata: b\n"), sse.Limits{})
	first, _ := r.Next()
	last, err := r.Next()
	if err != nil || first.Unterminated || !last.Unterminated {
		t.Errorf("got %+v, %+v, %v; want only the last frame unterminated", first, last, err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last frame: %v, want io.EOF", err)
	}
}

// A frame that ends in CR must not wait for the LF that may follow it.
func TestReaderDoesNotWaitForLF(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	go func() { // ends when the pipe is closed or its text is read
		_, _ = io.WriteString(pw, "data: a\r\r")
		_, _ = io.WriteString(pw, "\ndata: b\r\r")
		_ = pw.Close()
	}()
	r := sse.NewReader(pr, sse.Limits{})
	for _, want := range []string{"a", "b"} {
		f, err := r.Next()
		if err != nil || f.Data != want {
			t.Fatalf("got %q, %v, want %q", f.Data, err, want)
		}
	}
}

func TestReaderLimits(t *testing.T) {
	limits := sse.Limits{MaxLine: 20, MaxFrame: 30}
	tests := []struct {
		name, in string
		frames   int
		large    bool
	}{
		{"fits", "data: 12345678901234\n\n", 1, false},
		{"line", "data: a\n\ndata: 123456789012345\n\n", 1, true},
		{"line without end", "data: a\n\n" + strings.Repeat("x", 1000), 1, true},
		{"frame fits", "data: 1234567890\ndata: 1234567890\n\n", 1, false},
		{"frame", "data: a\n\n" + strings.Repeat("data: 1234567890\n", 4) + "\n", 1, true},
		{"comment", ":" + strings.Repeat("x", 30) + "\n", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.in), limits)
			if len(got) != tt.frames || errors.Is(err, sse.ErrTooLarge) != tt.large {
				t.Errorf("got %q, %v; want %d frames, too large %v", got, err, tt.frames, tt.large)
			}
		})
	}
}

func TestReaderGivesTheReadError(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: {\"half"), iotest.ErrReader(broken))
	got, err := read(r, sse.Limits{})
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("got %q, %v; want the first frame and the error", got, err)
	}
}

func TestWriteDataCannotForgeAFrame(t *testing.T) {
	for _, data := range []string{
		`{"a":1}`, "a\n\ndata: b", "a\r\rdata: b", "a\r\n\r\nevent: x", "a\rid: 7", "\n", "x\r", "a\u2028\u0085b",
	} {
		var buf bytes.Buffer
		if err := sse.WriteData(&buf, []byte(data)); err != nil {
			t.Fatal(err)
		}
		want := []string{"||" + strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)}
		got, err := read(&buf, sse.Limits{})
		if err != nil || len(got) != 1 || got[0] != want[0] {
			t.Errorf("%q: got %q, %v, want %q", data, got, err, want)
		}
	}
}

func TestWriteComment(t *testing.T) {
	var buf bytes.Buffer
	if err := sse.WriteComment(&buf, "ping\n\ndata: forged"); err != nil {
		t.Fatal(err)
	}
	if got, err := read(&buf, sse.Limits{}); err != nil || got != nil {
		t.Errorf("got %q, %v, want no frame", got, err)
	}
}

// A stream may be cut by the network anywhere, also inside a character.
func TestReaderJoinsWhatTheNetworkCut(t *testing.T) {
	in := "\uFEFFid: é\r\ndata: a😀\r\ndata: ☃é\r\n\r\nevent: 𝄞\ndata: 👍🏽\n\n"
	want := "[|é|a😀\n☃é 𝄞|é|👍🏽]"
	for i := range in {
		r := io.MultiReader(strings.NewReader(in[:i]), strings.NewReader(in[i:]))
		if got, err := read(r, sse.Limits{}); err != nil || fmt.Sprint(got) != want {
			t.Errorf("cut at %d: %q, %v", i, got, err)
		}
	}
	for size := 1; size < len(in); size++ {
		if got, err := read(&inPieces{[]byte(in), size}, sse.Limits{}); err != nil || fmt.Sprint(got) != want {
			t.Errorf("in pieces of %d: %q, %v", size, got, err)
		}
	}
}

// inPieces returns so many bytes at a time.
type inPieces struct {
	rest []byte
	size int
}

func (p *inPieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

func TestDefaultLimits(t *testing.T) {
	most := strings.Repeat("x", sse.DefaultMaxLine-len("data: "))
	if got, err := read(strings.NewReader("data: "+most+"\n\n"), sse.Limits{}); err != nil || len(got) != 1 {
		t.Errorf("a line of %d bytes: %d frames, %v", sse.DefaultMaxLine, len(got), err)
	}
	if _, err := read(strings.NewReader("data: "+most+"x\n\n"), sse.Limits{}); !errors.Is(err, sse.ErrTooLarge) || !strings.Contains(err.Error(), "line over 16777216 bytes") {
		t.Errorf("a longer one: %v", err)
	}
	if _, err := read(strings.NewReader("data: "+most+"\ndata: 1234567\n\n"), sse.Limits{}); !errors.Is(err, sse.ErrTooLarge) || !strings.Contains(err.Error(), "frame over 16777216 bytes") {
		t.Errorf("a longer frame: %v", err)
	}
}

func TestNextBytesAllocatesNothing(t *testing.T) {
	r := sse.NewReader(strings.NewReader(strings.Repeat("data: {\"type\":\"x\"}\n\n", 2000)), sse.Limits{})
	next := func() {
		if _, data, err := r.NextBytes(); err != nil || string(data) != `{"type":"x"}` {
			t.Fatalf("%q, %v", data, err)
		}
	}
	next()
	if n := testing.AllocsPerRun(1000, next); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestWriteDataNeedsData(t *testing.T) {
	var buf bytes.Buffer
	if err := sse.WriteData(&buf, nil); !errors.Is(err, sse.ErrNoData) || buf.Len() != 0 {
		t.Errorf("%v, wrote %q", err, &buf)
	}
}

// FuzzWriteData checks that whatever is written is one frame of the same data and
// nothing else, and that a comment is none, wherever in a stream they stand.
func FuzzWriteData(f *testing.F) {
	for _, s := range []string{"a", "a\n\ndata: b", "\r\n\r", "id: 1", ":", " ", "\n", "\xff\r\xef\xbb\xbf", "event: x\rdata", "\x00"} {
		f.Add([]byte(s), s)
	}
	f.Fuzz(func(t *testing.T, data []byte, comment string) {
		var buf bytes.Buffer
		want := []string{"||first"}
		_ = sse.WriteData(&buf, []byte("first"))
		if err := sse.WriteComment(&buf, comment); err != nil {
			t.Fatal(err)
		}
		if err := sse.WriteData(&buf, data); err == nil {
			text := strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)), "\uFFFD")
			want = append(want, "||"+text)
		} else if len(data) > 0 {
			t.Fatal(err)
		}
		_ = sse.WriteData(&buf, []byte("last"))
		want = append(want, "||last")
		got, err := read(&buf, sse.Limits{})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	})
}

// FuzzReader checks that how the bytes arrive changes nothing, and that what was
// read survives writing.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "\uFEFFdata:a\r\rdata: b\r\n\r\n", "id: 1\nevent: x\ndata: ☃\ndata\n\n", ":\n\ndata: a\xff",
		"data\ndata\n\n", "\r\n\n\rdata: x\r", "\xEF\xBB", "data: 12345678901234567890123456789012345\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		limits := sse.Limits{MaxLine: 64, MaxFrame: 128}
		whole, werr := read(bytes.NewReader(in), limits)
		byByte, berr := read(iotest.OneByteReader(bytes.NewReader(in)), limits)
		if fmt.Sprint(whole, werr) != fmt.Sprint(byByte, berr) {
			t.Fatalf("whole %q, %v; bytewise %q, %v", whole, werr, byByte, berr)
		}
		r := sse.NewReader(bytes.NewReader(in), sse.Limits{})
		for {
			frame, err := r.Next()
			if err != nil {
				break
			}
			var buf bytes.Buffer
			if err := sse.WriteData(&buf, []byte(frame.Data)); err != nil {
				t.Fatal(err)
			}
			again, err := sse.NewReader(&buf, sse.Limits{}).Next()
			if err != nil || again.Data != frame.Data {
				t.Fatalf("wrote %q, read %q, %v", frame.Data, again.Data, err)
			}
		}
	})
}
