package agenthost

import "fmt"

// jsonScan scans JSON text byte by byte and counts the cost of decoding it: how deep it is
// nested and about how many values it has. It accepts any bytes; its counts mean nothing
// for text that is not JSON. The zero value is ready to use.
type jsonScan struct {
	inString, escaped bool
	depth, deepest    int
	values            int
}

func (s *jsonScan) step(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped, s.inString = c == '\\', c != '"'
	case c == '"':
		s.inString = true
	case c == '{', c == '[':
		s.depth++
		s.values++
		s.deepest = max(s.deepest, s.depth)
	case c == '}', c == ']':
		s.depth--
	case c == ',':
		s.values++
	}
}

const (
	// maxValueDepth is how deep a value may be nested that is decoded whole: a
	// call's arguments, an answer to a question.
	maxValueDepth = 128
	// maxValues is about how many values it may have.
	maxValues = 100_000
)

// checkSize returns an error for JSON text that is nested too deep or has too many
// values to be decoded.
func checkSize(text []byte) error {
	var s jsonScan
	for _, c := range text {
		s.step(c)
	}
	if s.deepest > maxValueDepth {
		return fmt.Errorf("nested deeper than %d levels", maxValueDepth)
	}
	if s.values > maxValues {
		return fmt.Errorf("more than %d values", maxValues)
	}
	return nil
}

// nestedDeeper reports whether JSON text is nested deeper than most levels. It stops
// at the first level that is too deep.
func nestedDeeper(text []byte, most int) bool {
	var s jsonScan
	for _, c := range text {
		if s.step(c); s.depth > most {
			return true
		}
	}
	return false
}
