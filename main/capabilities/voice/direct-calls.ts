import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { CallSource, EndReason, Gateway } from '../../contract/voice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import { cause } from '../../kernel/log.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { CallPlan, PlacedCall } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceAgent } from './agents.ts'
import type { Allowance, NotNow } from './allowance.ts'
import { callById, insertCall, type StoredCall } from './call-store.ts'
import type { ConsoleConnections } from './console-connections.ts'
import type { VoiceDeps } from './deps.ts'
import type { Dial } from './dial.ts'
import { requireOffer, unanswerableOffer } from './offer.ts'
import type { Routes } from './routes.ts'
import type { Running, RunningCall } from './running.ts'
import type { Schedule } from './schedule.ts'
import type { VoiceSetup } from './setup.ts'
import type { Standing } from './standing.ts'

/** An incoming call. */
interface Arriving {
  readonly instance: InstanceSubject
  /** null: a person at the console should answer. */
  readonly agent: VoiceAgent | null
  readonly gateway: Gateway
  readonly source: CallSource
  readonly from: string | null
  readonly to: string | null
  readonly widgetId: string | null
  /** Runs in the commit that starts the call. @returns false to refuse it. */
  readonly mayBegin?: (tx: Tx) => Promise<boolean>
}

/** A call that an agent answers. */
interface Answered extends Arriving {
  readonly route: CallPlan['route']
  readonly onAnswer?: (sdp: string) => void
  readonly onPlaced?: (placed: PlacedCall) => void
}

interface DirectDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'ids' | 'agents' | 'instances' | 'log'> {
  readonly running: Running
  readonly setup: VoiceSetup
  readonly standing: Pick<Standing, 'mayAnswer'>
  readonly allowance: Pick<Allowance, 'refusal'>
  readonly dial: Dial
  readonly routes: Pick<Routes, 'sandboxCaller'>
  readonly schedule: Schedule
  readonly consoleConnections: ConsoleConnections
}

const ANSWER_MS = 10_000
/** As long as a phone usually rings. */
const RINGS_HERE_MS = 30_000

