package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// pixel is a PNG picture.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func said(l List) string {
	var b strings.Builder
	for _, p := range l.Parts {
		fmt.Fprintf(&b, "%s|%s|%s|%d|%s|%s;", p.Kind, p.MIME, p.Name, p.Size(), p.URL, p.Provider)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`[{"type":"text","text":"a"},{"type":"image","source":{"type":"data","value":"AAAA","mimeType":"image/png"}}]`, "text|||0||;image|image/png||3||;"},
		{`[{"type":"image","source":{"type":"url","value":"https://x.test/dir/a.png","mimeType":"image/png"}}]`, "image|image/png|a.png|0|https://x.test/dir/a.png|;"},
		{`[{"type":"document","source":{"type":"file","value":"file-abc","provider":"openai","mimeType":"application/pdf"}}]`, "document|application/pdf||0||openai;"},
		{`[{"type":"document","source":{"type":"file","value":"https://x.test/never"}}]`, "document|||0||its provider;"},
		{`[{"type":"hologram","source":{"type":"data","value":"AAAA","mimeType":"x/y"}}]`, "hologram|x/y||3||;"},
		{`[{"type":"binary","mimeType":"image/jpeg","data":"AAAA","filename":"b.jpg"}]`, "image|image/jpeg|b.jpg|3||;"},
		{`[{"type":"binary","mimeType":"application/pdf","id":"f1"}]`, "document|application/pdf||0||;"},
		{`[{"type":"audio","source":{"type":"data","value":"AAA=","mimeType":"audio/mpeg"},"metadata":{"filename":"c.mp3"}}]`, "audio|audio/mpeg|c.mp3|2||;"},
		{`[{"type":"image","source":{"type":"url","value":"data:image/gif;base64,AAAA"}}]`, "image|image/gif||3||;"},
		{`[{"type":"image","source":{"type":"data","value":"data:image/gif;base64,AAAA","mimeType":"image/png"}}]`, "image|image/gif||3||;"},
		{`[{"type":"image","source":{"type":"url","value":"javascript:alert(1)"}},{"type":"image","source":{"type":"url","value":"file:///etc/passwd"}}]`, "image|||0||;image|||0||;"},
		{`[{"type":"image","source":{"type":"url","value":"https://me:secret@x.test/a"}}]`, "image||a|0|https://x.test/a|;"},
		{`[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]`, "image|image/png||3||;image|image/png||3||;image|image/png||3||;"},
		{`[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"file","mediaType":"text/csv","data":"AAAA"}]`, "image|image/png||3||;document|text/csv||3||;"},
		{`[{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"AAAA"}},{"type":"resource_link","uri":"https://x.test/r","name":"r"}]`, "image|image/png||3||;document||r|0|https://x.test/r|;"},
		{`[{"type":"resource","resource":{"uri":"file:///a","text":"words"}}]`, "text|||0||;"},
		{`["words",7,null,{"source":7,"type":"image"},{}]`, "|||0||;|||0||;|||0||;image|||0||;|||0||;"},
		{`[{"type":"image","source":`, ""},
		{`"text"`, ""}, {`{}`, ""}, {``, ""}, {`[]`, ""},
	} {
		if got := said(Read(json.RawMessage(c.raw))); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.raw, got, c.want)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	many := "[" + strings.Repeat(`{"type":"text","text":"x"},`, 100_000) + "{}]"
	if l := Read(json.RawMessage(many)); len(l.Parts) != MaxParts || !l.More {
		t.Errorf("%d parts, more %v", len(l.Parts), l.More)
	}
	if l := Read(json.RawMessage(`[{"type":"text","text":"` + strings.Repeat("x", MaxContent) + `"}]`)); len(l.Parts) != 0 {
		t.Error("too large, and read")
	}
}

