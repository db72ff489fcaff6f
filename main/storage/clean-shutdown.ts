import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeDurably } from '../kernel/durable-file.ts'

/**
 * Says beside a database that it was closed in order, and as what: the next start knows by it that nobody has written to
 * the file since. It says nothing of a disk that forgets; for that there is the daily look (daily-look.ts).
 */
export async function markCleanShutdown(database: string): Promise<void> {
  const seen = stateOf(database)
  if (seen !== null) await writeDurably(markerOf(database), seen)
}

/**
 * Whether nobody has written to the file since it was closed in order. The note is good for one start: whatever ends
 * that one early is no clean end.
 */
export function takeCleanShutdownMarker(database: string): boolean {
  const note = markerOf(database)
  if (!existsSync(note)) return false
  const noted = readFileSync(note, 'utf8')
  rmSync(note)
  return noted === stateOf(database)
}

const markerOf = (database: string) => `${database}.closed`

/** @returns null where a log lies beside it, so that the file is not all there is. */
function stateOf(database: string): string | null {
  if (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size) return null
  const file = statSync(database, { bigint: true, throwIfNoEntry: false })
  return file ? `${JSON.stringify({ bytes: `${file.size}`, changed: `${file.mtimeNs}`, file: `${file.ino}` })}\n` : null
}
