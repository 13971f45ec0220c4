package script

import "strings"

var markup = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")

// maxBullets is how many of a specialist's bullets are repeated.
const maxBullets = 4

// Bullets reads the lines of a specialist's answer, without their markup.
func Bullets(res Result) []string {
	text := res.Text
	if s, ok := res.Fields["text"].(string); ok {
		text = s
	}
	var parts []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(markup.Replace(strings.TrimLeft(strings.TrimSpace(line), "-*•# ")))
		line = strings.TrimRight(strings.Replace(line, ": ", " ", 1), ".:")
		if line != "" && len(parts) < maxBullets {
			parts = append(parts, line)
		}
	}
	return parts
}
