import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Damage that only a close look finds is noted beside the database, so that the next start looks as closely: a quick one
 * would take the file for whole.
 * @param database its path.
 * @param found in SQLite's words, for a person who wonders.
 */
export function markDamaged(database: string, found: readonly string[]): void {
  writeFileSync(markerOf(database), `${JSON.stringify({ found }, null, 2)}\n`, { mode: 0o600 })
}

export const isMarkedDamaged = (database: string): boolean => existsSync(markerOf(database))

export const clearDamageMarker = (database: string): void => rmSync(markerOf(database), { force: true })

const markerOf = (database: string) => join(dirname(database), 'damage.json')
