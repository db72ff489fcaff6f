import type { Migration } from '../migrate.ts'

/**
 * The simulated network: an account's phones, the instances' connections to them, messages, future events, and the
 * catcher. `seq` of all growing tables comes from the sequence `sandbox`.
 */
export const sandbox: Migration = {
  version: 6,
  name: 'sandbox',
  sql: `
    CREATE TABLE sandbox_phones (
      seq INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      number TEXT NOT NULL,
      name TEXT,
      online INTEGER NOT NULL CHECK (online IN (0, 1)),
      receipts TEXT NOT NULL CHECK (receipts IN ('none', 'delivered', 'read')),
      delay_ms INTEGER NOT NULL,
      passkey INTEGER NOT NULL CHECK (passkey IN (0, 1)),
      drop_receipts INTEGER NOT NULL CHECK (drop_receipts IN (0, 1)),
      duplicate_receipts INTEGER NOT NULL CHECK (duplicate_receipts IN (0, 1)),
      spoke_at INTEGER,
      created_at INTEGER NOT NULL,
      UNIQUE (account_id, number)
    ) STRICT;
    CREATE INDEX sandbox_phones_by_account ON sandbox_phones (account_id, seq);

    CREATE TABLE sandbox_lines (
      instance_id TEXT NOT NULL PRIMARY KEY,
      account_id TEXT NOT NULL,
      engine TEXT NOT NULL CHECK (engine IN ('smv2', 'official')),
      number TEXT,
      name TEXT,
      up INTEGER NOT NULL CHECK (up IN (0, 1)),
      heals_at INTEGER,
      token TEXT UNIQUE,
      restricted_at INTEGER,
      restricted_until INTEGER
    ) STRICT;
    CREATE INDEX sandbox_lines_by_number ON sandbox_lines (account_id, number) WHERE number IS NOT NULL;

    CREATE TABLE sandbox_faults (
      instance_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      remaining INTEGER NOT NULL,
      PRIMARY KEY (instance_id, kind)
    ) STRICT;

    CREATE TABLE sandbox_messages (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      phone INTEGER NOT NULL,
      author TEXT NOT NULL,
      instance_id TEXT,
      chat_group TEXT,
      content TEXT NOT NULL,
      sent_at INTEGER NOT NULL,
      received_at INTEGER,
      waits INTEGER NOT NULL CHECK (waits IN (0, 1)),
      edited_at INTEGER,
      deleted_at INTEGER,
      reactions TEXT
    ) STRICT;
    CREATE INDEX sandbox_messages_by_phone ON sandbox_messages (phone, seq);
    CREATE INDEX sandbox_messages_waiting ON sandbox_messages (phone) WHERE waits = 1;

    CREATE TABLE sandbox_timeline (
      seq INTEGER PRIMARY KEY,
      instance_id TEXT NOT NULL,
      lane TEXT NOT NULL,
      step INTEGER NOT NULL,
      due_at INTEGER,
      held INTEGER NOT NULL CHECK (held IN (0, 1)),
      phone INTEGER,
      offset_ms INTEGER NOT NULL,
      signal TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sandbox_timeline_due ON sandbox_timeline (due_at, step, seq) WHERE held = 0 AND due_at IS NOT NULL;
    CREATE INDEX sandbox_timeline_by_instance ON sandbox_timeline (instance_id);
    CREATE INDEX sandbox_timeline_by_phone ON sandbox_timeline (phone) WHERE phone IS NOT NULL;

    CREATE TABLE sandbox_catchers (
      seq INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      name TEXT NOT NULL,
      reply_status INTEGER NOT NULL,
      reply_delay_ms INTEGER NOT NULL,
      reply_hang INTEGER NOT NULL CHECK (reply_hang IN (0, 1)),
      UNIQUE (account_id, name)
    ) STRICT;

    CREATE TABLE sandbox_caught (
      seq INTEGER PRIMARY KEY,
      catcher INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      headers TEXT NOT NULL,
      body TEXT NOT NULL,
      signature TEXT NOT NULL CHECK (signature IN ('valid', 'invalid', 'none'))
    ) STRICT;
    CREATE INDEX sandbox_caught_by_catcher ON sandbox_caught (catcher, seq);
  `,
}
