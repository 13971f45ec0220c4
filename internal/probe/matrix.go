package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// lineWidth is where the text of a matrix is broken.
const lineWidth = 110

// WriteText writes the matrix for a terminal. What the agent said stands in
// quotes, with everything that could move the cursor escaped.
func (m Matrix) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, scenario %s, %s\n", printable(m.Path), m.Scenario, m.Date.Format("2006-01-02 15:04:05Z"))
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		fmt.Fprintf(&b, "  %s %s\n", printable(name), printable(m.Versions[name]))
	}
	fmt.Fprintf(&b, "%d of %d planned requests sent; [07] is transcript 7\n\n", m.Sent, m.Planned)
	const row = "%-12s %-11s %-16s %s\n"
	fmt.Fprintf(&b, row, "surface", "status", "cause of gap", "evidence")
	for _, s := range m.Surfaces {
		cause := string(s.Cause)
		if s.Cause == CauseNone {
			cause = "-"
		}
		lines := wrap(printable(s.Detail), lineWidth-42)
		fmt.Fprintf(&b, row, s.Name, s.Status, cause, lines[0])
		for _, more := range lines[1:] {
			fmt.Fprintf(&b, "%42s%s\n", "", more)
		}
	}
	for _, s := range m.Surfaces {
		if len(s.Facts) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", s.Name)
		for _, f := range s.Facts {
			lines := wrap(printable(f.Value), lineWidth-32)
			fmt.Fprintf(&b, "  %-29s %s\n", f.Name, lines[0])
			for _, more := range lines[1:] {
				fmt.Fprintf(&b, "%32s%s\n", "", more)
			}
		}
	}
	b.WriteString("\n")
	if len(m.Violations) == 0 {
		b.WriteString("no violations of the protocol\n")
	} else {
		fmt.Fprintf(&b, "violations of the protocol: %d\n", len(m.Violations))
	}
	for _, v := range m.Violations {
		fmt.Fprintf(&b, "  [%02d] frame %d, rule %s: %s\n", v.Exchange, v.Frame, v.Rule, printable(v.Text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteJSON writes the matrix as one indented JSON document.
func (m Matrix) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// printable replaces what a terminal would act on.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

var frameRef = regexp.MustCompile(`\[(\d+) frame (\d+)\]`)

// wrap breaks printable text at spaces, but not within "[07 frame 3]"; a word
// longer than the width stays whole.
func wrap(text string, width int) []string {
	const glue = "\x00"
	text = frameRef.ReplaceAllString(text, "[$1"+glue+"frame"+glue+"$2]")
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], glue, " ")
	}
	return lines
}
