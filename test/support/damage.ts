import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Changes one letter of an entry in an index, on the disk. Every page is as sound as before; only a look that asks
 * whether indexes and rows agree finds it. The log is written back first.
 * @param text of one entry, and of no other in this index.
 */
export function damageIndex(database: string, index: string, text: string): void {
  const connection = new Database(database)
  connection.pragma('wal_checkpoint(TRUNCATE)')
  const size = Number(connection.pragma('page_size', { simple: true }))
  const pages = connection.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck().all(index) as number[]
  connection.close()
  const bytes = readFileSync(database)
  const hits = pages
    .map((page) => ({ begin: (page - 1) * size, at: bytes.subarray((page - 1) * size, page * size).indexOf(text) }))
    .filter(({ at }) => at >= 0)
  const [hit] = hits
  if (hit === undefined) throw new Error(`${text} is not in ${index}`)
  const last = hit.begin + hit.at + text.length - 1
  bytes[last] = (bytes[last] ?? 0) ^ 0x40
  writeFileSync(database, bytes)
}
