import type { Migration } from '../migrate.ts'

/** Communities and channels of the sandbox. */
export const sandboxCommunitiesAndChannels: Migration = {
  version: 73,
  name: 'sandbox-communities-and-channels',
  sql: `
ALTER TABLE sandbox_groups ADD COLUMN kind TEXT NOT NULL DEFAULT 'group'
  CHECK (kind IN ('group', 'community', 'announcements'));

CREATE TABLE sandbox_community_groups (
  group_seq INTEGER PRIMARY KEY REFERENCES sandbox_groups (seq) ON DELETE CASCADE,
  community_seq INTEGER NOT NULL REFERENCES sandbox_groups (seq) ON DELETE CASCADE
) STRICT;
CREATE INDEX sandbox_community_groups_of ON sandbox_community_groups (community_seq, group_seq);

-- Without those who own the channel.
CREATE TABLE sandbox_channel_followers (
  account_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  number TEXT NOT NULL,
  PRIMARY KEY (account_id, channel, number)
) STRICT;
CREATE INDEX sandbox_channel_followers_by_number ON sandbox_channel_followers (account_id, number, channel);
`,
}
