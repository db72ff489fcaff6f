import { existsSync, readdirSync } from 'node:fs'
import type { Chore } from '../kernel/housekeeping.ts'
import { backupsFolderOf, parseBackupName } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { compactFacts } from './read-facts.ts'

/** Keeps the file of facts as small as the backups allow: only a backup that is older than a fact needs it. */
export const compactedFacts = (database: string): Chore => ({
  name: 'facts',
  begin: () => async () => compactFacts(factsFolderOf(database), oldestBackupMs(database)),
})

function oldestBackupMs(database: string): number {
  const folder = backupsFolderOf(database)
  if (!existsSync(folder)) return Infinity
  return Math.min(Infinity, ...readdirSync(folder).map((name) => parseBackupName(name)?.madeAtMs ?? Infinity))
}
