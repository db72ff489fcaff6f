import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAttention } from '../../../main/capabilities/campaigns/attention.ts'
import { settle } from '../../support/clock.ts'
import { ACCOUNT, campaignBench, UTILITY } from './campaign-bench.ts'
import { phonesFrom } from './campaign-world.ts'

const { name, language } = UTILITY
const TEMPLATE = { cloud_api: { type: 'template', template: { name, language: { code: language } } } }
const SWIFT = { minDelay: 0, maxDelay: 0, checkNumbers: false, window: null, pauseAfter: null, typing: false } as const
/** Of a utility message to the US. */
const PRICE = 3_400
/** 2026-11-30, two hours before the month ends. The prices are valid since October. */
const EVENING = Date.UTC(2026, 10, 30, 22)
const SWEEP_SECONDS = 61
const budgetOf = (messages: number, warn = 80) => ({
  ...{ amount_micros: messages * PRICE, currency: 'usd', warn_percent: warn },
})

let b: Awaited<ReturnType<typeof campaignBench>>
beforeEach(async () => {
  b = await campaignBench({ network: 'live', engine: 'official', startMs: EVENING, isBilled: true })
})
afterEach(() => b.close())

const create = (lines: readonly string[], people: number, budget: ReturnType<typeof budgetOf> | null, first?: number) =>
  b.create(lines, phonesFrom(people, first), { ...SWIFT, budget }, [TEMPLATE])
const keysOf = (id: string) =>
  [...b.messages.values()]
    .filter(({ campaignId }) => campaignId === id)
    .map(({ idempotencyKey }) => idempotencyKey ?? '')
const reportAll = async (id: string, outcome: 'charged' | 'free' | 'failed') => {
  for (const key of keysOf(id)) await b.process().report(key, outcome)
}
const budgets = () => b.process().costs.budgets

