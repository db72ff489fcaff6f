import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { SEALED_RETRY_MS } from '../../kernel/seal.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineSink } from '../engine.ts'
import type { SubscribeCallbacks } from './subscribe-callbacks.ts'
import { meaningOf } from './errors.ts'
import { afterAnswer, type NumberInfo } from './number-facts.ts'
import { hasCredentials, type ConnectedNumber, type Numbers } from './numbers.ts'
import { callerOf } from './graph-caller.ts'
import { placeUserIds, type Refusal } from './store.ts'
import { missingFields } from './subscribed-fields.ts'
import type { TemplateCapacities } from './template-capacity.ts'
import type { TemplateStates } from './template-states.ts'
import type { TemplateWordsStore } from './template-words.ts'
import type { GraphCredentials, NotOk, Transport } from './transport.ts'

/** State of the connection to Meta. Kept in memory only, because it is soon out of date. */
export interface MetaConnection {
  readonly reachable: boolean
  readonly lastSeenAtMs: number | null
  readonly latencyMs: number | null
  /** Since when Meta refuses requests because a permission is missing. */
  readonly unpermittedSinceMs: number | null
}

interface NumberMonitorDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly alarms: Alarms
  readonly numbers: Numbers
  readonly transport: Transport
  readonly sink: EngineSink
  readonly askForCalls: SubscribeCallbacks
  readonly words: Pick<TemplateWordsStore, 'note'>
  readonly capacities: Pick<TemplateCapacities, 'isDue' | 'note'>
  readonly states: Pick<TemplateStates, 'renew'>
  readonly callbackAddress: (id: InstanceId) => string | null
}

export interface NumberMonitor {
  /** Records the result of a request to Meta. @param reply how it failed; absent: it succeeded. */
  responded(id: InstanceId, latencyMs: number | null, reply?: NotOk): void
  /** Meta now refuses this number; updates the instance. */
  refused(id: InstanceId, reason: Refusal, code: number): Promise<void>
  permissionMissing(id: InstanceId): void
  /** Checks the number at Meta now and every half hour, and reports it as connected after the first success. */
  follow(id: InstanceId): void
  forget(id: InstanceId): void
  contact(id: InstanceId): MetaConnection
  /** Starts with every number that should be connected. */
  begin(): void
  /** Resolves when no check is running. */
  settled(): Promise<void>
}

const CHECK_EVERY_MS = 30 * 60_000
const PORTFOLIO_EVERY_MS = 24 * 60 * 60_000
const FIELDS_EVERY_MS = 24 * 60 * 60_000
const TEMPLATES = 100
/** After a start the checks are spread out, so that hundreds of numbers are not checked at the same moment. */
const FIRST_CHECKS_MS = 60_000
const BETWEEN_SUBSCRIPTIONS_MS = 100
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 5 * 60_000

const UNKNOWN: MetaConnection = { reachable: true, lastSeenAtMs: null, latencyMs: null, unpermittedSinceMs: null }

