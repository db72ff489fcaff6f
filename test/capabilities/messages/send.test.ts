import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '../../../main/engines/engine.ts'
import type { MessageErrorShape } from '../../../main/contract/shapes.ts'
import type { Db } from '../../../main/kernel/db.ts'
import {
  accepted,
  bench,
  bodyOf,
  gate,
  idIn,
  INSTANCE,
  OTHER_INSTANCE,
  refusal,
  settle,
  TEXT,
  THIRD_INSTANCE,
  type Bench,
} from './bench.ts'

const NOT_ON_WHATSAPP: MessageErrorShape = { code: 'not_on_whatsapp', message: 'No such person.', provider_code: null }

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const count = (table: string) => (b.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
const statusOf = async (id: string) => (await b.messages.get(INSTANCE, id)).status

describe('a send', () => {
  test('answers 201 with engine, sent and message_id, and causes only the event message.sent', async () => {
    const reply = await b.send(TEXT, { key: 'k' })
    const id = idIn(reply)
    expect(bodyOf(reply)).toEqual({ engine: 'smv2', sent: true, message_id: id })
    expect(reply.replayed).toBe(false)
    expect(b.engine.asked).toEqual([
      { instanceId: INSTANCE, messageId: id, out: { kind: 'text', to: '12025550123', text: 'Hello' } },
    ])
    expect(b.events()).toEqual(['message.sent'])
    expect(b.lastData()).toEqual({
      message_id: id,
      to: '12025550123',
      chat: '12025550123',
      status: 'sent',
      timestamp: '2026-01-05T12:00:00.000Z',
      idempotency_key: 'k',
      source: 'api',
      campaign_id: null,
    })
    expect(await b.messages.getByKey(INSTANCE, 'k')).toMatchObject({
      id,
      status: 'sent',
      engineMessageId: '3EB0000001',
    })
  })

  test('is stored as queued before the engine is called', async () => {
    let rows: unknown
    b.engine.plan = async () => {
      rows = b.raw.prepare('SELECT status, idem_key, dispatch_started_at FROM messages').all()
      return accepted('E1')
    }
    await b.send(TEXT, { key: 'k' })
    expect(rows).toEqual([{ status: 'queued', idem_key: 'k', dispatch_started_at: b.clock.now() }])
  })

  test('without an Idempotency-Key stores no key', async () => {
    const reply = await b.send(TEXT)
    expect(await statusOf(idIn(reply))).toBe('sent')
    expect(count('idempotency_keys')).toBe(0)
  })

  test('that the network has not confirmed yet stays queued, causes no event, and can be replayed', async () => {
    b.engine.plan = async () => accepted('E1', 'queued')
    const first = await b.send(TEXT, { key: 'k' })
    expect(bodyOf(first)).toMatchObject({ sent: true })
    expect(await statusOf(idIn(first))).toBe('queued')
    expect(b.events()).toEqual([])
    expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: first.bytes, replayed: true })
    expect(b.engine.asked).toHaveLength(1)
  })

  test('that the network refuses answers 201 with sent: false, causes message.failed, and can be replayed', async () => {
    b.engine.plan = async () => ({ kind: 'refused', error: NOT_ON_WHATSAPP })
    const reply = await b.send(TEXT, { key: 'k' })
    expect(bodyOf(reply)).toMatchObject({ sent: false })
    expect(b.events()).toEqual(['message.failed'])
    expect(b.lastData()).toMatchObject({ status: 'failed', error: NOT_ON_WHATSAPP })
    expect(await b.messages.get(INSTANCE, idIn(reply))).toMatchObject({ status: 'failed', error: NOT_ON_WHATSAPP })
    expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: reply.bytes, replayed: true })
    expect(b.engine.asked).toHaveLength(1)
  })

  test.each([
    ['invalid', 'validation_error', 400],
    ['not_ready', 'not_ready', 409],
    ['nothing_sent', 'upstream_unavailable', 502],
  ] as const)(
    'with the engine result %s answers %s and leaves no row, no key and no event',
    async (kind, code, status) => {
      b.engine.plan = async () => ({ kind, message: 'The engine said so' })
      expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code, status })
      expect([count('messages'), count('idempotency_keys'), b.events().length]).toEqual([0, 0, 0])
    },
  )

  test('commits the engine’s record together with the result, and notifies the engine after the commit', async () => {
    const seen: unknown[] = []
    const journal: Extract<SendOutcome, { kind: 'accepted' }>['journal'] = async (tx) => {
      seen.push(await tx.next('sandbox'))
    }
    const settled = () => void seen.push(b.events())
    b.engine.plan = async () => ({ kind: 'accepted', engineMessageId: 'E1', status: 'sent', journal, settled })
    await b.send(TEXT)
    expect(seen).toEqual([expect.any(Number), ['message.sent']])
  })

  test('reads the raw body only if there is a key', async () => {
    const rawBody = () => {
      throw new Error('not asked for')
    }
    const instance = await b.instances.subject(b.accountId, INSTANCE)
    if (instance === undefined) throw new Error('the instance exists')
    const request = {
      instance,
      body: TEXT,
      rawBody,
      idempotencyKey: null,
      source: 'api',
    } as const
    expect(await b.messages.send(request)).toEqual({
      ...{ kind: 'accepted', engine: 'smv2', messageId: expect.stringMatching(/^msg_/), replayed: false },
    })
  })
})

