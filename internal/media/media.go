// Package media reads the parts of a message or a tool result: pictures, sound, files,
// links, and parts of types it does not know, which it names. It fetches nothing, and
// trusts no type that the bytes do not show.
package media

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"
)

// MaxContent bounds content whose parts are read, in bytes, and MaxParts how many are.
const (
	MaxContent = 16 << 20
	MaxParts   = 20
)

// Part is a part of content.
type Part struct {
	// Kind is text, image, audio, video or document; of any other part the type that it
	// came with, "" without one.
	Kind string
	// Known reports whether Kind is one of those five.
	Known bool
	Text  string // of a text part
	// MIME is the type that the sender claims, "" for none.
	MIME string
	// Name is a file name, "" for none; it may hold anything.
	Name string
	// Data is base64, "" when the bytes are not here.
	Data string
	// URL is an http or https address of the bytes, never with a password.
	URL string
	// Provider keeps the bytes, under a handle of its own.
	Provider string
}

// List is what content consists of.
type List struct {
	Parts []Part
	// More is true when there are parts after these.
	More bool
}

// Text is the text of all parts. Text parts with another part between them are on lines
// of their own.
func (l List) Text() string {
	var b strings.Builder
	between := false
	for _, p := range l.Parts {
		if p.Kind != "text" {
			between = b.Len() > 0
			continue
		}
		if between && p.Text != "" {
			b.WriteString("\n")
		}
		b.WriteString(p.Text)
		between = false
	}
	return b.String()
}

// Others are the parts that are no text.
func (l List) Others() (all []Part) {
	for _, p := range l.Parts {
		if p.Kind != "text" {
			all = append(all, p)
		}
	}
	return all
}

// Read reads an array of content parts as the protocol has it. What is no array, or is
// larger than MaxContent, has no parts.
func Read(raw json.RawMessage) List {
	if len(raw) > MaxContent {
		return List{}
	}
	return read(raw)
}

// ReadText reads a tool result that is JSON text: an array of parts, one part, or an
// object with such an array as its content, as MCP has it, perhaps inside a JSON string.
// Other JSON is the tool's own, so ok is true only when each part is of a known type and
// one of them is more than text.
func ReadText(result string) (l List, ok bool) {
	if len(result) > MaxContent || !strings.Contains(result, "type") {
		return List{}, false
	}
	raw := bytes.TrimSpace([]byte(result))
	var inner string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inner) == nil {
		raw = bytes.TrimSpace([]byte(inner))
	}
	if len(raw) == 0 {
		return List{}, false
	}
	switch raw[0] {
	case '[':
		l = read(raw)
	case '{':
		var object struct{ Content json.RawMessage }
		if err := json.Unmarshal(raw, &object); err != nil {
			return List{}, false
		}
		if l = read(object.Content); len(l.Parts) == 0 {
			l.Parts = []Part{readPart(raw)}
		}
	}
	for _, p := range l.Parts {
		if !p.Known {
			return List{}, false
		}
		ok = ok || p.Kind != "text" && (p.Data != "" || p.URL != "" || p.Provider != "")
	}
	return l, ok
}

func read(raw json.RawMessage) (l List) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('[') {
		return List{}
	}
	for dec.More() {
		if len(l.Parts) == MaxParts {
			l.More = true
			return l
		}
		var part json.RawMessage
		if dec.Decode(&part) != nil {
			return l
		}
		l.Parts = append(l.Parts, readPart(part))
	}
	return l
}

// kinds are the types of parts that are in use, "" for one whose kind is in its MIME
// type. Those that the protocol does not have come from tools.
var kinds = map[string]string{
	"text": "text", "input_text": "text", "output_text": "text",
	"image": "image", "image_url": "image", "input_image": "image",
	"audio": "audio", "input_audio": "audio", "video": "video", "document": "document",
	"binary": "", "file": "", "input_file": "", "media": "", "resource": "", "resource_link": "",
}

