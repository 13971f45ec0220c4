package plaintext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"cairn/internal/plaintext"
)

// kept are texts in which every character is needed.
var kept = map[string]string{
	"ASCII":               "Book pitch 12 (2 nights) & pay €80",
	"family":              "👨\u200d👩\u200d👧\u200d👦",
	"skin tones":          "👩🏽\u200d🚀 🧑🏿\u200d🤝\u200d🧑🏻",
	"rainbow flag":        "🏳️\u200d🌈 🏴\u200d☠️",
	"heart on fire":       "❤️\u200d🔥 ☎︎ ©️",
	"keycaps":             "1️⃣ #️⃣",
	"flags":               "🇩🇪 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
	"Persian":             "می\u200cخواهم کتاب\u200cها را ببینم",
	"Persian digits":      "۲۰\u200cساله ٢٠\u200cسال",
	"Persian, vocalised":  "مِی\u200cخواهَم",
	"Arabic, joined":      "ه\u200d ـه",
	"Hindi":               "क्\u200dष क्\u200cष र्\u200dय",
	"Bengali":             "র\u200d্যাম",
	"Malayalam":           "അവന്\u200d",
	"Sinhala":             "ශ්\u200dරී ලංකා",
	"Khmer":               "ភាសាខ្មែរ",
	"Hebrew":              "בְּרֵאשִׁ֖ית",
	"Tibetan":             "བོད་སྐད",
	"Thai":                "ภาษาไทยที่นี่",
	"Vietnamese":          "Tiếng Việt",
	"decomposed":          "Tie\u0302\u0301ng Vie\u0323\u0302t",
	"ideographic variant": "葛\U000E0100飾区 ≨︀",
	"Arabic number sign":  "\u0600123",
	"lines":               "a\n\tb\n\nc",
	"spaces":              "a b\u00A0c\u3000d\u2009e",
}

func TestNeededCharactersStay(t *testing.T) {
	for name, text := range kept {
		if got := plaintext.Strip(text, 1000); got != text {
			t.Errorf("%s: Strip(%+q) = %+q", name, text, got)
		}
		if got := plaintext.Reveal(text, 1000); got != text {
			t.Errorf("%s: Reveal(%+q) = %+q", name, text, got)
		}
	}
}