describe('an instance that is not connected', () => {
  test('answers 409 not_ready without storing anything or calling the engine', async () => {
    await b.connect(false)
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'not_ready', status: 409 })
    expect([count('messages'), count('idempotency_keys'), b.engine.asked.length]).toEqual([0, 0, 0])
  })

  test('still answers a replay and a conflict', async () => {
    const first = await b.send(TEXT, { key: 'k' })
    await b.connect(false)
    expect(await b.send(TEXT, { key: 'k' })).toEqual({ bytes: first.bytes, replayed: true })
    expect(await refusal(b.send({ ...TEXT, text: 'other' }, { key: 'k' }))).toMatchObject({
      code: 'idempotency_conflict',
    })
  })
})

describe('an engine that does not answer', () => {
  test('is aborted after 20 s; the request gets 504 and the message stays queued', async () => {
    let told = 0
    b.engine.plan = (_id, _out, { signal }) => {
      signal.addEventListener('abort', () => (told = b.clock.mono()))
      return new Promise(() => {})
    }
    const answer = refusal(b.send(TEXT, { key: 'k' }))
    await b.clock.advance(21_000)
    expect(await answer).toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect(told).toBe(20_000)
    expect(await b.messages.getByKey(INSTANCE, 'k')).toMatchObject({ status: 'queued' })
    expect(b.keyState('k')).toBe('unknown')
    expect(b.events()).toEqual([])
    expect(b.clock.waiting()).toBe(0)
  })

  test('may report at the deadline that nothing was sent', async () => {
    b.engine.plan = (_id, _out, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'nothing_sent', message: 'No link.' }))
      })
    const answer = refusal(b.send(TEXT, { key: 'k' }))
    await b.clock.advance(20_000)
    expect(await answer).toMatchObject({ code: 'upstream_unavailable' })
    expect(b.keyState('k')).toBeUndefined()
  })

  test('without a key leaves the message queued, and the error contains its id', async () => {
    b.engine.plan = async () => ({ kind: 'unknown', message: 'Silence.' })
    const error = await refusal(b.send(TEXT))
    const id = b.engine.asked[0]?.messageId ?? ''
    expect(error.message).toContain(id)
    expect(await statusOf(id)).toBe('queued')
  })

  test.each([
    ['accepted', accepted('E1'), 'done', 'sent', ['message.sent']],
    ['refused', { kind: 'refused', error: NOT_ON_WHATSAPP }, 'done', 'failed', ['message.failed']],
    ['nothing sent', { kind: 'nothing_sent', message: 'No link.' }, undefined, 'failed', ['message.failed']],
  ] as const)(
    'and then reports "%s" after the 504 settles the message',
    async (_name, outcome, key, status, events) => {
      const late = gate<SendOutcome>()
      b.engine.plan = () => late.promise
      const answer = refusal(b.send(TEXT, { key: 'k' }))
      await b.clock.advance(21_000)
      await answer
      late.open(outcome)
      await settle()
      expect(b.keyState('k')).toBe(key)
      expect((await b.messages.getByKey(INSTANCE, 'k')).status).toBe(status)
      expect(b.events()).toEqual(events)
    },
  )

  test('or throws an error leaves the outcome unknown', async () => {
    b.engine.plan = () => Promise.reject(new Error('bug'))
    expect(await refusal(b.send(TEXT, { key: 'k' }))).toMatchObject({ code: 'upstream_timeout' })
    expect(b.keyState('k')).toBe('unknown')
  })
})

