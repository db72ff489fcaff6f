import { describe, expect, test } from 'vitest'
import { CALLS_AT_ONCE, createCallSlots } from '../../main/capabilities/instance-webhook/call-slots.ts'
import { shareSlots } from '../../main/capabilities/webhooks/fairness.ts'
import { LIMITS } from '../../main/contract/limits.ts'
import { createDownloadSlots } from '../../main/engines/smv2/download-slots.ts'
import { createConcurrencyLimiter, type ConcurrencyLimits } from '../../main/kernel/concurrency-limiter.ts'
import { mayTake } from '../../main/kernel/fair-share.ts'
import type { AccountId, InstanceId } from '../../main/kernel/ids.ts'
import { createSlotQueue } from '../../main/kernel/slot-queue.ts'

const GREEDY = [1, 2, 3, 10]

describe('the fair-share rule', () => {
  /** What owners hold that come one after the other, take all they can and give nothing back. */
  function fill(inAll: number, owners: number): number[] {
    let used = 0
    return Array.from({ length: owners }, () => {
      let held = 0
      while (mayTake({ inAll, used, held })) {
        held++
        used++
      }
      return held
    })
  }

  test.each([
    [64, [32, 13, 6, 3, 1, 1, 1, 1, 1, 1]],
    [128, [64, 25, 12, 7, 4, 3, 2, 1, 1, 1]],
    [2_000, [1_000, 382, 187, 106, 67, 46, 33, 25, 19, 15]],
  ])('of %i slots, each further owner gets fewer', (inAll, held) => {
    expect(fill(inAll, 10)).toEqual(held)
  })

  test('leaves a slot for a new owner in every pool of 20 or more slots', () => {
    for (let inAll = 20; inAll <= 300; inAll++)
      for (const owners of GREEDY) expect([inAll, fill(inAll, owners + 1).at(-1)]).not.toEqual([inAll, 0])
  })

  test('lets one owner take half of a pool, and gives many owners equal shares as work starts and ends', () => {
    const inAll = 64
    const held = new Map(['a', 'b', 'c', 'd'].map((owner) => [owner, 0]))
    const used = () => [...held.values()].reduce((a, b) => a + b)
    for (let turn = 0; turn < 4_000; turn++) {
      const owner = 'abcd'.charAt(turn % 4)
      const now = held.get(owner) ?? 0
      // Every place is given back after some turns.
      if (turn % 3 === 0 && now > 0) held.set(owner, now - 1)
      else if (mayTake({ inAll, used: used(), held: now })) held.set(owner, now + 1)
    }
    expect(fill(inAll, 1)).toEqual([32])
    const shares = [...held.values()]
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2)
    expect(used()).toBeGreaterThan(inAll / 2)
  })
})

/** Starts a piece of work that does not end. @returns whether it has started. */
type Start = (account: string, nth: number) => boolean

const owner = (account: string, nth: number) => ({
  accountId: account as AccountId,
  id: `${account} ${nth}` as InstanceId,
})

const limiter = (limits: ConcurrencyLimits) => (): Start => {
  const made = createConcurrencyLimiter(limits)
  return (account, nth) => made.acquire(owner(account, nth)) !== undefined
}

/** Pools whose pieces may last: model and event streams, downloads, slow webhooks, uploads, calls. */
const POOLS: Record<string, () => Start> = {
  sends: limiter(LIMITS.sendsInFlight),
  requests: limiter(LIMITS.requestsInFlight),
  uploads: limiter(LIMITS.uploadsInFlight),
  'MCP streams': limiter(LIMITS.mcpStreams),
  'access link pages': limiter(LIMITS.linkStreams),
  'direct actions': limiter(LIMITS.directActions),
  'voice lines'() {
    const held = new Map<string, number>()
    return (account) => {
      const used = [...held.values()].reduce((a, b) => a + b, 0)
      const mine = held.get(account) ?? 0
      if (!mayTake({ inAll: LIMITS.voiceCalls, used, held: mine })) return false
      held.set(account, mine + 1)
      return true
    }
  },
  'calls of instance webhooks'() {
    const slots = createCallSlots()
    return (account, nth) => {
      const { accountId, id: instanceId } = owner(account, nth)
      slots.markDue({ instanceId, accountId })
      const plan = slots.plan(1_000)
      for (const share of plan) slots.settle(share, share.slots)
      return plan.some((share) => share.instanceId === instanceId)
    }
  },
  // Places are kept for every active webhook, also while it has nothing to deliver.
  'deliveries of webhooks'() {
    const owners = ['new', ...Array.from({ length: Math.max(...GREEDY) }, (_, n) => `greedy ${n}`)]
    const seats = owners.flatMap((account) =>
      Array.from({ length: account === 'new' ? 1 : LIMITS.webhooksPerAccount }, () => ({
        ...{ account, limit: LIMITS.maxInFlight, inFlight: 0 },
      })),
    )
    return (account, nth) => {
      const own = seats.filter((seat) => seat.account === account)
      const asks = own[nth % own.length]
      const waiting = seats.map((seat) => ({ ...seat, isWaiting: seat === asks }))
      const given = shareSlots(waiting, 1, 0)[seats.findIndex((seat) => seat === asks)] ?? 0
      if (asks !== undefined) asks.inFlight += given
      return given > 0
    }
  },
}

describe.each(Object.entries(POOLS))('%s', (_name, createPool) => {
  test.each(GREEDY)('start immediately for an account while %i others hold as much as they can', (accounts) => {
    const start = createPool()
    for (let n = 0; n < accounts; n++) {
      let refusals = 0
      for (let nth = 0; nth < 3_000 && refusals < 20; nth++) refusals += start(`greedy ${n}`, nth) ? 0 : 1
    }
    expect(start('new', 0)).toBe(true)
  })
})

describe('a pool with a waiting list', () => {
  const LONGEST_MS = 60_000

  /** Downloads that all take as long as they may. @returns how many milliseconds a new account waits for its first. */
  async function waitOf(accounts: number, withSlot: ReturnType<typeof createDownloadSlots>): Promise<number> {
    const running: (() => void)[] = []
    const started = new Set<string>()
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    const start = (account: string, nth: number) =>
      void withSlot(owner(account, nth), () => {
        started.add(account)
        return new Promise<void>((resolve) => void running.push(resolve))
      })
    for (let n = 0; n < accounts; n++) for (let nth = 0; nth < 50; nth++) start(`greedy ${n}`, nth)
    await settle()
    start('new', 0)
    await settle()
    let waited = 0
    for (; !started.has('new') && waited < 100 * LONGEST_MS; waited += LONGEST_MS) {
      for (const end of running.splice(0)) end()
      await settle()
    }
    return waited
  }

  test.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [10, LONGEST_MS],
  ])(
    'with %i accounts that queue fifty downloads each for twelve slots, a new account waits at most %i ms',
    async (accounts, most) => {
      expect(await waitOf(accounts, createDownloadSlots())).toBeLessThanOrEqual(most)
    },
  )

  test.each(GREEDY)('with many slots starts new work immediately beside %i busy accounts', async (accounts) => {
    const queue = createSlotQueue({ inAll: 64, perAccount: 32 })
    expect(await waitOf(accounts, (of, act) => queue.within(of, act))).toBe(0)
  })
})

test('calls of instance webhooks are shared between all instances of an account', () => {
  const slots = createCallSlots()
  for (let n = 0; n < 40; n++) slots.markDue({ instanceId: `one ${n}`, accountId: 'one' as AccountId })
  expect(slots.plan(1_000).reduce((sum, share) => sum + share.slots, 0)).toBe(CALLS_AT_ONCE / 2)
})
