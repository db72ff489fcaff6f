import type { Migration } from '../migrate.ts'

/** The message that a received file came with, so that it can be forwarded without another upload. */
export const moreActions: Migration = {
  version: 55,
  name: 'more-actions',
  sql: `
ALTER TABLE smv2_media ADD COLUMN message BLOB;
`,
}
