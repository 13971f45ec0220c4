package thread

import (
	"context"
	"log/slog"

	"cairn/agentclient"
)

// Read returns the session of a thread as the log has it, which is not kept.
func Read(ctx context.Context, log Log, id string, c agentclient.SessionConfig) (s *agentclient.Session, err error) {
	k := NewKeeper(Config{Log: log, Logger: slog.New(slog.DiscardHandler), Session: func(string) agentclient.SessionConfig { return c }})
	t, err := k.Use(ctx, id)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	err = t.Do(ctx, func(folded *agentclient.Session) error { s = folded; return nil })
	return s, err
}
