import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '../../../main/engines/engine.ts'
import { accepted, bench, gate, idIn, INSTANCE, refusal, TEXT, type Bench } from './bench.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

/** Lets time pass, then makes one pass; nothing runs by itself, for the room was not started. */
const pass = async (ms: number) => {
  await b.clock.advance(ms)
  await b.messages.reconcile()
}
const silence = async (): Promise<SendOutcome> => ({ kind: 'unknown', message: 'Silence.' })

describe('a message that stays queued', () => {
  test('fails as expired after 24 hours if the connection has been up for ten minutes', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    const id = idIn(await b.send(TEXT))
    await pass(DAY - 1)
    expect(b.events()).toEqual([])
    await pass(10 * MINUTE)
    expect(b.events()).toEqual(['message.failed'])
    expect(await b.messages.get(INSTANCE, id)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
    await pass(10 * MINUTE)
    expect(b.events()).toEqual([])
  })

  test('waits while disconnected, and for ten more minutes after reconnecting', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    const id = idIn(await b.send(TEXT))
    await b.connect(false)
    await pass(3 * DAY)
    expect(b.events()).toEqual([])
    await b.connect(true)
    await pass(0)
    await pass(9 * MINUTE)
    await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'delivered', atMs: b.clock.now() })
    await pass(DAY)
    expect(b.events()).toEqual(['message.sent', 'message.delivered'])
  })

  test('fails as expired after 30 days without a connection, because no network keeps receipts longer', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    const id = idIn(await b.send(TEXT))
    await b.connect(false)
    await pass(30 * DAY - MINUTE)
    expect(b.events()).toEqual([])
    await pass(MINUTE)
    expect(b.events()).toEqual(['message.failed'])
    expect(await b.messages.get(INSTANCE, id)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
  })

  test('fails as expired after 30 days when its instance was deleted', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    await b.send(TEXT)
    await b.instances.remove(INSTANCE)
    const before = b.events()
    expect(before).not.toContain('message.failed')
    await pass(30 * DAY - MINUTE)
    expect(b.events()).toEqual([])
    await pass(MINUTE)
    expect(b.events()).toEqual(['message.failed'])
  })

  test('without a key and with an unknown outcome is looked up at the engine', async () => {
    b.engine.plan = silence
    await refusal(b.send(TEXT))
    const id = b.engine.asked[0]?.messageId ?? ''
    b.engine.found = 'arrived'
    await pass(MINUTE)
    expect((await b.messages.get(INSTANCE, id)).status).toBe('sent')
    expect(b.events()).toEqual(['message.sent'])
  })

  test('is not looked up if the engine has accepted it', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    const id = idIn(await b.send(TEXT))
    b.engine.found = 'never_arrived'
    await pass(10 * MINUTE)
    expect((await b.messages.get(INSTANCE, id)).status).toBe('queued')
  })

  test('is not looked up while its send is in progress', async () => {
    const hold = gate<SendOutcome>()
    b.engine.plan = () => hold.promise
    b.engine.found = 'never_arrived'
    const sending = b.send(TEXT, { key: 'k' })
    await b.clock.advance(0)
    b.clock.suspend(10 * MINUTE)
    await b.messages.reconcile()
    expect(b.keyState('k')).toBe('in_progress')
    hold.open(accepted('E1'))
    expect((await sending).replayed).toBe(false)
  })

  test('is not looked up after a 504 while its engine may still be sending, even after an hour', async () => {
    const hold = gate<SendOutcome>()
    b.engine.plan = () => hold.promise
    b.engine.found = 'never_arrived'
    const answer = refusal(b.send(TEXT, { key: 'k' }))
    await b.clock.advance(21_000)
    expect(await answer).toMatchObject({ code: 'upstream_timeout' })
    await pass(60 * MINUTE)
    expect(b.keyState('k')).toBe('unknown')
    hold.open({ kind: 'unknown', message: 'Silence.' })
    await pass(MINUTE)
    expect(b.keyState('k')).toBeUndefined()
  })

  test('is sent if a receipt arrives during the look-up, whatever the look-up returns', async () => {
    b.engine.plan = silence
    await refusal(b.send(TEXT, { key: 'k' }))
    const { id } = await b.messages.getByKey(INSTANCE, 'k')
    b.engine.find = async () => {
      await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'sent', atMs: b.clock.now() })
      return 'never_arrived'
    }
    await pass(MINUTE)
    expect([b.keyState('k'), b.events()]).toEqual(['done', ['message.sent']])
  })

  test('is settled even if the look-up of another message fails', async () => {
    b.engine.plan = silence
    for (const key of ['a', 'b']) await refusal(b.send(TEXT, { key }))
    let asked = 0
    b.engine.find = async () => {
      if (++asked === 1) throw new Error('bug')
      return 'arrived'
    }
    await pass(MINUTE)
    expect([b.keyState('a'), b.keyState('b')]).toEqual(['unknown', 'done'])
  })

  test('is looked up even if there are hundreds', async () => {
    b.engine.plan = silence
    await Promise.all(
      Array.from({ length: 4 }, async (_, page) => {
        for (let i = 0; i < 60; i++) await refusal(b.send(TEXT, { key: `${page}-${i}` }))
      }),
    )
    b.engine.found = 'arrived'
    await pass(MINUTE)
    expect((await b.messages.gauges(INSTANCE)).pending).toBe(0)
    expect(b.events()).toHaveLength(240)
  })
})

test('the reconciler runs once a minute after its start, and leaves no timer when it stops', async () => {
  b.engine.plan = silence
  await refusal(b.send(TEXT, { key: 'k' }))
  b.engine.found = 'arrived'
  b.messages.start()
  await b.clock.advance(59_000)
  expect(b.keyState('k')).toBe('unknown')
  await b.clock.advance(62_000)
  expect(b.keyState('k')).toBe('done')
  await b.messages.stop()
  expect(b.clock.waiting()).toBe(0)
})

test('keys older than 24 hours are deleted, and their messages stay', async () => {
  const id = idIn(await b.send(TEXT, { key: 'k' }))
  await pass(DAY)
  expect(b.keyState('k')).toBeUndefined()
  expect((await b.messages.getByKey(INSTANCE, 'k')).id).toBe(id)
})
