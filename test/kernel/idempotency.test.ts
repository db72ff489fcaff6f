import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { createIdempotency, stillBusy, type Claim, type Idempotency } from '../../main/kernel/idempotency.ts'
import type { BootId } from '../../main/kernel/ids.ts'
import { declaredStatements } from '../../main/kernel/sql.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { queryPlan } from '../support/query-plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const BOOT = 'boot_now' as BootId
const SCOPE = 'instance-1'

let home: TestDatabase
let clock: FakeClock
let idempotency: Idempotency

beforeEach(async () => {
  clock = fakeClock()
  home = await testDatabase(undefined, { clock })
  idempotency = createIdempotency({ clock })
})
afterEach(() => home.close())

const fp = (body: unknown, scope = SCOPE) => idempotency.fingerprint('POST messages', scope, body)
const claim = (body: unknown, subjectId = 'msg_1', key = 'k', scopeId = SCOPE, boot = BOOT): Promise<Claim> =>
  home.db.commit((tx) => idempotency.claim(tx, { scopeId, key, fp: fp(body, scopeId), subjectId, boot }))
const settleAs = (text: string, subjectId?: string) =>
  home.db.commit((tx) => idempotency.settle(tx, SCOPE, 'k', 201, Buffer.from(text), subjectId))
const rows = () => home.raw.prepare('SELECT subject_id AS subjectId, state FROM idempotency_keys').all()

describe('the fingerprint', () => {
  test('is the same for reordered keys, whitespace and escapes', () => {
    const one = JSON.parse('{"to":"12025550123","text":"é","cloud_api":{"b":1,"a":[1,2]}}') as unknown
    const other = JSON.parse(
      ' { "cloud_api": {"a":[1.0,2],"b":1e0}, "text":"\\u00e9", "to":"12025550123" } ',
    ) as unknown
    expect(fp(one).equals(fp(other))).toBe(true)
  })

  test('differs for another body, scope or operation', () => {
    const body = { text: 'a' }
    const prints = [fp(body), fp({ text: 'b' }), fp(body, 'instance-2'), fp({ text: 'a', caption: '' })]
    prints.push(idempotency.fingerprint('POST instances', SCOPE, body))
    expect(new Set(prints.map((print) => print.toString('hex'))).size).toBe(prints.length)
  })

  test('sorts by UTF-16 code units and writes numbers as RFC 8785 does', () => {
    // The examples of RFC 8785, 3.2.2 and 3.2.3.
    const shuffled = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
    const sorted = '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}'
    const numbers = { numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0] }
    expect(fp(shuffled)).toEqual(fp(JSON.parse(sorted)))
    expect(fp(numbers)).toEqual(fp(JSON.parse('{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0]}')))
  })

  test('of any JSON does not depend on the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const turned = Object.fromEntries(Object.entries(body).reverse())
        expect(fp(turned).equals(fp(body))).toBe(true)
      }),
      { numRuns: 100, seed: 1 },
    )
  })

  test.each([
    ['half of a surrogate pair', '{"text":"\\ud800"}'],
    ['a number beyond a double', '{"text":1e400}'],
  ])('of %s is refused with validation_error', (_name, wire) => {
    expect(() => fp(JSON.parse(wire))).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })
})

