import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../kernel/db.ts'
import { keptFiles } from '../../kernel/file-store.ts'
import { pathOfFile } from '../../kernel/files.ts'
import { broken, ok, type Finding } from './finding.ts'

const ROWS = 1_000
const NAMED = 3

/** Checks that every file named in the database exists on disk with its full size. */
export async function checkFiles(home: string, db: Pick<Db, 'read'>, nowMs: number): Promise<Finding> {
  const folder = join(home, 'files')
  const missing = new Map<string, string[]>()
  let count = 0
  for (let afterId = ''; ;) {
    const files = await db.read(keptFiles, { afterId, now: nowMs, rows: ROWS })
    for (const { id, kind, size } of files) {
      count++
      const path = pathOfFile(folder, id)
      if (statSync(path, { throwIfNoEntry: false })?.size !== size)
        missing.set(kind, [...(missing.get(kind) ?? []), id])
    }
    afterId = files.at(-1)?.id ?? afterId
    if (files.length < ROWS) break
  }
  if (missing.size === 0) return ok('files', `${count} in ${folder}, each of them complete.`)
  const kinds = [...missing].map(([kind, ids]) => {
    const more = ids.length > NAMED ? ', …' : ''
    return `${ids.length} of ${kind} (${ids.slice(0, NAMED).join(', ')}${more})`
  })
  return broken(
    'files',
    `Missing or cut short in ${folder}: ${kinds.join('; ')}. Put them back from a copy of that folder; otherwise they cannot be downloaded.`,
  )
}