func TestTextIsPutTogether(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"type":"text","text":"before"},{"type":"hologram"},{"type":"text","text":"after"}]`: "before\nafter",
		`[{"type":"text","text":"be"},{"type":"text","text":"fore"},{"type":"image"}]`:         "before",
		`[{"type":"image"},{"type":"text","text":"after"}]`:                                    "after",
	} {
		if got := Read(json.RawMessage(raw)).Text(); got != want {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

// TestReadText: only what is a list of parts beyond doubt is taken for one.
func TestReadText(t *testing.T) {
	picture := `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`
	for text, want := range map[string]bool{
		`{"content":[{"type":"text","text":"a"},` + picture + `]}`: true,
		`[` + picture + `]`: true,
		picture:             true,
		`{"isError":true,"content":[` + picture + `]}`:          true,
		`[{"type":"image","url":"https://x.test/a.png"}]`:       true,
		`{"content":[{"type":"text","text":"a"}]}`:              false,
		`[{"type":"image"}]`:                                    false,
		`[{"type":"dog","data":"rex"},` + picture + `]`:         false,
		`[1,` + picture + `]`:                                   false,
		`{"type":"error"}`:                                      false,
		`{"content":"a","type":"text","text":"image"}`:          false,
		`{"kind":"image","data":"AAAA"}`:                        false,
		`words of type and data`:                                false,
		`{"type":"image","data":`:                               false,
		``:                                                      false,
		`{"content":[{"type":"image","data":7}],"type":"file"}`: false,
	} {
		quoted, _ := json.Marshal(text)
		for _, said := range []string{text, string(quoted), " " + text} {
			if _, ok := ReadText(said); ok != want {
				t.Errorf("%.90s: %v, want %v", said, ok, want)
			}
		}
	}
}

// TestPicture: a page shows what is by its own bytes a picture without scripts.
func TestPicture(t *testing.T) {
	small := image.NewGray(image.Rect(0, 0, 3, 2))
	encoded := func(write func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	of := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	asPNG := encoded(func(b *bytes.Buffer) error { return png.Encode(b, small) })
	head, _ := base64.StdEncoding.DecodeString(asPNG)
	bomb := bytes.Clone(head) // 60,000 by 60,000 pixels, by its header
	copy(bomb[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	for name, c := range map[string]struct {
		data, mime, size string
	}{
		"png":         {asPNG, "image/png", "3x2"},
		"jpeg":        {encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, small, nil) }), "image/jpeg", "3x2"},
		"gif":         {encoded(func(b *bytes.Buffer) error { return gif.Encode(b, small, nil) }), "image/gif", "3x2"},
		"webp":        {of("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x02\x40\x00\x00\x07\x10\x11\x11\x11\x88\x08"), "image/webp", "3x2"},
		"avif":        {of("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00"), "image/avif", "0x0"},
		"line ends":   {pixel[:40] + "\r\n" + pixel[40:], "image/png", "1x1"},
		"no padding":  {strings.TrimRight(pixel, "="), "image/png", "1x1"},
		"URL letters": {strings.NewReplacer("+", "-", "/", "_").Replace(pixel), "image/png", "1x1"},
		"svg":         {of(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "", ""},
		"html":        {of("<html><script>alert(1)</script>"), "", ""},
		"bomb":        {base64.StdEncoding.EncodeToString(bomb), "", ""},
		"too large":   {pixel[:len(pixel)-4] + strings.Repeat("AAAA", MaxPicture/3), "", ""},
		"no base64":   {"iVBORw0KGgo!!!!", "", ""},
		"empty":       {"", "", ""},
	} {
		pic, ok := Part{Kind: "image", MIME: "image/png", Data: c.data}.Picture()
		if ok != (c.mime != "") || ok && (pic.MIME != c.mime || fmt.Sprintf("%dx%d", pic.Width, pic.Height) != c.size) {
			t.Errorf("%s: %+v %v", name, pic, ok)
		}
	}
	if _, ok := (Part{Kind: "document", Data: pixel}).Picture(); ok {
		t.Error("a document is shown as a picture")
	}
}

func TestFileName(t *testing.T) {
	for want, p := range map[string]Part{
		"report.pdf":  {Name: "report.pdf"},
		"passwd.bin":  {Name: "../../etc/passwd"},
		"ab.html":     {Name: "a\"\r\nb.html"},
		"image.png":   {Kind: "image", Known: true, MIME: "image/png"},
		"audio.mp3":   {Kind: "audio", Known: true, MIME: "Audio/MPEG; x=1"},
		"file.bin":    {Kind: "hologram", MIME: "x/y"},
		"c.exe":       {Name: `C:\dir\c.exe`},
		"notes.txt":   {Name: "notes", MIME: "text/plain"},
		"my-plan.csv": {Name: "my plan.csv"},
	} {
		if got := p.FileName(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
