package logging_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"cairn/internal/logging"
	"cairn/internal/mask"
)

const secret = "t0psecret/va+lue"

type named []byte

type stringer struct{ text string }

func (s stringer) String() string { return s.text }

type valuer struct{ text string }

func (v valuer) LogValue() slog.Value {
	return slog.GroupValue(slog.String("inner", v.text), slog.Any("err", errors.New(v.text)))
}

type broken struct{}

func (*broken) Error() string { panic("broken") }

// placed are the places of a log line that text can come to.
var placed = map[string]func(l *slog.Logger, text string){
	"message":       func(l *slog.Logger, text string) { l.Info(text) },
	"value":         func(l *slog.Logger, text string) { l.Info("x", "v", text) },
	"key":           func(l *slog.Logger, text string) { l.Info("x", text, 1) },
	"error":         func(l *slog.Logger, text string) { l.Info("x", "err", fmt.Errorf("read: %w", errors.New(text))) },
	"joined errors": func(l *slog.Logger, text string) { l.Info("x", "err", errors.Join(errors.New(text), errors.New(text))) },
	"stringer":      func(l *slog.Logger, text string) { l.Info("x", "v", stringer{text}) },
	"valuer":        func(l *slog.Logger, text string) { l.Info("x", "v", valuer{text}) },
	"group":         func(l *slog.Logger, text string) { l.Info("x", slog.Group("g", slog.Group("h", "v", text))) },
	"group's name":  func(l *slog.Logger, text string) { l.WithGroup(text).Info("x", "v", 1) },
	"with":          func(l *slog.Logger, text string) { l.With("v", text).Info("x") },
	"bytes":         func(l *slog.Logger, text string) { l.Info("x", "v", []byte(text)) },
	"raw message":   func(l *slog.Logger, text string) { l.Info("x", "v", json.RawMessage(text)) },
	"named bytes":   func(l *slog.Logger, text string) { l.Info("x", "v", named(text)) },
	"map":           func(l *slog.Logger, text string) { l.Info("x", "v", map[string]any{text: []string{text}}) },
	"struct":        func(l *slog.Logger, text string) { l.Info("x", "v", struct{ A, B string }{text, text}) },
	"stack":         func(l *slog.Logger, text string) { l.Info("x", "stack", text) },
	"log":           func(l *slog.Logger, text string) { slog.NewLogLogger(l.Handler(), slog.LevelWarn).Print(text) },
}

func lineOf(t *testing.T, log func(l *slog.Logger, text string), text string) string {
	t.Helper()
	var out bytes.Buffer
	secrets := new(mask.Set)
	logger := logging.New(&out, secrets)
	secrets.Add(secret) // also after the logger was made
	log(logger, text)
	return out.String()
}

// TestOneBoundedLine: whatever the text is and wherever it comes to, it is one line of
// at most a kilobyte for each place, without a character that does not print.
func TestOneBoundedLine(t *testing.T) {
	texts := []string{"", "\x1b[2J", "a\r\nb\nc", "\u2028\u2029\u0085", "\u009b31m", "\u202e\u2066\u200b\ufeff", "\x7f", "\x00", "\xff\xfe", "\U000e0041", "\u00ad",
		"v=1\" level=ERROR msg=forged"}
	for place, log := range placed {
		limit := 1 << 10
		if place == "stack" {
			limit = 8 << 10
		}
		for _, text := range texts {
			for _, text := range []string{text, strings.Repeat(text, 100_000), strings.Repeat("x", 900) + text} {
				line := lineOf(t, log, text)
				rest, ended := strings.CutSuffix(line, "\n")
				if !ended || strings.ContainsFunc(rest, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Fatalf("%s: %.200q is logged as %.300q", place, text, line)
				}
				if len(rest) > 2*limit+300 { // two places at most, and the time and level
					t.Errorf("%s: %.20q takes %d bytes", place, text, len(rest))
				}
				if strings.Contains(rest, " level=ERROR msg=forged") && !strings.Contains(rest, `\" level=ERROR msg=forged`) {
					t.Errorf("%s: forged: %.300s", place, rest)
				}
			}
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	quoted, _ := json.Marshal(secret)
	for place, log := range placed {
		for name, text := range map[string]string{
			"plain": secret, "percent": url.QueryEscape(secret), "JSON": string(quoted), "slashes": strings.ReplaceAll(secret, "/", `\/`),
			"base64": base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)), "base64 url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"at the cut": strings.Repeat("x", 990) + secret + strings.Repeat("y", 100_000),
		} {
			line := lineOf(t, log, "bad token "+text)
			left := strings.Contains(line, text)
			for i := 0; i+8 <= len(secret); i++ {
				left = left || strings.Contains(line, secret[i:i+8])
			}
			if left || name != "at the cut" && !strings.Contains(line, mask.Placeholder) {
				t.Errorf("%s, %s: %.300s", place, name, line)
			}
		}
	}
}

func TestLinesAreAsBefore(t *testing.T) {
	var out bytes.Buffer
	l := logging.New(&out, nil)
	l.Debug("not this")
	l.With("a", 1).WithGroup("g").Info("hello there", "n", 2, "ok", true, "text", "two words", "nil", nil, "err", errors.New("no"))
	_, line, _ := strings.Cut(out.String(), " ")
	if want := "level=INFO msg=\"hello there\" a=1 g.n=2 g.ok=true g.text=\"two words\" g.nil=<nil> g.err=no\n"; line != want {
		t.Errorf("got  %swant %s", line, want)
	}
	out.Reset()
	var none *broken
	l.Error("x", "err", none, "stack", "a.go:1\nb.go:2")
	if line := out.String(); !strings.Contains(line, `stack="a.go:1\nb.go:2"`) || !strings.Contains(line, "nil") {
		t.Error(line)
	}
}

// TestCostIsBounded: a text of 64 MB is neither copied nor searched.
func TestCostIsBounded(t *testing.T) {
	huge := strings.Repeat("x", 64<<20)
	secrets := new(mask.Set)
	secrets.Add(secret)
	var out bytes.Buffer
	l := logging.New(&out, secrets)
	for name, v := range map[string]any{"string": huge, "bytes": []byte(huge)} {
		out.Reset()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l.Info("x", "v", v)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, n)
		}
		if !strings.Contains(out.String(), "… (67108864 bytes)") {
			t.Errorf("%s: %.100s", name, out.String())
		}
	}
}
