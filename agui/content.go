package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"cairn/internal/jsontext"
)

// Content is what a message or a tool result carries: text, or an array of
// content parts, or (for activities) an object. The zero value is absent.
type Content struct {
	// Raw is the JSON value; nil is absent.
	Raw json.RawMessage
}

// PartType is the discriminator of a content part.
type PartType string

const (
	PartText     PartType = "text"
	PartImage    PartType = "image"
	PartAudio    PartType = "audio"
	PartVideo    PartType = "video"
	PartDocument PartType = "document"
)

// ContentPart is one part of content (protocol section 2.3).
type ContentPart struct {
	Type PartType
	ID   string
	// Text belongs to a text part.
	Text string
	// Source belongs to the other types, and is never nil there.
	Source *Source
	// Metadata is any JSON value but null.
	Metadata json.RawMessage
}

// SourceType is the discriminator of a source.
type SourceType string

const (
	SourceData SourceType = "data" // Value is base64
	SourceURL  SourceType = "url"
	SourceFile SourceType = "file" // Value is a provider's handle: never fetch or parse it
)

// Source is where the bytes of a part are.
type Source struct {
	Type  SourceType `json:"type"`
	Value string     `json:"value"`
	// MimeType is required for data.
	MimeType string `json:"mimeType,omitempty"`
	// Provider belongs to a file.
	Provider string `json:"provider,omitempty"`
}

// TextContent makes string content. Bytes that are not UTF-8 become U+FFFD.
func TextContent(s string) Content {
	raw, _ := jsontext.Marshal(s) // a string always encodes
	return Content{Raw: raw}
}

// PartsContent makes content of parts. A part that 1.0 does not allow is an error.
func PartsContent(parts ...ContentPart) (Content, error) {
	all := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		raw, err := p.MarshalJSON()
		if err != nil {
			return Content{}, fmt.Errorf("[%d]: %w", i, err)
		}
		all[i] = raw
	}
	raw, err := jsontext.Marshal(all)
	return Content{Raw: raw}, err
}

// IsZero reports absent content; encoding/json's omitzero relies on it.
func (c Content) IsZero() bool { return c.Raw == nil }

// Text returns the content as text: the string itself, or the text parts of an
// array joined; "" for anything else.
func (c Content) Text() string {
	if text, ok := verbatim(c.Raw); ok {
		return text
	}
	var b strings.Builder
	parts, _ := c.Parts()
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// verbatim returns what a JSON string says when that is what stands between its quotes,
// as for most messages.
func verbatim(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return "", false
		}
	}
	return string(inner), true
}

// Parts returns the content as parts; string content is one text part. A part or a
// source of a type this package does not know, or without what it needs, is left
// out and reported, with the path "[index]". The retired binary parts come as
// what they are now.
func (c Content) Parts() ([]ContentPart, []Diagnostic) {
	raw := bytes.TrimLeft(c.Raw, " \t\r\n")
	if len(raw) == 0 {
		return nil, nil
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return []ContentPart{{Type: PartText, Text: s}}, nil
		}
	case '[':
		var all []json.RawMessage
		if !json.Valid(raw) {
			return nil, nil
		}
		if err := unmarshal(raw, &all); err != nil {
			return nil, []Diagnostic{{What: err.Error() + "; left out"}}
		}
		return readParts(all)
	}
	return nil, nil
}

func readParts(all []json.RawMessage) (parts []ContentPart, left []Diagnostic) {
	type twin struct {
		PartType
		Source
	}
	var retired []bool
	modern := map[twin]bool{}
	for i, raw := range all {
		p, old, err := readPart(raw)
		if err != nil {
			left = append(left, Diagnostic{Path: fmt.Sprintf("[%d]", i), What: err.Error() + "; left out"})
			continue
		}
		parts, retired = append(parts, p), append(retired, old)
		if !old && p.Source != nil {
			modern[twin{p.Type, *p.Source}] = true
		}
	}
	// Producers that serve old and new consumers send a binary part beside its
	// modern twin.
	kept := parts[:0]
	for i, p := range parts {
		if !retired[i] || !modern[twin{p.Type, *p.Source}] {
			kept = append(kept, p)
		}
	}
	return kept, left
}

