import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import fc from 'fast-check'
import type { SendOutcome } from '../../../main/engines/engine.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { StorageError } from '../../../main/kernel/db.ts'
import { readIdempotencyKey } from '../../../main/faces/idempotency-header.ts'
import { accepted, bench, gate, idIn, INSTANCE, OTHER_INSTANCE, refusal, settle, TEXT, type Bench } from './bench.ts'

const HOUR = 3_600_000
const UNKNOWN: SendOutcome = { kind: 'unknown', message: 'Silence.' }

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

describe('K-01: 100 concurrent sends with the same key and body', () => {
  test('cause one engine send and one message id in each of 20 rounds', async () => {
    for (let round = 0; round < 20; round++) {
      b.engine.asked.length = 0
      b.engine.plan = async (id) => {
        await settle(round % 4)
        return accepted(`E-${id}`)
      }
      const answers = await Promise.allSettled(
        Array.from({ length: 100 }, async (_, i) => {
          await settle(i % 7)
          return b.send(TEXT, { key: `round-${round}` })
        }),
      )
      expect(b.engine.asked).toHaveLength(1)
      const ids = new Set<string>()
      let firsts = 0
      for (const answer of answers) {
        if (answer.status === 'fulfilled') {
          ids.add(idIn(answer.value))
          if (!answer.value.replayed) firsts++
        } else {
          expect(answer.reason).toMatchObject({ code: 'idempotency_in_progress', headers: { 'Retry-After': '1' } })
        }
      }
      expect([ids.size, firsts]).toEqual([1, 1])
    }
    expect(b.events()).toEqual(Array.from({ length: 20 }, () => 'message.sent'))
  })
})

describe('K-03: the same key again', () => {
  test('with reordered properties is a replay', async () => {
    const first = await b.send(TEXT, { key: 'k' })
    const again = await b.send({ text: TEXT.text ?? '', to: TEXT.to }, { key: 'k' })
    expect(again).toEqual({ bytes: first.bytes, replayed: true })
  })

  test('with a changed text is a conflict, also during the first send and while its outcome is unknown', async () => {
    const hold = gate<SendOutcome>()
    b.engine.plan = () => hold.promise
    const first = refusal(b.send(TEXT, { key: 'k' }))
    await settle()
    const changed = () => refusal(b.send({ ...TEXT, text: 'changed' }, { key: 'k' }))
    expect(await changed()).toMatchObject({ code: 'idempotency_conflict', status: 409 })
    hold.open(UNKNOWN)
    await first
    expect(await changed()).toMatchObject({ code: 'idempotency_conflict' })
    expect(b.engine.asked).toHaveLength(1)
  })

  test('in another instance is a separate send', async () => {
    const [one, other] = await Promise.all([
      b.send(TEXT, { key: 'k' }),
      b.send(TEXT, { key: 'k', instance: OTHER_INSTANCE }),
    ])
    expect(idIn(one)).not.toBe(idIn(other))
    expect(b.engine.asked).toHaveLength(2)
  })
})

