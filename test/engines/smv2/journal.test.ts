import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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

/** A busy machine takes longer than a second. */
const PATIENCE = { timeout: 60_000 }

let data: TestDatabase
let key: Buffer | null
beforeEach(async () => {
  data = await testDatabase()
  key = Buffer.alloc(32, 1)
})
afterEach(() => data.close())

/** @returns what was told, by digest. */
function journal(publish: (digest: string) => Promise<void> = async () => {}) {
  const clock = fakeClock()
  const seal = createSeal({ masterKey: { key: () => key }, random: systemRandom })
  const told: string[] = []
  const made = createJournal({
    ...{ db: data.db, clock, log: silentLog, alarms: createAlarms(clock), seal },
    inbound: {
      publish: async (_, digest) => {
        await publish(digest)
        told.push(digest)
      },
    },
  })
  const keep = (seq: number, digest: string, from: string) => {
    const heard = { stanza: { from }, plain: '' }
    const sealed = seal.seal(Buffer.from(JSON.stringify(heard)), `smv2:${ID}:${INBOUND_JOURNAL}:${digest}`)
    return data.db.commit((tx) =>
      tx.run(insertInbound, { seq, instanceId: ID, digest, engineId: null, sealed, now: clock.now() }),
    )
  }
  return { ...made, clock, told, keep }
}

test('an entry altered on disk is skipped, and delays no other entry', async () => {
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

test('nothing is reported while the keychain is locked, and everything once it is open', async () => {
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

test('a slow file in one chat delays only that chat, which keeps its order', async () => {
  const slow = Promise.withResolvers<undefined>()
  const { open, wake, close, told, keep } = journal((digest) => (digest === 'ana 1' ? slow.promise : Promise.resolve()))
  await open()
  for (let i = 1; i <= 100; i++) await keep(i, `${i % 2 ? 'ana' : 'ben'} ${Math.ceil(i / 2)}`, i % 2 ? 'ana' : 'ben')
  wake(SHOP)
  await vi.waitFor(() => expect(told).toHaveLength(50), PATIENCE)
  expect(told.every((digest) => digest.startsWith('ben'))).toBe(true)
  await keep(101, 'ben 51', 'ben')
  wake(SHOP)
  await vi.waitFor(() => expect(told.at(-1)).toBe('ben 51'), PATIENCE)
  slow.resolve(undefined)
  await vi.waitFor(() => expect(told).toHaveLength(101), PATIENCE)
  for (const chat of ['ana', 'ben']) {
    const ofChat = told.filter((digest) => digest.startsWith(chat))
    expect(ofChat).toEqual(ofChat.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4))))
  }
  await close()
})

test('a refused message is retried after a pause, before later ones of its chat, and other chats continue', async () => {
  let refusals = 3
  const { open, wake, close, clock, told, keep } = journal(async (digest) => {
    if (digest === 'ana 1' && refusals-- > 0) throw new Error('The storage is full')
  })
  await open()
  await keep(1, 'ana 1', 'ana')
  await keep(2, 'ana 2', 'ana')
  await keep(3, 'ben 1', 'ben')
  wake(SHOP)
  await vi.waitFor(() => expect(told).toEqual(['ben 1']))
  // Other messages arriving meanwhile do not shorten the pause.
  for (let i = 2; i <= 10; i++) {
    await keep(2 + i, `ben ${i}`, 'ben')
    wake(SHOP)
  }
  await vi.waitFor(() => expect(told).toHaveLength(10))
  expect(refusals).toBe(2)
  for (let i = 0; i < 3; i++) await clock.advance(1_000)
  await vi.waitFor(() => expect(told.slice(10)).toEqual(['ana 1', 'ana 2']))
  await close()
})

test('every message stored while chats are processed is published once and in the order of its chat', async () => {
  const random = mulberry(7)
  const told = new Map<string, number[]>()
  const made = journal(async (digest) => {
    const [chat = '', nth = ''] = digest.split(' ')
    if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, random() * 3))
    if (random() < 0.01) throw new Error('The storage is full')
    told.set(chat, [...(told.get(chat) ?? []), Number(nth)])
  })
  await made.open()
  const counts = new Map<string, number>()
  for (let seq = 1; seq <= 400; seq++) {
    const chat = `chat${Math.floor(random() * random() * 12)}`
    const nth = (counts.get(chat) ?? 0) + 1
    counts.set(chat, nth)
    await made.keep(seq, `${chat} ${nth}`, chat)
    if (random() < 0.3) made.wake(SHOP)
  }
  made.wake(SHOP)
  await vi.waitFor(
    async () => {
      await made.clock.advance(1_000)
      expect([...told.values()].flat()).toHaveLength(400)
    },
    { timeout: 60_000 },
  )
  for (const [chat, order] of told) {
    expect(order).toEqual(Array.from({ length: counts.get(chat) ?? 0 }, (_, i) => i + 1))
  }
  await made.close()
})

/** A small seeded generator, so that a failure can be repeated. */
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