describe('a claim', () => {
  test('of a free key is fresh, and the next claim reports the request in progress', async () => {
    expect(await claim({ a: 1 })).toEqual({ kind: 'fresh' })
    expect(await claim({ a: 1 }, 'msg_2')).toEqual({ kind: 'busy', state: 'in_progress', subjectId: 'msg_1' })
  })

  test('of a settled key replays the exact bytes of the answer', async () => {
    await claim({ a: 1 })
    await settleAs('{"sent":true}')
    expect(await claim({ a: 1 }, 'msg_2')).toEqual({ kind: 'replay', status: 201, body: Buffer.from('{"sent":true}') })
  })

  test.each(['in_progress', 'unknown', 'done'])('with another body conflicts while the key is %s', async (state) => {
    await claim({ a: 1 })
    if (state === 'unknown') await home.db.commit((tx) => idempotency.markUnknown(tx, SCOPE, 'k'))
    if (state === 'done') await settleAs('{}')
    await expect(claim({ a: 2 }, 'msg_2')).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 })
    expect(rows()).toEqual([{ subjectId: 'msg_1', state }])
  })

  test('is independent for another key and another scope', async () => {
    await claim({ a: 1 })
    expect(await claim({ a: 2 }, 'msg_2', 'other')).toEqual({ kind: 'fresh' })
    expect(await claim({ a: 2 }, 'msg_3', 'k', 'instance-2')).toEqual({ kind: 'fresh' })
  })

  test('in the same commit group sees the claim before it', async () => {
    const both = await Promise.all([claim({ a: 1 }, 'msg_1'), claim({ a: 1 }, 'msg_2')])
    expect(both).toEqual([{ kind: 'fresh' }, { kind: 'busy', state: 'in_progress', subjectId: 'msg_1' }])
  })

  test('lives exactly 24 hours from the first acceptance', async () => {
    await claim({ a: 1 })
    await settleAs('{}')
    await clock.advance(DAY - 1)
    expect(await claim({ a: 1 }, 'msg_2')).toMatchObject({ kind: 'replay' })
    await clock.advance(1)
    expect(await claim({ a: 2 }, 'msg_3')).toEqual({ kind: 'fresh' })
    expect(rows()).toEqual([{ subjectId: 'msg_3', state: 'in_progress' }])
  })

  test('takes one statement for a free key', async () => {
    let statements = 0
    await home.db.commit((tx) => {
      const counting = { ...tx, run: ((s, p) => (statements++, tx.run(s, p))) as typeof tx.run }
      return idempotency.claim(counting, { scopeId: SCOPE, key: 'k', fp: fp({}), subjectId: 'msg_1', boot: BOOT })
    })
    expect(statements).toBe(1)
  })
})

