import { expect, test } from 'vitest'
import { SYNC_DEFAULT } from '../../../main/contract/crm.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../../../main/contract/shapes.ts'
import {
  insertMessage,
  pruneStatuses,
  putStatus,
  statusOf,
  statusPushed,
} from '../../../main/capabilities/crm/outbox-store.ts'
import { createStatuses } from '../../../main/capabilities/crm/statuses.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'

const link = {
  seq: 1,
  id: 'crm_1',
  kind: 'ghl',
  queue: 'ghl:L',
  paused: 0,
  sync: SYNC_DEFAULT,
  accountId: 'a',
} as never

async function statusesOfTest() {
  const { db } = await testDatabase()
  let wakes = 0
  const statuses = createStatuses({
    clock: fakeClock(),
    links: { notify() {} },
    async wake() {
      wakes++
    },
    wordsOf: () => new Set<MessageStatus>(['delivered', 'read', 'failed']),
  })
  const known = (externalId: string) => db.readOne(statusOf, { linkSeq: 1, externalId })
  const move = (messageId: string, status: MessageStatus, error: string | null = null) =>
    db.commit((tx) => statuses.moved(tx, link, messageId, status, error))
  const add = (messageId: string, externalId: string) =>
    db.commit((tx) => tx.run(insertMessage, { linkSeq: 1, messageId, externalId, status: null }))
  return { db, known, move, add, wakes: () => wakes }
}

test('the status in the CRM never moves backwards, in whatever order statuses arrive', async () => {
  const rank = (status: MessageStatus | undefined) => (status === undefined ? -1 : MESSAGE_STATUSES.indexOf(status))
  const { known, move, add } = await statusesOfTest()
  const words = ['sent', 'delivered', 'read', 'failed'] as const
  const orders = words.flatMap((a) => words.flatMap((b) => words.map((c) => [a, b, c] as const)))
  for (const [at, order] of orders.entries()) {
    await add(`m${at}`, `x${at}`)
    let highest = -1
    for (const status of order) {
      await move(`m${at}`, status, status === 'failed' ? 'why' : null)
      const now = rank((await known(`x${at}`))?.status)
      expect(now, order.join()).toBeGreaterThanOrEqual(highest)
      highest = now
    }
  }
})

test('only the latest status waits to be sent, and a status that was sent is not sent again', async () => {
  const { db, known, move, add, wakes } = await statusesOfTest()
  await add('m', 'x')
  await move('m', 'sent')
  // GoHighLevel has no word for it.
  expect(await known('x')).toBeUndefined()
  await move('m', 'delivered')
  await move('m', 'read')
  expect(await known('x')).toMatchObject({ status: 'read', pushed: null })
  await db.commit((tx) => tx.run(statusPushed, { linkSeq: 1, externalId: 'x', status: 'read' }))
  const before = wakes()
  await move('m', 'read')
  await move('m', 'delivered')
  expect(wakes()).toBe(before)
})

test('a message with several files has the status of its slowest file, and is failed if one file failed', async () => {
  const { known, move, add } = await statusesOfTest()
  await add('a', 'x')
  await add('b', 'x')
  await move('a', 'read')
  expect(await known('x')).toBeUndefined()
  await move('b', 'delivered')
  expect(await known('x')).toMatchObject({ status: 'delivered' })
  await move('b', 'failed', 'Too large')
  expect(await known('x')).toMatchObject({ status: 'failed', error: 'Too large' })
})

test('the statuses that were not changed for longest are pruned first', async () => {
  const { db } = await testDatabase()
  const put = (externalId: string, now: number) =>
    db.commit((tx) =>
      tx.run(putStatus, {
        ...{ linkSeq: 1, externalId, queue: 'ghl:L', status: 'read', error: null, dirty: 0, holdUntilMs: 0, now },
      }),
    )
  const prune = (before: number, limit: number) => db.commit((tx) => tx.run(pruneStatuses, { before, limit }))
  const known = async () => {
    const found = ['a', 'b', 'c', 'd'].map(async (externalId) => ({
      externalId,
      row: await db.readOne(statusOf, { linkSeq: 1, externalId }),
    }))
    return (await Promise.all(found)).flatMap(({ externalId, row }) => (row === undefined ? [] : [externalId]))
  }
  await put('b', 200)
  await put('a', 100)
  await put('c', 300)
  await put('d', 100)
  // It has changed since.
  await put('d', 400)
  expect(await prune(300, 1)).toBe(1)
  expect(await known()).toEqual(['b', 'c', 'd'])
  expect(await prune(300, 10)).toBe(1)
  expect(await prune(300, 10)).toBe(0)
  expect(await known()).toEqual(['c', 'd'])
})
