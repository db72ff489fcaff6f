import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEvents, type Events } from '../../../main/capabilities/events/index.ts'
import type { Event, EventsQuery } from '../../../main/capabilities/events/contract.ts'
import * as store from '../../../main/capabilities/events/store.ts'
import { EVENT_TYPES, type EventType } from '../../../main/contract/events.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createLedger } from '../../../main/kernel/ledger.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { fakeClock, START_MS, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { seededRandom } from '../../support/random.ts'
import { refusal } from '../messages/bench.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
const STRANGER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId
const ONE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' as InstanceId
const OTHER = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b61' as InstanceId

let data: TestDatabase
let clock: FakeClock
let events: Events
let ledger: ReturnType<typeof createLedger>

beforeEach(async () => {
  clock = fakeClock()
  const ids = createIds(clock, seededRandom())
  data = await testDatabase(undefined, { clock })
  ledger = createLedger({ clock, ids })
  events = createEvents({ db: data.db, clock, cursors: createCursors(Buffer.alloc(32, 7)) })
})
afterEach(() => data.close())

interface Happening {
  readonly type?: EventType
  readonly instanceId?: InstanceId
  readonly accountId?: AccountId
}

const happen = async (how: Happening = {}): Promise<string> => {
  const { type = 'message.received', instanceId = ONE, accountId = ACCOUNT } = how
  const instance = { id: instanceId, external_ref: 'customer-17', metadata: { plan: 'pro' }, engine: 'smv2' }
  const occurred = { occurred_at: '2026-01-05T12:00:00.000Z', sequence: 1 }
  const fact = { accountId, instanceId, type, instance, data: { text: 'Grüße', ...occurred } }
  return (await data.db.commit((tx) => ledger.append(tx, fact))).eventId
}

/** Every page, as a caller reads them. */
async function everything(query: EventsQuery = {}, accountId = ACCOUNT): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await events.list(accountId, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.has_more).toBe(page.next_cursor !== null)
    found.push(...page.data.map(({ event_id }) => event_id))
    cursor = page.next_cursor
  }
  return found
}

const times = async (count: number, how?: Happening) => {
  const made: string[] = []
  for (let i = 0; i < count; i++) made.push(await happen(how))
  return made
}

describe('the list', () => {
  test('shows the envelope of webhooks with attempt 1 and no internal fields', async () => {
    const id = await happen()
    const expected: Event & { data: object } = {
      event_id: id,
      type: 'message.received',
      attempt: 1,
      created_at: '2026-01-05T12:00:00.000Z',
      account_id: ACCOUNT,
      instance: { id: ONE, external_ref: 'customer-17', metadata: { plan: 'pro' }, engine: 'smv2' },
      data: { text: 'Grüße', occurred_at: '2026-01-05T12:00:00.000Z', sequence: 1 } as Event['data'],
    }
    expect(await events.list(ACCOUNT, {})).toEqual({ data: [expected], next_cursor: null, has_more: false })
    expect(await events.get(ACCOUNT, id)).toEqual(expected)
  })

  test('is newest first with any page size, and repeats or skips nothing', async () => {
    const made = await times(7)
    for (const limit of [1, 2, 3, 7, 8, 200]) expect(await everything({ limit })).toEqual(made.toReversed())
  })

  test('is not shifted by events that happen between two pages', async () => {
    const made = await times(4)
    const first = await events.list(ACCOUNT, { limit: 2 })
    await times(3)
    const second = await events.list(ACCOUNT, { limit: 2, cursor: first.next_cursor ?? '' })
    const read = [...first.data, ...second.data].map(({ event_id }) => event_id)
    expect(read).toEqual(made.toReversed())
  })

  test('filters by type, instance and time, alone and together', async () => {
    const [a] = [await happen(), await happen({ type: 'instance.connected' })]
    await clock.advance(60_000)
    const b = await happen({ instanceId: OTHER })
    const c = await happen({ instanceId: OTHER, type: 'instance.connected' })
    const since = new Date(clock.now()).toISOString()

    expect(await everything({ type: 'message.received' })).toEqual([b, a])
    expect(await everything({ instance_id: OTHER })).toEqual([c, b])
    expect(await everything({ instance_id: OTHER.toUpperCase() })).toEqual([c, b])
    expect(await everything({ since })).toEqual([c, b])
    expect(await everything({ since, type: 'message.received' })).toEqual([b])
    expect(await everything({ since, instance_id: ONE })).toEqual([])
    expect(await everything({ since, instance_id: OTHER, type: 'instance.connected', limit: 1 })).toEqual([c])
  })

  test('since includes events of that exact millisecond', async () => {
    await times(3)
    await clock.advance(1)
    const made = await times(20)
    const at = (ms: number) => new Date(START_MS + ms).toISOString()
    expect(await everything({ since: at(1), limit: 3 })).toEqual(made.toReversed())
    expect(await everything({ since: at(2) })).toEqual([])
    expect(await everything({ since: at(0) })).toHaveLength(23)
    expect(await everything({ since: '1969-01-01T00:00:00.000Z' })).toHaveLength(23)
    expect(await everything({ since: '9999-01-01T00:00:00.000Z' })).toEqual([])
  })

  test('still shows new events after the clock was set back', async () => {
    const early = await happen()
    await clock.advance(60_000)
    const since = new Date(clock.now()).toISOString()
    const late = await happen()
    clock.set(START_MS)
    const back = await happen()
    expect(await everything()).toEqual([back, late, early])
    expect(await everything({ since })).toEqual([late])
  })

  test('is empty for an unknown or invalid instance_id', async () => {
    await happen()
    for (const instance_id of ["' OR '1'='1", `${ONE}%`, '\u0000', 'null', '', 'x'.repeat(10_000)]) {
      expect(await everything({ instance_id })).toEqual([])
    }
  })
})

