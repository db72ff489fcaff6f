import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { createClaimBudget } from '../../kernel/claim-budget.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import { mayTake } from '../../kernel/fair-share.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { JobKind, JobRun } from '../../kernel/job.ts'
import { cause } from '../../kernel/log.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { InstanceSubject } from '../handler.ts'
import type { SendResult } from '../messages/index.ts'
import type { CampaignsDeps } from './deps.ts'
import type { NumberChecks } from './number-checks.ts'
import { sendKey, type Outcomes } from './outcomes.ts'
import { faultOf, renderMessage, sendFields } from './render.ts'
import type { Resolver } from './resolve.ts'
import { seedOf } from './seed.ts'
import { delayLane, type StoredCampaign } from './store.ts'
import type { TemplateHolds } from './template-holds.ts'
import type { Turn } from './turn.ts'
import type { Claimed } from './turn-context.ts'

interface LaneDeps extends Pick<
  CampaignsDeps,
  'db' | 'clock' | 'log' | 'apiActivity' | 'instances' | 'messages' | 'safety' | 'refusalOf'
> {
  readonly takeTurn: (
    tx: Tx,
    ask: { campaignId: string; instanceId: InstanceId; canCheck: boolean; room: number },
  ) => Promise<Turn>
  /** Reads the data that a turn needs for the price of its messages. */
  readonly readPrices: (campaign: StoredCampaign, instance: KnownInstance) => Promise<void>
  readonly outcomes: Outcomes
  readonly checks: NumberChecks
  readonly resolve: Resolver
  /** Keys of unfinished sends. */
  readonly sends: Set<string>
  readonly finish: (campaignId: string) => Promise<void>
  /** The campaign waits until its template is accepted again. */
  readonly waitForTemplate: TemplateHolds['refused']
  /** Adds the job again in the commit that ends this one permanently. */
  readonly retry: (tx: Tx, campaignId: string, instanceId: InstanceId) => Promise<void>
}

interface NumberOfCampaign {
  readonly accountId: AccountId
  readonly campaignId: string
  readonly instanceId: InstanceId
}

/** null: the number has nothing to do until it is woken. */
type Result = { readonly again: Due | null }

/** Limit of concurrent sends for all campaigns; the remaining capacity is for API callers. */
const IN_FLIGHT = 128
const FLIGHTS_PER_CLAIM = 2
/** How long a number waits for capacity. */
const GIVE_WAY_MS = 20
/** Limit per turn of one number, so that others get capacity. */
const MOST_IN_TURN = 32
const ROUNDS = 500
const RUN_MS = 20_000
/** A number that is due again this soon keeps its turn. */
const SOON_MS = 1_500
const TYPING_MS = 2_000
const TYPING_FROM_DELAY_SECONDS = 4
const TRIES = 3
const RETRY_MS = 10_000
const NOT_READY_MS = 5_000
const TEMPLATE_FAULTS = { template_paused: true, template_disabled: true, template_missing: true } as const

/** Errors worth a later attempt: nothing was sent, and the message is not the cause. */
const PASSING: Partial<Record<ErrorCode, number>> = {
  not_ready: NOT_READY_MS,
  // The account is frozen until it pays.
  invalid_state: 60_000,
  rate_limited: RETRY_MS,
  service_unavailable: RETRY_MS,
  storage_full: 60_000,
  sealed: 60_000,
  account_suspended: NOT_READY_MS,
  upstream_unavailable: RETRY_MS,
}

