import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { statusesCrossed, NEXT } from '../../../main/capabilities/messages/status.ts'
import { MESSAGE_STATUSES, type MessageErrorShape, type MessageStatus } from '../../../main/contract/shapes.ts'
import type { SendOutcome } from '../../../main/engines/engine.ts'
import type { MessageId } from '../../../main/kernel/ids.ts'
import { accepted, bench, gate, idIn, INSTANCE, OTHER_INSTANCE, settle, TEXT, type Bench } from './bench.ts'

const ERROR: MessageErrorShape = { code: 'undeliverable', message: 'It cannot be delivered.', provider_code: 131026 }

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

/** A message in the status asked for, with its events already seen. */
async function messageIn(status: MessageStatus): Promise<MessageId> {
  b.engine.plan = async (id) => accepted(`E-${id}`, 'queued')
  const id = idIn(await b.send(TEXT))
  if (status === 'failed') await fail(id)
  else if (status !== 'queued') await receipt(id, status)
  b.events()
  return id
}
const receipt = (messageId: MessageId, status: 'sent' | 'delivered' | 'read', atMs = b.clock.now()) =>
  b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId, status, atMs })
const fail = (messageId: MessageId) =>
  b.messages.onSignal(INSTANCE, { kind: 'failed', messageId, error: ERROR, atMs: b.clock.now() })
const statusOf = async (id: MessageId) => (await b.messages.get(INSTANCE, id)).status

describe('the transition table', () => {
  test('equals that of the specification', () => {
    expect(NEXT).toEqual({
      queued: ['sent', 'failed'],
      sent: ['delivered', 'failed'],
      delivered: ['read', 'failed'],
      read: [],
      failed: [],
    })
  })

  const rank = { queued: 0, sent: 1, delivered: 2, read: 3 }
  const pairs = MESSAGE_STATUSES.flatMap((from) => MESSAGE_STATUSES.map((to) => [from, to] as const))

  test.each(pairs)('from %s to %s passes every status between once, or nothing', (from, to) => {
    const expected = ((): MessageStatus[] => {
      if (from === 'failed' || from === 'read' || to === 'queued') return []
      if (to === 'failed') return ['failed']
      return (['sent', 'delivered', 'read'] as const).filter(
        (step) => rank[step] > rank[from] && rank[step] <= rank[to],
      )
    })()
    expect(statusesCrossed(from, to)).toEqual(expected)
  })

  test.each(pairs.filter(([, to]) => to !== 'queued'))(
    'from %s to %s causes exactly the events of the statuses in between',
    async (from, to) => {
      const id = await messageIn(from)
      if (to === 'failed') await fail(id)
      else if (to !== 'queued') await receipt(id, to)
      const steps = statusesCrossed(from, to)
      expect(b.events()).toEqual(steps.map((step) => `message.${step}`))
      expect(await statusOf(id)).toBe(steps.at(-1) ?? from)
    },
  )
})

test('an event contains the time of its status, not the time when it was reported', async () => {
  const id = await messageIn('sent')
  await b.clock.advance(60_000)
  await receipt(id, 'delivered', b.clock.now() - 10_000)
  const { tail } = b.raw.prepare('SELECT tail FROM events ORDER BY seq DESC LIMIT 1').get() as { tail: string }
  expect(tail).toContain('"occurred_at":"2026-01-05T12:00:50.000Z"')
  expect(tail).toContain('"timestamp":"2026-01-05T12:00:50.000Z"')
})

describe('a receipt', () => {
  test('that skips statuses sets the time of each skipped one', async () => {
    const id = await messageIn('queued')
    await b.clock.advance(3_000)
    await receipt(id, 'read')
    const { sentAtMs, deliveredAtMs, readAtMs, failedAtMs } = await b.messages.get(INSTANCE, id)
    expect([sentAtMs, deliveredAtMs, readAtMs, failedAtMs]).toEqual([b.clock.now(), b.clock.now(), b.clock.now(), null])
    expect(b.lastData()).toMatchObject({
      message_id: id,
      status: 'read',
      timestamp: new Date(b.clock.now()).toISOString(),
    })
  })

  test('that is older than the previous status does not reverse the history', async () => {
    const id = await messageIn('sent')
    await receipt(id, 'delivered', b.clock.now() - 60_000)
    const { sentAtMs, deliveredAtMs } = await b.messages.get(INSTANCE, id)
    expect(deliveredAtMs).toBe(sentAtMs)
  })

  test('of another instance, or for an unknown message, changes nothing', async () => {
    const id = await messageIn('sent')
    const signal = { kind: 'receipt', messageId: id, status: 'read', atMs: b.clock.now() } as const
    await b.messages.onSignal(OTHER_INSTANCE, signal)
    await b.messages.onSignal(INSTANCE, { ...signal, messageId: 'msg_unknown' as MessageId })
    expect(await statusOf(id)).toBe('sent')
    expect(b.events()).toEqual([])
  })

  test.each([
    ['accepted', accepted('E1')],
    ['accepted without confirmation', accepted('E1', 'queued')],
  ] as const)(
    'that arrives before the answer to the send is kept, and the answer (%s) does not reverse it',
    async (_n, outcome) => {
      const answer = gate<SendOutcome>()
      b.engine.plan = () => answer.promise
      const sending = b.send(TEXT, { key: 'k' })
      await settle()
      await receipt(b.engine.asked[0]?.messageId ?? ('' as MessageId), 'delivered')
      answer.open(outcome)
      const reply = await sending
      expect(await b.messages.get(INSTANCE, idIn(reply))).toMatchObject({ status: 'delivered', engineMessageId: 'E1' })
      expect(b.events()).toEqual(['message.sent', 'message.delivered'])
      expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: reply.bytes, replayed: true })
    },
  )

  test('that arrives before the engine gives up settles the send', async () => {
    const answer = gate<SendOutcome>()
    b.engine.plan = () => answer.promise
    const sending = b.send(TEXT, { key: 'k' })
    await settle()
    await receipt(b.engine.asked[0]?.messageId ?? ('' as MessageId), 'sent')
    answer.open({ kind: 'unknown', message: 'Silence.' })
    expect((await sending).replayed).toBe(false)
    expect(b.keyState('k')).toBe('done')
  })

  test('for a message that was not sent is ignored', async () => {
    b.engine.plan = async () => ({ kind: 'nothing_sent', message: 'No link.' })
    await b.send(TEXT).catch(() => {})
    await receipt(b.engine.asked[0]?.messageId ?? ('' as MessageId), 'sent')
    expect(b.events()).toEqual([])
  })
})

type Step = 'sent' | 'delivered' | 'read' | 'failed'

test('receipts in any order and number never move the status backwards, and cause each event at most once', async () => {
  const steps = fc.array(fc.constantFrom<Step>('sent', 'delivered', 'read', 'failed'), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const id = await messageIn('queued')
      let before: MessageStatus = 'queued'
      const fired: string[] = []
      for (const step of order) {
        await (step === 'failed' ? fail(id) : receipt(id, step))
        const now = await statusOf(id)
        const events = b.events()
        expect(events).toEqual(statusesCrossed(before, now).map((status) => `message.${status}`))
        fired.push(...events)
        before = now
      }
      expect(new Set(fired).size).toBe(fired.length)
      if (!order.includes('failed')) {
        const highest = (['read', 'delivered', 'sent'] as const).find((step) => order.includes(step))
        expect(before).toBe(highest)
      }
    }),
    { numRuns: 60, seed: 3 },
  )
})