describe('a peek', () => {
  const peek = (body: unknown) => idempotency.peek(home.db, { scopeId: SCOPE, key: 'k', fp: fp(body) })

  test('returns what a claim would return, without claiming the key', async () => {
    expect(await peek({ a: 1 })).toEqual({ kind: 'fresh' })
    expect(rows()).toEqual([])
    await claim({ a: 1 }, 'msg_1', 'k', SCOPE, home.db.boot)
    expect(await peek({ a: 1 })).toMatchObject({ kind: 'busy', state: 'in_progress' })
    await expect(peek({ a: 2 })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    await clock.advance(DAY)
    expect(await peek({ a: 2 })).toEqual({ kind: 'fresh' })
  })

  test('reports an unknown outcome when the process of the first request is gone', async () => {
    await claim({ a: 1 }, 'msg_1', 'k', SCOPE, 'boot_earlier' as BootId)
    expect(await peek({ a: 1 })).toMatchObject({ kind: 'busy', state: 'unknown' })
    expect(await claim({ a: 1 })).toMatchObject({ kind: 'busy', state: 'unknown' })
  })
})

describe('after the request', () => {
  test('a released key is free again', async () => {
    await claim({ a: 1 })
    await home.db.commit((tx) => idempotency.release(tx, SCOPE, 'k'))
    expect(await claim({ a: 2 }, 'msg_2')).toEqual({ kind: 'fresh' })
  })

  test('an unknown key can be settled, and a stored answer never changes', async () => {
    await claim({ a: 1 })
    await home.db.commit((tx) => idempotency.markUnknown(tx, SCOPE, 'k'))
    expect(await claim({ a: 1 })).toMatchObject({ kind: 'busy', state: 'unknown' })
    await settleAs('first')
    await settleAs('second')
    await home.db.commit((tx) => idempotency.markUnknown(tx, SCOPE, 'k'))
    await home.db.commit((tx) => idempotency.release(tx, SCOPE, 'k'))
    expect(await claim({ a: 1 })).toMatchObject({ kind: 'replay', body: Buffer.from('first') })
  })

  test('a result that arrives after 24 hours does not change the request that now holds the key', async () => {
    await claim({ a: 1 }, 'msg_old')
    await clock.advance(DAY)
    await claim({ a: 2 }, 'msg_new')
    await settleAs('old', 'msg_old')
    await home.db.commit((tx) => idempotency.release(tx, SCOPE, 'k', 'msg_old'))
    expect(rows()).toEqual([{ subjectId: 'msg_new', state: 'in_progress' }])
  })

  test('recovery marks as unknown only what an earlier process left in progress', async () => {
    await claim({}, 'msg_1', 'theirs', SCOPE, 'boot_before' as BootId)
    await claim({}, 'msg_2', 'ours')
    await home.db.commit(async (tx) => {
      await idempotency.recover(tx, BOOT, { scopeId: SCOPE, key: 'theirs', subjectId: 'msg_1' })
      await idempotency.recover(tx, BOOT, { scopeId: SCOPE, key: 'ours', subjectId: 'msg_2' })
    })
    expect(rows()).toEqual([
      { subjectId: 'msg_1', state: 'unknown' },
      { subjectId: 'msg_2', state: 'in_progress' },
    ])
  })

  test('pruning empties only expired rows, up to the limit, and keeps who held each key', async () => {
    for (let i = 0; i < 5; i++) await claim({}, `msg_${i}`, `old-${i}`)
    await clock.advance(DAY)
    await claim({}, 'msg_new', 'new')
    const prune = () => home.db.commit((tx) => idempotency.prune(tx, clock.now(), 3))
    expect([await prune(), await prune(), await prune()]).toEqual([3, 2, 0])
    const kept = home.raw.prepare(
      'SELECT key, body IS NULL AND length(fp) = 0 AS isEmpty FROM idempotency_keys ORDER BY key',
    )
    expect(kept.all()).toEqual([
      { key: 'new', isEmpty: 0 },
      ...['old-0', 'old-1', 'old-2', 'old-3', 'old-4'].map((key) => ({ key, isEmpty: 1 })),
    ])
    expect(await idempotency.holderOf(home.db, SCOPE, 'old-3')).toBe('msg_3')
    expect(await idempotency.holderOf(home.db, SCOPE, 'never-used')).toBeUndefined()
    expect(await claim({}, 'msg_next', 'old-3')).toEqual({ kind: 'fresh' })
    expect(await idempotency.holderOf(home.db, SCOPE, 'old-3')).toBe('msg_next')
  })

  test('a retired key is free immediately, and still records who held it', async () => {
    await claim({}, 'msg_1')
    await home.db.commit((tx) => idempotency.retire(tx, SCOPE, 'k', 'msg_1'))
    expect(await idempotency.holderOf(home.db, SCOPE, 'k')).toBe('msg_1')
    expect(await claim({}, 'msg_2')).toEqual({ kind: 'fresh' })
  })
})

test('a busy key returns 409 idempotency_in_progress with Retry-After', () => {
  const running = stillBusy({ kind: 'busy', state: 'in_progress', subjectId: 'msg_1' })
  const open = stillBusy({ kind: 'busy', state: 'unknown', subjectId: 'msg_1' })
  expect(running).toMatchObject({ code: 'idempotency_in_progress', status: 409, headers: { 'Retry-After': '1' } })
  expect(open).toMatchObject({ code: 'idempotency_in_progress', status: 409, headers: { 'Retry-After': '5' } })
})

test('every statement on the keys uses an index', () => {
  const texts = declaredStatements().filter(
    ({ text }) => text.includes('idempotency_keys') && !text.startsWith('INSERT'),
  )
  expect(texts).toHaveLength(8)
  for (const statement of texts) {
    const plan = queryPlan(home.raw, statement).join('; ')
    expect(plan).toMatch(/SEARCH/)
    expect(plan).not.toMatch(/SCAN idempotency_keys|TEMP B-TREE/)
  }
})