// wirePart is a part of any type as it is written, retired binary included.
type wirePart struct {
	Type     PartType        `json:"type"`
	ID       string          `json:"id,omitempty"`
	Text     *string         `json:"text,omitempty"`
	Source   *Source         `json:"source,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`

	MimeType string `json:"mimeType,omitempty"`
	Data     string `json:"data,omitempty"`
	URL      string `json:"url,omitempty"`
	Filename string `json:"filename,omitempty"`
}

func readPart(raw json.RawMessage) (p ContentPart, retired bool, err error) {
	var w wirePart
	if kind(raw) != '{' {
		return p, false, errors.New("not a content part")
	}
	if err := unmarshal(raw, &w); err != nil {
		return p, false, err
	}
	if string(w.Metadata) == "null" {
		w.Metadata = nil
	}
	p = ContentPart{Type: w.Type, ID: w.ID, Source: w.Source, Metadata: w.Metadata}
	if w.Text != nil && w.Type == PartText {
		p.Text = *w.Text
	}
	if w.Type == "binary" {
		if p, err = w.modern(); err != nil {
			return p, true, err
		}
		return p, true, p.validate()
	}
	if w.Type == PartText && w.Text == nil {
		return p, false, errors.New("text part without text")
	}
	if w.Type == PartText {
		p.Source = nil
	}
	return p, false, p.validate()
}

// modern is what a binary part has become: data is preferred to a URL, and the
// file name is metadata.
func (w wirePart) modern() (ContentPart, error) {
	p := ContentPart{Type: PartDocument, ID: w.ID}
	for _, t := range []PartType{PartImage, PartAudio, PartVideo} {
		if strings.HasPrefix(w.MimeType, string(t)+"/") {
			p.Type = t
		}
	}
	switch {
	case w.Data != "":
		p.Source = &Source{Type: SourceData, Value: w.Data, MimeType: w.MimeType}
	case w.URL != "":
		p.Source = &Source{Type: SourceURL, Value: w.URL, MimeType: w.MimeType}
	default:
		return p, errors.New("binary part with neither data nor url")
	}
	if w.Filename != "" {
		p.Metadata, _ = jsontext.Marshal(map[string]string{"filename": w.Filename}) // strings always encode
	}
	return p, nil
}

func (p ContentPart) validate() error {
	if string(p.Metadata) == "null" {
		return errors.New("metadata is null")
	}
	switch p.Type {
	case PartText:
		if p.Source != nil {
			return errors.New("text part with a source")
		}
	case PartImage, PartAudio, PartVideo, PartDocument:
		if p.Source == nil {
			return fmt.Errorf("%s part without a source", p.Type)
		}
		switch s := p.Source; s.Type {
		case SourceData:
			if s.MimeType == "" {
				return errors.New("data source without a mimeType")
			}
		case SourceURL, SourceFile:
		default:
			return fmt.Errorf("source of unknown type %s", quote(string(s.Type)))
		}
	default:
		return fmt.Errorf("part of unknown type %s", quote(string(p.Type)))
	}
	return nil
}

// MarshalJSON writes the part, if 1.0 allows it.
func (p ContentPart) MarshalJSON() ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	w := wirePart{Type: p.Type, ID: p.ID, Source: p.Source, Metadata: p.Metadata}
	if p.Type == PartText {
		w.Text = &p.Text
	}
	return write(w)
}

// MarshalJSON writes the value as it was read.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Raw == nil {
		return nil, errors.New("absent content")
	}
	return c.Raw, nil
}

// UnmarshalJSON keeps the value; null is absent.
func (c *Content) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		c.Raw = nil
		return nil
	}
	c.Raw = append(json.RawMessage(nil), b...)
	return nil
}
