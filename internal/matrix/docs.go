package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cairn/agui"
	"cairn/internal/probe"
)

// Docs are the pages that hold generated tables, from the repository's root. A page
// marks each with "<!-- transcripts: ID -->" and "<!-- end -->", ID being a folder
// of [Dir].
var Docs = []string{
	"docs/runtimes/mastra.md",
	"docs/runtimes/strands.md",
	"docs/runtimes/maf.md",
	"docs/runtimes/langgraph.md",
}

const (
	tableBegin = "<!-- transcripts: "
	markEnd    = " -->\n"
	tableEnd   = "<!-- end -->"
)

// Fill returns the page with its tables made from the recordings. fsys is [Dir].
func Fill(page []byte, fsys fs.FS) ([]byte, error) {
	var out bytes.Buffer
	for {
		before, rest, found := bytes.Cut(page, []byte(tableBegin))
		out.Write(before)
		if !found {
			return out.Bytes(), nil
		}
		id, rest, ok := bytes.Cut(rest, []byte(markEnd))
		_, after, closed := bytes.Cut(rest, []byte(tableEnd))
		if !ok || !closed {
			return nil, errors.New("matrix: a table's marks are not in order")
		}
		table, err := table(fsys, string(id))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s%s%s%s%s", tableBegin, id, markEnd, table, tableEnd)
		page = after
	}
}

// table lists the transcripts of one recording: what was sent, and what came, as
// event types in order. RAW is left out: where there is any it mirrors every other.
func table(fsys fs.FS, id string) (string, error) {
	dir, err := fs.Sub(fsys, id)
	if err != nil {
		return "", fmt.Errorf("matrix: %w", err)
	}
	rec, err := probe.ReadRecording(dir)
	if err != nil {
		return "", fmt.Errorf("matrix: %s: %w", id, err)
	}
	var b strings.Builder
	b.WriteString("| transcript | step | what came |\n|---|---|---|\n")
	for i := range rec.Exchanges {
		x := &rec.Exchanges[i]
		fmt.Fprintf(&b, "| [%02d](../../%s/%s/%s) | %s: %s | %s |\n", x.Number, Dir, id, x.BodyFile(), x.Surface, x.Name, came(x))
	}
	return b.String(), nil
}

func came(x *probe.Exchange) string {
	events, _ := x.Events()
	told := slices.DeleteFunc(events, func(e probe.Event) bool { _, raw := e.Event.(*agui.Raw); return raw })
	if len(told) == 0 {
		return fmt.Sprintf("HTTP %d", x.Status)
	}
	return "`" + strings.Join(probe.Grammar(told), " ") + "`"
}
