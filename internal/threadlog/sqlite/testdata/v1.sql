-- A file as the first released schema left it: sqlite.Open must find all of it.
CREATE TABLE IF NOT EXISTS threads (
  n        INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  owner    TEXT NOT NULL,
  demo     TEXT NOT NULL,
  title    TEXT NOT NULL,
  created  INTEGER NOT NULL, -- microseconds since 1970, as every time here
  updated  INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  running  INTEGER NOT NULL  -- 1: the last run row has no end row after it
) STRICT;
CREATE INDEX IF NOT EXISTS threads_owner ON threads (owner, updated);
CREATE INDEX IF NOT EXISTS threads_running ON threads (n) WHERE running = 1;
CREATE TABLE IF NOT EXISTS rows (
  id     INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL REFERENCES threads (n),
  seq    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  run_id TEXT NOT NULL,
  data   BLOB NOT NULL,
  UNIQUE (thread, seq)
) STRICT;
CREATE TABLE IF NOT EXISTS records (
  key   TEXT PRIMARY KEY,
  rev   INTEGER NOT NULL,
  value BLOB NOT NULL
) STRICT;
PRAGMA user_version = 1;
INSERT INTO threads (id, owner, demo, title, created, updated, last_seq, running) VALUES
  ('trip', 'ann', 'mastra', 'Yosemite ⛺', 1796032800123456, 1796036400000000, 3, 1),
  ('done', 'ann', 'strands', '', 1796032800000000, 1796032800000000, 2, 0),
  ('bob', 'bob', 'mastra', 'Hi', 1796032800000000, 1796032800000000, 0, 0);
INSERT INTO rows (thread, seq, at, kind, run_id, data) VALUES
  (1, 1, 1796032800123456, 'user', '', CAST('{"text":"Book it"}' AS BLOB)),
  (2, 1, 1796032800000000, 'run', 'r0', x'7b7d'),
  (1, 2, 1796032800200000, 'run', 'r1', CAST('{"reason":"message"}' AS BLOB)),
  (2, 2, 1796032800000000, 'end', 'r0', x'7b7d'),
  (1, 3, 1796036400000000, 'event', 'r1', x'7b00ff7d');
INSERT INTO records (key, rev, value) VALUES ('k', 7, x'76');