describe('a campaign with a budget', () => {
  test('stops before the message that would exceed it, and continues when it is raised', async () => {
    const lines = [b.line('one'), b.line('two')]
    const id = await create(lines, 40, { ...budgetOf(10), amount_micros: 10 * PRICE + 1 })
    await b.pass(5)
    expect(await b.get(id)).toMatchObject({
      ...{ status: 'paused', pause_reason: 'budget', budget_hold: 'campaign', next_send_at: null },
      counts: { sent: 10, pending: 30, failed: 0 },
      spending: { spent_micros: 0, held_micros: 10 * PRICE, unknown_messages: 0, state: 'warning' },
    })
    await reportAll(id, 'charged')
    await b.pass(SWEEP_SECONDS)
    expect(await b.get(id)).toMatchObject({ status: 'paused', spending: { spent_micros: 10 * PRICE, held_micros: 0 } })
    await b.setBudget(id, budgetOf(25))
    await b.pass(30)
    expect(await b.get(id)).toMatchObject({ pause_reason: 'budget', counts: { sent: 25 } })
    await b.setBudget(id, null)
    await b.pass(30)
    expect(await b.get(id)).toMatchObject({ status: 'completed', spending: null, counts: { sent: 40, failed: 0 } })
    expect(new Set(b.sent.map(({ to }) => to)).size).toBe(40)
    expect(b.sent).toHaveLength(40)
  })

  test('does not continue for a budget that does not cover the next message', async () => {
    const id = await create([b.line('one')], 5, budgetOf(2))
    await b.pass(5)
    await b.setBudget(id, { ...budgetOf(2), amount_micros: 3 * PRICE - 1 })
    expect(await b.get(id)).toMatchObject({ status: 'paused', pause_reason: 'budget' })
    await b.pass(SWEEP_SECONDS)
    expect(b.sent).toHaveLength(2)
  })

  test('gets back the cost of failed messages', async () => {
    const id = await create([b.line('one')], 6, budgetOf(4))
    await b.pass(5)
    expect(b.sent).toHaveLength(4)
    await b.process().report(keysOf(id)[0] ?? '', 'failed')
    await b.process().report(keysOf(id)[1] ?? '', 'free')
    await b.pass(SWEEP_SECONDS)
    expect(await b.get(id)).toMatchObject({ status: 'completed', counts: { sent: 5, failed: 1, pending: 0 } })
  })

  test('needs attention once it is nearly used up, until it is raised', async () => {
    const id = await create([b.line('one')], 30, budgetOf(100, 25), 12_025_561_000)
    await b.pass(10)
    expect((await b.get(id)).status).toBe('completed')
    const slow = { ...SWIFT, minDelay: 20, maxDelay: 20, budget: budgetOf(4, 50) }
    const other = await b.create([b.line('two')], phonesFrom(9), slow, [TEMPLATE])
    const lines = async () =>
      createAttention({ db: b.db, clock: b.clock })({ accountId: ACCOUNT, role: null, network: null })
    await b.pass(2)
    expect(await lines()).toEqual([])
    await b.pass(25)
    expect(await lines()).toMatchObject([{ code: 'near_budget', severity: 'warning', subject: { id: other } }])
    await b.setBudget(other, budgetOf(100))
    expect(await lines()).toEqual([])
  })

  test('can be paused, resumed and canceled by a person meanwhile', async () => {
    const id = await create([b.line('one')], 5, budgetOf(2))
    await b.pass(5)
    await b.act('pause', id)
    await b.setBudget(id, budgetOf(3))
    await b.pass(SWEEP_SECONDS)
    expect(await b.get(id)).toMatchObject({ pause_reason: 'user', counts: { sent: 2 } })
    await b.act('resume', id)
    await b.pass(5)
    expect(await b.get(id)).toMatchObject({ pause_reason: 'budget', counts: { sent: 3 } })
    await b.act('cancel', id)
    await expect(b.setBudget(id, budgetOf(9))).rejects.toMatchObject({ code: 'invalid_state' })
    await b.pass(SWEEP_SECONDS)
    expect(await b.get(id)).toMatchObject({ status: 'canceled', counts: { sent: 3 } })
  })

  test('does not wait if prices are unknown', async () => {
    const id = await b.create(
      [b.line('one')],
      ['33612345671', '33612345672', '33612345673'],
      { ...SWIFT, budget: budgetOf(1) },
      [TEMPLATE],
    )
    await b.pass(5)
    expect(await b.get(id)).toMatchObject({
      status: 'completed',
      spending: { spent_micros: 0, held_micros: 0, unknown_messages: 3, state: 'below' },
    })
  })

  test('on numbers without charges sends everything', async () => {
    await b.close()
    b = await campaignBench({ network: 'live', engine: 'official', startMs: EVENING })
    const id = await create([b.line('one')], 5, budgetOf(1))
    await b.pass(5)
    expect((await b.get(id)).status).toBe('completed')
  })
})

describe('an account with a budget for the month', () => {
  test('holds all its campaigns, which continue with the next month, once each', async () => {
    await budgets().setOfAccount(ACCOUNT, budgetOf(6))
    const ids = [await create([b.line('one')], 5, null), await create([b.line('two')], 5, null, 12_025_562_000)]
    await b.pass(5)
    expect(b.sent).toHaveLength(6)
    const held = await Promise.all(ids.map((id) => b.get(id)))
    expect(held.filter(({ pause_reason: reason }) => reason === 'budget').length).toBeGreaterThan(0)
    const one = held.find(({ status }) => status === 'paused')
    expect(one).toMatchObject({ budget_hold: 'client', next_send_at: '2026-12-01T00:00:00.000Z', spending: null })
    for (const id of ids) await reportAll(id, 'charged')
    await b.restart()
    await b.pass(SWEEP_SECONDS)
    expect(b.sent).toHaveLength(6)
    b.clock.set(Date.UTC(2026, 11, 1, 0, 0, 1))
    await b.pass(SWEEP_SECONDS)
    for (const id of ids) expect(await b.get(id)).toMatchObject({ status: 'completed', counts: { sent: 5, failed: 0 } })
    expect(new Set(b.sent.map(({ to }) => to)).size).toBe(10)
    expect(b.sent).toHaveLength(10)
  })

  test('continues as soon as it is raised', async () => {
    await budgets().setOfAccount(ACCOUNT, budgetOf(2))
    const id = await create([b.line('one')], 5, null)
    await b.pass(5)
    expect(b.sent).toHaveLength(2)
    await budgets().setOfAccount(ACCOUNT, budgetOf(5))
    await b.pass(5)
    expect((await b.get(id)).status).toBe('completed')
  })
})

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      at: fc.nat(),
      outcome: fc.constantFrom('charged' as const, 'free' as const, 'failed' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      of: fc.constantFrom(0, 1, 2),
      by: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      atCommit: fc.integer({ min: 1, max: 25 }),
      isWritten: fc.boolean(),
    }),
  },
)