describe('sends that wait for an engine', () => {
  test('are limited to 128 per instance and 256 in total; others get 503, and replays are still answered', async () => {
    const done = await b.send(TEXT, { key: 'before' })
    const hold = gate<SendOutcome>()
    b.engine.plan = () => hold.promise
    const waiting = Array.from({ length: 128 }, () => b.send(TEXT))
    expect(await refusal(b.send(TEXT))).toMatchObject({ code: 'service_unavailable', status: 503 })
    waiting.push(...Array.from({ length: 128 }, () => b.send(TEXT, { instance: OTHER_INSTANCE })))
    expect(await refusal(b.send(TEXT, { instance: THIRD_INSTANCE }))).toMatchObject({ code: 'service_unavailable' })
    expect(await b.send(TEXT, { key: 'before' })).toEqual({ bytes: done.bytes, replayed: true })
    hold.open({ kind: 'nothing_sent', message: 'No link.' })
    await Promise.allSettled(waiting)
    b.engine.plan = async () => accepted('E9')
    await expect(b.send(TEXT, { instance: THIRD_INSTANCE })).resolves.toMatchObject({ replayed: false })
    expect((await b.messages.gauges(INSTANCE)).pending).toBe(0)
  })
})

/** The budget of the number. */
const COUNTED = ['SELECT CASE', 'INSERT INTO safety_counts']

test('a send with a key needs two commits with nine statements, and one without a key seven', async () => {
  await b.close()
  const commits: string[][] = []
  b = await bench({ through: (db) => counted(db, commits) })
  await b.send(TEXT, { key: 'warm' })
  commits.length = 0
  await b.send(TEXT, { key: 'k' })
  expect(commits).toEqual([
    ['INSERT INTO idempotency_keys', ...COUNTED, 'INSERT INTO messages'],
    ['UPDATE messages', 'UPDATE instances', 'INSERT INTO events', 'INSERT INTO usage_daily', 'UPDATE idempotency_keys'],
  ])
  commits.length = 0
  await b.send(TEXT)
  expect(commits).toEqual([
    [...COUNTED, 'INSERT INTO messages'],
    ['UPDATE messages', 'UPDATE instances', 'INSERT INTO events', 'INSERT INTO usage_daily'],
  ])
})

/** Notes verb and table of every statement of every unit, and of every read outside. */
function counted(db: Db, commits: string[][]): Db {
  const name = (text: string) => /^(INSERT INTO|UPDATE|DELETE FROM|SELECT)( \w+)/.exec(text.trim())?.[0] ?? text
  return {
    ...db,
    read: (statement, params) => (commits.push([name(statement.text)]), db.read(statement, params)),
    readOne: (statement, params) => (commits.push([name(statement.text)]), db.readOne(statement, params)),
    commit: (work) =>
      db.commit((tx) => {
        const unit: string[] = []
        commits.push(unit)
        return work({
          ...tx,
          all: (statement, params) => (unit.push(name(statement.text)), tx.all(statement, params)),
          one: (statement, params) => (unit.push(name(statement.text)), tx.one(statement, params)),
          run: (statement, params) => (unit.push(name(statement.text)), tx.run(statement, params)),
        })
      }),
  }
}

test('the time of the last message is known, also after a restart', async () => {
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBeNull()
  await b.send(TEXT)
  const first = b.clock.now()
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBe(first)
  await b.clock.advance(5_000)
  await b.send(TEXT)
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBe(first + 5_000)
  await b.reopen()
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBe(first + 5_000)
  expect(await b.messages.lastMessageAtMs(OTHER_INSTANCE)).toBeNull()
})

test('a message that was not sent does not change the time of the last message', async () => {
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBeNull()
  const nothingSent = async (): Promise<SendOutcome> => ({ kind: 'nothing_sent', message: 'No link.' })
  const usual = b.engine.plan
  b.engine.plan = nothingSent
  await expect(b.send(TEXT)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBeNull()
  b.engine.plan = usual
  await b.send(TEXT)
  const sentAtMs = b.clock.now()
  await b.clock.advance(5_000)
  b.engine.plan = nothingSent
  await expect(b.send(TEXT)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  expect(await b.messages.lastMessageAtMs(INSTANCE)).toBe(sentAtMs)
})

test('the gauge shows how many messages are queued and how long the oldest has waited', async () => {
  b.engine.plan = async () => accepted('E1', 'queued')
  expect(await b.messages.gauges(INSTANCE)).toEqual({ pending: 0, oldestSeconds: null })
  await b.send(TEXT)
  await b.clock.advance(7_400)
  await b.send(TEXT)
  expect(await b.messages.gauges(INSTANCE)).toEqual({ pending: 2, oldestSeconds: 7 })
})

test('a number with messages unconfirmed for a minute needs attention in the overview', async () => {
  b.engine.plan = async () => accepted('E1', 'queued')
  const lines = () => b.messages.attention({ accountId: b.accountId, role: null, network: null })
  await b.send(TEXT)
  const sinceMs = b.clock.now()
  await b.clock.advance(59_000)
  expect(await lines()).toEqual([])
  await b.clock.advance(1_000)
  expect(await lines()).toMatchObject([
    { code: 'queue_stuck', severity: 'warning', count: 1, ids: [INSTANCE], sinceMs },
  ])
})
