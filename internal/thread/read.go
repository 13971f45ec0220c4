package thread

import (
	"context"
	"fmt"

	"cairn/agui"
	"cairn/internal/threadlog"
)

// readBatch is how many rows are read at once.
const readBatch = 1024

// CatchUp folds the rows the log has beyond Seq.
func (t *Thread) CatchUp(ctx context.Context, log threadlog.Log, id string) error {
	return t.Follow(ctx, log, id, func(Changes) {})
}

// Follow folds the rows the log has beyond Seq and hands each row's changes to
// each, which must not keep them.
func (t *Thread) Follow(ctx context.Context, log threadlog.Log, id string, each func(Changes)) error {
	for {
		rows, err := log.Read(ctx, id, t.Seq+1, readBatch)
		if err != nil {
			return fmt.Errorf("read thread %s: %w", id, err)
		}
		for _, row := range rows {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("read thread %s: %w", id, err)
			}
			c, err := t.Apply(row)
			if err != nil && row.Seq == t.Seq+1 {
				// A row that another version of this program wrote, or that does not fit
				// what came before, must not make the conversation unreadable.
				t.Seq, t.Skipped = row.Seq, append(t.Skipped, err)
				continue
			}
			if err != nil {
				return fmt.Errorf("thread %s: %w", id, err)
			}
			each(c)
		}
		if threadlog.Last(rows, readBatch) {
			return nil
		}
	}
}

// History is what the open run sends: every message, without those of the failed
// run it repeats.
func (t *Thread) History() []agui.Message {
	return t.Conversation.HistoryWithout(t.skip)
}
