import type { Migration } from '../migrate.ts'

/** Knowledge of agents, questions without an answer, and evaluations. */
export const aiKnowledge: Migration = {
  version: 27,
  name: 'ai knowledge',
  sql: `
-- folded: the question in lower case without accents and punctuation.
CREATE TABLE ai_faq (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  folded TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_faq_id ON ai_faq (id);
CREATE INDEX ai_faq_of_instance ON ai_faq (instance_id, seq);
CREATE INDEX ai_faq_by_question ON ai_faq (instance_id, folded);

CREATE TABLE ai_documents (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
  error TEXT,
  passages INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_documents_id ON ai_documents (id);
CREATE INDEX ai_documents_of_instance ON ai_documents (instance_id, seq);

CREATE TABLE ai_passages (
  document_seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  place TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (document_seq, position)
) STRICT;
CREATE INDEX ai_passages_of_instance ON ai_passages (instance_id, document_seq, position);

-- ref names an FAQ entry or a passage. hash: of the text the vector was made of. vector: 32-bit floats, little endian.
CREATE TABLE ai_vectors (
  instance_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  model TEXT NOT NULL,
  hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (instance_id, ref)
) STRICT;

CREATE TABLE ai_unanswered (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  folded TEXT NOT NULL,
  question TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'dismissed')),
  times INTEGER NOT NULL,
  chat TEXT NOT NULL,
  faq_id TEXT,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_unanswered_id ON ai_unanswered (id);
CREATE UNIQUE INDEX ai_unanswered_once ON ai_unanswered (instance_id, folded);
CREATE INDEX ai_unanswered_by_age ON ai_unanswered (last_at);
CREATE INDEX ai_unanswered_by_status ON ai_unanswered (instance_id, status, last_at, seq);

CREATE TABLE ai_evaluations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  cases TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_evaluations_id ON ai_evaluations (id);
CREATE INDEX ai_evaluations_of_instance ON ai_evaluations (instance_id, seq);

-- cases: as they were when the run began. cost_micros: null where a price is not known.
CREATE TABLE ai_evaluation_runs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  evaluation_seq INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  cases TEXT NOT NULL,
  total INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  passed INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  cost_micros INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE UNIQUE INDEX ai_evaluation_runs_id ON ai_evaluation_runs (id);
CREATE INDEX ai_evaluation_runs_of ON ai_evaluation_runs (evaluation_seq, seq);
CREATE INDEX ai_evaluation_runs_of_instance ON ai_evaluation_runs (instance_id);

CREATE TABLE ai_evaluation_results (
  run_seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  reply TEXT,
  handoff TEXT,
  missing TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (run_seq, position)
) STRICT;
`,
}
