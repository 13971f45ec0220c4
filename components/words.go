package components

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"cairn/internal/markdown"
)

const product = "cairn"

// An item's key wins over the key of what it holds, so the two cannot disagree.
func (i Item) message() Message       { m := *i.Message; m.Key = i.Key; return m }
func (i Item) tool() ToolCard         { t := *i.Tool; t.Key = i.Key; return t }
func (i Item) subagent() SubagentCard { s := *i.Subagent; s.Key = i.Key; return s }
func (i Item) approval() ApprovalCard { a := *i.Approval; a.Key = i.Key; return a }
func (i Item) runError() RunError     { e := *i.Error; e.Key = i.Key; return e }

func pageTitle(name string) string {
	if name == "" {
		return product
	}
	return name + " · " + product
}

// messageClass maps the roles we draw; an unknown role is drawn as the assistant.
func messageClass(role string) string {
	switch role {
	case "user":
		return "msg-user"
	case "reasoning":
		return "msg-reasoning"
	case "system":
		return "msg-system"
	}
	return "msg-agent"
}

func speaker(role string) string {
	switch role {
	case "user":
		return "You"
	case "reasoning":
		return "The agent's thinking"
	case "system":
		return "System"
	}
	return "Agent"
}

func toolName(name string) string { return cmp.Or(name, "an unnamed tool") }

func toolGlyph(status string) string {
	switch status {
	case "complete":
		return "✓"
	case "error":
		return "!"
	case "incomplete":
		return "–"
	}
	return "•"
}

func toolWord(status string) string {
	switch status {
	case "complete":
		return "done"
	case "error":
		return "failed"
	case "incomplete":
		return "not finished"
	}
	return "running"
}

func subagentGlyph(status string) string {
	switch status {
	case "complete":
		return "✓"
	case "error":
		return "!"
	}
	return "●"
}

func subagentWord(status string) string {
	switch status {
	case "pending":
		return "waiting"
	case "complete":
		return "done"
	case "error":
		return "failed"
	}
	return "running"
}

func subagentEmpty(status string) string {
	switch status {
	case "complete":
		return "It finished without saying anything."
	case "error":
		return "It failed before it said anything."
	}
	return "Nothing from it yet."
}

func retryLabel(e RunError) string { return cmp.Or(e.RetryLabel, "Retry") }

func placeholder(c Composer) string { return cmp.Or(c.Placeholder, "Write a message") }

// composerStatus joins what the composer runs on with what it waits for.
func composerStatus(c Composer) string {
	var parts []string
	if c.Blocked {
		parts = append(parts, "Waiting for your decision")
	}
	if c.Status != "" {
		parts = append(parts, c.Status)
	}
	return strings.Join(parts, " · ")
}

func panelSummary(p Panel) string { return cmp.Or(p.Summary, p.Heading) }

func packingTitle(l PackingList) string { return cmp.Or(l.Title, "Packing list") }

func lineCount(f CodeFile) string {
	if len(f.Lines) == 1 {
		return "1 line"
	}
	return strconv.Itoa(len(f.Lines)) + " lines"
}

// codeLine is one line of a file with an anchor. It is written by hand because in
// <pre> every blank of a template would show.
func codeLine(id string, line markdown.HTML) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, `<span class="line" id="`+id+`">`+string(line)+"\n</span>")
		return err
	})
}
