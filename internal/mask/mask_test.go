package mask_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"cairn/internal/mask"
)

// spellings are how a secret may come back, by name.
func spellings(secret string) map[string]string {
	b := []byte(secret)
	quoted, _ := json.Marshal(secret)
	twice, _ := json.Marshal(string(quoted))
	percent, unicodes := "", ""
	for _, c := range b {
		percent += fmt.Sprintf("%%%02x", c)
	}
	for _, r := range secret {
		unicodes += fmt.Sprintf(`\u%04x`, r)
	}
	all := map[string]string{
		"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "percent": percent,
		"percent of percent": url.QueryEscape(percent), "JSON": string(quoted), "JSON in JSON": string(twice), "unicodes": unicodes,
		"unicodes in JSON": strings.ReplaceAll(unicodes, `\`, `\\`), "Go": strconv.Quote(secret), "HTML": html.EscapeString(secret),
		"hex": hex.EncodeToString(b), "HEX": strings.ToUpper(hex.EncodeToString(b)),
		"base64 in a query": url.QueryEscape(base64.StdEncoding.EncodeToString(b)), "base64 in JSON": strings.ReplaceAll(base64.StdEncoding.EncodeToString(b), "/", `\/`),
	}
	for lead := range 3 {
		for name, e := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.RawURLEncoding} {
			all[fmt.Sprint("base64 ", name, lead)] = e.EncodeToString([]byte("u:::"[:lead] + secret + "::u"[:lead]))
		}
	}
	if !utf8.ValidString(secret) { // these cannot hold it
		for _, name := range []string{"JSON", "JSON in JSON", "unicodes", "unicodes in JSON"} {
			delete(all, name)
		}
	}
	return all
}

var secrets = []string{"t0psecret-value", `a"b\c%41/?é&<>=d`, "sk-proj-????>>>>" + strings.Repeat("k~", 40), "\x00\xff\xfe binary \x80\x81"}

func TestMaskFindsEverySpelling(t *testing.T) {
	for _, secret := range secrets {
		var s mask.Set
		s.Add(secret)
		for name, spelled := range spellings(secret) {
			got := s.Mask("before " + spelled + " after")
			for again, part := range spellings(secret) {
				if strings.Contains(got, part) {
					t.Errorf("%s left %s: %q", name, again, got)
				}
			}
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, mask.Placeholder) {
				t.Errorf("%s: %q", name, got)
			}
			if rest := len(got) - len("before  after"+mask.Placeholder); rest > len("dT6Og==") {
				t.Errorf("%s: %d bytes are left of it: %q", name, rest, got)
			}
		}
	}
}

// TestMaskFindsACutSecret: others have cut the text before it came here.
func TestMaskFindsACutSecret(t *testing.T) {
	var s mask.Set
	s.Add("t0psecret-value")
	for text, want := range map[string]string{
		"bad t0psecret-":           "bad [secret]",
		"bad t0psecret…":           "bad [secret]…",
		`bad "t0psecret-v"`:        `bad "[secret]"`,
		"bad t0psecre... and more": "bad [secret]... and more",
		"bad t0psecr":              "bad t0psecr", // seven bytes
		"the t0psecret is known":   "the t0psecret is known",
	} {
		if got := s.Mask(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestMaskLeavesTheRest(t *testing.T) {
	var none, nothing *mask.Set = nil, new(mask.Set)
	nothing.Add("", "short")
	for _, s := range []*mask.Set{none, nothing} {
		if got := s.Mask("a short %41 text"); got != "a short %41 text" {
			t.Errorf("%q", got)
		}
	}
	var s mask.Set
	s.Add("t0psecret-value", "another-one")
	if got := s.Mask("t0psecret-valuet0psecret-value, another-one. 100% \\ & so on"); got != "[secret][secret], [secret]. 100% \\ & so on" {
		t.Errorf("%q", got)
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", &s, &s, &s, struct{ S *mask.Set }{&s}); strings.Contains(printed, "t0p") {
		t.Error(printed)
	}
}

func TestTextIsBounded(t *testing.T) {
	var s mask.Set
	s.Add("t0psecret-value")
	const limit = 64
	for _, unit := range []string{"x", "é", "\x1b", "\U000e0041", "\n", `"`, "\xff", "t0psecret-value", `\u0074`} {
		for _, n := range []int{1, 30, 63, 64, 65, 5000} {
			text := strings.Repeat(unit, n)
			got := s.Text(text, limit)
			if quoted := len(strconv.Quote(got)) - 2; quoted > limit {
				t.Errorf("%q × %d takes %d bytes", unit, n, quoted)
			}
			if line := s.Line(text, limit); len(line) > limit || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q × %d: line %q", unit, n, line)
			}
			if utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Errorf("%q × %d is cut within a character", unit, n)
			}
			if len(text) > s.Window(limit) && !strings.HasSuffix(got, fmt.Sprintf("… (%d bytes)", len(text))) {
				t.Errorf("%q × %d does not say its length: %q", unit, n, got)
			}
		}
	}
	if got := s.Text(strings.Repeat("x", limit), limit); got != strings.Repeat("x", limit) {
		t.Errorf("a text that fits is cut: %q", got)
	}
}

// TestTextMasksAtTheCut: wherever the cut falls, in whatever spelling, no eight bytes
// of the secret are left.
func TestTextMasksAtTheCut(t *testing.T) {
	for _, secret := range secrets {
		var s mask.Set
		s.Add(secret)
		for name, spelled := range spellings(secret) {
			for before := range 130 {
				got := s.Text(strings.Repeat(".", before)+spelled+strings.Repeat(".", 2000), 128)
				for i := 0; i+8 <= len(secret); i++ {
					if strings.Contains(got, secret[i:i+8]) {
						t.Fatalf("%s after %d bytes: %q", name, before, got)
					}
				}
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("%74%30 t0psecret-value &#x74; \\u0074", 20)
	f.Add(`\\\\u005c%25255c&amp;#x26;amp;`, 3)
	f.Add("dDBwc2VjcmV0LXZhbHVl…t0psecre", 8)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		var s mask.Set
		s.Add("t0psecret-value", "aaaaaaaaaaaaaaaa")
		masked := s.Mask(text)
		if strings.Contains(masked, "t0psecret-value") {
			t.Errorf("left: %q", masked)
		}
		limit = 32 + (limit & 0x3ff)
		if got := s.Line(text, limit); len(got) > limit || strings.ContainsAny(got, "\r\n\x1b") || !utf8.ValidString(got) {
			t.Errorf("%d bytes of %d: %q", len(got), limit, got)
		}
	})
}

// BenchmarkLongText shows that the cost is that of the limit.
func BenchmarkLongText(b *testing.B) {
	var s mask.Set
	for i := range 8 {
		s.Add(fmt.Sprintf("a-secret-of-%d-bytes-%026d", i, i))
	}
	for _, size := range []int{1 << 10, 256 << 20} {
		text := strings.Repeat(`\u0041`, size/6)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				s.Text(text, 1024)
			}
		})
	}
}
