import type { Migration } from '../migrate.ts'

/**
 * The older webhook of a single instance, and its pending calls. An event concerns one instance, and an instance has
 * one such webhook, so the number of the event is the number of the call.
 */
export const instanceWebhooks: Migration = {
  version: 8,
  name: 'instance-webhooks',
  sql: `
CREATE TABLE instance_webhooks (
  instance_id TEXT PRIMARY KEY,
  instance_name TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX instance_webhooks_ended ON instance_webhooks (instance_id) WHERE ended = 1;

CREATE TABLE instance_webhook_calls (
  event_seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  name TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 3),
  next_try_at INTEGER NOT NULL,
  lease TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX instance_webhook_calls_of_instance ON instance_webhook_calls (instance_id, event_seq);
CREATE INDEX instance_webhook_calls_leased ON instance_webhook_calls (lease) WHERE lease IS NOT NULL;
`,
}
