import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import type { EngineInstance } from '../../../main/engines/instance.ts'
import { createJournal } from '../../../main/engines/smv2/journal.ts'
import { INBOUND_JOURNAL } from '../../../main/engines/smv2/session.ts'
import { insertInbound } from '../../../main/engines/smv2/store.ts'
import { systemRandom, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

const ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' as InstanceId
const SHOP: EngineInstance = { id: ID, accountId: 'all' as AccountId, engine: 'smv2', network: 'live' }

let data: TestDatabase
let key: Buffer | null
beforeEach(async () => {
  data = await testDatabase()
  key = Buffer.alloc(32, 1)
})
afterEach(() => data.close())

/** @returns what was told, by digest. */
function journal() {
  const clock = fakeClock()
  const seal = createSeal({ masterKey: { key: () => key }, random: systemRandom })
  const told: string[] = []
  const made = createJournal({
    ...{ db: data.db, clock, log: silentLog, alarms: createAlarms(clock), seal },
    hearing: { hear: async (_, digest) => void told.push(digest) },
  })
  const keep = (seq: number, digest: string, from: string) => {
    const heard = { stanza: { from }, plain: '' }
    const sealed = seal.seal(Buffer.from(JSON.stringify(heard)), `smv2:${ID}:${INBOUND_JOURNAL}:${digest}`)
    return data.db.commit((tx) => tx.run(insertInbound, { seq, instanceId: ID, digest, sealed, now: clock.now() }))
  }
  return { ...made, clock, told, keep }
}

test('what the disk has changed is not told, and keeps nobody else waiting', async () => {
  const { open, wake, close, clock, told, keep } = journal()
  for (const [i, digest] of ['one', 'two', 'three'].entries()) await keep(i + 1, digest, 'ana')
  data.raw.exec("UPDATE smv2_inbound SET sealed = x'0102030405' WHERE digest = 'two'")
  await open()
  wake(SHOP)
  await clock.advance(3_000)
  expect(told).toEqual(['one', 'three'])
  expect(clock.waiting()).toBe(0)
  await close()
})

test('while the keychain is locked nothing is told, and everything once it is open', async () => {
  const { open, wake, close, clock, told, keep } = journal()
  await keep(1, 'one', 'ana')
  const unlocked = key
  key = null
  await open()
  wake(SHOP)
  await clock.advance(3_000)
  expect(told).toEqual([])
  key = unlocked
  await clock.advance(1_000)
  expect(told).toEqual(['one'])
  await close()
})
