import type { Migration } from '../migrate.ts'

/** People with whom an earlier version had two chats, because the network spelled their number in two ways. */
export const personChats: Migration = {
  version: 68,
  name: 'person-chats',
  sql: `INSERT INTO person_rekeyings (name) VALUES ('chats') ON CONFLICT (name) DO NOTHING;`,
}
