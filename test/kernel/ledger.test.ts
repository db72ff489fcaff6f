import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds, type AccountId, type InstanceId } from '../../main/kernel/ids.ts'
import { createLedger, type Fact, type Ledger, type LedgerEvent } from '../../main/kernel/ledger.ts'
import { sql } from '../../main/kernel/sql.ts'
import { ledger as schema } from '../../main/storage/migrations/001-ledger.ts'
import { fakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

declare module '../../main/contract/events.ts' {
  interface AccountFacts {
    'test.paid': { order_id: string }
  }
}

const putMeta = sql<{ name: string; value: string }>('INSERT INTO meta (name, value) VALUES (:name, :value)')

const fact: Fact = {
  accountId: '019b8000-0000-7000-8000-000000000001' as AccountId,
  instanceId: '019b8000-0000-7000-8000-000000000002' as InstanceId,
  type: 'message.received',
  instance: {
    id: '019b8000-0000-7000-8000-000000000002',
    external_ref: 'shop "7"',
    metadata: { city: 'São Paulo' },
    engine: 'smv2',
  },
  data: { message_id: 'msg_1', text: 'line\nbreak, "quotes", \u2028 and 👋', attempt: 99 },
}

let home: TestDatabase
let ledger: Ledger

beforeEach(async () => {
  const clock = fakeClock()
  home = await testDatabase([schema], { clock })
  ledger = createLedger({ clock, ids: createIds(clock, seededRandom()) })
})

afterEach(() => home.close())

const append = (type = fact.type) => home.db.commit((tx) => ledger.append(tx, { ...fact, type }))
const stored = () => home.raw.prepare('SELECT * FROM events ORDER BY seq').all()
const body = ({ head, tail }: LedgerEvent, attempt: number) => `${head}${attempt}${tail}`

test('head, attempt and tail form the exact envelope', async () => {
  const event = await append()

  expect(JSON.parse(body(event, 1))).toEqual({
    event_id: event.eventId,
    type: 'message.received',
    attempt: 1,
    created_at: '2026-01-05T12:00:00.000Z',
    account_id: fact.accountId,
    instance: fact.instance,
    data: fact.data,
  })
  expect(Object.keys(JSON.parse(body(event, 1)))).toEqual([
    'event_id',
    'type',
    'attempt',
    'created_at',
    'account_id',
    'instance',
    'data',
  ])
})

test('the bodies of two attempts differ only in the attempt number', async () => {
  const event = await append()

  expect(body(event, 1).replace('"attempt":1,', '"attempt":12,')).toBe(body(event, 12))
})

test('an appended event is stored as it was returned', async () => {
  const event = await append()

  expect(stored()).toEqual([
    {
      seq: event.seq,
      event_id: event.eventId,
      account_seq: event.accountSeq,
      instance_seq: event.instanceSeq,
      type: fact.type,
      created_at: event.createdAtMs,
      head: event.head,
      tail: event.tail,
      only_for: null,
    },
  ])
})

test('events are numbered in the order of their commits', async () => {
  const events = await Promise.all([append(), append(), append()])

  expect(events.map((event) => event.seq)).toEqual([1, 2, 3])
})

test('subscribers run inside the transaction of the event, phase by phase, in any order of registration', async () => {
  const heard: string[] = []
  for (const phase of ['enqueue', 'record', 'derive'] as const) {
    ledger.inCommit({
      ...{ phase, on: ['message.received'] },
      run: async (tx, event) => {
        await tx.run(putMeta, { name: phase, value: event.eventId })
        heard.push(phase)
      },
    })
  }
  const event = await append()

  expect(heard).toEqual(['record', 'derive', 'enqueue'])
  expect(home.raw.prepare("SELECT name, value FROM meta WHERE name <> 'commit_count' ORDER BY name").all()).toEqual([
    { name: 'derive', value: event.eventId },
    { name: 'enqueue', value: event.eventId },
    { name: 'record', value: event.eventId },
  ])
})

test('a subscriber receives only the types that it names', async () => {
  const heard: string[] = []
  const on = ['message.failed', 'message.read'] as const
  ledger.inCommit({ phase: 'derive', on, run: async (_tx, { type }) => void heard.push(type) })
  for (const type of ['message.sent', 'message.failed', 'message.delivered', 'message.read'] as const)
    await append(type)
  expect(heard).toEqual(['message.failed', 'message.read'])
})

test('rows that subscribers wrote are rolled back with the transaction', async () => {
  ledger.inCommit({
    ...{ phase: 'record', on: ['message.received'] },
    run: async (tx) => {
      await tx.run(putMeta, { name: 'heard', value: 'yes' })
    },
  })
  const failing = home.db.commit(async (tx) => {
    await ledger.append(tx, fact)
    throw new Error('after the event')
  })

  await expect(failing).rejects.toThrow('after the event')
  expect(stored()).toEqual([])
  expect(home.raw.prepare("SELECT * FROM meta WHERE name <> 'commit_count'").all()).toEqual([])
})

test('a subscriber that fails rolls back its event, and not other events of the group', async () => {
  const run = () => Promise.reject(new Error('cannot enqueue'))
  ledger.inCommit({ phase: 'enqueue', on: ['message.failed'], run })
  const [first, second, third] = [append(), append('message.failed'), append()]

  await expect(second).rejects.toThrow('cannot enqueue')
  expect(stored()).toMatchObject([{ event_id: (await first).eventId }, { event_id: (await third).eventId }])
})

test('accounts and instances get lasting sequence numbers, and none from a transaction that was rolled back', async () => {
  const failing = home.db.commit(async (tx) => {
    await ledger.append(tx, fact)
    throw new Error('changed its mind')
  })
  await expect(failing).rejects.toThrow('changed its mind')
  expect(home.raw.prepare('SELECT * FROM subjects').all()).toEqual([])

  const [one, two] = [await append(), await append()]
  const { accountSeq, instanceSeq, accountId, instanceId } = one
  expect(two).toMatchObject({ accountSeq, instanceSeq })
  expect(home.raw.prepare('SELECT * FROM subjects ORDER BY seq').all()).toEqual([
    { seq: accountSeq, id: accountId },
    { seq: instanceSeq, id: instanceId },
  ])
})

test.each([
  ['of a type', 'SELECT * FROM events WHERE account_seq = ? AND type = ? AND seq < ? ORDER BY seq DESC LIMIT 50'],
  ['of an instance', 'SELECT * FROM events WHERE instance_seq = ? AND seq < ? ORDER BY seq DESC LIMIT 50'],
  ['by their age, which their ids carry', 'SELECT seq FROM events WHERE event_id < ? ORDER BY event_id DESC LIMIT 1'],
  ['by their id', 'SELECT * FROM events WHERE event_id = ?'],
])('events %s are found through an index, without sorting', (_, query) => {
  const bound = Array.from(query.matchAll(/\?/g), () => 1)
  const plan = home.raw.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`).all(...bound)

  expect(plan.map((step) => step.detail)).toEqual([expect.stringMatching(/^SEARCH events USING (COVERING )?INDEX/)])
})

test('an account event has no instance, reaches the same subscribers, and has the account sequence number', async () => {
  const seen: unknown[] = []
  ledger.inCommit({
    ...{ phase: 'record', on: ['test.paid'] },
    run: async (_tx, { type, instanceId, data }) => void seen.push([type, instanceId, data]),
  })
  const paid = { accountId: fact.accountId, type: 'test.paid', data: { order_id: 'ord_1' } } as const
  const event = await home.db.commit((tx) => ledger.append(tx, paid))
  expect(seen).toEqual([['test.paid', null, { order_id: 'ord_1' }]])
  expect(event.instanceSeq).toBe(event.accountSeq)
  expect(JSON.parse(body(event, 1))).not.toHaveProperty('instance')
})

test('a subscriber is called once the commit is durable, and not after a rollback', async () => {
  const seen: unknown[] = []
  ledger.subscribe(({ seq }) => seen.push([seq, stored().length]))
  const failed = home.db.commit(async (tx) => {
    await ledger.append(tx, fact)
    throw new Error('undone')
  })
  await expect(failed).rejects.toThrow('undone')
  const { seq } = await append()
  expect(seen).toEqual([[seq, 1]])
})