describe('K-04: after a 504', () => {
  test('50 repeats send nothing; once a receipt arrives, a repeat is a replay', async () => {
    b.engine.plan = async () => UNKNOWN
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_timeout' })
    for (let i = 0; i < 50; i++) {
      const error = await refusal(b.send(TEXT, { key: 'k' }))
      expect(error).toMatchObject({ code: 'idempotency_in_progress', headers: { 'Retry-After': '5' } })
    }
    const { id, status } = await b.messages.getByKey(INSTANCE, 'k')
    expect(status).toBe('queued')
    await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'sent', atMs: b.clock.now() })
    const replay = await b.send(TEXT, { key: 'k' })
    expect(replay.replayed).toBe(true)
    expect(replay.bytes.toString()).toBe(`{"engine":"smv2","sent":true,"message_id":"${id}"}`)
    expect((await b.messages.getByKey(INSTANCE, 'k')).status).toBe('sent')
    expect(b.engine.asked).toHaveLength(1)
    expect(b.events()).toEqual(['message.sent'])
  })

  test.each(['delivered', 'read'] as const)(
    'a %s receipt also settles the key, with all events up to that status',
    async (status) => {
      b.engine.plan = async () => UNKNOWN
      await refusal(b.send(TEXT, { key: 'k' }))
      const { id } = await b.messages.getByKey(INSTANCE, 'k')
      await b.messages.onSignal(INSTANCE, {
        kind: 'receipt',
        messageId: id,
        status,
        atMs: b.clock.now(),
        engineMessageId: 'E1',
      })
      expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(true)
      expect(await b.messages.getByKey(INSTANCE, 'k')).toMatchObject({ status, engineMessageId: 'E1' })
      expect(b.events()).toEqual(['message.sent', 'message.delivered', ...(status === 'read' ? ['message.read'] : [])])
    },
  )

  test('a failure from the network settles the key as refused', async () => {
    b.engine.plan = async () => UNKNOWN
    await refusal(b.send(TEXT, { key: 'k' }))
    const { id } = await b.messages.getByKey(INSTANCE, 'k')
    const error = { code: 'reachout_restricted', message: 'No.', provider_code: 463 } as const
    await b.messages.onSignal(INSTANCE, { kind: 'failed', messageId: id, error, atMs: b.clock.now() })
    const replay = await b.send(TEXT, { key: 'k' })
    expect(replay.bytes.toString()).toBe(`{"engine":"smv2","sent":false,"message_id":"${id}"}`)
  })
})

describe('K-05: after nothing was sent', () => {
  test('a repeat after a 502 is executed once', async () => {
    b.engine.plan = async () => ({ kind: 'nothing_sent', message: 'No link.' })
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ status: 502 })
    await expect(b.messages.getByKey(INSTANCE, 'k')).rejects.toMatchObject({ code: 'not_found' })
    b.engine.plan = async () => accepted('E1')
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(false)
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(true)
    expect(b.engine.asked).toHaveLength(2)
  })

  test('a repeat after a 409 not_ready is executed once the instance is connected', async () => {
    await b.connect(false)
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'not_ready' })
    await b.connect(true)
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(false)
    expect(b.engine.asked).toHaveLength(1)
  })

  test('a repeat after a 400 from the engine is executed again', async () => {
    b.engine.plan = async () => ({ kind: 'invalid', message: 'No such template.' })
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ status: 400 })
    b.engine.plan = async () => accepted('E1')
    expect((await b.send({ ...TEXT, text: 'corrected' }, { key: 'k' })).replayed).toBe(false)
  })
})

describe('K-06: the lifetime of 24 hours', () => {
  test('a repeat a second before the key expires is a replay, and a second after it is a new send', async () => {
    const first = await b.send(TEXT, { key: 'k' })
    await b.clock.advance(24 * HOUR - 1_000)
    expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: first.bytes, replayed: true })
    await b.clock.advance(2_000)
    const second = await b.send({ ...TEXT, text: 'another' }, { key: 'k' })
    expect(second.replayed).toBe(false)
    expect((await b.messages.getByKey(INSTANCE, 'k')).id).toBe(idIn(second))
  })

  test('20 concurrent sends with an expired key cause exactly one new send', async () => {
    await b.send(TEXT, { key: 'k' })
    await b.clock.advance(24 * HOUR)
    await Promise.allSettled(Array.from({ length: 20 }, () => b.send(TEXT, { key: 'k' })))
    expect(b.engine.asked).toHaveLength(2)
  })
})

