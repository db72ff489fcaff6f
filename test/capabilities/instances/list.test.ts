import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ListQuery } from '../../../main/capabilities/instances/list.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { instancesRoom, type InstancesRoom, type MadeInstance } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

/** What any answer of the list may hold. */
interface Page {
  data: { id: string; name: string; updated_at: string }[]
  count?: number
  deleted?: { id: string; deleted_at: string }[]
  next_cursor?: string | null
  has_more?: boolean
  deleted_has_more?: boolean
}

const list = async (query: ListQuery = {}, allowedInstanceIds: readonly string[] | null = null): Promise<Page> =>
  room.instances.list({ accountId: room.accountId, allowedInstanceIds, query })
const names = ({ data }: Page) => data.map(({ name }) => name)

async function make(count: number): Promise<MadeInstance[]> {
  const made: MadeInstance[] = []
  for (let i = 1; i <= count; i++) made.push(await room.create({ name: `N${i}` }))
  return made
}

describe('the plain list', () => {
  test('has exactly data and count, newest first', async () => {
    expect(await list()).toEqual({ data: [], count: 0 })
    const made = await make(3)
    expect(JSON.stringify(await list())).toBe(JSON.stringify({ data: made.toReversed(), count: 3 }))
  })

  test('keeps its order when instances change', async () => {
    const [first] = await make(3)
    await room.instances.update(first?.id as InstanceId, { metadata: { a: '1' } })
    expect(names(await list())).toEqual(['N3', 'N2', 'N1'])
  })

  test('omits deleted instances', async () => {
    const [, second] = await make(3)
    await room.instances.remove(second?.id as InstanceId)
    expect(await list()).toMatchObject({ data: [{ name: 'N3' }, { name: 'N1' }], count: 2 })
  })

  test('has pages with limit and cursor, and count is the number of all matches', async () => {
    await make(5)
    const first = await list({ limit: 2 })
    expect([names(first), first.count, first.has_more]).toEqual([['N5', 'N4'], 5, true])
    const second = await list({ limit: 2, cursor: first.next_cursor ?? '' })
    await room.create({ name: 'late' })
    const third = await list({ limit: 2, cursor: second.next_cursor ?? '' })
    expect([names(second), names(third)]).toEqual([['N3', 'N2'], ['N1']])
    expect(third).toMatchObject({ count: 6, next_cursor: null, has_more: false })
  })

  test('with a limit always has has_more and next_cursor', async () => {
    await make(1)
    expect(await list({ limit: 200 })).toMatchObject({ count: 1, next_cursor: null, has_more: false })
  })

  test('accepts a limit of up to 200', async () => {
    await expect(list({ limit: 201 })).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('limit'),
    })
  })

  test('without a limit has next_cursor only if more than 1,000 match', async () => {
    fill(1_000)
    expect(Object.keys(await list())).toEqual(['data', 'count'])
    fill(1)
    await settle()
    const page = await list()
    expect(page).toMatchObject({ count: 1_001, has_more: true })
    expect(page.data).toHaveLength(1_000)
    const rest = await list({ cursor: page.next_cursor ?? '' })
    expect(rest).toMatchObject({ count: 1_001, has_more: false, next_cursor: null })
    expect(rest.data).toHaveLength(1)
  })

  test('can be filtered by external_ref', async () => {
    await make(2)
    const wanted = await room.create({ name: 'wanted', external_ref: 'ref' })
    expect(await list({ external_ref: 'ref' })).toEqual({ data: [wanted], count: 1 })
    expect(await list({ external_ref: 'Ref' })).toEqual({ data: [], count: 0 })
    await room.instances.remove(wanted.id)
    expect(await list({ external_ref: 'ref' })).toEqual({ data: [], count: 0 })
  })
})

describe('a restricted key', () => {
  test('sees and counts only its own instances', async () => {
    const made = await make(5)
    const own = [made[0], made[3]].map((instance) => instance?.id ?? '')
    expect(await list({}, own)).toMatchObject({ data: [{ name: 'N4' }, { name: 'N1' }], count: 2 })
    const first = await list({ limit: 1 }, own)
    expect(first).toMatchObject({ data: [{ name: 'N4' }], count: 2, has_more: true })
    expect(await list({ limit: 1, cursor: first.next_cursor ?? '' }, own)).toMatchObject({
      data: [{ name: 'N1' }],
      has_more: false,
    })
  })

  test('does not find other instances by external_ref', async () => {
    const other = await room.create({ external_ref: 'ref' })
    const own = await room.create()
    expect(await list({ external_ref: 'ref' }, [own.id])).toEqual({ data: [], count: 0 })
    expect(await list({ external_ref: 'ref' }, [other.id])).toMatchObject({ count: 1 })
  })

  test('sees only changes and deletions of its own instances', async () => {
    const made = await make(4)
    const [a, b, c] = made.map(({ id }) => id) as [InstanceId, InstanceId, InstanceId]
    await room.instances.remove(b)
    await room.instances.remove(c)
    const page = await list({ updated_since: '2020-01-01T00:00:00.000Z' }, [a, c])
    expect(names(page)).toEqual(['N1'])
    expect(page.deleted?.map(({ id }) => id)).toEqual([c])
  })

  test('can have more instances than fit in one SQL statement', async () => {
    const made = await make(120)
    const own = made.filter((_, i) => i % 2 === 0).map(({ id }) => id)
    const page = await list({}, [...own, '019b0000-0000-7000-8000-000000000000'])
    expect(page.count).toBe(60)
    expect(page.data.map(({ id }) => id)).toEqual(own.toReversed())
  })
})

