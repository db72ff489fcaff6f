import { expect, onTestFinished, test, vi } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import type { EngineInstance } from '../../../main/engines/instance.ts'
import { createJournal } from '../../../main/engines/smv2/journal.ts'
import { INBOUND_JOURNAL } from '../../../main/engines/smv2/session.ts'
import { insertInbound } from '../../../main/engines/smv2/store.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { Tx } from '../../../main/kernel/db.ts'
import { systemRandom, type InstanceId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { testDatabase } from '../../support/database.ts'
import { BUSY, OTHER } from '../../support/jobs.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

const numberOf = (accountId: typeof BUSY, n: number): EngineInstance => ({
  id: `0197f0c2-6a3e-7c51-9d2b-${String(n).padStart(12, '0')}` as InstanceId,
  ...{ accountId, engine: 'smv2', network: 'live' },
})

/** A journal over a real database, whose rooms write each message in a commit of their own. */
async function loaded(onPublish: (digest: string) => Promise<void> = async () => {}) {
  const data = await testDatabase()
  const plain = createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: systemRandom })
  const counts = { opened: 0, published: 0 }
  const order = new Map<string, number[]>()
  const seal: typeof plain = {
    ...plain,
    openBytes(...given) {
      counts.opened++
      return plain.openBytes(...given)
    },
  }
  const journal = createJournal({
    ...{ db: data.db, clock: systemClock, log: silentLog, alarms: createAlarms(systemClock), seal },
    inbound: {
      async publish(_instance, digest) {
        await onPublish(digest)
        await data.db.commit(async (tx) => tx.next('published'))
        counts.published++
        const [chat = '', nth = ''] = digest.split(' ')
        order.set(chat, [...(order.get(chat) ?? []), Number(nth)])
      },
    },
  })
  onTestFinished(async () => {
    await journal.close()
    await data.close()
  })
  let seq = 0
  const keep = (tx: Tx, { id: instanceId }: EngineInstance, chat: string, nth: number) => {
    const digest = `${chat} ${nth}`
    const heard = JSON.stringify({ stanza: { from: chat }, plain: '' })
    const sealed = seal.seal(Buffer.from(heard), `smv2:${instanceId}:${INBOUND_JOURNAL}:${digest}`)
    return tx.run(insertInbound, { seq: ++seq, instanceId, digest, engineId: null, sealed, now: 0 })
  }
  return {
    ...{ counts, order, wake: journal.wake, open: journal.open },
    keepOne: (of: EngineInstance, chat: string, nth: number) => data.db.commit((tx) => keep(tx, of, chat, nth)),
    keepMany: (of: EngineInstance, chat: string, count: number) =>
      data.db.commit(async (tx) => {
        for (let nth = 1; nth <= count; nth++) await keep(tx, of, chat, nth)
      }),
  }
}

test.each([500, 4_000])(
  '%i messages of one chat are each decrypted at most three times, and reported in order',
  async (count) => {
    const { counts, order, wake, open, keepMany } = await loaded()
    const shop = numberOf(BUSY, 1)
    await keepMany(shop, 'ana', count)
    await open()
    wake(shop)
    await vi.waitFor(() => expect(counts.published).toBe(count), PATIENCE)
    expect(order.get('ana')).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    // When it is read, when its turn has come, and when it is told.
    expect(counts.opened).toBeLessThanOrEqual(3 * count)
  },
)

test('a chat that waits for a file is not read repeatedly while others continue', async () => {
  const file = Promise.withResolvers<undefined>()
  const { counts, wake, open, keepMany, order } = await loaded((digest) =>
    digest === 'ana 1' ? file.promise : Promise.resolve(),
  )
  const shop = numberOf(BUSY, 1)
  await keepMany(shop, 'ana', 1_000)
  for (let chat = 0; chat < 20; chat++) await keepMany(shop, `chat${chat}`, 50)
  await open()
  wake(shop)
  await vi.waitFor(() => expect(counts.published).toBe(1_000), PATIENCE)
  expect(counts.opened).toBeLessThanOrEqual(1_000 + 3 * 1_000)
  file.resolve(undefined)
  await vi.waitFor(() => expect(counts.published).toBe(2_000), PATIENCE)
  expect(order.get('ana')).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1))
})

test.each([1, 10, 40])(
  'an account with large journals of %i numbers delays the message of another account only briefly',
  async (numbers) => {
    const { counts, order, wake, open, keepMany, keepOne } = await loaded()
    const greedy = Array.from({ length: numbers }, (_, n) => numberOf(BUSY, n + 1))
    for (const [n, one] of greedy.entries())
      for (let chat = 0; chat < 20; chat++) await keepMany(one, `n${n}c${chat}`, 10)
    await open()
    for (const one of greedy) wake(one)
    await vi.waitFor(() => expect(counts.published).toBeGreaterThan(0), PATIENCE)
    const other = numberOf(OTHER, 9_999)
    await keepOne(other, 'other', 1)
    const before = counts.published
    wake(other)
    await vi.waitFor(() => expect(order.get('other')).toEqual([1]), { ...PATIENCE, interval: 1 })
    // A few groups of commits, however much waits.
    expect(counts.published - before).toBeLessThan(500)
    await vi.waitFor(() => expect(counts.published).toBe(numbers * 200 + 1), PATIENCE)
  },
)
