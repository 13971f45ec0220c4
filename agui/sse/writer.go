package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrNoData reports data that would make no frame.
var ErrNoData = errors.New("sse: no data to write")

// WriteData writes one frame of data lines in a single Write. CR, LF and CRLF in
// data all begin a new data line, so that no content can end the frame or forge
// a field; a reader gets them back as LF, and bytes that are not UTF-8 as U+FFFD.
// Without data nothing is written: readers take a frame of none for no frame.
func WriteData(w io.Writer, data []byte) error {
	if len(data) == 0 {
		return ErrNoData
	}
	return write(w, "data: ", data, "\n\n")
}

// WriteComment writes a comment, which readers ignore; it keeps a connection
// alive.
func WriteComment(w io.Writer, text string) error {
	return write(w, ": ", []byte(text), "\n\n")
}

func write(w io.Writer, prefix string, data []byte, end string) error {
	out := make([]byte, 0, len(prefix)+len(data)+len(end))
	out = append(out, prefix...)
	for {
		i := bytes.IndexAny(data, "\r\n")
		if i < 0 {
			break
		}
		out = append(out, data[:i]...)
		out = append(out, '\n')
		out = append(out, prefix...)
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		data = data[i+1:]
	}
	out = append(out, data...)
	out = append(out, end...)
	_, err := w.Write(out)
	return err
}
