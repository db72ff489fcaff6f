import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import type { AccountId } from '../../../kernel/ids.ts'
import type { SandboxNetwork } from '../network.ts'
import { GraphFault } from './answers.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import type { GraphNumbers } from './numbers.ts'
import {
  addPortfolio,
  countReached,
  limitPortfolio,
  portfolioById,
  putReached,
  reachedAt,
  removeReached,
  type GraphNumber,
  type Portfolio,
} from './store.ts'

interface PortfolioDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly network: Pick<SandboxNetwork, 'lastWroteAtMs'>
  readonly numbers: GraphNumbers
  readonly callbacks: Pick<Callbacks, 'send'>
}

/** A restriction as Meta names it in `account_update`. */
export interface GraphRestriction {
  readonly type: string
  /** null: no end date. */
  readonly untilMs: number | null
  readonly remediation?: string
}

export type Portfolios = ReturnType<typeof createPortfolios>

const DAY_MS = 86_400_000
const NEW_LIMIT = 'TIER_250'
const CALLS_FROM = 2_000

/**
 * A business at the simulated Meta. Its numbers share one limit: the number of different people reached outside the
 * 24-hour window in any 24 hours.
 */
export function createPortfolios({ db, clock, network, numbers, callbacks }: PortfolioDeps) {
  /** Kept in memory, so a restart ends them, as for faults. */
  const restrictions = new Map<string, readonly GraphRestriction[]>()

  async function get(id: string): Promise<Portfolio> {
    const portfolio = await db.readOne(portfolioById, { id })
    if (portfolio === undefined) throw new Error(`the simulated Meta has no portfolio ${id}`)
    return portfolio
  }

  async function isOutsideWindow({ accountId, number }: GraphNumber, to: string): Promise<boolean> {
    const wroteAtMs = await network.lastWroteAtMs(accountId, number, to)
    return wroteAtMs === null || clock.now() - wroteAtMs > DAY_MS
  }

  const activeOf = (wabaId: string) =>
    (restrictions.get(wabaId) ?? []).filter(({ untilMs }) => untilMs === null || untilMs > clock.now())

  function requireUnrestricted({ wabaId }: GraphNumber, isOutside: boolean): void {
    const active = activeOf(wabaId)
    const stops = (type: string) => active.some((one) => one.type === type)
    if (stops('RESTRICTED_CUSTOMER_INITIATED_MESSAGING') || (isOutside && stops('RESTRICTED_BIZ_INITIATED_MESSAGING')))
      throw new GraphFault(400, 368, '(#368) Temporarily blocked for policies violations')
  }

  return {
    get,
    /** Whether a number of the account may join the portfolio: it belongs to the account, or does not exist yet. */
    async isOf(accountId: AccountId, id: string): Promise<boolean> {
      const portfolio = await db.readOne(portfolioById, { id })
      return portfolio === undefined || portfolio.accountId === accountId
    },

    /**
     * Creates it with the limit of a new business, unless it exists. @throws Error if it belongs to another account.
     */
    async open(accountId: AccountId, id: string, messagingLimit: string | null = NEW_LIMIT): Promise<void> {
      await db.commit((tx) => tx.run(addPortfolio, { id, accountId, messagingLimit }))
      if ((await get(id)).accountId !== accountId) throw new Error(`the portfolio ${id} belongs to somebody else`)
    },

    /**
     * Counts the person before the message is accepted, so that two concurrent sends cannot pass the limit together.
     * @returns a function that undoes this, for a message that is refused. @throws GraphFault 131048, 368
     */
    async reach(number: GraphNumber, recipient: string): Promise<() => Promise<void>> {
      const isOutside = await isOutsideWindow(number, recipient)
      requireUnrestricted(number, isOutside)
      if (!isOutside) return async () => {}
      const { portfolioId } = number
      const person = { portfolioId, recipient }
      const before = await db.commit(async (tx: Tx) => {
        const known = await tx.one(reachedAt, person)
        const { messagingLimit } = (await tx.one(portfolioById, { id: portfolioId })) ?? {}
        const since = clock.now() - DAY_MS
        const people = (await tx.one(countReached, { portfolioId, since }))?.people ?? 0
        const isCounted = known !== undefined && known.at > since
        if (!isCounted && people >= limitOf(messagingLimit ?? NEW_LIMIT)) throw overLimit()
        await tx.run(putReached, { ...person, at: clock.now() })
        return known?.at
      })
      return () =>
        db.commit(async (tx: Tx) => {
          if (before === undefined) await tx.run(removeReached, person)
          else await tx.run(putReached, { ...person, at: before })
        })
    },

    /** Meta offers calls to businesses with this limit or a higher one. */
    async offersCalls({ portfolioId }: GraphNumber): Promise<boolean> {
      return limitOf((await get(portfolioId)).messagingLimit ?? NEW_LIMIT) >= CALLS_FROM
    },

    /**
     * Changes the limit, and sends a callback for each WhatsApp account of the portfolio. @param said how the
     * callback writes the limit.
     */
    async limit(
      id: string,
      messagingLimit: string | null,
      said: string | number | null = messagingLimit,
    ): Promise<void> {
      await db.commit((tx) => tx.run(limitPortfolio, { id, messagingLimit }))
      if (said === null) return
      const value = { max_daily_conversations_per_business: said, max_phone_numbers_per_business: 2 }
      const change: GraphChange = { field: 'business_capability_update', value }
      const accounts = Map.groupBy(numbers.ofPortfolio(id), ({ wabaId }) => wabaId)
      for (const mine of accounts.values()) {
        const called = mine.find(({ callbackUrl, subscribed }) => callbackUrl !== null && subscribed === 1)
        if (called !== undefined) await callbacks.send(called, change)
      }
    },

    /** Whether utility templates of the account are suspended: "Restrictions on businesses misusing the template categorization system". */
    suspendsUtility: (wabaId: string): boolean => activeOf(wabaId).some(({ type }) => type === UTILITY_SUSPENDED),

    /** Ends the suspension of utility templates early, and sends a callback. */
    async liftUtility(number: GraphNumber): Promise<void> {
      const others = activeOf(number.wabaId).filter(({ type }) => type !== UTILITY_SUSPENDED)
      restrictions.set(number.wabaId, others)
      const violation_info = { violation_type: 'UTILITY_TEMPLATE_ABUSE_UNBAN' }
      await callbacks.send(number, { field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION', violation_info } })
    },

    /** Restricts the WhatsApp account of the number, and sends a callback. */
    async restrict(number: GraphNumber, given: readonly GraphRestriction[]): Promise<void> {
      restrictions.set(number.wabaId, given)
      const restriction_info = given.map(({ type, untilMs, remediation }) => ({
        restriction_type: type,
        ...(untilMs !== null && { expiration: Math.floor(untilMs / 1_000) }),
        ...(remediation !== undefined && { remediation }),
      }))
      await callbacks.send(number, {
        field: 'account_update',
        value: { event: 'ACCOUNT_RESTRICTION', restriction_info },
      })
    },
  }
}

/** Every tier except `TIER_UNLIMITED` contains a number. */
function limitOf(tier: string): number {
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(tier) ?? []
  return digits === undefined ? Infinity : Number(digits) * (thousands === 'K' ? 1_000 : 1)
}

const overLimit = () =>
  new GraphFault(
    400,
    131_048,
    '(#131048) Spam rate limit hit',
    'Message failed to send because there are restrictions on how many messages can be sent from this phone number.',
  )

const UTILITY_SUSPENDED = 'RESTRICTED_UTILITY_TEMPLATES'
