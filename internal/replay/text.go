package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"cairn/agui"
)

// WriteText writes the report for people, under a name for the capture.
func (r *Report) WriteText(w io.Writer, name string) error {
	p := &printer{bufio.NewWriter(w)}
	p.line(0, "%s: %s in %s, %s", name, plural(r.Events, "event"), r.Format, plural(len(r.Runs), "run"))
	p.entries(0, r.Entries)
	for _, it := range r.Pending {
		p.pending(it)
	}
	heading := "state"
	if r.Diverged {
		heading += " (may differ from the agent's: a STATE_DELTA failed)"
	}
	p.line(0, "")
	p.line(0, "%s", heading)
	p.value(1, string(r.State))
	for _, run := range r.Runs {
		p.run(run)
	}
	p.findings(r)
	return p.w.Flush() // it remembers the first error
}

// printer writes lines; what an agent said goes through [clean] on its way.
type printer struct{ w *bufio.Writer }

// line writes one line at a depth. Strings in args are the agent's or ours.
func (p *printer) line(depth int, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = clean(s)
		}
	}
	text := fmt.Sprintf(format, args...)
	if text != "" {
		p.indent(depth)
	}
	p.w.WriteString(text)
	p.w.WriteByte('\n')
}

func (p *printer) indent(depth int) {
	for range min(depth, maxNesting) {
		p.w.WriteString("  ")
	}
}

// text writes text of several lines.
func (p *printer) text(depth int, s string) {
	for line := range strings.SplitSeq(cleanLines(s), "\n") {
		if line != "" {
			p.indent(depth)
			p.w.WriteString(line)
		}
		p.w.WriteByte('\n')
	}
}

// value writes JSON indented, and anything else as it is.
func (p *printer) value(at int, s string) {
	const deepest = 32 // deeper, the indentation outgrows the value
	if raw := []byte(s); json.Valid(raw) && depth(raw) <= deepest {
		var b bytes.Buffer
		if json.Indent(&b, bytes.TrimSpace(raw), "", "  ") == nil {
			s = b.String()
		}
	}
	p.text(at, s)
}

func (p *printer) entries(depth int, list []Entry) {
	for _, e := range list {
		p.line(0, "")
		switch e.Type {
		case EntryMessage:
			p.message(depth, e)
		case EntryToolCall:
			p.toolCall(depth, e)
		case EntrySubagent:
			p.line(depth, "subagent %s · %s", cmp.Or(e.Name, "without a name"), e.Status)
			if e.Description != "" {
				p.text(depth+1, e.Description)
			}
			if e.Error != "" {
				p.line(depth+1, "error: %s", e.Error)
			}
			p.entries(depth+1, e.Entries)
		}
	}
}

func (p *printer) message(depth int, e Entry) {
	who := string(e.Role)
	if e.Name != "" {
		who += " " + e.Name
	}
	if e.ActivityType != "" {
		who += " " + e.ActivityType
	}
	p.line(depth, "%s · %s", who, e.Status)
	switch {
	case e.Content != nil:
		p.value(depth+1, string(e.Content))
	case e.Text != "":
		p.text(depth+1, e.Text)
	}
	for _, part := range e.Parts {
		p.line(depth+1, "%s", part)
	}
}

func (p *printer) toolCall(depth int, e Entry) {
	p.line(depth, "tool %s · %s", cmp.Or(e.Name, "without a name"), e.Status)
	if e.Arguments != "" {
		p.line(depth+1, "arguments")
		p.value(depth+2, e.Arguments)
	}
	if e.Result != nil {
		p.line(depth+1, "result")
		if *e.Result != "" || e.Parts == nil {
			p.value(depth+2, *e.Result)
		}
		for _, part := range e.Parts {
			p.line(depth+2, "%s", part)
		}
	}
}

func (p *printer) pending(it Pending) {
	p.line(0, "")
	if it.Interrupt == nil {
		p.line(0, "waits for an answer to on_interrupt")
		value := string(it.OnInterrupt)
		var text string
		if json.Unmarshal(it.OnInterrupt, &text) == nil {
			value = text // usually JSON in a JSON string
		}
		p.value(1, value)
		return
	}
	p.line(0, "waits for an answer to interrupt %s", it.Interrupt.ID)
	p.interrupt(*it.Interrupt)
}

func (p *printer) interrupt(it agui.Interrupt) {
	for _, field := range []struct{ name, value string }{
		{"reason", it.Reason}, {"message", it.Message}, {"tool call", it.ToolCallID}, {"subagent", it.SubagentRunID},
		{"expires", it.ExpiresAt},
	} {
		if field.value != "" {
			p.line(1, "%s: %s", field.name, field.value)
		}
	}
	if it.ResponseSchema != nil {
		p.line(1, "answer's schema")
		p.value(2, string(it.ResponseSchema))
	}
	for _, key := range slices.Sorted(maps.Keys(it.Metadata)) {
		p.line(1, "metadata %s", key)
		p.value(2, string(it.Metadata[key]))
	}
}

func (p *printer) run(run Run) {
	p.line(0, "")
	p.line(0, "run %s · %s", run.ID, run.Status)
	if run.Error != nil {
		message := run.Error.Message
		if run.Error.Code != "" {
			message += " (" + run.Error.Code + ")"
		}
		p.text(1, "error: "+message)
	}
	for _, u := range run.Usage {
		model := strings.Trim(u.Provider+"/"+u.Model, "/")
		p.line(1, "usage %s", strings.TrimSpace(model+" "+tokens(u)))
	}
}

func tokens(u agui.TokenUsage) string {
	var parts []string
	for _, part := range []struct {
		n    int64
		what string
	}{
		{u.InputTokens, "in"}, {u.CachedInputTokens, "of them cached"}, {u.CacheWriteInputTokens, "written to the cache"},
		{u.OutputTokens, "out"}, {u.ReasoningTokens, "of them reasoning"}, {u.TotalTokens, "in all"},
	} {
		if part.n != 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *printer) findings(r *Report) {
	p.line(0, "")
	notes := len(r.Findings) + r.Unlisted - r.Violations
	if len(r.Findings) == 0 {
		p.line(0, "no violations")
		return
	}
	p.line(0, "%s, %s", plural(r.Violations, "violation"), plural(notes, "note"))
	for _, f := range r.Findings {
		text := f.Text
		if f.Repeats > 0 {
			text += fmt.Sprintf(" (%d times in all)", f.Repeats+1)
		}
		p.line(1, "frame %d (line %d) %s %s: %s", f.Frame, f.Line, string(f.Level), f.Rule, text)
	}
	if r.Unlisted > 0 {
		p.line(1, "and %d more", r.Unlisted)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
