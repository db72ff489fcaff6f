import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Damage that only a close look finds is noted beside the database, so that the next start looks as closely: a quick one
 * would take the file for whole.
 * @param database its path.
 * @param found in SQLite's words, for a person who wonders.
 */
export function noteDamage(database: string, found: readonly string[]): void {
  writeFileSync(noteBeside(database), `${JSON.stringify({ found }, null, 2)}\n`, { mode: 0o600 })
}

export const isDamageNoted = (database: string): boolean => existsSync(noteBeside(database))

export const forgetDamage = (database: string): void => rmSync(noteBeside(database), { force: true })

const noteBeside = (database: string) => join(dirname(database), 'damage.json')
