/** Commits groups until the system refuses to let a file grow, then reports what its callers were told. */
import { writeSync } from 'node:fs'
import { StorageError } from '../../main/kernel/db.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { notebook, noteTexts, putBody, putNote } from './notebook.ts'

// The system's default for a file that is too large is to end the process.
process.on('SIGXFSZ', () => {})

const db = await openStorage({
  file: process.argv[2] ?? '',
  migrations: notebook,
  ids: createIds(systemClock, systemRandom),
  clock: systemClock,
  log: silentLog,
})
const body = Buffer.alloc(8_000, 7)
const acknowledged: number[] = []

for (let first = 1; ; first += 16) {
  const numbers = Array.from({ length: 16 }, (_, i) => first + i)
  const group = numbers.map((seq) => db.commit((tx) => tx.run(putBody, { seq, text: `note ${seq}`, body })))
  const results = await Promise.allSettled(group)
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  numbers.forEach((seq, i) => results[i]?.status === 'fulfilled' && acknowledged.push(seq))
  if (reasons.length > 0) {
    const kinds = reasons.map((reason) => (reason instanceof StorageError ? reason.kind : String(reason)))
    const after = await db.commit((tx) => tx.run(putNote, { seq: 0, text: 'after' })).catch((e: unknown) => e)
    const kindAfter = after instanceof StorageError ? after.kind : String(after)
    const readable = (await db.read(noteTexts, {})).length
    writeSync(1, `${JSON.stringify({ acknowledged, kinds, kindAfter, readable })}\n`)
    process.exit(0)
  }
}
