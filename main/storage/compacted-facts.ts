import { existsSync, readdirSync } from 'node:fs'
import type { Chore } from '../kernel/housekeeping.ts'
import { backupsFolderOf, parseBackupName } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { compactFacts } from './read-facts.ts'

/** Compacts the file of facts as far as the backups allow: only a backup older than a fact needs it. */
export const compactedFacts = (database: string): Chore => ({
  name: 'facts',
  begin: () => async () => compactFacts(factsFolderOf(database), oldestBackupMs(database)),
})

function oldestBackupMs(database: string): number {
  const folder = backupsFolderOf(database)
  if (!existsSync(folder)) return Infinity
  return Math.min(Infinity, ...readdirSync(folder).map((name) => parseBackupName(name)?.madeAtMs ?? Infinity))
}