describe('cursors', () => {
  test('are valid only for the account and filters they were created with', async () => {
    await times(3)
    await times(3, { accountId: STRANGER })
    const { next_cursor: cursor } = await events.list(ACCOUNT, { limit: 1 })
    if (cursor === null) throw new Error('there is a second page')
    const foreign: [AccountId, EventsQuery][] = [
      [STRANGER, { cursor }],
      [ACCOUNT, { cursor, type: 'message.received' }],
      [ACCOUNT, { cursor, instance_id: ONE }],
      [ACCOUNT, { cursor, since: '2026-01-05T12:00:00.000Z' }],
      [ACCOUNT, { cursor: `${cursor}A` }],
      [ACCOUNT, { cursor: cursor.slice(1) }],
      [ACCOUNT, { cursor: '' }],
      [ACCOUNT, { cursor: '../../etc/passwd' }],
    ]
    for (const [account, query] of foreign) {
      expect((await refusal(events.list(account, query))).code, JSON.stringify(query)).toBe('invalid_cursor')
    }
    expect((await events.list(ACCOUNT, { cursor, limit: 200 })).data).toHaveLength(2)
  })
})

describe('access to events', () => {
  test('is limited to the own account, in the list and by id', async () => {
    const id = await happen()
    expect(await everything({}, STRANGER)).toEqual([])
    expect(await everything({ instance_id: ONE }, STRANGER)).toEqual([])
    expect((await refusal(events.get(STRANGER, id))).code).toBe('not_found')
  })

  test('answers not_found for an unknown id', async () => {
    await happen()
    for (const id of ['evt_', 'evt_01KJM8R2B5K7M9P1Q3S5T7V9X0', "' OR 1=1 --", '\u0000', 'x'.repeat(5_000)]) {
      expect((await refusal(events.get(ACCOUNT, id))).code).toBe('not_found')
    }
  })

  test('excludes events that were recorded for a single listener', async () => {
    let heard = 0
    ledger.inCommit({
      ...{ phase: 'record', on: ['message.received'] },
      run: async () => {
        heard++
      },
    })
    const id = await happen()
    const fact = { accountId: ACCOUNT, instanceId: ONE, type: 'message.received', instance: {}, data: {} } as const
    const aside = await data.db.commit((tx) => ledger.record(tx, fact))
    data.raw.prepare('UPDATE events SET only_for = 1 WHERE seq = ?').run(aside.seq)
    expect(heard).toBe(1)
    for (const query of [{}, { type: 'message.received' }, { instance_id: ONE }] as const) {
      expect(await everything(query)).toEqual([id])
    }
    expect((await refusal(events.get(ACCOUNT, aside.eventId))).code).toBe('not_found')
  })
})

/** The steps of the description, word for word. */
async function poll(kept: string | null, limit: number): Promise<{ handled: string[]; kept: string | null }> {
  const unread: string[] = []
  let first: string | null = null
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await events.list(ACCOUNT, { limit, ...(cursor === undefined ? {} : { cursor }) })
    first ??= page.data[0]?.event_id ?? null
    for (const { event_id } of page.data) {
      if (event_id === kept) return { handled: unread.toReversed(), kept: first }
      unread.push(event_id)
    }
    cursor = page.next_cursor
    // Things go on happening between two pages.
    await happen()
  }
  return { handled: unread.toReversed(), kept: first }
}