describe('the incremental list', () => {
  test('contains changes after updated_since, oldest first', async () => {
    const [first, second, third] = await make(3)
    const changed = await room.instances.update(first?.id as InstanceId, { name: 'N1b' })
    const since = async (updated_since = '') => list({ updated_since })
    expect(names(await since('2020-01-01T00:00:00Z'))).toEqual(['N2', 'N3', 'N1b'])
    expect(names(await since(second?.updated_at))).toEqual(['N3', 'N1b'])
    expect(names(await since(third?.updated_at))).toEqual(['N1b'])
    expect(await since(changed.updated_at)).toEqual({
      data: [],
      deleted: [],
      next_cursor: null,
      has_more: false,
      deleted_has_more: false,
    })
  })

  test('contains deletions after updated_since, with external_ref and metadata', async () => {
    const made = await room.create({ external_ref: 'ref', metadata: { a: '1' } })
    const { deletedAtMs } = await room.instances.remove(made.id)
    expect((await list({ updated_since: made.updated_at })).deleted).toEqual([
      { id: made.id, external_ref: 'ref', metadata: { a: '1' }, deleted_at: new Date(deletedAtMs).toISOString() },
    ])
    expect((await list({ updated_since: new Date(deletedAtMs).toISOString() })).deleted).toEqual([])
  })

  test('repeats the same deletions on every page, because they depend only on updated_since and limit', async () => {
    const made = await make(7)
    for (const { id } of made.slice(0, 3)) await room.instances.remove(id)
    // All later than the deletions: a page that looked from its cursor on would not find them.
    for (const { id } of made.slice(3)) await room.instances.update(id, { metadata: {} })
    const query = { updated_since: '2020-01-01T00:00:00.000Z', limit: 2 }
    const first = await list(query)
    const second = await list({ ...query, cursor: first.next_cursor ?? '' })
    expect([names(first), names(second)]).toEqual([
      ['N4', 'N5'],
      ['N6', 'N7'],
    ])
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null])
    expect(second.deleted).toEqual(first.deleted)
    expect(first.deleted?.map(({ id }) => id)).toEqual([made[0]?.id, made[1]?.id])
    expect([first.deleted_has_more, second.deleted_has_more]).toEqual([true, true])
    const last = await list({ ...query, updated_since: first.deleted?.at(-1)?.deleted_at ?? '' })
    expect(last.deleted?.map(({ id }) => id)).toEqual([made[2]?.id])
    expect(last.deleted_has_more).toBe(false)
  })

  test('has pages of 100 by default and of up to 500', async () => {
    fill(501)
    const since = { updated_since: '2020-01-01T00:00:00.000Z' }
    expect((await list(since)).data).toHaveLength(100)
    expect((await list({ ...since, limit: 500 })).data).toHaveLength(500)
  })

  test('filters data by external_ref, but not deleted', async () => {
    const [gone] = await make(2)
    await room.create({ name: 'wanted', external_ref: 'ref' })
    await room.instances.remove(gone?.id as InstanceId)
    const page = await list({ updated_since: '2020-01-01T00:00:00.000Z', external_ref: 'ref' })
    expect(names(page)).toEqual(['wanted'])
    expect(page.deleted?.map(({ id }) => id)).toEqual([gone?.id])
  })

  test('accepts a time in any time zone, to the millisecond', async () => {
    const made = await room.create()
    const local = new Date(Date.parse(made.updated_at) - 1 + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    expect((await list({ updated_since: local })).data).toHaveLength(1)
  })

  test('refuses an invalid time', async () => {
    await expect(list({ updated_since: 'yesterday' })).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('a cursor', () => {
  test('from another list form, filter or account is refused', async () => {
    await make(3)
    await room.create({ external_ref: 'ref' })
    const since = '2020-01-01T00:00:00.000Z'
    const plain = (await list({ limit: 1 })).next_cursor ?? ''
    const changes = (await list({ limit: 1, updated_since: since })).next_cursor ?? ''
    const refused = { code: 'invalid_cursor' }
    await expect(list({ cursor: changes })).rejects.toMatchObject(refused)
    await expect(list({ cursor: plain, updated_since: since })).rejects.toMatchObject(refused)
    await expect(list({ cursor: changes, updated_since: '2020-01-01T00:00:00.001Z' })).rejects.toMatchObject(refused)
    await expect(list({ cursor: plain, external_ref: 'ref' })).rejects.toMatchObject(refused)
    await expect(list({ cursor: `${plain}x` })).rejects.toMatchObject(refused)
    const foreign = { ...room.instances }.list({
      accountId: 'other' as typeof room.accountId,
      allowedInstanceIds: null,
      query: { cursor: plain },
    })
    await expect(foreign).rejects.toMatchObject(refused)
  })

  test('is valid with the same time in another time zone', async () => {
    await make(2)
    const { next_cursor } = await list({ limit: 1, updated_since: '2020-01-01T00:00:00.000Z' })
    expect(
      names(await list({ limit: 1, updated_since: '2020-01-01T01:00:00+01:00', cursor: next_cursor ?? '' })),
    ).toEqual(['N2'])
  })
})

/** Rows written past the room: only their number matters. */
let filled = 0
function fill(count: number): void {
  const { raw } = room.database
  const insert = raw.prepare(
    `INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, created_at, updated_at)
     VALUES (@id, @account, @id, @id, 'smv2', 'sandbox', 'created', 0, @at, @at)`,
  )
  raw.transaction(() => {
    for (let i = 0; i < count; i++)
      insert.run({ id: `filled-${++filled}`, account: room.accountId, at: 1_700_000_000_000 + filled })
    raw.prepare('UPDATE accounts SET instances_live = instances_live + ?').run(count)
  })()
}
