/** Commits until it is killed, and writes each number on standard output as soon as its commit resolved. */
import { writeSync } from 'node:fs'
import { systemClock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { notebook, putNote, putReply } from './notebook.ts'

const CALLERS = 16

const db = await openStorage({
  file: process.argv[2] ?? '',
  migrations: notebook,
  ids: createIds(systemClock, systemRandom),
  clock: systemClock,
  log: silentLog,
})

async function commitForever(): Promise<never> {
  for (;;) {
    const seq = await db.commit(async (tx) => {
      const next = await tx.next('messages')
      await tx.run(putNote, { seq: next, text: `note ${next}` })
      await tx.run(putReply, { seq: next, note: next })
      return next
    })
    writeSync(1, `${seq}\n`)
  }
}

await Promise.all(Array.from({ length: CALLERS }, commitForever))
