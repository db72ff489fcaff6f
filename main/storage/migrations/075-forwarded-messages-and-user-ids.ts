import type { Migration } from '../migrate.ts'

/**
 * Which messages were forwarded, and the portfolio of Meta's to which a person's id belongs. Both are unknown for
 * older ones.
 */
export const forwardedMessagesAndUserIds: Migration = {
  version: 75,
  name: 'forwarded-messages-and-user-ids',
  sql: `
ALTER TABLE messages ADD COLUMN forwarded TEXT CHECK (forwarded IN ('forwarded', 'frequently'));

-- People who are named by Meta's id. portfolio_id is null where Meta does not say which it is.
CREATE TABLE official_user_ids (
  instance_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  portfolio_id TEXT,
  PRIMARY KEY (instance_id, user_id)
) STRICT;

-- Pictures and videos that were posted in channels of the sandbox.
CREATE TABLE sandbox_channel_files (
  post_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX sandbox_channel_files_of_account ON sandbox_channel_files (account_id, post_id);
`,
}
