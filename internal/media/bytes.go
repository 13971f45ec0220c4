package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	_ "image/gif"  // for the size of a picture
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"strings"
)

const (
	// MaxPicture bounds a picture that is shown, in bytes, and maxPixels in what a browser
	// unpacks it to.
	MaxPicture = 4 << 20
	maxPixels  = 50_000_000
	// maxHead is how much of a picture is looked at.
	maxHead = 64 << 10
)

// Size is how many bytes the part's data is, 0 when it is not here.
func (p Part) Size() int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(p.Data, "=")))
}

// Bytes decodes the part's data. ok is false when it is no base64.
func (p Part) Bytes() (data []byte, ok bool) { return decode(p.Data) }

func decode(text string) ([]byte, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(plain.Replace(text), "="))
	return data, err == nil
}

// plain turns the URL's alphabet into the ordinary one and leaves line ends out.
var plain = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "")

// Picture is what the beginning of a picture's bytes says of it.
type Picture struct {
	MIME          string
	Width, Height int // 0 when the beginning does not say
}

// Picture looks at the part's data. ok reports whether it is a picture that a page may
// show: of a type that cannot hold scripts, by its own bytes and not by what is claimed of
// it, and not too large. It decodes the beginning alone.
func (p Part) Picture() (pic Picture, ok bool) {
	if p.Kind != "image" || p.Size() > MaxPicture {
		return pic, false
	}
	text := plain.Replace(p.Data[:min(len(p.Data), base64.StdEncoding.EncodedLen(maxHead))])
	if len(text) < len(p.Data) {
		text = text[:len(text)/4*4]
	}
	head, valid := decode(text)
	if pic.MIME = PictureType(head); !valid || pic.MIME == "" {
		return pic, false
	}
	switch pic.MIME {
	case "image/webp":
		pic.Width, pic.Height = webpSize(head)
	case "image/avif":
	default:
		c, _, err := image.DecodeConfig(bytes.NewReader(head))
		if err != nil && !(pic.MIME == "image/jpeg" && len(head) == maxHead) { // its size may come later
			return pic, false
		}
		pic.Width, pic.Height = c.Width, c.Height
	}
	return pic, pic.Width*pic.Height <= maxPixels
}

// PictureType is the type of a picture that a page may show, by its first bytes; "" for
// anything else.
func PictureType(head []byte) string {
	at := func(from int, s string) bool { return len(head) >= from+len(s) && string(head[from:from+len(s)]) == s }
	switch {
	case at(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case at(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case at(0, "GIF87a"), at(0, "GIF89a"):
		return "image/gif"
	case at(0, "RIFF") && at(8, "WEBP"):
		return "image/webp"
	case at(4, "ftypavif"), at(4, "ftypavis"):
		return "image/avif"
	}
	return ""
}

// webpSize reads the size from the first chunk; 0 when it is not there.
func webpSize(b []byte) (width, height int) {
	if len(b) < 30 {
		return 0, 0
	}
	switch string(b[12:16]) {
	case "VP8X":
		return 1 + (int(b[24]) | int(b[25])<<8 | int(b[26])<<16), 1 + (int(b[27]) | int(b[28])<<8 | int(b[29])<<16)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:])) & 0x3fff, int(binary.LittleEndian.Uint16(b[28:])) & 0x3fff
	}
	return 0, 0
}
