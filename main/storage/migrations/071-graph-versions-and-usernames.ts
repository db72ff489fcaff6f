import type { Migration } from '../migrate.ts'

/**
 * official_numbers.graph_version: the version of Meta's API for the number, if it differs from the service's.
 * sandbox_profiles.username: the name that a business number of the sandbox network has reserved for itself.
 */
export const graphVersionsAndUsernames: Migration = {
  version: 71,
  name: 'graph-versions-and-usernames',
  sql: `
    ALTER TABLE official_numbers ADD COLUMN graph_version TEXT;
    ALTER TABLE sandbox_profiles ADD COLUMN username TEXT;
    ALTER TABLE sandbox_profiles ADD COLUMN username_status TEXT;
  `,
}
