import type { Migration } from '../migrate.ts'

/** Calls, recordings, transcripts and widgets, and what an instance needs to make calls. */
export const voice: Migration = {
  version: 32,
  name: 'voice',
  sql: `
-- plan: null until voice is enabled. settings: JSON.
CREATE TABLE voice_instances (
  instance_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  plan TEXT CHECK (plan IN ('trial', 'package')),
  trial_used INTEGER NOT NULL DEFAULT 0,
  settings TEXT NOT NULL,
  enabled_at INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX voice_instances_of_account ON voice_instances (account_id, plan);

-- boot: which process dialed it. peer: the person's number as digits, null for a widget. summary_state: what is still to be
-- done after the call.
CREATE TABLE voice_calls (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  agent_id TEXT,
  to_number TEXT,
  from_number TEXT,
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
  source TEXT NOT NULL CHECK (source IN ('api', 'mcp', 'console', 'ai', 'phone', 'widget')),
  gateway TEXT NOT NULL CHECK (gateway IN ('sandbox', 'cloud', 'sip', 'widget')),
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'dialing', 'ringing', 'in_progress', 'completed', 'no_answer', 'busy',
    'rejected', 'failed', 'canceled')),
  end_reason TEXT,
  attempt INTEGER NOT NULL DEFAULT 0,
  boot TEXT,
  batch_id TEXT,
  widget_id TEXT,
  recording_id TEXT,
  summary TEXT,
  summary_by TEXT CHECK (summary_by IN ('model', 'extract')),
  coaching TEXT,
  scheduled_at INTEGER NOT NULL,
  started_at INTEGER,
  answered_at INTEGER,
  ended_at INTEGER,
  duration_ms INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX voice_calls_id ON voice_calls (id);
CREATE INDEX voice_calls_of_account ON voice_calls (account_id, seq);
CREATE INDEX voice_calls_of_instance ON voice_calls (instance_id, seq);
CREATE INDEX voice_calls_of_batch ON voice_calls (batch_id, seq) WHERE batch_id IS NOT NULL;
CREATE INDEX voice_calls_upcoming ON voice_calls (account_id, scheduled_at, seq) WHERE status = 'scheduled';
CREATE INDEX voice_calls_due ON voice_calls (scheduled_at, seq) WHERE status = 'scheduled';
CREATE INDEX voice_calls_waiting ON voice_calls (instance_id, seq) WHERE status = 'scheduled';
CREATE INDEX voice_calls_live ON voice_calls (account_id, seq) WHERE status IN ('dialing', 'ringing', 'in_progress');
CREATE INDEX voice_calls_running ON voice_calls (instance_id, seq) WHERE status IN ('dialing', 'ringing', 'in_progress');
CREATE INDEX voice_calls_open ON voice_calls (seq) WHERE status IN ('dialing', 'ringing', 'in_progress');

-- peaks: a byte for each span of each side, the agent's first.
CREATE TABLE voice_recordings (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
  source TEXT NOT NULL,
  file_id TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  size INTEGER NOT NULL,
  has_audio INTEGER NOT NULL CHECK (has_audio IN (0, 1)),
  sandbox INTEGER NOT NULL CHECK (sandbox IN (0, 1)),
  peaks BLOB NOT NULL,
  ended_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE UNIQUE INDEX voice_recordings_id ON voice_recordings (id);
CREATE UNIQUE INDEX voice_recordings_of_call ON voice_recordings (call_id);
CREATE INDEX voice_recordings_of_instance ON voice_recordings (instance_id, ended_at, id);
CREATE INDEX voice_recordings_by_direction ON voice_recordings (instance_id, direction, ended_at, id);
CREATE INDEX voice_recordings_expiring ON voice_recordings (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX instances_by_name ON instances (account_id, name, id) WHERE deleted_at IS NULL;

CREATE TABLE voice_transcripts (
  call_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  speaker TEXT NOT NULL CHECK (speaker IN ('agent', 'person')),
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (call_id, position)
) STRICT;

CREATE TABLE voice_widgets (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  agent_id TEXT,
  name TEXT NOT NULL,
  allowed_origins TEXT NOT NULL,
  video_enabled INTEGER NOT NULL CHECK (video_enabled IN (0, 1)),
  appearance TEXT NOT NULL,
  public_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX voice_widgets_id ON voice_widgets (id);
CREATE UNIQUE INDEX voice_widgets_key ON voice_widgets (public_key);
CREATE INDEX voice_widgets_of_instance ON voice_widgets (instance_id, seq);

-- password: sealed.
CREATE TABLE voice_trunks (
  instance_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  transport TEXT NOT NULL CHECK (transport IN ('tcp', 'tls', 'wss')),
  username TEXT NOT NULL,
  caller_id TEXT,
  password BLOB,
  updated_at INTEGER NOT NULL
) STRICT;

-- services: JSON. key: sealed.
CREATE TABLE voice_speech (
  account_id TEXT PRIMARY KEY,
  services TEXT NOT NULL,
  api_key BLOB,
  updated_at INTEGER NOT NULL
) STRICT;
`,
}