describe('K-07: idempotency keys', () => {
  const sendWith = (...headers: string[]) => {
    const key = readIdempotencyKey(headers.flatMap((header) => ['Idempotency-Key', header]))
    return b.send(TEXT, key === null ? {} : { key })
  }
  const latin1 = (text: string) => Buffer.from(text).toString('latin1')

  test.each([
    ['1 character', 'a'],
    ['200 characters', 'a'.repeat(200)],
    ['SQL', "'; DROP TABLE messages; --"],
    ['spaces inside', 'order 1042'],
  ])('of %s are accepted and found', async (_name, key) => {
    const id = idIn(await sendWith(key))
    expect((await b.messages.getByKey(INSTANCE, key)).id).toBe(id)
    expect((await sendWith(`  ${key} `)).replayed).toBe(true)
  })

  test('in UTF-8 are found by their original text', async () => {
    const id = idIn(await sendWith(latin1('Bestellung-ü-日本')))
    expect(await b.messages.getByKey(INSTANCE, 'Bestellung-ü-日本')).toMatchObject({
      id,
      idempotencyKey: 'Bestellung-ü-日本',
    })
  })

  test.each([
    ['empty', ['']],
    ['201 characters', ['a'.repeat(201)]],
    ['a control character', ['a\u0007']],
    ['two headers', ['a', 'a']],
  ])('are refused with 400: %s', (_name, headers) => {
    expect(() => sendWith(...headers)).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })

  test('of any bytes that a header allows answer 201 or 400', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 210 }), async (text) => {
        try {
          await sendWith(latin1(text))
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
          expect(error).toMatchObject({ status: 400 })
        }
      }),
      { numRuns: 300, seed: 7 },
    )
  })
})

describe('K-08: a send interrupted by a crash', () => {
  const crashBeforeLeaving = async (key: string | undefined) => {
    b.engine.leaves = false
    b.engine.plan = () => new Promise(() => {})
    void b.send(TEXT, key === undefined ? {} : { key }).catch(() => {})
    await settle()
    await b.reopen()
    b.engine.leaves = true
  }
  /** The engine takes the message, and the process dies before its answer is stored. */
  const crashAfterAck = async () => {
    b.engine.plan = () => new Promise(() => {})
    void b.send(TEXT, { key: 'k' }).catch(() => {})
    await settle()
    await b.reopen()
    expect(b.keyState('k')).toBe('unknown')
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ headers: { 'Retry-After': '5' } })
  }

  test('is settled if the engine can look the message up, no earlier than 60 s after it was sent', async () => {
    await crashAfterAck()
    b.engine.found = 'arrived'
    await b.clock.advance(59_999)
    await b.messages.reconcile()
    expect(b.keyState('k')).toBe('unknown')
    await b.clock.advance(1)
    await b.messages.reconcile()
    expect(b.keyState('k')).toBe('done')
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(true)
    expect((await b.messages.getByKey(INSTANCE, 'k')).status).toBe('sent')
    expect(b.events()).toEqual(['message.sent'])
    expect(b.engine.asked).toHaveLength(1)
  })

  test('stays unknown if the engine cannot look it up, and is not sent again', async () => {
    await crashAfterAck()
    await b.clock.advance(23 * HOUR)
    await b.messages.reconcile()
    expect(b.keyState('k')).toBe('unknown')
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'idempotency_in_progress' })
    expect(b.engine.asked).toHaveLength(1)
  })

  test('can be sent again if the engine proves that the message never arrived; the first message fails', async () => {
    await crashAfterAck()
    const { id } = await b.messages.getByKey(INSTANCE, 'k')
    b.engine.found = 'never_arrived'
    await b.clock.advance(60_000)
    await b.messages.reconcile()
    expect(b.events()).toEqual(['message.failed'])
    expect(await b.messages.get(INSTANCE, id)).toMatchObject({ status: 'failed', error: { code: 'undeliverable' } })
    b.engine.plan = async () => accepted('E2')
    const second = await b.send(TEXT, { key: 'k' })
    expect(second.replayed).toBe(false)
    expect((await b.messages.getByKey(INSTANCE, 'k')).id).toBe(idIn(second))
  })

  test('is undone at the next start if nothing was sent yet, and a repeat sends it', async () => {
    await crashBeforeLeaving('k')
    expect(b.keyState('k')).toBeUndefined()
    await expect(b.messages.getByKey(INSTANCE, 'k')).rejects.toMatchObject({ code: 'not_found' })
    expect(b.events()).toEqual([])
    b.engine.plan = async () => accepted('E1')
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(false)
    expect(b.raw.prepare('SELECT status, idem_key FROM messages').all()).toEqual([{ status: 'sent', idem_key: 'k' }])
  })

  test('fails at the next start if nothing was sent yet and it has no key', async () => {
    await crashBeforeLeaving(undefined)
    expect(b.events()).toEqual(['message.failed'])
    expect(b.lastData()).toMatchObject({ error: { code: 'undeliverable', message: expect.stringContaining('again') } })
  })

  test('does not affect sends that were answered before', async () => {
    const first = await b.send(TEXT, { key: 'k' })
    await b.reopen()
    expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: first.bytes, replayed: true })
    expect(b.events()).toEqual(['message.sent'])
  })
})

