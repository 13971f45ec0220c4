package media

import (
	"path"
	"strings"
)

// endings are those of files that are often sent, by their type.
var endings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif", "image/svg+xml": ".svg",
	"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/ogg": ".ogg", "audio/mp4": ".m4a", "video/mp4": ".mp4", "video/webm": ".webm",
	"application/pdf": ".pdf", "application/json": ".json", "application/zip": ".zip", "text/plain": ".txt", "text/csv": ".csv", "text/markdown": ".md",
}

// FileName names a file for the part: its own name, without what is not a letter of
// ASCII, a digit or one of "-_.", or its kind.
func (p Part) FileName() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, path.Base(strings.ReplaceAll(p.Name, `\`, "/")))
	name = strings.Trim(name, ".-")
	if len(name) > 80 {
		name = name[len(name)-80:]
	}
	kind, _, _ := strings.Cut(strings.ToLower(p.MIME), ";")
	if name == "" {
		name = "file"
		if p.Known {
			name = p.Kind
		}
	}
	if path.Ext(name) == "" {
		if ending := endings[strings.TrimSpace(kind)]; ending != "" {
			return name + ending
		}
		return name + ".bin"
	}
	return name
}