/** Calls that start immediately: incoming calls, and calls by a person at the console. */
export function createDirectCalls(deps: DirectDeps) {
  const { db, clock, ids, agents, instances, standing, allowance, log, running, setup, dial, schedule } = deps
  const { routes } = deps
  const { consoleConnections } = deps

  /** @returns null if voice is off, the trial is used up, all channels are busy, or the service is stopping. */
  async function take(arriving: Arriving): Promise<StoredCall | null> {
    const { instance, agent, gateway, source, from, to, widgetId } = arriving
    if (running.isStopping()) return null
    const id = ids.uuid()
    const now = clock.now()
    return db.commit(async (tx) => {
      await instances.requireOwner(tx, instance.accountId, instance.id)
      const owner = { accountId: instance.accountId, instanceId: instance.id }
      if ((await allowance.refusal(tx, owner, gateway)) !== null) return null
      if ((await arriving.mayBegin?.(tx)) === false) return null
      await tx.run(insertCall, {
        ...{ seq: await tx.next('voice_calls'), id, accountId: instance.accountId, instanceId: instance.id },
        ...{ agentId: agent?.id ?? null, toNumber: to, fromNumber: from, direction: 'inbound', source, gateway },
        ...{
          status: 'ringing',
          batchId: null,
          batchIntervalMs: null,
          widgetId,
          scheduledAtMs: now,
          startedAtMs: now,
          createdAtMs: now,
        },
        ...{ attempt: 1, boot: db.boot },
      })
      return (await tx.one(callById, { id })) ?? null
    })
  }

  /** Answers a call with an agent. @returns null if it cannot be accepted. */
  async function arrive(arriving: Answered): Promise<RunningCall | null> {
    const { instance, agent, route, from, onAnswer, onPlaced } = arriving
    const { settings } = await setup.read(instance.id)
    const wish = await dial.wishFor(instance, agent, { route, consoleOffer: null, settings, number: from ?? '' })
    const call = await take(arriving)
    if (call === null) return null
    return running.start(call, {
      ...wish,
      ...(onPlaced && { onPlaced }),
      events: onAnswer === undefined ? {} : { onLocalSdp: onAnswer },
    })
  }

  /** The agent that answers; undefined: none. */
  const answeringAgent = async ({ accountId, id }: InstanceSubject, agentId: string | null) => {
    if (!standing.mayAnswer(accountId)) return undefined
    return agentId === null ? agents.primary(accountId, id) : agents.find(accountId, id, agentId)
  }

  return {
    arrive,
    answeringAgent,

    /** Rings in every window of the account. @returns null if it cannot be accepted. */
    async ringHere(arriving: Omit<Arriving, 'agent'>): Promise<RunningCall | null> {
      if (!standing.mayAnswer(arriving.instance.accountId)) return null
      const call = await take({ ...arriving, agent: null })
      return call && running.ring(call, RINGS_HERE_MS, arriving.gateway === 'sandbox')
    },

    /** A person at the console answers a ringing call. @throws ApiError */
    async answer(principal: Principal, instance: InstanceSubject, callId: string, offer: string) {
      requireOffer(offer)
      const { settings } = await setup.read(instance.id)
      const ringing = await db.readOne(callById, { id: callId })
      const number = ringing?.fromNumber ?? ''
      const about = { route: routes.sandboxCaller([], false), consoleOffer: offer, settings, number }
      const wish = await dial.wishFor(instance, null, about)
      return connect(principal, callId, async (events) => {
        const call = running.answer(callId, { ...wish, events })
        if (call !== undefined) return call
        throw new ApiError(
          'invalid_state',
          'The call does not ring any more. Somebody took it, or the caller gave up.',
        ).because('call_not_ringing')
      })
    },

    /** A person at the console makes a call. @throws ApiError */
    async softphone(principal: Principal, instance: InstanceSubject, number: string, offer: string) {
      const { gateway } = await schedule.requireReady(instance)
      requireOffer(offer)
      const prepared = await schedule.requirePermission(instance, null, number, offer)
      const call = await db.commit(async (tx) => {
        await schedule.requireOwner(tx, instance)
        const inserted = await schedule.insert(tx, instance, {
          ...{ agentId: null, number, source: 'console', gateway, scheduledAtMs: clock.now(), batchId: null },
          status: 'scheduled',
        })
        const begun = running.isStopping() ? 'stopping' : await dial.begin(tx, inserted, gateway)
        // Nothing about this call is kept.
        if (begun !== 'begun') throw notBegun(begun)
        return inserted
      })
      return connect(principal, call.id, (events) =>
        dial.place(call, { ...prepared, wish: { ...prepared.wish, events } }),
      )
    },
  }

  /** Starts a call of a person at the console, and waits for the answer to the window's offer. */
  async function connect(
    principal: Principal,
    callId: string,
    begin: (events: { onConsoleAnswer: (sdp: string) => void }) => Promise<RunningCall>,
  ) {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const placed = await begin({ onConsoleAnswer: resolve })
    let ended: EndReason | undefined
    void placed.ended.then((reason) => {
      ended = reason
      resolve(null)
    })
    await consoleConnections.add(principal, () => placed.hangUp('operator_hung_up'), placed.ended)
    const limit = startTimeout(clock, ANSWER_MS, () => resolve(null))
    const answer = await promise
    limit.cancel()
    if (ended === 'codec_not_supported' || ended === 'no_media_connection') throw unanswerableOffer()
    if (answer === null) {
      placed.hangUp('no_media_connection')
      log.warn({ event: 'voice.softphone_not_connected', callId, cause: cause(new Error('no answer')) })
      throw new ApiError('service_unavailable', 'The call could not be connected to this window. Try again.').because(
        'window_not_connected',
      )
    }
    return { call: (await db.readOne(callById, { id: callId })) ?? placed.call, answer }
  }
}

export type DirectCalls = ReturnType<typeof createDirectCalls>

function notBegun(why: 'gone' | 'stopping' | NotNow): ApiError {
  switch (why) {
    case 'voice_off':
      return new ApiError('invalid_state', 'Voice is not enabled. Call POST …/voice/enable first.').because('voice_off')
    case 'trial_used_up':
      return new ApiError(
        'invalid_state',
        'No calls of the trial are left. Buy a voice package and enable voice again.',
      ).because('trial_used')
    case 'trial_reserved':
      return new ApiError(
        'invalid_state',
        'Calls that ring now may use up the trial. Wait until one ends, then retry.',
      ).because('trial_ringing')
    case 'channels_busy':
      return new ApiError(
        'invalid_state',
        `${LIMITS.voiceChannels} calls are already running, the maximum. Wait until one ends.`,
      ).because('channels_full', { n: LIMITS.voiceChannels })
    case 'account_share_used':
      return new ApiError(
        'invalid_state',
        `This account has as many calls at once as are left for the other accounts, of ${LIMITS.voiceCalls} in all. Wait until one ends.`,
      ).because('calls_share_full')
    case 'all_lines_busy':
      return new ApiError(
        'service_unavailable',
        `All ${LIMITS.voiceCalls} calls that the accounts share are under way. Call again in a minute.`,
        { 'retry-after': '60' },
      ).because('calls_full')
    case 'gone':
    case 'stopping':
      return new ApiError('service_unavailable', 'Switchboard is stopping. Call again once it has restarted.').because(
        'service_stopping',
      )
  }
}