describe('when storage fails', () => {
  const full = new StorageError('full', 'disk full')
  let failing = 0
  let failure: Error
  const fragile = (db: Db): Db => ({
    ...db,
    commit: (work) => {
      if (failing > 0 && failing-- > 0) return Promise.reject(failure)
      return db.commit(work)
    },
  })
  const settled = vi.fn<() => void>()
  /** Makes the next commits fail once the engine has been asked. */
  const failFromResultOn = (commits: number, because: Error = full) => {
    b.engine.plan = async () => {
      failing = commits
      failure = because
      return { kind: 'accepted', engineMessageId: 'E1', status: 'sent', settled }
    }
  }
  beforeEach(async () => {
    await b.close()
    failing = 0
    failure = full
    settled.mockReset()
    b = await bench({ through: fragile })
  })

  test('after the send, the request gets 504 and the key is unknown until the result is stored', async () => {
    failFromResultOn(1)
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_timeout' })
    expect(b.keyState('k')).toBe('unknown')
    expect(settled).not.toHaveBeenCalled()
    b.messages.start()
    await b.clock.advance(1_000)
    expect(b.keyState('k')).toBe('done')
    expect(settled).toHaveBeenCalledOnce()
    expect(await b.messages.getByKey(INSTANCE, 'k')).toMatchObject({ status: 'sent', engineMessageId: 'E1' })
    expect(b.events()).toEqual(['message.sent'])
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(true)
    expect(b.engine.asked).toHaveLength(1)
  })

  test('after the send and again for the key, the request gets 504 and a receipt settles the key', async () => {
    failFromResultOn(2)
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_timeout' })
    expect(b.keyState('k')).toBe('in_progress')
    const { id } = await b.messages.getByKey(INSTANCE, 'k')
    await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'sent', atMs: b.clock.now() })
    expect(b.keyState('k')).toBe('done')
    b.messages.start()
    await b.clock.advance(2_000)
    expect(b.events()).toEqual(['message.sent'])
  })

  test('permanently, the result is dropped and the engine is notified', async () => {
    failFromResultOn(3, new Error('no such column'))
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_timeout' })
    expect(settled).not.toHaveBeenCalled()
    b.messages.start()
    await b.clock.advance(3_000)
    expect(settled).toHaveBeenCalledOnce()
    expect(b.events()).toEqual([])
  })

  test('after nothing was sent, the key is freed once storage works again', async () => {
    b.engine.leaves = false
    b.engine.plan = async () => {
      failing = 1
      failure = full
      return { kind: 'nothing_sent', message: 'No link.' }
    }
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_unavailable' })
    expect(b.keyState('k')).toBe('in_progress')
    b.messages.start()
    await b.clock.advance(1_000)
    expect(b.keyState('k')).toBeUndefined()
    b.engine.plan = async () => accepted('E1')
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(false)
    expect(b.events()).toEqual(['message.sent'])
  })

  test('before the engine is called, nothing is sent', async () => {
    failing = 1
    await expect(b.send(TEXT, { key: 'k' })).rejects.toBeInstanceOf(StorageError)
    expect(b.engine.asked).toHaveLength(0)
    expect((await b.send(TEXT, { key: 'k' })).replayed).toBe(false)
  })
})
