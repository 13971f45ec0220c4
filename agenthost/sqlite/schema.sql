-- Working memory, one row a thread.
CREATE TABLE IF NOT EXISTS memory (
  agent      TEXT NOT NULL,
  thread_id  TEXT NOT NULL,
  state      TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (agent, thread_id)
);

-- Runs that paused, with what they need to go on.
CREATE TABLE IF NOT EXISTS suspensions (
  id         INTEGER PRIMARY KEY,
  agent      TEXT NOT NULL,
  thread_id  TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  messages   TEXT NOT NULL,
  queue      TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (agent, thread_id, run_id)
);

-- The calls a paused run waits for; decision and result are written once.
CREATE TABLE IF NOT EXISTS interrupts (
  id              INTEGER PRIMARY KEY,
  suspension      INTEGER NOT NULL REFERENCES suspensions (id),
  tool_call_id    TEXT NOT NULL,
  tool_name       TEXT NOT NULL,
  args            TEXT NOT NULL,
  payload         TEXT NOT NULL,
  idempotency_key TEXT NOT NULL UNIQUE,
  state           TEXT NOT NULL,
  decision        TEXT,
  result          TEXT,
  created_at      TEXT NOT NULL,
  decided_at      TEXT,
  resulted_at     TEXT,
  expires_at      TEXT,
  UNIQUE (suspension, tool_call_id)
);