/** Checks each number regularly: whether its token is valid, and the quality that Meta reports. */
export function createNumberMonitor(needs: NumberMonitorDeps): NumberMonitor {
  const { db, clock, random, log, alarms, numbers, transport, sink } = needs
  const contacts = new Map<InstanceId, MetaConnection>()
  const failures = new Map<InstanceId, number>()
  /** Several sends may find the same invalid token at the same time; it is reported once. */
  const refusing = new Map<InstanceId, Promise<void>>()
  const running = new Map<InstanceId, Promise<void>>()

  const contact = (id: InstanceId) => contacts.get(id) ?? UNKNOWN

  const watch: NumberMonitor = {
    responded(id, latencyMs, reply) {
      const before = contact(id)
      if (reply !== undefined && reply.kind !== 'error') contacts.set(id, { ...before, reachable: false })
      else {
        const latency = latencyMs === null ? before.latencyMs : Math.round(latencyMs)
        contacts.set(id, { ...before, reachable: true, lastSeenAtMs: clock.now(), latencyMs: latency })
      }
    },

    refused(id, reason, code) {
      if (numbers.of(id)?.refused !== null) return Promise.resolve()
      const publishing = refusing.get(id) ?? refuse(id, reason, code).finally(() => refusing.delete(id))
      refusing.set(id, publishing)
      return publishing
    },

    permissionMissing(id) {
      const before = contact(id)
      contacts.set(id, { ...before, unpermittedSinceMs: before.unpermittedSinceMs ?? clock.now() })
    },

    follow(id) {
      failures.delete(id)
      checkAt(id, clock.now())
    },
    forget(id) {
      alarms.clear(checking(id))
      contacts.delete(id)
      failures.delete(id)
    },
    contact,
    begin() {
      let unsubscribed = 0
      for (const { instanceId, up, refused, facts } of numbers.all()) {
        if (!up || refused !== null) continue
        // Checked first: messages do not arrive until Meta has the new callback URL.
        const isUnsubscribed = facts?.callsBackTo !== needs.callbackAddress(instanceId)
        const inMs = isUnsubscribed
          ? unsubscribed++ * BETWEEN_SUBSCRIPTIONS_MS
          : Math.floor(random.fraction() * FIRST_CHECKS_MS)
        checkAt(instanceId, clock.now() + inMs)
      }
    },
    async settled() {
      await Promise.allSettled([...running.values()])
    },
  }

  async function refuse(id: InstanceId, reason: Refusal, code: number): Promise<void> {
    await sink(id, { kind: 'auth_failed', reason, code, untilMs: null })
    // Stored last: a crash in between only repeats the report, which is harmless.
    await db.commit((tx) => numbers.refuse(tx, id, reason))
    alarms.clear(checking(id))
  }

  function checkAt(id: InstanceId, atMs: number): void {
    alarms.set(checking(id), atMs, () => {
      const check = checkOnce(id).catch((error: unknown) => {
        log.warn({ event: 'official.check_failed', instanceId: id, cause: cause(error) })
        again(id)
      })
      running.set(id, check)
      void check.finally(() => {
        if (running.get(id) === check) running.delete(id)
      })
    })
  }

  /** Full jitter, so that many numbers that lost Meta together do not reconnect together. */
  function again(id: InstanceId): void {
    const failed = (failures.get(id) ?? 0) + 1
    failures.set(id, failed)
    const most = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failed, 20), LONGEST_RETRY_MS)
    checkAt(id, clock.now() + Math.ceil(random.fraction() * most))
  }

  async function checkOnce(id: InstanceId): Promise<void> {
    const number = numbers.of(id)
    if (!hasCredentials(number) || !number.up) return
    const speaker = callerOf(number)
    if (speaker === undefined) return checkAt(id, clock.now() + SEALED_RETRY_MS)
    const startedMono = clock.mono()
    const reply = await transport.numberInfo(speaker, number.phoneNumberId)
    if (reply.kind === 'ok') {
      const latencyMs = clock.mono() - startedMono
      await isGood(number, reply.value, latencyMs, await portfolioOf(number, speaker))
      // A failure here does not affect the number; the next check asks again.
      await checkFields(number, speaker).catch((error: unknown) => {
        log.warn({ event: 'official.fields_not_checked', instanceId: id, cause: cause(error) })
      })
      await checkTemplates(id, speaker).catch((error: unknown) => {
        log.warn({ event: 'official.templates_not_checked', instanceId: id, cause: cause(error) })
      })
      return
    }
    watch.responded(id, null, reply)
    await isBad(id, reply)
  }

  /** A number hardly ever moves to another business. @returns undefined if Meta is not asked, or does not say. */
  async function portfolioOf({ facts, wabaId }: ConnectedNumber, speaker: GraphCredentials) {
    if ((facts?.portfolio?.checkedAtMs ?? 0) > clock.now() - PORTFOLIO_EVERY_MS) return undefined
    const found = await transport.portfolioOf(speaker, wabaId)
    return found.kind === 'ok' ? (found.value ?? undefined) : undefined
  }

  /** The fields are changed in Meta's App Dashboard, and Meta sends no callback about it. */
  async function checkFields(number: ConnectedNumber, speaker: GraphCredentials): Promise<void> {
    const { instanceId: id, facts, credentials, phoneNumberId } = number
    const { checkedAtMs = 0, missing: before = [] } = facts?.fields ?? {}
    if (before.length === 0 && checkedAtMs > clock.now() - FIELDS_EVERY_MS) return
    const found = await transport.subscribedFields(speaker, credentials().appSecret)
    const now = numbers.of(id)
    if (found.kind !== 'ok' || !hasCredentials(now) || now.phoneNumberId !== phoneNumberId) return
    const missing = missingFields(found.value, now.facts?.isCoexistence ?? false)
    await db.commit((tx) =>
      numbers.note(tx, id, (before) => ({ ...before, fields: { missing, checkedAtMs: clock.now() } })),
    )
  }

  /**
   * Once a day for all numbers of a business account: the number of templates, and the text and state of the first
   * ones.
   */
  async function checkTemplates(id: InstanceId, speaker: GraphCredentials): Promise<void> {
    const number = numbers.of(id)
    if (!hasCredentials(number) || !needs.capacities.isDue(number)) return
    const found = await transport.templates(speaker, number.wabaId, { limit: TEMPLATES, after: null })
    if (found.kind !== 'ok') return
    await needs.words.note(number, found.value.templates)
    await needs.states.renew(number, found.value.templates, found.value.after === null)
    await needs.capacities.note(number, found.value.capacity)
  }

  async function isGood(
    before: ConnectedNumber,
    info: NumberInfo,
    latencyMs: number,
    portfolioId: string | undefined,
  ): Promise<void> {
    const { instanceId: id } = before
    watch.responded(id, latencyMs)
    contacts.set(id, { ...contact(id), unpermittedSinceMs: null })
    failures.delete(id)
    const isStill = await db.commit(async (tx) => {
      const now = numbers.of(id)
      // While Meta was asked, the instance was stopped, or connected to another number.
      if (!hasCredentials(now) || !now.up || now.phoneNumberId !== before.phoneNumberId) return false
      await learnAll(tx, now, info)
      if (portfolioId !== undefined) await learnPortfolio(tx, now, portfolioId)
      return true
    })
    if (!isStill) return
    await sink(id, { kind: 'connected', number: info.number, name: info.name })
    await renewCalls(id)
    checkAt(id, clock.now() + CHECK_EVERY_MS)
  }

  /** Meta may have no callback URL, or an outdated one. */
  async function renewCalls(id: InstanceId): Promise<void> {
    const number = numbers.of(id)
    const address = needs.callbackAddress(id)
    if (!hasCredentials(number) || address === null || number.facts?.callsBackTo === address) return
    const speaker = callerOf(number)
    const callsBackTo = speaker && (await needs.askForCalls(speaker, number))
    if (callsBackTo) await db.commit((tx) => numbers.note(tx, id, (facts) => ({ ...facts, callsBackTo: callsBackTo })))
  }

  async function learnAll(tx: Tx, { instanceId, refused }: ConnectedNumber, info: NumberInfo): Promise<void> {
    if (refused !== null) await numbers.accept(tx, instanceId)
    const isRegistered = info.facts.isRegistered
    await numbers.note(tx, instanceId, ({ hold, ...before }) => ({
      ...before,
      ...afterAnswer(before, info, clock.now()),
      removed: null,
      hold: hold?.reason === 'registration' && isRegistered ? null : (hold ?? null),
    }))
    await numbers.rename(tx, instanceId, { number: info.number, name: info.name })
  }

  /** All numbers of a WhatsApp account belong to one portfolio. */
  async function learnPortfolio(tx: Tx, { wabaId }: ConnectedNumber, id: string): Promise<void> {
    const portfolio = { id, checkedAtMs: clock.now() }
    for (const { instanceId } of numbers.ofAccount(wabaId)) {
      await numbers.note(tx, instanceId, (facts) => ({ ...facts, portfolio }))
      await tx.run(placeUserIds, { instanceId, wabaId, portfolioId: id })
    }
  }

  async function isBad(id: InstanceId, reply: NotOk): Promise<void> {
    const meaning = reply.kind === 'error' ? meaningOf(reply.error) : undefined
    const code = reply.kind === 'error' ? reply.error.code : 0
    if (meaning?.kind === 'token_dead') return watch.refused(id, 'token_revoked', code)
    if (meaning?.kind === 'blocked') return watch.refused(id, 'banned', code)
    if (meaning?.kind === 'permission') watch.permissionMissing(id)
    log.warn({ event: 'official.check_failed', instanceId: id, kind: reply.kind, code })
    again(id)
  }

  return watch
}

const checking = (id: InstanceId) => `check ${id}`