/** The job of a number in a campaign. It takes turns until it has to wait. */
export function laneJob(deps: LaneDeps): JobKind<object, Result> {
  const { db, clock, log, apiActivity, instances, messages, safety, takeTurn, outcomes, checks, resolve, sends } = deps
  let inFlight = 0
  const inFlightOf = new Map<AccountId, number>()
  const budget = createClaimBudget(clock, apiActivity)
  /** Fewer while API calls are running and the event loop is slow. */
  const mostInFlight = () => Math.min(IN_FLIGHT, FLIGHTS_PER_CLAIM * budget.next())

  /** How many more concurrent sends the account may start, however slow they are. */
  function roomFor(accountId: AccountId): number {
    const inAll = mostInFlight()
    const held = inFlightOf.get(accountId) ?? 0
    let room = 0
    while (room < MOST_IN_TURN && mayTake({ inAll, used: inFlight + room, held: held + room })) room++
    return room
  }

  function occupy(accountId: AccountId, count: number): void {
    inFlight += count
    const left = (inFlightOf.get(accountId) ?? 0) + count
    if (left > 0) inFlightOf.set(accountId, left)
    else inFlightOf.delete(accountId)
  }

  async function runLane({ accountId, subjectId: campaignId, lane }: JobRun<object>, signal: AbortSignal) {
    const instanceId = lane as InstanceId
    const untilMono = clock.mono() + RUN_MS
    for (let round = 0; round < ROUNDS && clock.mono() < untilMono && !signal.aborted; round++) {
      const turn = await takeTurnWithin({ accountId, campaignId, instanceId }, signal)
      if (turn.kind === 'stop') return { again: null }
      if (turn.kind === 'check') {
        const ask = await checks.ask(turn.campaign, instanceId, turn.phones)
        if (ask.atMs > clock.now()) return { again: ask }
        continue
      }
      if (turn.kind === 'prices') {
        await deps.readPrices(turn.campaign, turn.instance)
        continue
      }
      const until = turn.kind === 'wait' ? turn.until : turn.next
      if (turn.kind === 'send') {
        await sendAll(turn, signal)
        if (turn.isLast) await deps.finish(campaignId)
      }
      const waitMs = until.atMs - clock.now()
      if (waitMs > SOON_MS) return { again: until }
      if (waitMs > 0) await clock.sleep(waitMs)
    }
    return { again: dueIn(clock, 0) }
  }

  /** Reserves capacity before the turn: turns of many numbers wait for the same commit and cannot see each other. */
  async function takeTurnWithin({ accountId, ...number }: NumberOfCampaign, signal: AbortSignal): Promise<Turn> {
    let free = roomFor(accountId)
    for (; free <= 0 && !signal.aborted; free = roomFor(accountId)) await clock.sleep(GIVE_WAY_MS)
    const room = Math.max(1, free)
    const canCheck = checks.canAsk(number.instanceId)
    occupy(accountId, room)
    try {
      return await db.commit((tx) => takeTurn(tx, { ...number, canCheck, room }))
    } finally {
      occupy(accountId, -room)
    }
  }

  async function sendAll(turn: Extract<Turn, { kind: 'send' }>, signal: AbortSignal): Promise<void> {
    const { campaign, instance, claimed } = turn
    occupy(campaign.accountId, claimed.length)
    for (const { recipient } of claimed) sends.add(sendKey(recipient))
    try {
      const subject = await instances.subject(campaign.accountId, instance.id)
      await Promise.all(claimed.map((one) => sendOne(campaign, subject, one, signal)))
    } finally {
      occupy(campaign.accountId, -claimed.length)
      for (const { recipient } of claimed) sends.delete(sendKey(recipient))
    }
  }

  async function sendOne(
    campaign: StoredCampaign,
    instance: InstanceSubject | undefined,
    claimed: Claimed,
    signal: AbortSignal,
  ): Promise<void> {
    const { recipient, to } = claimed
    const { campaignId, position } = recipient
    const message = campaign.messages[claimed.variation - 1]
    if (instance === undefined || message === undefined) return putBack(claimed, NOT_READY_MS)
    const seed = seedOf(campaignId, position)
    const variables = JSON.parse(recipient.variables ?? '{}') as Record<string, string>
    const rendered = renderMessage(message, { ...recipient, variables }, instance.engine, seed)
    const fault = faultOf(rendered, instance.engine)
    if (fault !== undefined) return fail(claimed, 'validation_error', fault.message)
    await showTyping(campaign, instance, to, signal)
    const body = { to, ...sendFields(rendered) }
    try {
      const result = await messages.send({
        ...{ instance, body, rawBody: () => body, source: 'campaign', idempotencyKey: sendKey(recipient) },
        origin: { kind: 'campaign', campaignId, position },
      })
      await record(claimed, result)
    } catch (error) {
      if (error instanceof ApiError) return record(claimed, { kind: 'not_sent', error })
      log.error({ event: 'campaign.send_failed', campaignId, cause: cause(error) })
      await resolve(recipient)
    }
  }

  async function showTyping(
    { accountId, network, config }: StoredCampaign,
    instance: InstanceSubject,
    to: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (!config.typing || network !== 'live' || config.minDelay < TYPING_FROM_DELAY_SECONDS || signal.aborted) return
    if ((await deps.refusalOf(accountId)) !== null) return
    try {
      await instances.engineFor(instance).direct?.showTyping?.(instance, to, 'typing')
      await clock.sleep(TYPING_MS)
    } catch {
      // The typing indicator is optional; the message is sent without it.
    }
  }

  async function record(claimed: Claimed, result: SendResult): Promise<void> {
    const { recipient } = claimed
    // The commit of the message usually recorded the result already.
    if (outcomes.takeSettled(recipient)) return
    if (result.kind === 'not_sent') {
      const fault = result.error.detail?.reason
      if (fault !== undefined && fault in TEMPLATE_FAULTS) {
        const { pausedUntilMs = null } = result
        return waitForTemplate(claimed, { isPaused: fault === 'template_paused', pausedUntilMs })
      }
      const delayMs = PASSING[result.error.code]
      const isHopeless = result.error.code === 'upstream_unavailable' && recipient.tries + 1 >= TRIES
      if (delayMs === undefined || isHopeless) return fail(claimed, result.error.code, result.error.message)
      return putBack(claimed, retryAfterMs(result.error) ?? delayMs)
    }
    const messageId = result.kind === 'unknown' ? null : result.messageId
    const to = ({ accepted: 'sent', refused: 'failed', unknown: 'unknown' } as const)[result.kind]
    const atMs = clock.now()
    await db.commit((tx) => outcomes.move(tx, { ...placeOf(claimed), to, atMs, messageId }))
    outcomes.takeSettled(recipient)
  }

  const placeOf = ({ recipient: { campaignId, position } }: Claimed) => ({ campaignId, position })

  async function fail(claimed: Claimed, code: string, message: string): Promise<void> {
    const move = { ...placeOf(claimed), to: 'failed', atMs: clock.now(), error: { code, message } } as const
    await db.commit(async (tx) => {
      await outcomes.move(tx, move)
      await giveBack(tx, claimed)
    })
    outcomes.takeSettled(claimed.recipient)
  }

  /** Meta currently refuses this template for everybody. */
  async function waitForTemplate(claimed: Claimed, refusal: Parameters<TemplateHolds['refused']>[2]): Promise<void> {
    await db.commit(async (tx) => {
      await outcomes.putBack(tx, placeOf(claimed))
      await giveBack(tx, claimed)
      await deps.waitForTemplate(tx, claimed.recipient.campaignId, refusal)
    })
  }

  async function putBack(claimed: Claimed, delayMs: number): Promise<void> {
    const { campaignId, instanceId } = claimed.recipient
    await db.commit(async (tx) => {
      await outcomes.putBack(tx, placeOf(claimed))
      await giveBack(tx, claimed)
      if (instanceId !== null) await tx.run(delayLane, { campaignId, instanceId, untilMs: clock.now() + delayMs })
    })
  }

  /** Returns the unused part of what the number was granted. */
  async function giveBack(tx: Tx, { recipient: { instanceId }, to }: Claimed): Promise<void> {
    if (instanceId !== null) await safety.release(tx, { instanceId, phone: to })
  }

  return {
    name: 'campaigns.send',
    perLane: 1,
    concurrency: 64,
    deadlineMs: 180_000,
    retryDelaysMs: [1_000, 5_000, 30_000, 60_000],
    act: runLane,
    async record(_tx, _run, { again }) {
      return again === null ? { kind: 'done' } : { kind: 'again', at: again }
    },
    recordFailure: (tx, run) => deps.retry(tx, run.subjectId, run.lane as InstanceId),
  }
}

function retryAfterMs(error: ApiError): number | undefined {
  const seconds = Number(error.headers['Retry-After'])
  return seconds > 0 ? seconds * 1_000 : undefined
}