test('polling as the API description explains handles every event once, in order, while new events arrive', async () => {
  const handled: string[] = []
  let kept: string | null = null
  for (let round = 0; round < 8; round++) {
    for (let i = 0; i < round * 3; i++) {
      await happen({ instanceId: i % 2 === 0 ? ONE : OTHER })
      if (i % 4 === 0) clock.set(START_MS - round * 1_000)
    }
    const polled: { handled: string[]; kept: string | null } = await poll(kept, 5)
    handled.push(...polled.handled)
    kept = polled.kept ?? kept
  }
  const last = handled.at(-1) ?? ''
  const all = (await everything()).toReversed()
  expect(handled).toEqual(all.slice(0, all.indexOf(last) + 1))
  expect(handled.length).toBeGreaterThan(80)
})

describe('the events of one network', () => {
  const addInstance = (id: string, network: string) =>
    data.raw
      .prepare(
        `INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, created_at, updated_at)
         VALUES (?, ?, ?, ?, 'smv2', ?, 'created', 0, 0, ?)`,
      )
      .run(id, ACCOUNT, id, id, network, network.length)
  const GONE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b62' as InstanceId

  test('are those of its existing instances; events of deleted instances belong to no network', async () => {
    data.raw.prepare("INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, 'A', 0, 0)").run(ACCOUNT)
    addInstance(ONE, 'live')
    addInstance(OTHER, 'sandbox')
    const live = await times(3, { instanceId: ONE })
    const sandbox = await times(2, { instanceId: OTHER, type: 'message.sent' })
    const gone = await times(1, { instanceId: GONE })
    expect(await everything({ network: 'live', limit: 2 })).toEqual(live.toReversed())
    expect(await everything({ network: 'sandbox' })).toEqual(sandbox.toReversed())
    expect(await everything({ network: 'sandbox', type: 'message.received' })).toEqual([])
    expect(await everything({ network: 'live', instance_id: OTHER })).toEqual([])
    expect(await everything()).toEqual([...live, ...sandbox, ...gone].toReversed())
  })

  test('are found in a long list with few matches, page by page', async () => {
    data.raw.prepare("INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, 'A', 0, 0)").run(ACCOUNT)
    addInstance(ONE, 'live')
    addInstance(OTHER, 'sandbox')
    const first = await times(3, { instanceId: ONE })
    await times(5_000, { instanceId: OTHER })
    const last = await times(2, { instanceId: ONE })
    expect(await everything({ network: 'live', limit: 2 })).toEqual([...first, ...last].toReversed())
  })
})

describe('every query of the room', () => {
  const { filters, allOfAccount, lastBefore, eventById } = store
  test.each([
    ['type', filters.type.page, 'events_by_type'],
    ['instance', filters.instance.page, 'events_by_instance'],
    ['how far a type reaches', filters.type.boundary, 'events_by_type'],
    ['how far an instance reaches', filters.instance.boundary, 'events_by_instance'],
    ['lastBefore', lastBefore, 'sqlite_autoindex_events_1'],
    ['eventById', eventById, 'sqlite_autoindex_events_1'],
  ] as const)('%s finds its rows through its index and sorts nothing', (_name, statement, index) => {
    const plan = queryPlan(data.raw, statement)
    expect(plan[0]).toMatch(new RegExp(`^SEARCH events USING (COVERING )?INDEX ${index} `))
    const network = 'SEARCH s USING INTEGER PRIMARY KEY|SEARCH i USING INDEX sqlite_autoindex_instances_1'
    const steps = new RegExp(`^(CORRELATED )?SCALAR SUBQUERY|^SEARCH subjects USING COVERING INDEX|^${network}`)
    for (const step of plan.slice(1)) expect(step).toMatch(steps)
  })

  test('for all events of an account merges the index ranges of the event types in order', () => {
    const plan = queryPlan(data.raw, allOfAccount)
    const search = 'SEARCH events USING INDEX events_by_type (account_seq=? AND type=? AND seq>? AND seq<?)'
    expect(plan.filter((step) => /events|TEMP B-TREE/.test(step))).toEqual(EVENT_TYPES.map(() => search))
    expect(plan).toContain('MERGE (UNION ALL)')
  })

  test('for the boundary of all events uses the primary key', () => {
    expect(queryPlan(data.raw, store.ofNetwork.boundary)[0]).toMatch(/^SEARCH events USING INTEGER PRIMARY KEY/)
  })

  test('for a page is bounded on both sides by the key', () => {
    for (const { page, boundary } of Object.values(filters)) {
      expect(queryPlan(data.raw, page)[0]).toMatch(/seq>\? AND seq<\?/)
      expect(queryPlan(data.raw, boundary)[0]).toMatch(/COVERING INDEX .*seq>\? AND seq<\?/)
    }
  })
})
