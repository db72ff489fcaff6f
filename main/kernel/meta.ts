import type { Db, Tx } from './db.ts'
import { sql } from './sql.ts'

/** Facts about this home that must travel with its database. */
export const HOME_FACTS = {
  /** Distinguishes homes that share a keychain. */
  id: 'home_id',
  /** Which vault it chose when it was new. */
  vaultKind: 'vault_kind',
  /** Proves the master key without revealing it. */
  keyCheck: 'master_key_check',
} as const

/** JSON that a restore left: transfers of instances that the backup did not know (see storage/left-instances.ts). */
export const TRANSFERS_TO_REPEAT = 'transfers_to_repeat'

/** Begins the name of the key that links of an account are signed with (capabilities/voice/links.ts). */
export const LINK_KEY_OF = 'link_key:'

/** How many milliseconds the clock was set in all since the home was new. */
export const CLOCK_MOVED = 'clock_moved_ms'

/** How far the clock is ahead of where it was before it was set forward, and since when: JSON of `clock-changes.ts`. */
export const CLOCK_AHEAD = 'clock_ahead'

const select = sql<{ name: string }, { value: string }>('SELECT value FROM meta WHERE name = :name')

const keep = sql<{ name: string; value: string }>(
  'INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING',
)

export async function readMeta(db: Pick<Db, 'readOne'>, name: string): Promise<string | undefined> {
  return (await db.readOne(select, { name }))?.value
}

/** Records the value unless there is one already. @returns the value that stands now. */
export async function insertMeta(tx: Tx, name: string, value: string): Promise<string> {
  await tx.run(keep, { name, value })
  return (await tx.one(select, { name }))?.value ?? value
}

const replace = sql<{ name: string; value: string }>(
  'INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
)

export async function replaceMeta(tx: Tx, name: string, value: string): Promise<void> {
  await tx.run(replace, { name, value })
}

/** Adds to a number. @returns the sum. */
export async function addToMeta(tx: Tx, name: string, by: number): Promise<number> {
  const sum = Number((await tx.one(select, { name }))?.value ?? 0) + by
  await replaceMeta(tx, name, String(sum))
  return sum
}

const remove = sql<{ name: string }>('DELETE FROM meta WHERE name = :name')

export async function removeMeta(tx: Tx, name: string): Promise<void> {
  await tx.run(remove, { name })
}

const removeRange = sql<{ from: string; to: string }>('DELETE FROM meta WHERE name >= :from AND name < :to')

/** @param prefix ends with a colon. */
export async function removeMetaBeginningWith(tx: Tx, prefix: string): Promise<void> {
  // A semicolon is the character after a colon.
  await tx.run(removeRange, { from: prefix, to: `${prefix.slice(0, -1)};` })
}
