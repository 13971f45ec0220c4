// Package logging makes the process's logger. Much of what is logged was sent by an
// agent, so every message, key and value is bounded, stays on its line and holds none
// of the secrets of the process, whichever package logs it.
package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"

	"cairn/internal/mask"
)

const (
	// maxText bounds a message, a key and a value, in bytes as they are printed.
	maxText = 1 << 10
	// maxStack bounds the value of the key stack.
	maxStack = 8 << 10
	// stackKey is the key under which a stack is logged.
	stackKey = "stack"
)

// New returns a logger that writes lines of text to w, from [slog.LevelInfo] on,
// without secrets. Secrets may be added to the set later.
func New(w io.Writer, secrets *mask.Set) *slog.Logger {
	return slog.New(Handler(slog.NewTextHandler(w, nil), secrets))
}

// Handler returns a handler that passes records on to next, bounded and without secrets.
func Handler(next slog.Handler, secrets *mask.Set) slog.Handler { return &handler{next, secrets} }

// handler bounds and masks what a text handler prints. The text handler quotes values
// that hold a space, a quote or a character that does not print.
type handler struct {
	next    slog.Handler
	secrets *mask.Set
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.text(r.Message, maxText), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(h.attrs(attrs)), h.secrets}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(h.text(name, maxText)), h.secrets}
}

func (h *handler) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return clean
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	limit := maxText
	if a.Key == stackKey {
		limit = maxStack
	}
	clean := slog.Attr{Key: h.text(a.Key, maxText), Value: a.Value.Resolve()}
	switch clean.Value.Kind() {
	case slog.KindString:
		clean.Value = slog.StringValue(h.text(clean.Value.String(), limit))
	case slog.KindGroup:
		clean.Value = slog.GroupValue(h.attrs(clean.Value.Group())...)
	case slog.KindAny:
		if v := clean.Value.Any(); v != nil {
			clean.Value = slog.StringValue(h.any(v, limit))
		}
	}
	return clean // the other kinds are numbers and times
}

// text returns s bounded and without secrets.
func (h *handler) text(s string, limit int) string { return withoutDEL(h.secrets.Text(s, limit)) }

// any returns v bounded and without secrets, as a text handler prints it. Of a slice of
// bytes only the beginning is read.
func (h *handler) any(v any, limit int) string {
	_, isError := v.(error)
	_, isStringer := v.(fmt.Stringer)
	b := reflect.ValueOf(v)
	if !isError && !isStringer && b.Kind() == reflect.Slice && b.Type().Elem().Kind() == reflect.Uint8 {
		start := string(b.Bytes()[:min(b.Len(), h.secrets.Window(limit))])
		return withoutDEL(h.secrets.Start(start, b.Len(), limit))
	}
	return h.text(fmt.Sprintf("%+v", v), limit)
}

// withoutDEL replaces the one control character that a text handler prints as it is.
func withoutDEL(s string) string { return strings.ReplaceAll(s, "\x7f", "\u2421") }