func TestHiddenCharacters(t *testing.T) {
	for _, tt := range []struct{ name, text, strip, reveal string }{
		{"override", "pay \u202e08€ to", "pay 08€ to", "pay ⟨U+202E⟩08€ to"},
		{"isolates", "a\u2066b\u2069", "ab", "a⟨U+2066⟩b⟨U+2069⟩"},
		{"marks of direction", "a\u200e\u200f\u061cb", "ab", "a⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩b"},
		{"zero width", "del\u200bete\u2060\ufeff", "delete", "del⟨U+200B⟩ete⟨U+2060⟩⟨U+FEFF⟩"},
		{"Mongolian separator", "a\u180eb", "ab", "a⟨U+180E⟩b"},
		{"joiners in Latin", "ad\u200dmi\u200cn", "admin", "ad⟨U+200D⟩mi⟨U+200C⟩n"},
		{"joiner at the end", "👩\u200d", "👩", "👩⟨U+200D⟩"},
		{"joiners in a row", "👩\u200d\u200d🚀 می\u200c\u200cخو", "👩\u200d🚀 می\u200cخو", "👩⟨U+200D⟩⟨U+200D⟩🚀 می⟨U+200C⟩⟨U+200C⟩خو"},
		{"tags", "ok\U000E0041\U000E0042", "ok", "ok⟨U+E0041⟩⟨U+E0042⟩"},
		{"tags behind a flag", "🏴\U000E0067\U000E0062\U000E007F", "🏴", "🏴⟨U+E0067⟩⟨U+E0062⟩⟨U+E007F⟩"},
		{"many in a row", "a" + strings.Repeat("\u200b", 40) + "b", "ab", "a⟨U+200B⟩⟨U+200B⟩⟨U+200B⟩⟨and 37 more⟩b"},
		{"selectors", "a\ufe0f 😀\ufe0f\ufe0f\U000E0101 1\ufe0f", "a 😀\ufe0f 1", "a⟨U+FE0F⟩ 😀\ufe0f⟨U+FE0F⟩⟨U+E0101⟩ 1⟨U+FE0F⟩"},
		{"controls", "a\x00b\x1b[2Jc\x7f\u009b", "ab[2Jc", "a⟨U+0000⟩b⟨U+001B⟩[2Jc⟨U+007F⟩⟨U+009B⟩"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf", "a\nb\nc\nd\ne\nf"},
		{"blanks", "a\vb\fc\u2800d", "a b c d", "a b c d"},
		{"soft hyphen", "del\u00adete", "delete", "del⟨U+00AD⟩ete"},
		{"annotation", "a\ufff9b\ufffac\ufffb", "abc", "a⟨U+FFF9⟩b⟨U+FFFA⟩c⟨U+FFFB⟩"},
		{"fillers", "\u115f\u1160\u3164\uffa0a", "a", "⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨and 1 more⟩a"},
		{"invisible mathematics", "a\u2061\u2062b\u034f", "ab", "a⟨U+2061⟩⟨U+2062⟩b⟨U+034F⟩"},
		{"marks", "a" + strings.Repeat("\u0301", 1000) + "b", "a" + strings.Repeat("\u0301", 8) + "b", "a" + strings.Repeat("\u0301", 8) + "⟨and 992 more marks⟩b"},
		{"marks with something between", "a" + strings.Repeat("\u0301\u200b", 20), "a" + strings.Repeat("\u0301", 8), ""},
		{"surrogate", "a\xed\xa0\x80b\xffc", "a\uFFFDb\uFFFDc", "a\uFFFDb\uFFFDc"},
		{"noncharacter", "a\U0001FFFEb", "ab", "a⟨U+1FFFE⟩b"},
	} {
		if got := plaintext.Strip(tt.text, 1000); got != tt.strip {
			t.Errorf("%s: Strip is %+q, want %+q", tt.name, got, tt.strip)
		}
		if got := plaintext.Reveal(tt.text, 1000); got != tt.reveal && tt.reveal != "" {
			t.Errorf("%s: Reveal is %+q, want %+q", tt.name, got, tt.reveal)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		" \n two\r\n\u2028words \u200b ": "two words",
		"\u202eevil\x1b[2J":              "evil[2J",
		"123456789":                      "123456789",
		"1234567890":                     "12345678…",
		"12345678\u200b\n":               "12345678",
		"1234567 9012":                   "1234567…",
		"":                               "",
		"\u200b \u3164":                  "",
		"می\u200cخواهم":                  "می\u200cخواهم",
		"1234567👨\u200d👩\u200d👧":         "1234567👨…",
	} {
		limit := 9
		if strings.HasPrefix(text, "12345678\u200b") {
			limit = 8
		}
		if got := plaintext.Line(text, limit); got != want {
			t.Errorf("Line(%+q) = %+q, want %+q", text, got, want)
		}
	}
}

func TestHasControls(t *testing.T) {
	for text, want := range map[string]bool{"a\tb\r\nc\v\f\u0085 é": false, "a\x00": true, "\x1b[0m": true, "\u009b": true, "\x7f": true, "\u202e": false} {
		if plaintext.HasControls(text) != want {
			t.Errorf("HasControls(%+q) is %t", text, !want)
		}
	}
}

// TestWorkIsBounded: what is over the limit is not read.
func TestWorkIsBounded(t *testing.T) {
	for _, unit := range []string{"é", "\u202e", "a\u0301", "👩\u200d🚀", "\xff ", "می\u200c"} {
		text := strings.Repeat(unit, 1<<14)
		allocated := testing.AllocsPerRun(1, func() {
			for _, f := range all {
				f(text, 50)
			}
		})
		if allocated > 100 {
			t.Errorf("%+q: %.0f allocations", unit, allocated)
		}
	}
}

var all = map[string]func(string, int) string{"Reveal": plaintext.Reveal, "Strip": plaintext.Strip, "Line": plaintext.Line}

func FuzzPlaintext(f *testing.F) {
	for _, text := range kept {
		f.Add(text, 12)
	}
	f.Add("a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u200d\u0301", 9)
	f.Add("0\u98fe+\ufe00", 200)
	f.Add("1\ufe0f\u20e3\ufe0f\u200d⟨U+202E⟩\u202e\u202e\u202e\u202e\u202e", 30)
	f.Add("\xff\xfe\u200b\xff \r\r\n\u2028", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit &= 0xff
		for name, rewrite := range all {
			got := rewrite(text, limit)
			if !utf8.ValidString(got) || utf8.RuneCountInString(got) > limit {
				t.Fatalf("%s(%+q, %d): %d characters, %+q", name, text, limit, utf8.RuneCountInString(got), got)
			}
			if again := rewrite(got, limit); again != got {
				t.Fatalf("%s(%+q, %d): %+q, again %+q", name, text, limit, got, again)
			}
			checkNothingHidden(t, name, got)
			if name == "Line" && (strings.ContainsAny(got, "\t\n\u2028") || strings.TrimSpace(got) != got) {
				t.Fatalf("%+q is no line", got)
			}
		}
	})
}

// checkNothingHidden uses tables of its own: a character without a picture stands only
// behind one that is no ASCII, and never behind another.
func checkNothingHidden(t *testing.T, name, text string) {
	t.Helper()
	var last rune
	row, tags := 0, 0
	for _, r := range text {
		selector := r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180F && r != 0x180E
		joiner := r == 0x200C || r == 0x200D
		if r >= 0xE0020 && r <= 0xE007F {
			if tags++; tags > 6 {
				t.Fatalf("%s: tags in %+q", name, text)
			}
		} else if tags = 0; unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !joiner && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			t.Fatalf("%s: %U in %+q", name, r, text)
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Fatalf("%s: %U in %+q", name, r, text)
		}
		if keycap := r == 0xFE0F && strings.ContainsRune("0123456789#*", last); (selector || joiner) && last < 0x80 && !keycap {
			t.Fatalf("%s: %U behind %U in %+q", name, r, last, text)
		}
		if row++; !selector && !unicode.Is(unicode.M, r) {
			row = 0
		}
		if row > 10 {
			t.Fatalf("%s: a row of marks in %+q", name, text)
		}
		last = r
	}
}

func BenchmarkStrip(b *testing.B) {
	for name, unit := range map[string]string{"ASCII": "a", "Latin": "é", "emoji": "👩\u200d🚀", "hidden": "\u200b"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				plaintext.Strip(text, len(text))
			}
		})
	}
}
