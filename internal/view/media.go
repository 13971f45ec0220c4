package view

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"cairn/agentclient/conversation"
	"cairn/components"
	"cairn/internal/media"
	"cairn/internal/plaintext"
)

// maxPictures bounds the pictures that one card shows; the others can be downloaded.
const maxPictures = 8

// attached is what a card shows of content that is more than text. It is read once.
type attached struct {
	raw    []byte // the content that it was read from
	result string // or the text
	text   string
	list   []components.Medium
	more   bool
}

// attached returns what an entry has besides text, nil for nothing.
func (v *view) attached(e *conversation.Entry) *attached {
	raw, result := contentOf(e)
	if len(raw) == 0 && result == "" {
		return nil
	}
	if known := v.media[e.Key]; known != nil && same(known.raw, raw) && known.result == result { // quick: they share memory
		return known.orNil()
	}
	l, ok := parts(raw, result)
	a := &attached{raw: raw, result: result}
	if ok {
		a.text, a.more = l.Text(), l.More
		a.list = v.mediaOf(e, l.Others())
	}
	v.media[e.Key] = a
	return a.orNil()
}

// orNil is nil for content that is text alone.
func (a *attached) orNil() *attached {
	if len(a.list) == 0 {
		return nil
	}
	return a
}

// same reports whether two contents are one: they are never changed in place.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// contentOf is what the parts of an entry are read from: an array of parts, or text.
func contentOf(e *conversation.Entry) (raw []byte, result string) {
	switch {
	case e.Message != nil:
		return e.Message.Parts.Raw, ""
	case e.ToolCall == nil || !e.ToolCall.HasResult:
		return nil, ""
	case e.ToolCall.ResultParts.IsZero():
		return nil, e.ToolCall.Result
	}
	return e.ToolCall.ResultParts.Raw, ""
}

// parts reads the parts of what contentOf returns; ok is false when it is to be shown as
// text.
func parts(raw []byte, result string) (l media.List, ok bool) {
	if raw == nil {
		return media.ReadText(result)
	}
	l = media.Read(raw)
	return l, len(l.Parts) > 0
}

func (v *view) mediaOf(e *conversation.Entry, parts []media.Part) []components.Medium {
	var all []components.Medium
	pictures := 0
	for i, p := range parts {
		m := components.Medium{Kind: kindOf(p), Label: kindOf(p), Name: plaintext.Reveal(p.Name, maxName)}
		if n := p.Size(); n > 0 {
			m.Label += ", " + components.Size(n)
			m.Download = v.hub.urls.Media(v.threadID, partName(e.Key, strconv.Itoa(i))) + "?download=1"
		}
		switch pic, ok := p.Picture(); {
		case ok && pictures < maxPictures:
			pictures++
			m.Picture = v.hub.urls.Media(v.threadID, partName(e.Key, strconv.Itoa(i)))
			m.Width, m.Height, m.Alt = pic.Width, pic.Height, altOf(e, m.Name)
		case p.Data != "":
		case p.URL != "":
			if u, err := url.Parse(p.URL); err == nil {
				m.Link, m.Host = p.URL, plaintext.Reveal(u.Host, maxName)
			}
			m.Note = "It is not loaded from there until you open it."
		case p.Provider != "":
			m.Note = "Kept by " + plaintext.Reveal(p.Provider, maxName) + "; it cannot be shown here."
		default:
			m.Note = "This page cannot show it."
		}
		all = append(all, m)
	}
	return all
}

// kindOf names a part in a word.
func kindOf(p media.Part) string {
	if p.Known {
		return p.Kind
	}
	if p.Kind == "" {
		return "a part without a type"
	}
	return plaintext.Reveal(p.Kind, maxName)
}

// altOf describes a picture by where it came from.
func altOf(e *conversation.Entry, name string) string {
	alt := "image"
	if name != "" {
		alt = "image " + name
	}
	switch {
	case e.ToolCall != nil && e.ToolCall.Name != "":
		return alt + " from " + plaintext.Reveal(e.ToolCall.Name, maxName)
	case e.ToolCall != nil:
		return alt + " from a tool"
	case e.Message != nil && e.Message.Role == "user":
		return alt + " from you"
	}
	return alt + " from the agent"
}

// Media is the data of a part of the conversation.
type Media struct {
	Data []byte
	// Type is the picture's, "" when it is no picture that a page may show.
	Type string
	// Name is for a file: letters, digits and a few signs.
	Name string
}

// ErrNoMedia is returned for data that is not in the conversation, or is no base64.
var ErrNoMedia = errors.New("there is no such file in the conversation")

// Media returns the data of a part that the page names KEY-N. The error is [ErrNoMedia]
// or the log's.
func (h *Hub) Media(ctx context.Context, threadID, part string) (m Media, err error) {
	key, at, _ := strings.Cut(part, "-")
	n, err := strconv.Atoi(key)
	i, notNumber := strconv.Atoi(at)
	if err != nil || notNumber != nil {
		return m, ErrNoMedia
	}
	var raw []byte
	var result string
	err = h.ask(ctx, threadID, func(v *view) error {
		if e := v.thread.Conversation.Entry(n); v.plain == nil && e != nil {
			raw, result = contentOf(e)
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	l, ok := parts(raw, result) // not in the view's goroutine: it may take a moment
	others := l.Others()
	if !ok || i < 0 || i >= len(others) || others[i].Data == "" {
		return m, ErrNoMedia
	}
	if m.Data, ok = others[i].Bytes(); !ok {
		return m, ErrNoMedia
	}
	if pic, ok := others[i].Picture(); ok {
		m.Type = pic.MIME
	}
	m.Name = others[i].FileName()
	return m, nil
}