// wire is a part as it may be written.
type wire struct {
	Type, Text, Data, URL, URI string
	MimeType, MediaType        string
	MimeSnake                  string `json:"mime_type"`
	MediaSnake                 string `json:"media_type"`
	Filename, Name, Title      string
	ImageURL                   json.RawMessage `json:"image_url"`
	InputAudio                 *source         `json:"input_audio"`
	File                       *source
	Source                     *source
	Resource                   *source
	Metadata                   struct{ Filename string }
}

// source is where a part's bytes are.
type source struct {
	Type, Value, Data, Blob, URL, URI, Text, MimeType, Provider, Format, Filename string
	MediaSnake                                                                    string `json:"media_type"`
	FileData                                                                      string `json:"file_data"`
}

func readPart(raw json.RawMessage) Part {
	var w wire
	mismatch := new(json.UnmarshalTypeError) // of a member that is not used then
	if err := json.Unmarshal(raw, &w); err != nil && !errors.As(err, &mismatch) {
		return Part{}
	}
	kind, known := kinds[w.Type]
	p := Part{
		Kind: kind, Known: known, MIME: cmp.Or(w.MimeType, w.MimeSnake, w.MediaType, w.MediaSnake),
		Name: cmp.Or(w.Metadata.Filename, w.Filename, w.Name, w.Title),
	}
	if !known {
		p.Kind = w.Type
	}
	if p.Kind == "text" {
		p.Text = w.Text
		return p
	}
	p.locate(w.Data)
	p.locate(cmp.Or(w.URL, w.URI))
	for _, s := range []*source{w.Source, w.Resource, w.InputAudio, w.File} {
		if s != nil {
			p.from(*s)
		}
	}
	var at struct{ URL string }
	if json.Unmarshal(w.ImageURL, &at.URL) == nil || json.Unmarshal(w.ImageURL, &at) == nil {
		p.locate(at.URL)
	}
	if known && p.Kind == "" {
		p.Kind = "document"
		if major, _, _ := strings.Cut(p.MIME, "/"); major == "image" || major == "audio" || major == "video" {
			p.Kind = major
		}
	}
	if w.Resource != nil && w.Resource.Text != "" && p.Data == "" {
		p.Kind, p.Text = "text", w.Resource.Text
	}
	return p
}

func (p *Part) from(s source) {
	p.MIME = cmp.Or(p.MIME, s.MimeType, s.MediaSnake)
	p.Name = cmp.Or(p.Name, s.Filename)
	if s.Type == "file" || s.Provider != "" { // a handle, never to be fetched or parsed
		p.Provider = cmp.Or(s.Provider, "its provider")
		return
	}
	for _, at := range []string{s.Value, s.Data, s.Blob, s.FileData, s.URL, s.URI} {
		p.locate(at)
	}
	if p.MIME == "" && s.Format != "" && s.Data != "" {
		p.MIME = "audio/" + s.Format
	}
}

// locate takes an address or base64. The first of each counts.
func (p *Part) locate(at string) {
	scheme, rest, isURL := strings.Cut(at[:min(len(at), 4096)], ":")
	switch {
	case at == "":
	case !isURL: // base64 has no colon
		if p.Data == "" {
			p.Data = at
		}
	case strings.EqualFold(scheme, "data"):
		head, _, found := strings.Cut(rest, ",")
		kind, encoded := strings.CutSuffix(head, ";base64")
		if found && encoded && p.Data == "" {
			p.Data = at[len(scheme)+1+len(head)+1:]
			kind, _, _ = strings.Cut(kind, ";")
			p.MIME = cmp.Or(kind, p.MIME)
		}
	case strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"):
		if u, err := url.Parse(at); err == nil && u.Host != "" && len(at) <= 2048 && p.URL == "" {
			u.User = nil
			p.URL = u.String()
			if base := path.Base(u.Path); p.Name == "" && base != "/" && base != "." {
				p.Name = base
			}
		}
	}
}
