package agenthost

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxForeign is the most bytes of one log attribute or error detail.
	maxForeign = 1 << 10
	// maxStack is the most bytes of the attribute "stack".
	maxStack = 8 << 10
	// minSecret is the length from which a secret is masked: a shorter one would be
	// found in plain words.
	minSecret = 4
)

// masker makes text of clients, models and tools fit for logs and errors.
type masker struct{ secrets *strings.Replacer }

func newMasker(secrets ...Secret) masker {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= minSecret {
			pairs = append(pairs, s.Reveal(), placeholder)
		}
	}
	return masker{strings.NewReplacer(pairs...)}
}

// line returns the text on one line of at most 1 KiB, with the secrets replaced and
// control characters escaped.
func (m masker) line(text string) string { return oneLine(m.secrets.Replace(text), maxForeign) }

// oneLine escapes control and format characters and cuts the text to most bytes.
func oneLine(text string, most int) string {
	plain := len(text) <= most
	for i := 0; plain && i < len(text); i++ {
		plain = text[i] >= ' ' && text[i] < 0x7f
	}
	if plain {
		return text
	}
	const more = "…"
	var b strings.Builder
	for i, r := range text {
		piece := string(r)
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			piece = strings.Trim(fmt.Sprintf("%+q", r), "'")
		}
		if room := most - b.Len(); len(piece) > room || len(text)-i > len(piece) && len(piece)+len(more) > room {
			return b.String() + more
		}
		b.WriteString(piece)
	}
	return b.String()
}

// maskingHandler masks and bounds the attributes of records, whichever call site
// they come from.
type maskingHandler struct {
	slog.Handler
	masker
}

func (h maskingHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h maskingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	list := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		list[i] = h.attr(a)
	}
	return maskingHandler{h.Handler.WithAttrs(list), h.masker}
}

func (h maskingHandler) WithGroup(name string) slog.Handler {
	return maskingHandler{h.Handler.WithGroup(name), h.masker}
}

func (h maskingHandler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindGroup:
		list := make([]slog.Attr, len(v.Group()))
		for i, member := range v.Group() {
			list[i] = h.attr(member)
		}
		a.Value = slog.GroupValue(list...)
	case slog.KindString, slog.KindAny:
		a.Value = slog.StringValue(h.line(v.String()))
		if a.Key == "stack" { // of our own code, for people to read
			stack := h.secrets.Replace(v.String())
			a.Value = slog.StringValue(stack[:min(len(stack), maxStack)])
		}
	default:
		a.Value = v
	}
	return a
}
