CREATE TABLE IF NOT EXISTS schedules (
  kind text PRIMARY KEY,
  state jsonb NOT NULL,
  wake_at bigint -- when to decide again; null: when a run ends, or after an edit
);
CREATE TABLE IF NOT EXISTS ledger (
  kind text, at bigint, outcome jsonb NOT NULL, evidence jsonb NOT NULL,
  PRIMARY KEY (kind, at) -- an occurrence is decided once
);
CREATE TABLE IF NOT EXISTS jobs (
  id text PRIMARY KEY,
  kind text NOT NULL,
  state jsonb NOT NULL,
  due_at bigint -- when to assign it, or to give up whoever has it; null: it is over
);
CREATE TABLE IF NOT EXISTS mails (run text PRIMARY KEY); -- what the work leaves behind
