import { TRAITS } from '../../contract/engine-traits.ts'
import type { Evidence } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { InCommit, Ledger } from '../../kernel/ledger.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { dayOf, hourOf } from '../../kernel/time-zone.ts'
import type { InstanceListener, Instances } from '../instances/index.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { createAttention } from './attention.ts'
import { budgetOf, type Facts, type Reason } from './budget.ts'
import { decide, type ClaimResult, type OwnLimits } from './claim.ts'
import { countAccepted, countRefusal, isOneMore, takeBack, type AcceptedMessage } from './counter.ts'
import { limitsOf, reachOf, type SafetySettings } from './limits.ts'
import { movePerson } from './move.ts'
import { DAY_MS, freeAt, movePortfolio, peopleReached, uncountReached } from './reached.ts'
import { claimOf, peopleClaimed, seqOfMessage } from './reached-store.ts'
import { createRetention } from './retention.ts'
import { spellingsOf } from '../../kernel/phone-number.ts'
import {
  claimsOf,
  countsOf,
  countSent,
  exchangedWith,
  insertClaim,
  markClaimed,
  numberById,
  numberOf,
  numbersOf,
  pairNumber,
  quarterOf,
  releaseClaim,
  removeOfInstance,
  retireNumbers,
  uncountSent,
  type EngineSide,
  type NumberRow,
} from './store.ts'

/** @public */
export type { ClaimResult, OwnLimits } from './claim.ts'
/** @public */
export type { Reason, ReasonCode } from './budget.ts'

/**
 * A commit, or the database outside of one.
 * @public
 */
export type Reader = Pick<Tx, 'all' | 'one'> | Pick<Db, 'read' | 'readOne'>

/**
 * A message to be sent.
 * @public
 */
export interface Claim {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  /** Digits, or the id of a group. */
  readonly phone: string
  /** Result of `isCold`. */
  readonly cold: boolean
  readonly atMs: number
  readonly limits: OwnLimits
}

/**
 * People to be added to a group.
 * @public
 */
export interface Addition {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly phones: readonly string[]
  readonly atMs: number
}

/** @public */
export type AdditionResult =
  | { readonly kind: 'counted'; readonly strangers: readonly string[] }
  | {
      readonly kind: 'refused'
      /** Why no new person may be contacted; null: only `left` people, which is too few. */
      readonly message: string | null
      readonly strangers: number
      readonly left: number
      readonly untilMs: number | null
    }

/**
 * Limits and counts of a number. Times are the ends of the day and the hour.
 * @public
 */
export interface SafetyState {
  /** null: never paired. */
  readonly pairedDays: number | null
  readonly today: {
    readonly sent: number
    readonly limit: number | null
    readonly firstContacts: number
    readonly firstContactsLimit: number | null
    readonly endsAtMs: number
  }
  readonly hour: { readonly sent: number; readonly limit: number | null; readonly endsAtMs: number }
  /** official on the live network only. */
  readonly messagingLimit: MessagingLimit | null
  /** smv2 only: the new chats that WhatsApp allows; null: it reports no limit. */
  readonly newChats: NonNullable<Evidence['newChats']> | null
  readonly restriction: { readonly kind: string; readonly untilMs: number | null } | null
  readonly reasons: readonly Reason[]
}

/**
 * The limit that all numbers of a portfolio share.
 * @public
 */
export interface MessagingLimit {
  /** The current name at Meta; null if not reported. */
  readonly tier: string | null
  /** Number of people; null: no limit. */
  readonly limit: number | null
  /** Different people in the last 24 hours. */
  readonly used: number
  /** Meta's id; null if not reported. */
  readonly portfolioId: string | null
  readonly source: 'number' | 'callback' | 'last_known' | 'default'
  readonly atMs: number | null
}

/**
 * The remaining budget, less granted messages that are not sent yet. null: no limit.
 * @public
 */
export interface Remaining {
  readonly today: number | null
  /** The limit of a future day, 1 being tomorrow: it rises while a number warms up. */
  readonly limitIn: (days: number) => number | null
  readonly hour: number | null
  /** smv2: today. official: for the portfolio, in 24 hours. */
  readonly firstContacts: number | null
  /** official: numbers with the same key share this. */
  readonly portfolio: { readonly key: string; readonly limit: number | null } | null
  readonly spacingMs: number
  /** Why no messages can be sent now, or none to new contacts. */
  readonly holds: readonly (Reason & { readonly holds: 'all' | 'cold' })[]
}

export interface SafetyDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly instances: Pick<Instances, 'engineFor' | 'subscribe'>
  readonly config: SafetySettings
}

