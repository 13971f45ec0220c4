// Package mask takes secrets out of text that is printed: log lines, errors, and what
// a command says on the terminal. It also bounds that text, because most of it quotes
// a peer that may send anything.
//
// A secret is found as it is, percent-encoded, as a JSON or Go string, with HTML
// entities, in base64 and in hexadecimal, also where these are nested up to three
// deep. It is not found when it is transformed in another way.
package mask

import (
	"slices"
	"sync/atomic"
)

const (
	// Placeholder replaces a secret.
	Placeholder = "[secret]"
	// minSecret is the length, in bytes, from which secrets are masked. Masking a
	// shorter one would replace parts of ordinary words.
	minSecret = 6
	// headBytes is how much of a secret must be seen before a cut for the rest to be
	// taken for the secret too.
	headBytes = 8
	// expansion is how many bytes of text one byte of a secret becomes at most in the
	// encodings that are looked for, such as \\u0041 or &#x41; in JSON.
	expansion = 10
)

// Set is a set of secrets. The zero value and nil hold none. A Set is safe for
// concurrent use.
type Set struct {
	forms atomic.Pointer[[]form]
}

// Add adds secrets. Those shorter than six bytes are ignored.
func (s *Set) Add(secrets ...string) {
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		for {
			old := s.forms.Load()
			var all []form
			if old != nil {
				all = slices.Clone(*old)
			}
			for _, f := range formsOf(secret) {
				if !slices.ContainsFunc(all, func(g form) bool { return g.text == f.text }) {
					all = append(all, f)
				}
			}
			if s.forms.CompareAndSwap(old, &all) {
				break
			}
		}
	}
}

func (s *Set) all() []form {
	if s == nil {
		return nil
	}
	if p := s.forms.Load(); p != nil {
		return *p
	}
	return nil
}

// String hides the secrets.
func (*Set) String() string { return Placeholder }

// GoString hides the secrets.
func (*Set) GoString() string { return Placeholder }

// Window returns how many bytes of a text [Set.Text] reads to return limit bytes. A
// caller that has only the beginning of a text needs no more of it.
func (s *Set) Window(limit int) int {
	longest := 0
	for _, f := range s.all() {
		longest = max(longest, len(f.text))
	}
	return limit + expansion*longest
}

// Mask returns text with each secret replaced by [Placeholder]. It reads all of text;
// use [Set.Text] for a text of unknown length.
func (s *Set) Mask(text string) string { return s.mask(text, len(text)) }

// mask returns the first end bytes of text without secrets. A secret that begins
// before end is replaced also where it ends after it.
func (s *Set) mask(text string, end int) string {
	found := find(text, s.all())
	if len(found) == 0 {
		return text[:end]
	}
	out, from := make([]byte, 0, end), 0
	for _, r := range found {
		if r.from >= end {
			break
		}
		out = append(append(out, text[from:r.from]...), Placeholder...)
		from = r.to
	}
	return string(append(out, text[min(from, end):end]...))
}
