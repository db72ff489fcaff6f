import { expect, onTestFinished, test } from 'vitest'
import type { ChangeList } from '../../../main/contract/instance.ts'
import { tempFolder } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { sized } from '../../support/sized.ts'
import { memoryVault } from '../../support/vault.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { createFollower, type ChangesQuery, type Fate, type Follower } from './follower.ts'

/** Another one: `SEED=7 npx vitest run …`. Who comes first among many is the machine's chance all the same. */
const SEED = Number(process.env['SEED'] ?? 20_260_301)

const WRITERS = 20
const CHANGES = sized(1_000, 10_000)
const LISTED = sized(60, 200)
const DAY_MS = 86_400_000

type Answer = { readonly status: number; readonly body: any }
type Call = (method: string, path: string, body?: object) => Promise<Answer>

/** As a client does it, on connections that are kept. */
function overHttp(w: World, key: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(w.service.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
}

/** What the answers to all writers say, taken together. */
interface Told {
  /** Moments of changes as they were answered: no two may be the same. */
  readonly moments: string[]
  readonly deleted: Map<string, string>
  readonly counts: Record<'created' | 'patched' | 'deleted', number>
}

const changesOf = ({ counts }: Told) => counts.created + counts.patched + counts.deleted

interface Pool {
  /** Those a restricted key has in its list, and all others. */
  readonly listed: string[]
  readonly others: string[]
}

async function write(call: Call, pool: Pool, told: Told, random: () => number, onChange: () => void): Promise<void> {
  const name = () => `Name ${random()}`
  const among = () => (random() < 0.3 && pool.listed.length > 0 ? pool.listed : pool.others)
  while (changesOf(told) < CHANGES) {
    const [what, ids] = [random(), among()]
    const at = Math.floor(random() * ids.length)
    const id = ids[at]
    if (what < 0.4 || id === undefined) {
      const { status, body } = await call('POST', '/v1/instances', { name: name(), external_ref: `ref ${random()}` })
      expect(status).toBe(201)
      pool.others.push(body.id)
      told.moments.push(body.updated_at)
      told.counts.created++
    } else if (what < 0.78) {
      const wish = random() < 0.5 ? { name: name() } : { metadata: { of: name() }, external_ref: null }
      const { status, body } = await call('PATCH', `/v1/instances/${id}`, wish)
      // Another writer may have deleted it meanwhile.
      expect([200, 404]).toContain(status)
      if (status !== 200) continue
      told.moments.push(body.updated_at)
      told.counts.patched++
    } else {
      ids.splice(at, 1)
      const { status, body } = await call('DELETE', `/v1/instances/${id}?confirm=true`)
      expect(status).toBe(200)
      told.moments.push(body.deleted_at)
      told.deleted.set(id, body.deleted_at)
      told.counts.deleted++
    }
    onChange()
  }
}

/** The machine's clock runs, jumps, and is set back by days more than once. */
function restlessClock({ clock }: World, random: () => number) {
  const jumps = new Map([
    [0.2 * CHANGES, -DAY_MS],
    [0.4 * CHANGES, 2 * DAY_MS],
    [0.6 * CHANGES, -3 * DAY_MS],
    [0.8 * CHANGES, -1],
  ])
  let changes = 0
  return () => clock.suspend(jumps.get(++changes) ?? Math.floor(random() * 3))
}

/** Dies once in ten answers, in all the ways there are. */
function mortal(random: () => number): () => Fate {
  const fates: readonly Fate[] = ['dies before', 'dies between', 'forgets its cursor']
  return () => (random() < 0.1 ? (fates[Math.floor(random() * fates.length)] ?? 'lives') : 'lives')
}

interface Following extends Follower {
  calls: number
}

function follow(call: Call, random: () => number): Following {
  const asked = { calls: 0 }
  const ask = async ({ updated_since, limit, cursor }: ChangesQuery) => {
    asked.calls++
    const query = new URLSearchParams({ updated_since, limit: String(limit), ...(cursor !== undefined && { cursor }) })
    const { status, body } = await call('GET', `/v1/instances?${query.toString()}`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data.length).toBeLessThanOrEqual(limit)
    expect(body.deleted.length).toBeLessThanOrEqual(limit)
    return body as ChangeList
  }
  const follower = createFollower({ ask, limit: () => 1 + Math.floor(random() * 200), fate: mortal(random) })
  return {
    ...follower,
    get calls() {
      return asked.calls
    },
  }
}

/** Until two rounds end one after the other with nothing more to say. */
async function catchUp({ call }: Follower): Promise<void> {
  for (let calm = 0, calls = 0; calm < 2; calls++) {
    calm = (await call()) ? calm + 1 : calm
    expect(calls).toBeLessThan(2_000)
  }
}

async function stateOf(call: Call): Promise<Follower['copy']> {
  const copy: Follower['copy'] = new Map()
  for (let cursor = ''; ;) {
    const { body } = await call('GET', `/v1/instances?limit=200${cursor}`)
    for (const row of body.data) copy.set(row.id, row)
    if (!body.has_more) {
      expect(copy.size).toBe(body.count)
      return copy
    }
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

const only = <T>(whole: ReadonlyMap<string, T>, ids: ReadonlySet<string>) =>
  new Map([...whole].filter(([id]) => ids.has(id)))

test(`${WRITERS} writers make ${CHANGES} changes, and every client that follows the three rules ends with the state of the server`, async () => {
  process.stdout.write(`SEED=${SEED}\n`)
  const w = await worldOfTest()
  const randomOf = (nth: number) => seededRandom(SEED + nth).fraction
  const all = overHttp(w, w.allScopes)
  const pool: Pool = { listed: [], others: [] }
  for (let i = 0; i < LISTED; i++) pool.listed.push((await all('POST', '/v1/instances', {})).body.id)
  const listed = new Set(pool.listed)
  const few = overHttp(w, (await w.key({ scopes: ['instances:read'], instances: pool.listed })).key)

  const told: Told = { moments: [], deleted: new Map(), counts: { created: 0, patched: 0, deleted: 0 } }
  const tick = restlessClock(w, randomOf(1))
  const writing = Promise.all(
    Array.from({ length: WRITERS }, (_, nth) => write(all, pool, told, randomOf(100 + nth), tick)),
  )
  const state = { isWriting: true }
  const everybody = [
    follow(all, randomOf(2)),
    follow(all, randomOf(3)),
    follow(few, randomOf(4)),
    follow(few, randomOf(5)),
  ]
  const following = everybody.map(async (follower) => {
    while (state.isWriting) await follower.call()
    await catchUp(follower)
  })
  await writing.finally(() => (state.isWriting = false))
  await Promise.all(following)

  // Who comes when all is over finds more deletions than any page holds.
  const late = [follow(all, randomOf(6)), follow(few, randomOf(7))]
  for (const follower of late) await catchUp(follower)

  expect(changesOf(told)).toBeGreaterThanOrEqual(CHANGES)
  // The change clock never gave a moment twice, whatever was done to the machine's.
  expect(new Set(told.moments).size).toBe(told.moments.length)
  const server = await stateOf(all)
  const [first, second, third, fourth] = everybody
  const [lateToAll, lateToFew] = late
  for (const follower of [first, second, lateToAll]) {
    expect(follower?.copy).toEqual(server)
    expect(follower?.deleted).toEqual(told.deleted)
    expect(follower?.calls).toBeGreaterThan(sized(3, 20))
  }
  expect(await stateOf(few)).toEqual(only(server, listed))
  for (const follower of [third, fourth, lateToFew]) {
    expect(follower?.copy).toEqual(only(server, listed))
    expect(follower?.deleted).toEqual(only(told.deleted, listed))
    expect(follower?.deleted.size).toBeGreaterThan(sized(3, 10))
  }
  const calls = [...everybody, ...late].map((follower) => follower.calls)
  process.stdout.write(`${JSON.stringify({ ...told.counts, live: server.size, calls })}\n`)
})

test('a saved cursor is still valid after a restart of the service', async () => {
  const [home, vault] = [tempFolder(), memoryVault()]
  const before = await world({ home, vault })
  for (let i = 0; i < 7; i++) await before.instance({ name: `N${i}` })
  const query = '/v1/instances?updated_since=2000-01-01T00:00:00Z&limit=3'
  const { body: first } = await before.api('GET', query)
  const key = before.allScopes
  await before.close()

  const after = await world({ home, vault, seed: 2 })
  onTestFinished(() => after.close())
  const next = await after.api('GET', `${query}&cursor=${encodeURIComponent(first.next_cursor)}`, undefined, { key })
  expect([...first.data, ...next.body.data].map(({ name }) => name)).toEqual(['N0', 'N1', 'N2', 'N3', 'N4', 'N5'])
})