export interface Safety {
  /**
   * Takes a message from a number's budget, in the commit that decides to send it. The grant is held for ten minutes,
   * until the message is accepted. Two claims for the same person count as two messages.
   */
  claim(tx: Tx, claim: Claim): Promise<ClaimResult>
  /** A granted message will not be sent. */
  release(tx: Tx, claim: Pick<Claim, 'instanceId' | 'phone'>): Promise<void>
  /** @returns undefined if the account has no such instance. */
  state(read: Reader, accountId: AccountId, instanceId: InstanceId): Promise<SafetyState | undefined>
  /** The given numbers with which the instance has never exchanged a message. Failed messages do not count. */
  isCold(read: Reader, instanceId: InstanceId, phones: readonly string[]): Promise<ReadonlySet<string>>
  /** official: the people whom a message would add to those that the portfolio has reached. */
  isOneMore(instanceId: InstanceId, phones: readonly string[]): Promise<ReadonlySet<string>>
  /** For previews. Unknown instances are left out. */
  remaining(instanceIds: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Remaining>>

  /**
   * Counts people whom a number adds to a group: strangers are first contacts, as with a message. Refused if the
   * number may not contact so many new people now. Known people are never refused.
   */
  addToGroup(tx: Tx, addition: Addition): Promise<AdditionResult>
  /** These people were not added. */
  notAdded(tx: Tx, addition: Omit<Addition, 'accountId'>): Promise<void>

  readonly movePerson: MovePerson
  /** Counts a message in the commit that accepts it, from any source. */
  accepted(tx: Tx, message: AcceptedMessage): Promise<void>
  /** The message was never sent, and its row was deleted. */
  takenBack(tx: Tx, message: Pick<AcceptedMessage, 'seq' | 'instanceId' | 'atMs'>): Promise<void>
  /** The network refused a message with this code. Failed messages are counted separately. */
  refused(tx: Tx, instanceId: string, providerCode: number): Promise<void>

  readonly attention: (query: AttentionQuery) => Promise<AttentionLine[]>
  readonly retention: ReturnType<typeof createRetention>
}

/** After this time, a granted message that was not accepted is given up. */
const CLAIM_MS = 600_000

/** One budget per number, shared by all automatic senders: campaigns, AI agents and CRMs. */
export function createSafety({ db, clock, ledger, instances, config }: SafetyDeps): Safety {
  ledger.inCommit(countFailures)
  instances.subscribe(followNumber(clock))

  const evidenceOf = ({ instanceId: id, accountId, engine, network }: EngineSide): Partial<Evidence> => {
    try {
      return instances.engineFor({ engine, network }).evidence({ id, accountId, engine, network })
    } catch {
      // This build lacks the engine, so the number cannot send.
      return {}
    }
  }

  /**
   * The portfolio according to the engine, or the last known one: an engine does not report it for a disconnected
   * number.
   */
  const currentPortfolio = (number: NumberRow, portfolio: Evidence['portfolio']): string | null => {
    if (!TRAITS[number.engine].sharesLimit || number.network !== 'live') return null
    return portfolio?.key ?? number.portfolio ?? `number ${number.instanceId}`
  }

  /** Moves earlier messages of the number to its current portfolio. */
  async function keepPortfolio(tx: Tx, number: NumberRow): Promise<string | null> {
    const to = currentPortfolio(number, evidenceOf(number).portfolio)
    if (to !== null && to !== number.portfolio)
      await movePortfolio(tx, number.instanceId, { from: number.portfolio, to })
    return to
  }

  async function portfolioOf(tx: Tx, instanceId: string): Promise<string | null> {
    const number = await tx.one(numberById, { instanceId })
    return number === undefined ? null : keepPortfolio(tx, number)
  }

  /** For reads, which come before the next message. */
  async function settlePortfolio(number: NumberRow): Promise<void> {
    const to = currentPortfolio(number, evidenceOf(number).portfolio)
    if (number.portfolio === null || to === null || to === number.portfolio) return
    await db.commit((tx) => portfolioOf(tx, number.instanceId))
  }

  /** @param isExact otherwise a count below the limit may include people who leave the 24 hours within a minute. */
  async function reachedBy(
    read: Pick<Tx, 'one' | 'all'>,
    key: string | null,
    limit: number | null,
    { nowMs, isExact }: { readonly nowMs: number; readonly isExact: boolean },
  ): Promise<Facts['reached']> {
    if (key === null || (limit === null && !isExact)) return null
    const claimed = (await read.one(peopleClaimed, { portfolio: key, since: nowMs - CLAIM_MS }))?.people ?? 0
    const enough = isExact || limit === null ? null : limit - claimed
    const people = await peopleReached(read, key, nowMs, enough)
    const excess = limit === null ? 0 : people + claimed - limit + 1
    return { people, claimed, untilMs: excess > 0 ? await freeAt(read, key, nowMs, excess) : null }
  }

  async function factsOf(
    read: Pick<Tx, 'one' | 'all'>,
    number: NumberRow,
    time: { readonly nowMs: number; readonly isExact: boolean },
  ): Promise<Facts> {
    const { nowMs } = time
    const [day, hour] = [dayOf(nowMs, config.safetyTimezone), hourOf(nowMs, config.safetyTimezone)]
    const last24 = quarterOf(nowMs - DAY_MS)
    const spans = {
      ...{ day: quarterOf(day.startMs), dayEnd: quarterOf(day.endMs) },
      ...{ hour: quarterOf(hour.startMs), hourEnd: quarterOf(hour.endMs), last24 },
    }
    const { instanceId } = number
    const counts = await read.one(countsOf, { instanceId, ...spans, since: Math.min(spans.day, last24) })
    const claims = await read.one(claimsOf, { instanceId, since: nowMs - CLAIM_MS })
    if (!counts || !claims) throw new Error('A sum over nothing is a row too.')
    const { restriction = null, quality = null, portfolio = null, newChats = null } = evidenceOf(number)
    const limit = reachOf(portfolio?.limit?.tier)
    const reached = await reachedBy(read, currentPortfolio(number, portfolio), limit, time)
    const said = { restriction, quality, portfolio, newChats }
    return { nowMs, number, counts, claims, day, hour, reached, ...said, settings: config }
  }

  async function claim(tx: Tx, { accountId, instanceId, phone, cold, atMs, limits }: Claim): Promise<ClaimResult> {
    const number = await tx.one(numberOf, { instanceId, accountId })
    if (!number) return { kind: 'refused', reason: 'instance_deleted', untilMs: null }
    const portfolio = await keepPortfolio(tx, number)
    const facts = await factsOf(tx, number, { nowMs: atMs, isExact: false })
    const [person] = spellingsOf(phone)
    const opens = portfolio !== null && (await isOneMore(tx, portfolio, { instanceId, chat: phone, atMs }))
    const since = atMs - CLAIM_MS
    const isGranted = opens && (await tx.one(claimOf, { portfolio, person, since })) !== undefined
    const result = decide(facts, budgetOf(facts), { cold, opens: opens && !isGranted, limits })
    if (result.kind !== 'granted') return result
    const seq = await tx.next('safety_claims')
    const flags = { cold: Number(cold), opens: Number(opens) }
    await tx.run(insertClaim, { seq, instanceId, phone: person, portfolio, ...flags, at: atMs })
    await tx.run(markClaimed, { instanceId, at: atMs })
    return result
  }

  async function isCold(reader: Reader, instanceId: InstanceId, phones: readonly string[]) {
    const read = toTx(reader)
    const chats = [...new Set(phones.flatMap(spellingsOf))]
    const found = await exchangedWith.over(chats, { instanceId }, (statement, params) => read.all(statement, params))
    const known = new Set(found.flat().map(({ chat }) => chat))
    return new Set(phones.filter((phone) => !spellingsOf(phone).some((chat) => known.has(chat))))
  }

  async function addToGroup(tx: Tx, { accountId, instanceId, phones, atMs }: Addition): Promise<AdditionResult> {
    const strangers = [...(await isCold(tx, instanceId, phones))]
    const number = await tx.one(numberOf, { instanceId, accountId })
    if (!number || strangers.length === 0) return { kind: 'counted', strangers: [] }
    const facts = await factsOf(tx, number, { nowMs: atMs, isExact: true })
    const [hold] = budgetOf(facts).holds
    const { today, hour, firstContacts } = remainingOf(facts, null)
    const left = hold ? 0 : Math.min(today ?? Infinity, hour ?? Infinity, firstContacts ?? Infinity)
    if (left < strangers.length) {
      const untilMs = hold ? hold.untilMs : hour === left ? facts.hour.endMs : facts.day.endMs
      return { kind: 'refused', message: hold?.message ?? null, strangers: strangers.length, left, untilMs }
    }
    const quarter = quarterOf(atMs)
    for (let added = 0; added < strangers.length; added++)
      await tx.run(countSent, { instanceId, quarter, firstContact: 1 })
    return { kind: 'counted', strangers }
  }

  return {
    claim,
    addToGroup,
    async notAdded(tx, { instanceId, phones, atMs }) {
      for (let given = 0; given < phones.length; given++)
        await tx.run(uncountSent, { instanceId, quarter: quarterOf(atMs), firstContact: 1 })
    },
    async release(tx, { instanceId, phone }) {
      await tx.run(releaseClaim, { instanceId, phone: spellingsOf(phone)[0] })
    },
    async state(reader, accountId, instanceId) {
      const read = toTx(reader)
      const number = await read.one(numberOf, { instanceId, accountId })
      if (number === undefined) return undefined
      if (!('one' in reader)) await settlePortfolio(number)
      return stateOf(await factsOf(read, number, { nowMs: clock.now(), isExact: true }))
    },
    isCold,
    async remaining(instanceIds) {
      const read = toTx(db)
      const found = await numbersOf.over(instanceIds, {}, (statement, params) => read.all(statement, params))
      const entries = found.flat().map(async (number) => {
        await settlePortfolio(number)
        const facts = await factsOf(read, number, { nowMs: clock.now(), isExact: true })
        return [number.instanceId, remainingOf(facts, currentPortfolio(number, facts.portfolio))] as const
      })
      return new Map(await Promise.all(entries))
    },

    async isOneMore(instanceId, phones) {
      const read = toTx(db)
      const number = await read.one(numberById, { instanceId })
      const portfolio = number && currentPortfolio(number, evidenceOf(number).portfolio)
      if (!portfolio) return new Set()
      const atMs = clock.now()
      const asked = phones.map((chat) => isOneMore(read, portfolio, { instanceId, chat, atMs }))
      const found = await Promise.all(asked)
      return new Set(phones.filter((_phone, at) => found[at]))
    },
    accepted: (tx, message) => countAccepted(tx, message, portfolioOf),
    takenBack: takeBack,
    movePerson,
    refused: (tx, instanceId, providerCode) => countRefusal(tx, instanceId, providerCode, clock.now()),

    attention: createAttention({ db, clock, evidenceOf }),
    retention: createRetention({ db, clock }),
  }
}

const countFailures: InCommit<'message.failed'> = {
  phase: 'record',
  on: ['message.failed'],
  run: async (tx, { instanceId, data, createdAtMs }) => {
    await countRefusal(tx, instanceId, data.error.provider_code, createdAtMs)
    const message = await tx.one(seqOfMessage, { id: data.message_id })
    if (message !== undefined) await uncountReached(tx, { instanceId, seq: message.seq })
  },
}

/** A different number starts at zero; a returning number keeps its age. */
const followNumber =
  (clock: Pick<Clock, 'now'>): InstanceListener =>
  async (tx, change) => {
    const { id: instanceId } = change
    if (change.kind === 'deleted') {
      for (const statement of removeOfInstance) await tx.run(statement, { instanceId })
    } else if (change.kind === 'number') {
      await tx.run(retireNumbers, { instanceId })
      await tx.run(pairNumber, { instanceId, number: change.number, now: clock.now() })
    }
  }

function toTx(reader: Reader): Pick<Tx, 'all' | 'one'> {
  return 'one' in reader ? reader : { all: reader.read, one: reader.readOne }
}

function stateOf(facts: Facts): SafetyState {
  const budget = budgetOf(facts)
  const { limits, pairedDays, restriction } = budget
  return {
    pairedDays,
    today: {
      sent: budget.sentToday,
      limit: limits.daily,
      firstContacts: budget.firstContacts,
      firstContactsLimit: limits.firstContacts,
      endsAtMs: facts.day.endMs,
    },
    hour: { sent: budget.sentThisHour, limit: limits.hourly, endsAtMs: facts.hour.endMs },
    messagingLimit: messagingLimitOf(facts),
    newChats: facts.newChats ?? null,
    restriction,
    reasons: [...budget.holds, ...budget.notes].map(({ code, message, untilMs }) => ({ code, message, untilMs })),
  }
}

function messagingLimitOf({ reached, portfolio }: Facts): MessagingLimit | null {
  if (reached === null) return null
  const limit = portfolio?.limit ?? null
  const isSaid = limit !== null && limit.source !== 'last_known'
  return {
    tier: isSaid ? limit.tier : null,
    limit: reachOf(limit?.tier),
    used: reached.people,
    portfolioId: portfolio?.id ?? null,
    source: limit?.source ?? 'default',
    atMs: limit?.atMs ?? null,
  }
}

function remainingOf(facts: Facts, portfolio: string | null): Remaining {
  const { limits, used, holds, pairedDays } = budgetOf(facts)
  const left = (limit: number | null, count: number) => (limit === null ? null : Math.max(0, limit - count))
  return {
    today: left(limits.daily, used.today),
    limitIn: (days) => limitsOf(facts.number, (pairedDays ?? 0) + days, facts.portfolio, facts.settings).daily,
    hour: left(limits.hourly, used.hour),
    firstContacts: least(left(limits.firstContacts, used.firstContacts), newChatsLeft(facts)),
    portfolio: portfolio === null ? null : { key: portfolio, limit: limits.firstContacts },
    spacingMs: limits.spacingMs,
    holds,
  }
}

const newChatsLeft = ({ newChats, claims }: Facts): number | null =>
  newChats ? Math.max(0, newChats.limit - newChats.used - claims.cold) : null

const least = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b))
