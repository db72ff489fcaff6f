import type { Migration } from '../migrate.ts'

/** Which chats have messages that nobody has read in the window. */
export const unread: Migration = {
  version: 21,
  name: 'unread',
  sql: `
-- Only chats that are unread have a row: those with messages since the last answer or look, or marked by a person.
CREATE TABLE unread_chats (
  instance_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  messages INTEGER NOT NULL CHECK (messages >= 0),
  marked INTEGER NOT NULL CHECK (marked IN (0, 1)),
  PRIMARY KEY (instance_id, chat),
  CHECK (messages > 0 OR marked = 1)
) STRICT;

-- How many rows an instance has above.
CREATE TABLE unread_instances (
  instance_id TEXT PRIMARY KEY REFERENCES instances (id),
  account_id TEXT NOT NULL,
  network TEXT NOT NULL,
  chats INTEGER NOT NULL CHECK (chats >= 0)
) STRICT;
CREATE INDEX unread_instances_of_account ON unread_instances (account_id, network, instance_id, chats) WHERE chats > 0;
`,
}
