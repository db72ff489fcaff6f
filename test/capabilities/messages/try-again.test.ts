import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '../../../main/engines/engine.ts'
import { accepted, bench, gate, idIn, INSTANCE, refusal, TEXT, type Bench } from './bench.ts'

/** What a window does: keep the message and its key where it was written, and send both again. */
const KEY = { key: 'written-once' }

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const inThread = async () =>
  (await b.messages.thread(INSTANCE, TEXT.to, {})).data.map(({ text, status }) => [text, status])

const once = [[TEXT.text, 'sent']]

describe('a message that was refused', () => {
  const refusals: readonly [status: number, outcome: SendOutcome][] = [
    [502, { kind: 'nothing_sent', message: 'No link.' }],
    [429, { kind: 'nothing_sent', message: 'Too many.', retryAfterSeconds: 4 }],
    [409, { kind: 'not_ready', message: 'Signed out.' }],
    [400, { kind: 'invalid', message: 'No such template.' }],
  ]

  test.each(refusals)(
    'with %s is not stored, and is sent once when repeated with the same key',
    async (status, outcome) => {
      b.engine.plan = async () => outcome
      for (let tries = 0; tries < 3; tries++) {
        expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ status })
        expect(await inThread()).toEqual([])
      }
      b.engine.plan = async () => accepted('E1')
      expect(await b.send(TEXT, KEY)).toMatchObject({ replayed: false })
      expect(await inThread()).toEqual(once)
      expect(b.events()).toEqual(['message.sent'])
    },
  )

  test('while the instance was disconnected is sent once when repeated after it reconnects', async () => {
    await b.connect(false)
    expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ status: 409, code: 'not_ready' })
    await b.connect(true)
    expect(await b.send(TEXT, KEY)).toMatchObject({ replayed: false })
    expect(await inThread()).toEqual(once)
  })

  test('because too many were waiting is sent once when repeated later', async () => {
    const hold = gate<SendOutcome>()
    b.engine.plan = () => hold.promise
    const waiting = Array.from({ length: 128 }, () => b.send({ ...TEXT, to: '12025550177' }))
    expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ status: 503 })
    hold.open({ kind: 'nothing_sent', message: 'No link.' })
    await Promise.allSettled(waiting)
    b.engine.plan = async () => accepted('E1')
    expect(await b.send(TEXT, KEY)).toMatchObject({ replayed: false })
    expect(await inThread()).toEqual(once)
  })
})

describe('a message whose outcome is unknown', () => {
  test('is never sent twice: repeats wait, also after a restart, until a receipt arrives', async () => {
    b.engine.plan = async () => ({ kind: 'unknown', message: 'Silence.' })
    expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ status: 504 })
    expect(await inThread()).toEqual([[TEXT.text, 'queued']])
    b.engine.plan = async () => accepted('E1')
    expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ code: 'idempotency_in_progress' })
    await b.reopen()
    expect(await refusal(b.send(TEXT, KEY))).toMatchObject({ code: 'idempotency_in_progress' })
    const { id } = await b.messages.getByKey(INSTANCE, KEY.key)
    await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'sent', atMs: b.clock.now() })
    const replay = await b.send(TEXT, KEY)
    expect([idIn(replay), replay.replayed]).toEqual([id, true])
    expect(b.engine.asked).toHaveLength(1)
    expect(await inThread()).toEqual(once)
  })
})

test('a message that the network refuses stays in the chat as failed, and its key sends nothing again', async () => {
  const error = { code: 'not_on_whatsapp', message: 'Not on WhatsApp.', provider_code: null } as const
  b.engine.plan = async () => ({ kind: 'refused', error })
  const first = await b.send(TEXT, KEY)
  expect(await b.send(TEXT, KEY)).toEqual({ bytes: first.bytes, replayed: true })
  expect(b.engine.asked).toHaveLength(1)
  expect(await inThread()).toEqual([[TEXT.text, 'failed']])
})
