import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { createCallbackQueue } from '../../../main/engines/official/callback-queue.ts'
import { addCallback, removeCallback } from '../../../main/engines/official/store.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { ANA, answered, cloudWorld, messagesBody, statusOf, textFrom, type CloudWorld } from './cloud-world.ts'

let world: CloudWorld
beforeEach(async () => {
  world = await cloudWorld()
})
afterEach(() => world.close())

describe('the queue of callbacks', () => {
  let seq = 0
  beforeEach(() => {
    seq = 0
  })
  const [a, b, c] = ['a', 'b', 'c'] as InstanceId[] as [InstanceId, InstanceId, InstanceId]

  /** Each instance is of the account of its first letter. */
  function scene() {
    const { data, clock } = world
    const { db } = data
    const queue = createCallbackQueue({ db, clock, accountOf: (id) => id[0] })
    return {
      queue,
      async store(instanceId: InstanceId, count: number, bytes = 1) {
        for (let i = 0; i < count; i++)
          await db.commit((tx) =>
            tx.run(addCallback, { seq: ++seq, instanceId, now: clock.now(), body: new Uint8Array(bytes) }),
          )
        queue.note(instanceId)
      },
      /** Processes what is next. @returns how many of each instance, in order. */
      async process() {
        const rows = await queue.next()
        for (const row of rows) await db.commit((tx) => tx.run(removeCallback, { seq: row.seq }))
        return rows.map(({ instanceId }) => instanceId)
      },
    }
  }
  const counts = (ids: readonly InstanceId[]) =>
    Object.fromEntries([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]))

  test('processes equal shares for each account, however many callbacks wait for others', async () => {
    const { store, process } = scene()
    const other = 'a2' as InstanceId
    await store(a, 200)
    await store(other, 100)
    await store(b, 2)
    await store(c, 50)
    const turn = counts(await process())
    expect((turn[a] ?? 0) + (turn[other] ?? 0)).toBe(21)
    expect(turn).toMatchObject({ b: 2, c: 21 })
    const all: InstanceId[] = []
    for (let each = await process(); each.length > 0; each = await process()) all.push(...each)
    expect(all).toHaveLength(352 - 21 - 2 - 21)
    await store(b, 1)
    expect(await process()).toEqual([b])
  })

  test('processes one large body per turn, and other callbacks before the next', async () => {
    const { store, process } = scene()
    const large = 900 * 1024
    await store(a, 3, large)
    await store(b, 2, large)
    await store(c, 1)
    const turns: InstanceId[][] = []
    for (let each = await process(); each.length > 0; each = await process()) turns.push(each)
    expect(turns).toEqual([[a, c], [b], [a], [b], [a]])
  })

  test('skips callbacks that are held for a second, and processes later ones', async () => {
    const { queue, store, process } = scene()
    await store(a, 100)
    const rows = (await queue.next()).slice(0, 64)
    for (const row of rows) queue.hold(row, ['chat 1'])
    const next = { seq: 65, instanceId: a }
    expect([queue.isBehindHeld(next, ['chat 1']), queue.isBehindHeld(next, ['chat 2'])]).toEqual([true, false])
    expect(queue.isBehindHeld({ seq: 65, instanceId: b }, ['chat 1'])).toBe(false)
    expect(await process()).toHaveLength(36)
    expect(await process()).toEqual([])
    expect(queue.dueAtMs()).toBe(world.clock.now() + 1_000)
    await world.clock.advance(1_000)
    expect(await process()).toHaveLength(64)
    expect(queue.dueAtMs()).toBeUndefined()
    expect(await process()).toEqual([])
  })
})

test('a removed number has no due callbacks', async () => {
  const { data, clock } = world
  const queue = createCallbackQueue({ db: data.db, clock, accountOf: () => undefined })
  const instanceId = 'gone' as InstanceId
  queue.note(instanceId)
  queue.hold({ seq: 1, instanceId }, [])
  expect(await queue.next()).toEqual([])
  expect(queue.dueAtMs()).toBeUndefined()
})

describe('callbacks that have to wait', () => {
  /** A send whose answer Meta owes, so its statuses wait. */
  async function owing(instance: EngineInstance) {
    let arrive = () => {}
    world.answer((_request, path) =>
      path.endsWith('/messages')
        ? new Promise((resolve) => (arrive = () => resolve(answered(200, { messages: [{ id: 'wamid.1' }] }))))
        : undefined,
    )
    const payload = { type: 'text', text: { body: 'x' }, biz_opaque_callback_data: 'mine' }
    const sending = world.send(instance, { kind: 'cloud_api', payload } as never)
    await settle()
    return async () => {
      arrive()
      await sending
    }
  }

  test('do not delay other numbers, or other chats of the same number', async () => {
    const busy = await world.connected()
    const other = await world.connected({ phoneNumberId: '222222', number: '12025550201' })
    const end = await owing(busy)
    for (let i = 0; i < 70; i++)
      await world.callBack(busy, messagesBody({ statuses: [statusOf(`wamid.${i}`, 'sent')] }))
    expect(world.told(busy)).toEqual([])
    for (const [instance, phoneNumberId] of [[other, '222222'], [busy]] as const) {
      await world.callBack(instance, messagesBody({ messages: [textFrom(ANA, 'wamid.hello')] }, phoneNumberId))
      expect(world.of(instance, 'received')).toHaveLength(1)
    }
    await end()
    await world.clock.advance(1_000)
    expect(world.of(busy, 'receipt')).toHaveLength(70)
  })

  test('keep the order of the statuses of a message', async () => {
    const instance = await world.connected()
    const end = await owing(instance)
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.1', 'sent')] }))
    await world.clock.advance(500)
    await end()
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.1', 'delivered')] }))
    expect(world.of(instance, 'receipt')).toEqual([])
    for (let i = 0; i < 3; i++) await world.clock.advance(1_000)
    expect(world.of(instance, 'receipt').map(({ status }) => status)).toEqual(['sent', 'delivered'])
  })

  test('because a room refused them do not delay other chats', async () => {
    const instance = await world.connected()
    world.sink.refusals = 70
    for (let i = 0; i < 70; i++)
      await world.callBack(instance, messagesBody({ messages: [textFrom(`4915100000${i + 100}`, `wamid.${i}`)] }))
    expect(world.told(instance)).toEqual([])
    await world.callBack(instance, messagesBody({ messages: [textFrom(ANA, 'wamid.hello')] }))
    expect(world.of(instance, 'received')).toHaveLength(1)
    await world.clock.advance(1_000)
    expect(world.of(instance, 'received')).toHaveLength(71)
  })
})
