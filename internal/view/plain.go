package view

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/components"
	"cairn/internal/threadlog"
)

const (
	// maxPlain bounds the text that is shown of a conversation that could not be drawn,
	// in bytes of HTML. It is the end of the text.
	maxPlain = 64 << 10
	// plainEvery is the shortest time between two frames of it, which are whole pages.
	plainEvery = time.Second
)

// plainText is a conversation as bare text. It is read from the rows without the code
// that folds and draws them, since that is what has panicked.
type plainText struct {
	seq     int64
	text    strings.Builder
	cut     bool   // the beginning was left out
	message string // id of the agent's message that text ends with
	users   int    // messages of the user
	running bool
	stale   bool // what is shown is not up to date
}

// read takes in the rows that are new in the log.
func (p *plainText) read(ctx context.Context, log threadlog.Rows, threadID string) error {
	const batch = 1024
	for {
		rows, err := log.Read(ctx, threadID, p.seq+1, batch)
		if err != nil {
			return fmt.Errorf("read thread %s: %w", threadID, err)
		}
		for _, row := range rows {
			p.add(row)
		}
		if threadlog.Last(rows, batch) {
			return nil
		}
	}
}

func (p *plainText) add(row threadlog.Row) {
	p.seq, p.stale = row.Seq, true
	switch row.Kind {
	case threadlog.KindUser:
		var d agentclient.UserData
		_ = json.Unmarshal(row.Data, &d) // a row that cannot be read has no text
		p.users++
		p.say("user "+d.ID, "You:\n"+d.Text)
	case threadlog.KindRun:
		p.running = true
	case threadlog.KindEnd:
		p.running = false
	case threadlog.KindEvent:
		var e struct {
			Type             agui.EventType
			MessageID, Delta string
		}
		if json.Unmarshal(row.Data, &e) == nil && (e.Type == agui.TypeTextMessageContent || e.Type == agui.TypeTextMessageChunk) {
			p.say(e.MessageID, e.Delta)
		}
	}
}

// say appends text of a message, and forgets the beginning of a long conversation.
func (p *plainText) say(message, text string) {
	if message != p.message && p.text.Len() > 0 {
		p.text.WriteString("\n\n")
	}
	p.message = message
	p.text.WriteString(text)
	if all := p.text.String(); len(all) > 4*maxPlain {
		p.text.Reset()
		p.text.WriteString(strings.ToValidUTF8(all[len(all)-maxPlain:], ""))
		p.cut = true
	}
}

// end returns the end of the text that is shown.
func (p *plainText) end() components.Plain {
	all, from := p.text.String(), 0
	if n, _ := htmlLen(all, maxPlain); n < len(all) {
		from = max(0, len(all)-maxPlain/5) // a byte takes five at most
	}
	return components.Plain{Text: strings.ToValidUTF8(all[from:], "\uFFFD"), Cut: p.cut || from > 0}
}

// page is the Run tab of a conversation that could not be drawn.
func (p *plainText) page(v *view) Run {
	plain := p.end()
	return Run{
		Live: true,
		Chat: components.Chat{Plain: &plain, Typing: p.running, Composer: v.composerFor(p.users, p.running, false)},
		Panel: components.Panel{
			Heading: "Shared state", Summary: "Not shown", TestID: "state-tree",
			Body: components.StateTreeView(components.StateTree{Empty: "Not shown, since this conversation could not be drawn."}),
		},
	}
}

// frame is the whole page when it has changed. It is small and rare.
func (p *plainText) frame(ctx context.Context, v *view) (Frame, error) {
	if !p.stale {
		return nil, nil
	}
	p.stale = false
	return p.snapshot(ctx, v)
}

func (p *plainText) snapshot(ctx context.Context, v *view) (Frame, error) {
	return v.wholeFrame(ctx, p.page(v))
}
