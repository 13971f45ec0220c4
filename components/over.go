package components

import "strconv"

// Over is a text that is larger than the page shows, or that the page shows as plain
// text because of what it holds.
type Over struct {
	// Note describes the part that the page shows: "Only the beginning is shown."
	Note string
	// URL is where the whole text is, as plain text; empty when the page shows all of it.
	URL string
	// Bytes is the length of the whole text, 0 when that is not known.
	Bytes int
}

func showAll(o Over) string {
	if o.Bytes == 0 {
		return "Show all"
	}
	return "Show all (" + Size(o.Bytes) + ")"
}

// Size words a number of bytes.
func Size(bytes int) string {
	switch {
	case bytes < 1<<10:
		return strconv.Itoa(bytes) + " bytes"
	case bytes < 1<<20:
		return strconv.Itoa((bytes+1<<9)>>10) + " KB"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) + " MB"
}
