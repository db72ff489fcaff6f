import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Marks damage that only a close check finds, so that the next start checks as closely; a quick check would find
 * nothing.
 * @param database its path.
 * @param found SQLite's messages, for a person.
 */
export function markDamaged(database: string, found: readonly string[]): void {
  writeFileSync(markerOf(database), `${JSON.stringify({ found }, null, 2)}\n`, { mode: 0o600 })
}

export const isMarkedDamaged = (database: string): boolean => existsSync(markerOf(database))

export const clearDamageMarker = (database: string): void => rmSync(markerOf(database), { force: true })

const markerOf = (database: string) => join(dirname(database), 'damage.json')
