import type { Migration } from '../migrate.ts'

/** Files that came with messages move to the files of the kernel. Rows of before stay in `media` until they are old. */
export const smv2Files: Migration = {
  version: 19,
  name: 'smv2 files',
  sql: `
-- file_id: in files; several rows of an account may share one. account_id is that of the file.
-- pending: how to fetch a file that is not there yet, sealed; size and hash are then what the sender says.
-- All three are null in rows of the older layout, whose bytes lie in media/ of the home folder under their hash.
ALTER TABLE smv2_media ADD COLUMN account_id TEXT;
ALTER TABLE smv2_media ADD COLUMN file_id TEXT;
ALTER TABLE smv2_media ADD COLUMN pending BLOB;
CREATE INDEX smv2_media_by_file ON smv2_media (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX smv2_media_pending ON smv2_media (seq) WHERE pending IS NOT NULL;
`,
}
