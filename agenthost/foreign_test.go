package agenthost

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                 "plain",
		"a\r\nb\x1b[0m":         `a\r\nb\x1b[0m`,
		"a\u202eb\u200b":        `a\u202eb\u200b`,
		"caf\u00e9":             "caf\u00e9",
		"a\xffb":                `a\ufffdb`,
		strings.Repeat("x", 40): strings.Repeat("x", 29) + "…",
	} {
		if got := oneLine(in, 32); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("a\nb", 10)
	f.Add(strings.Repeat("é", 40), 32)
	f.Add("\x00\x00\x00", 4)
	f.Fuzz(func(t *testing.T, in string, most int) {
		most = 3 + max(0, most)%2000
		got := oneLine(in, most)
		if len(got) > most || strings.ContainsAny(got, "\r\n\x00\x1b") || !utf8.ValidString(got) {
			t.Errorf("%q to %d: %q", in, most, got)
		}
	})
}

func TestMaskingHandler(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(maskingHandler{slog.NewTextHandler(&out, nil), newMasker("hunter22", "")})
	log.With("thread", "my hunter22").WithGroup("g").Error("m", "error", errors.New("no hunter22\nhere"),
		slog.Group("in", "a", "hunter22"), "n", 5, "secret", Secret("hunter22"), "long", strings.Repeat("x", 5000), "stack", strings.Repeat("s\n", 5000))
	got := out.String()
	for _, want := range []string{`thread="my [secret]"`, `g.error="no [secret]\\nhere"`, "g.in.a=[secret]", "g.n=5"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s: %.600s", want, got)
		}
	}
	if strings.Contains(got, "hunter22") || strings.Contains(got, strings.Repeat("x", 1025)) || len(got) > 20_000 || strings.Count(got, "\n") != 1 {
		t.Errorf("%d bytes: %.600s", len(got), got)
	}
}
