package agui

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Diagnostic is something in an event that was left out, or read otherwise than
// 1.0 says, without the event being refused.
type Diagnostic struct {
	// Path is where, such as messages[3].role; empty is the event itself.
	Path string
	What string
}

// maxDiagnostics bounds what one event may have reported; the last says so.
const maxDiagnostics = 32

func (d Diagnostic) String() string {
	if d.Path == "" {
		return d.What
	}
	return d.Path + ": " + d.What
}

// reporter collects diagnostics. A nil one ignores them.
type reporter struct{ found []Diagnostic }

func (r *reporter) report(path, format string, args ...any) {
	switch {
	case r == nil || len(r.found) > maxDiagnostics:
	case len(r.found) == maxDiagnostics:
		r.found = append(r.found, Diagnostic{What: "and more"})
	default:
		r.found = append(r.found, Diagnostic{Path: path, What: fmt.Sprintf(format, args...)})
	}
}

// quote shows a name the agent chose, bounded.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
