import type { Migration } from '../migrate.ts'

/** Provider keys, AI settings, agents, conversations and turns. */
export const ai: Migration = {
  version: 26,
  name: 'ai',
  sql: `
-- key: sealed; null for a server that asks for none. is_local: the address was chosen in the console, so that it may be of
-- this computer. verified: the provider accepted the key when it was stored.
CREATE TABLE ai_provider_keys (
  instance_id TEXT NOT NULL,
  provider TEXT NOT NULL CHECK (provider IN ('openai', 'anthropic', 'google', 'openrouter', 'custom')),
  account_id TEXT NOT NULL,
  key BLOB,
  base_url TEXT,
  is_local INTEGER NOT NULL CHECK (is_local IN (0, 1)),
  verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, provider)
) STRICT;

-- settings and follow_up are JSON without defaults. refused_code: why the provider of the primary agent took no request last.
CREATE TABLE ai_instances (
  instance_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  settings TEXT NOT NULL,
  settings_at INTEGER,
  follow_up TEXT NOT NULL,
  follow_up_at INTEGER,
  refused_code TEXT,
  refused_at INTEGER
) STRICT;
CREATE INDEX ai_instances_refused ON ai_instances (account_id, refused_at) WHERE refused_at IS NOT NULL;
CREATE INDEX ai_instances_enabled ON ai_instances (account_id, instance_id) WHERE enabled = 1;

CREATE TABLE ai_agents (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  provider TEXT NOT NULL CHECK (provider IN ('openai', 'anthropic', 'google', 'openrouter', 'custom', 'builtin')),
  model TEXT,
  system_prompt TEXT NOT NULL,
  is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
  temperature TEXT,
  tools TEXT NOT NULL,
  limits TEXT NOT NULL,
  price TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_agents_id ON ai_agents (id);
CREATE INDEX ai_agents_of_instance ON ai_agents (instance_id, seq);
CREATE INDEX ai_agents_of_account ON ai_agents (account_id, instance_id);
CREATE UNIQUE INDEX ai_agents_primary ON ai_agents (instance_id) WHERE is_primary = 1;

CREATE TABLE ai_stages (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  name TEXT NOT NULL,
  objective TEXT NOT NULL,
  exit_criteria TEXT,
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ai_stages_of_agent ON ai_stages (agent_id, position);
CREATE INDEX ai_stages_of_instance ON ai_stages (instance_id);

CREATE TABLE ai_agent_media (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  media_id TEXT NOT NULL,
  media_type TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  filename TEXT,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_agent_media_id ON ai_agent_media (id);
CREATE INDEX ai_agent_media_of_agent ON ai_agent_media (agent_id, seq);
CREATE INDEX ai_agent_media_of_instance ON ai_agent_media (instance_id);

CREATE TABLE ai_http_tools (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  parameters TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  secret_header TEXT,
  secret BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_http_tools_id ON ai_http_tools (id);
CREATE UNIQUE INDEX ai_http_tools_by_name ON ai_http_tools (agent_id, name);
CREATE INDEX ai_http_tools_of_agent ON ai_http_tools (agent_id, seq);
CREATE INDEX ai_http_tools_of_instance ON ai_http_tools (instance_id);

-- id is part of the Idempotency-Keys of its answers. paused_until: null while paused is 1: until somebody resumes it.
-- waiting: handed over, and nobody has written since. open_turn: takes up further messages of the person. repeated_text and
-- repeats: how often in a row the person wrote the same.
CREATE TABLE ai_conversations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  account_id TEXT NOT NULL,
  agent_id TEXT,
  stage_id TEXT,
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  paused_until INTEGER,
  pause_reason TEXT CHECK (pause_reason IN ('person', 'handoff', 'user')),
  handoff_reason TEXT,
  handoff_detail TEXT,
  handoff_at INTEGER,
  waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1)),
  summary TEXT,
  answered_by TEXT CHECK (answered_by IN ('agent', 'person')),
  last_inbound_at INTEGER,
  last_answer_at INTEGER,
  next_turn INTEGER NOT NULL DEFAULT 1,
  open_turn INTEGER,
  repeated_text TEXT,
  repeats INTEGER NOT NULL DEFAULT 0,
  follow_ups INTEGER NOT NULL DEFAULT 0,
  follow_up_at INTEGER,
  changed_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_conversations_id ON ai_conversations (id);
CREATE UNIQUE INDEX ai_conversations_chat ON ai_conversations (instance_id, chat);
CREATE INDEX ai_conversations_by_change ON ai_conversations (instance_id, changed_at, seq);
CREATE INDEX ai_conversations_waiting ON ai_conversations (account_id, instance_id, changed_at, seq) WHERE waiting = 1;

-- One answer, or the decision not to give one. revision grows with each message that it takes up. decision is JSON: the
-- parts to be sent, fixed before the first is; sent_parts of them were.
CREATE TABLE ai_turns (
  seq INTEGER PRIMARY KEY,
  conversation_seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('reply', 'follow_up')),
  state TEXT NOT NULL CHECK (state IN
    ('waiting', 'thinking', 'sending', 'answered', 'handed_over', 'skipped', 'unknown')),
  revision INTEGER NOT NULL,
  question TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  agent_id TEXT,
  stage_id TEXT,
  decision TEXT,
  sent_parts INTEGER NOT NULL DEFAULT 0,
  message_ids TEXT NOT NULL DEFAULT '[]',
  tries INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  detail TEXT,
  source TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX ai_turns_of_conversation ON ai_turns (conversation_seq, turn);
CREATE INDEX ai_turns_answered ON ai_turns (conversation_seq, ended_at) WHERE state = 'answered';
CREATE INDEX ai_turns_ended ON ai_turns (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ai_turns_unended ON ai_turns (conversation_seq, turn) WHERE ended_at IS NULL;
CREATE INDEX ai_turns_of_instance ON ai_turns (instance_id);

-- Of an agent, in the time zone of its instance. agent_id is empty for what no agent did.
CREATE TABLE ai_daily (
  instance_id TEXT NOT NULL,
  day TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  answered INTEGER NOT NULL DEFAULT 0,
  handed_over INTEGER NOT NULL DEFAULT 0,
  follow_ups INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance_id, day, agent_id)
) STRICT;
CREATE INDEX ai_daily_of_account ON ai_daily (account_id, day);
`,
}
