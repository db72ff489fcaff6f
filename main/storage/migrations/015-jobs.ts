import type { Migration } from '../migrate.ts'

/** Nodes that work on this database, and the durable jobs they lease. */
export const jobs: Migration = {
  version: 15,
  name: 'jobs',
  sql: `
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;

-- A lane holds the jobs of one subject that share a limit, such as a campaign's recipients on one number. next_at is the
-- time of its first waiting job, null without one. The counts equal a count of its jobs.
CREATE TABLE job_lanes (
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  account_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'paused', 'canceled')),
  next_at INTEGER,
  waiting INTEGER NOT NULL,
  running INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  canceled INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id, lane)
) STRICT;
CREATE INDEX job_lanes_due ON job_lanes (kind, next_at) WHERE state = 'open' AND next_at IS NOT NULL;
CREATE INDEX job_lanes_canceled ON job_lanes (kind, subject_id, lane) WHERE state = 'canceled' AND waiting > 0;

-- attempt counts runs, the current one included; failures those that count for the retry schedule. lease_owner is the
-- node of a running job.
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  job_key TEXT,
  input TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'canceled')),
  run_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  lease_owner TEXT,
  progress TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, job_key) WHERE job_key IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (kind, subject_id, lane, run_at, seq) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (lease_owner, seq) WHERE state = 'running';
CREATE INDEX jobs_by_subject ON jobs (kind, subject_id, seq);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
`,
}
