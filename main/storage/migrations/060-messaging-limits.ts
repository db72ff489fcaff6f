import type { Migration } from '../migrate.ts'

/**
 * People whom a portfolio's official numbers reached outside the 24-hour window, and campaigns that wait for its
 * limit.
 */
export const messagingLimits: Migration = {
  version: 60,
  name: 'messaging-limits',
  sql: `
-- A row for each message outside the window. portfolio: numbers with the same one share a limit. person: as people are
-- compared, kernel/phone-number.ts.
CREATE TABLE safety_reached (
  instance_id TEXT NOT NULL,
  message_seq INTEGER NOT NULL,
  portfolio TEXT NOT NULL,
  person TEXT NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, message_seq)
) STRICT;
CREATE INDEX safety_reached_person ON safety_reached (portfolio, person, reached_at);
CREATE INDEX safety_reached_by_time ON safety_reached (portfolio, reached_at);
CREATE INDEX safety_reached_by_age ON safety_reached (reached_at);

-- Derived from it: how many people were last reached in each minute since 1970, so that a day is counted in 1,440 rows.
CREATE TABLE safety_minutes (
  portfolio TEXT NOT NULL,
  minute INTEGER NOT NULL,
  people INTEGER NOT NULL,
  PRIMARY KEY (portfolio, minute)
) STRICT;
CREATE INDEX safety_minutes_by_age ON safety_minutes (minute);

-- The portfolio under which the number's messages are counted; null: none was counted yet.
ALTER TABLE safety_numbers ADD COLUMN portfolio TEXT;
ALTER TABLE safety_claims ADD COLUMN portfolio TEXT;
CREATE INDEX safety_claims_of_portfolio ON safety_claims (portfolio, phone, claimed_at) WHERE portfolio IS NOT NULL;

-- Whether somebody wrote in the last 24 hours.
CREATE INDEX messages_received ON messages (instance_id, chat, created_at) WHERE direction = 'in';

-- Why a campaign with the pause reason 'restricted' is held, where that is another one. SQLite changes no CHECK.
ALTER TABLE campaigns ADD COLUMN held_by TEXT CHECK (held_by IN ('messaging_limit'));

-- The last day before this version. Numbers of one WhatsApp account are of one portfolio.
UPDATE safety_numbers SET portfolio = (
  SELECT 'account ' || o.waba_id FROM official_numbers o JOIN instances i ON i.id = o.instance_id
   WHERE o.instance_id = safety_numbers.instance_id AND o.waba_id IS NOT NULL AND i.network = 'live')
 WHERE is_current = 1;
INSERT INTO safety_reached (instance_id, message_seq, portfolio, person, reached_at)
  SELECT m.instance_id, m.seq, n.portfolio, m.chat, m.created_at
    FROM safety_numbers n JOIN messages m ON m.instance_id = n.instance_id
   WHERE n.is_current = 1 AND n.portfolio IS NOT NULL AND m.direction = 'out' AND m.is_group = 0 AND m.status <> 'failed'
     AND m.created_at > (SELECT COALESCE(MAX(seen_at), 0) FROM nodes) - 86400000
     AND NOT EXISTS (SELECT 1 FROM messages r WHERE r.instance_id = m.instance_id AND r.chat = m.chat
       AND r.direction = 'in' AND r.created_at > m.created_at - 86400000 AND r.created_at <= m.created_at);
INSERT INTO safety_minutes (portfolio, minute, people)
  SELECT l.portfolio, l.last_at / 60000, COUNT(*)
    FROM (SELECT portfolio, person, MAX(reached_at) AS last_at FROM safety_reached GROUP BY portfolio, person) AS l
   GROUP BY l.portfolio, l.last_at / 60000;
`,
}
