package crash_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"cairn/internal/crash"
)

func TestRunReturnsTheError(t *testing.T) {
	var logged bytes.Buffer
	err := crash.Run(slog.New(slog.NewTextHandler(&logged, nil)), "work", func() error { return io.EOF })
	if err != io.EOF || logged.Len() != 0 {
		t.Errorf("got %v and the log %q", err, logged.String())
	}
}

func TestRunRecoversAndLogs(t *testing.T) {
	var logged bytes.Buffer
	err := crash.Run(slog.New(slog.NewTextHandler(&logged, nil)), "work crashed", func() error { planted(); return nil }, "thread", "t-1")
	var e *crash.Error
	if !errors.As(err, &e) || e.Value != "planted" || !strings.Contains(e.Stack, "planted") {
		t.Fatalf("got %#v", err)
	}
	for _, want := range []string{"work crashed", "thread=t-1", "panic=planted", "crash_test.planted"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("the log lacks %q: %s", want, logged.String())
		}
	}
}

func TestRunUnwrapsAnError(t *testing.T) {
	err := crash.Run(slog.New(slog.DiscardHandler), "work", func() error { panic(io.ErrUnexpectedEOF) })
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func planted() { panic("planted") }
