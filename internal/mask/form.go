package mask

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
)

// form is one spelling of a secret.
type form struct {
	text string
	// before and after are how many more characters of base64 around the text hold
	// bits of the secret.
	before, after int
}

// formsOf returns the spellings of a secret that [decode] does not undo.
func formsOf(secret string) []form {
	forms := []form{{text: secret}, {text: url.QueryEscape(secret)}}
	// Text is decoded as a whole, so a secret that looks encoded is decoded with it.
	for v, more := decode(view{text: secret}); more; v, more = decode(v) {
		forms = append(forms, form{text: v.text})
	}
	forms = append(forms, form{text: hex.EncodeToString([]byte(secret))}, form{text: strings.ToUpper(hex.EncodeToString([]byte(secret)))})
	for lead := range 3 {
		f := base64Of(secret, lead)
		url := f
		url.text = strings.NewReplacer("+", "-", "/", "_").Replace(f.text)
		forms = append(forms, f, url)
	}
	slices.SortFunc(forms, func(a, b form) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(forms, func(a, b form) bool { return a.text == b.text })
}

// base64Of returns the part of the secret's base64 that is the same whatever surrounds
// the secret, when lead bytes (modulo 3) are encoded before it.
func base64Of(secret string, lead int) form {
	encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, lead), secret...))
	from, to := (lead*8+5)/6, (lead+len(secret))*8/6
	f := form{text: encoded[from:to]}
	if lead > 0 {
		f.before = 1
	}
	if (lead+len(secret))*8%6 != 0 {
		f.after = 1
	}
	return f
}

func isBase64(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || strings.IndexByte("+/-_", b) >= 0
}
