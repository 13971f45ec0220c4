package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cairn/agenthost"
)

// Suspend implements [agenthost.Store].
func (s *Store) Suspend(ctx context.Context, t agenthost.Thread, sus agenthost.Suspension) error {
	messages, err := json.Marshal(sus.Messages)
	if err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	queue, err := json.Marshal(sus.Queue)
	if err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO suspensions (agent, thread_id, run_id, messages, queue, created_at)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, t.Agent, t.ID, sus.RunID, string(messages), string(queue), s.stamp())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, agenthost.ErrRunIDUsed)
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		for _, in := range sus.Interrupts {
			_, err := tx.ExecContext(ctx, `INSERT INTO interrupts
				(suspension, tool_call_id, tool_name, args, payload, idempotency_key, state, created_at, expires_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				id, in.ToolCallID, in.ToolName, string(in.Args), string(in.Payload), in.IdempotencyKey,
				agenthost.StatePending, s.stamp(), nullTime(in.ExpiresAt))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	return nil
}

const selectInterrupts = `SELECT s.run_id, i.tool_call_id, i.tool_name, i.args, i.payload, i.idempotency_key,
	i.state, i.decision, i.result, i.created_at, i.expires_at
	FROM interrupts i JOIN suspensions s ON s.id = i.suspension
	WHERE s.agent = ? AND s.thread_id = ?`

// Interrupts implements [agenthost.Store].
func (s *Store) Interrupts(ctx context.Context, t agenthost.Thread) ([]agenthost.Interrupt, error) {
	list, err := readInterrupts(s.db.QueryContext(ctx, selectInterrupts+` ORDER BY i.id`, t.Agent, t.ID))
	if err != nil {
		return nil, fmt.Errorf("read interrupts: %w", err)
	}
	return list, nil
}

// Suspension implements [agenthost.Store].
func (s *Store) Suspension(ctx context.Context, t agenthost.Thread, runID string) (agenthost.Suspension, error) {
	sus := agenthost.Suspension{RunID: runID}
	var messages, queue string
	err := s.db.QueryRowContext(ctx, `SELECT messages, queue FROM suspensions
		WHERE agent = ? AND thread_id = ? AND run_id = ?`, t.Agent, t.ID, runID).Scan(&messages, &queue)
	if errors.Is(err, sql.ErrNoRows) {
		return sus, fmt.Errorf("read suspension: %w", agenthost.ErrNotFound)
	}
	if err != nil {
		return sus, fmt.Errorf("read suspension: %w", err)
	}
	if err := errors.Join(json.Unmarshal([]byte(messages), &sus.Messages), json.Unmarshal([]byte(queue), &sus.Queue)); err != nil {
		return sus, fmt.Errorf("read suspension: %w", err)
	}
	sus.Interrupts, err = readInterrupts(s.db.QueryContext(ctx, selectInterrupts+` AND s.run_id = ? ORDER BY i.id`, t.Agent, t.ID, runID))
	if err != nil {
		return sus, fmt.Errorf("read suspension: %w", err)
	}
	return sus, nil
}

// Decide implements [agenthost.Store].
func (s *Store) Decide(ctx context.Context, t agenthost.Thread, answers []agenthost.Decision) ([]agenthost.Interrupt, error) {
	var list []agenthost.Interrupt
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		decided := false
		for _, a := range answers {
			found, err := readInterrupts(tx.QueryContext(ctx, selectInterrupts+` AND s.run_id = ? AND i.tool_call_id = ?`,
				t.Agent, t.ID, a.RunID, a.ToolCallID))
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return agenthost.ErrNotFound
			}
			list = append(list, found[0])
			decided = decided || found[0].State != agenthost.StatePending
		}
		if decided {
			return agenthost.ErrDecided
		}
		for i, a := range answers {
			list[i].State, list[i].Decision = agenthost.StateDecided, a.Answer
			err := s.update(ctx, tx, t, a.InterruptKey, `state = ?, decision = ?, decided_at = ?`, agenthost.StateDecided, string(a.Answer), s.stamp())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return list, fmt.Errorf("decide: %w", err)
	}
	return list, nil
}

// Record implements [agenthost.Store].
func (s *Store) Record(ctx context.Context, t agenthost.Thread, id agenthost.InterruptKey, result json.RawMessage) error {
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		return s.update(ctx, tx, t, id, `state = ?, result = ?, resulted_at = ?`, agenthost.StateResulted, string(result), s.stamp())
	})
	if err != nil {
		return fmt.Errorf("record result: %w", err)
	}
	return nil
}

// Settle implements [agenthost.Store].
func (s *Store) Settle(ctx context.Context, t agenthost.Thread, from, to agenthost.InterruptState) error {
	_, err := s.db.ExecContext(ctx, `UPDATE interrupts SET state = ? WHERE state = ? AND suspension IN
		(SELECT id FROM suspensions WHERE agent = ? AND thread_id = ?)`, to, from, t.Agent, t.ID)
	if err != nil {
		return fmt.Errorf("settle interrupts: %w", err)
	}
	return nil
}

func (s *Store) update(ctx context.Context, tx *sql.Tx, t agenthost.Thread, id agenthost.InterruptKey, set string, args ...any) error {
	args = append(args, t.Agent, t.ID, id.RunID, id.ToolCallID)
	_, err := tx.ExecContext(ctx, `UPDATE interrupts SET `+set+` WHERE suspension =
		(SELECT id FROM suspensions WHERE agent = ? AND thread_id = ? AND run_id = ?) AND tool_call_id = ?`, args...)
	return err
}

func readInterrupts(rows *sql.Rows, err error) ([]agenthost.Interrupt, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err below reports what matters
	var list []agenthost.Interrupt
	for rows.Next() {
		var in agenthost.Interrupt
		var args, payload, created string
		var decision, result, expires sql.NullString
		if err := rows.Scan(&in.RunID, &in.ToolCallID, &in.ToolName, &args, &payload, &in.IdempotencyKey,
			&in.State, &decision, &result, &created, &expires); err != nil {
			return nil, err
		}
		in.Args, in.Payload = json.RawMessage(args), json.RawMessage(payload)
		in.Decision, in.Result = rawOrNil(decision), rawOrNil(result)
		if in.CreatedAt, err = time.Parse(time.RFC3339Nano, created); err != nil {
			return nil, err
		}
		if expires.Valid {
			if in.ExpiresAt, err = time.Parse(time.RFC3339Nano, expires.String); err != nil {
				return nil, err
			}
		}
		list = append(list, in)
	}
	return list, rows.Err()
}

func rawOrNil(s sql.NullString) json.RawMessage {
	if !s.Valid {
		return nil
	}
	return json.RawMessage(s.String)
}

func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}