test(
  'no message exceeds a budget, nobody gets two and nobody is skipped, in any order of reports, raises and kills',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 8, maxLength: 25 }), async (acts) => {
        await b.close()
        b = await campaignBench({ network: 'live', engine: 'official', startMs: EVENING, isBilled: true })
        const allowed = [2, 3, 4]
        await budgets().setOfAccount(ACCOUNT, budgetOf(allowed[2] ?? 0))
        const lines = [b.line('one'), b.line('two')]
        const ids = [
          await create(lines, 6, budgetOf(allowed[0] ?? 0)),
          await create(lines, 6, budgetOf(allowed[1] ?? 0), 12_025_562_000),
        ]
        // Written by hand: messages that the network got, without those it said it does not charge for.
        const notCharged = new Set<string>()
        const charged = new Set<string>()
        const check = () => {
          const spent = ids.map((id) => keysOf(id).filter((key) => !notCharged.has(key)).length)
          spent.forEach((messages, at) => expect(messages).toBeLessThanOrEqual(allowed[at] ?? 0))
          expect((spent[0] ?? 0) + (spent[1] ?? 0)).toBeLessThanOrEqual(allowed[2] ?? 0)
        }
        const raise = async (of: number, by: number) => {
          allowed[of] = (allowed[of] ?? 0) + by
          const budget = budgetOf(allowed[of] ?? 0)
          const id = ids[of]
          if (id === undefined) {
            await budgets().setOfAccount(ACCOUNT, budget)
            return
          }
          // It may complete at any moment, and then it takes no budget.
          await b.setBudget(id, budget).catch(async (error: unknown) => {
            if ((await b.get(id)).status !== 'completed') throw error
          })
        }
        const revive = async () => {
          if (!b.process().isDead()) return
          await settle()
          await b.restart()
        }
        for (const one of acts) {
          if (one.kind === 'pass') await b.pass(one.seconds)
          if (one.kind === 'kill') {
            await b.restart({ atCommit: one.atCommit, isWritten: one.isWritten })
            for (let second = 0; second < 3 && !b.process().isDead(); second++) await b.pass(1)
            await settle()
            await b.restart()
          }
          await revive()
          if (one.kind === 'report') {
            const open = [...b.messages].filter(
              ([key, { status }]) => status !== 'queued' && !charged.has(key) && !notCharged.has(key),
            )
            const [key] = open[one.at % Math.max(1, open.length)] ?? []
            if (key !== undefined) {
              await b.process().report(key, one.outcome)
              ;(one.outcome === 'charged' ? charged : notCharged).add(key)
            }
          }
          if (one.kind === 'raise') await raise(one.of, one.by)
          check()
        }
        for (const index of [0, 1, 2]) await raise(index, 20)
        await b.pass(SWEEP_SECONDS + 10)
        const times = new Map<string, number>()
        for (const { to } of b.sent) times.set(to, (times.get(to) ?? 0) + 1)
        for (const id of ids) {
          expect(await b.get(id)).toMatchObject({ status: 'completed', counts: { total: 6, pending: 0 } })
          for (const { phone, status } of b.recipients(id))
            if (status === 'unknown') expect(times.get(phone) ?? 0).toBeLessThanOrEqual(1)
            else expect(times.get(phone)).toBe(1)
        }
        check()
      }),
      { numRuns: 25 },
    )
  },
)
