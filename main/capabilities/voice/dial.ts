import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { EndReason, Gateway, VoiceSettings } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import { appointmentAt, dueAt, dueIn, type Due } from '../../kernel/due.ts'
import type { JobOutcome, JobRun, StoredRun } from '../../kernel/job.ts'
import type { CallPlan } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceAgent } from './agents.ts'
import type { Allowance, NotNow } from './allowance.ts'
import { finalStatus } from './call-state.ts'
import { callById, endScheduled, paceOfBatch, postpone, setDialing, type StoredCall } from './call-store.ts'
import type { CloudLegs } from './cloud-legs.ts'
import type { VoiceDeps } from './deps.ts'
import type { Overdue } from './overdue.ts'
import { earliestOfBatch, nextCallTime } from './pacing.ts'
import { needsSandboxPermission, type Routes } from './routes.ts'
import type { CallWish, Running } from './running.ts'
import type { VoiceSetup } from './setup.ts'
import type { Standing } from './standing.ts'
import type { createSpeech } from './speech.ts'

interface DialDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'instances' | 'agents' | 'process' | 'isAnsweredByHand'> {
  readonly running: Running
  readonly setup: VoiceSetup
  readonly standing: Standing
  readonly allowance: Pick<Allowance, 'refusal'>
  readonly overdue: Pick<Overdue, 'settled'>
  readonly routes: Routes
  readonly speech: ReturnType<typeof createSpeech>
  readonly cloudLegs: CloudLegs | null
}

/** When the step is due again, or null if the call is over. */
type Turn = Due | null

const RING_MS = 45_000
/** Delay while waiting for a channel or a trial call that another call may return. */
const BUSY_MS = 2_000
/** Longer than the longest call. */
const DEADLINE_MS = 45 * 60_000

/** `gone`: started or canceled meanwhile. */
type Begun = 'begun' | 'gone' | NotNow

/** Everything that a call needs to start. */
export interface Outgoing {
  readonly instance: InstanceSubject
  readonly gateway: Gateway
  readonly agent: VoiceAgent | null
  readonly wish: CallWish
}

/** Makes due calls. */
export function createDial(deps: DialDeps) {
  const { db, clock, instances, agents, overdue, standing, allowance, running, setup, routes, speech, cloudLegs } = deps

  const failScheduled = (call: StoredCall, reason: EndReason): Promise<Turn> =>
    db
      .commit((tx) =>
        tx.run(endScheduled, { id: call.id, status: finalStatus(reason, false), reason, now: clock.now() }),
      )
      .then(() => {
        running.publish(call)
        return null
      })

  /** Dials a due call. */
  async function act({ input }: JobRun<{ callId: string }>): Promise<Turn> {
    await overdue.settled()
    const call = await db.readOne(callById, { id: input.callId })
    // After the first attempt it may have been dialed already, so it is never dialed again.
    if (call?.status !== 'scheduled') return null
    const { instanceId, accountId } = call
    // The service is stopping; the next process makes the call.
    if (running.isStopping()) return dueIn(clock, BUSY_MS)
    const { settings } = await setup.read(instanceId)
    const first = await earliest({ one: db.readOne }, call, settings)
    if (first.atMs > clock.now()) return wait(call, first)
    const refusal = await standing.refusal(accountId)
    if (refusal !== null) return failScheduled(call, refusal)
    const instance = await instances.subject(accountId, instanceId)
    if (instance === undefined || instance.deleted) return failScheduled(call, 'instance_deleted')
    if (!instance.connected) return failScheduled(call, 'not_ready')
    const prepared = await prepare(instance, call.toNumber ?? '', call.agentId, null)
    if (typeof prepared === 'string') return failScheduled(call, prepared)
    const notNow = await allowance.refusal({ one: db.readOne }, call, prepared.gateway)
    if (notNow !== null) return refuse(call, notNow)
    const permission = await permissionFor(prepared, call.toNumber ?? '').catch((error: unknown) => {
      if (error instanceof ApiError) return reasonOf(error)
      throw error
    })
    if (permission !== null) return failScheduled(call, permission)
    const begun = await db.commit(async (tx) => {
      // Other calls of the batch may have started meanwhile.
      const again = await earliest(tx, call, settings)
      return again.atMs > clock.now() ? again : begin(tx, call, prepared.gateway)
    })
    if (typeof begun === 'object') return wait(call, begun)
    if (begun === 'gone') return null
    if (begun !== 'begun') return refuse(call, begun)
    await (
      await place(call, prepared)
    ).ended
    return null
  }

  async function wait(call: StoredCall, until: Due): Promise<Turn> {
    await db.commit((tx) => tx.run(postpone, { id: call.id, scheduledAtMs: until.atMs }))
    running.publish(call)
    return until
  }

  async function refuse(call: StoredCall, reason: NotNow): Promise<Turn> {
    if (reason === 'voice_off' || reason === 'trial_used_up') return failScheduled(call, reason)
    return dueIn(clock, BUSY_MS)
  }

  /** The earliest time within the calling hours that keeps the batch's interval. */
  async function earliest(
    read: Pick<Tx, 'one'>,
    call: StoredCall,
    { calling_hours: hours }: VoiceSettings,
  ): Promise<Due> {
    const now = clock.now()
    const { batchId, batchIntervalMs: intervalMs, seq } = call
    const pace = batchId !== null && intervalMs ? await read.one(paceOfBatch, { batchId, seq, now }) : undefined
    const atMs = pace === undefined ? now : earliestOfBatch({ ...pace, intervalMs: intervalMs ?? 0 }, now)
    const openMs = nextCallTime(hours, atMs) ?? now
    // The interval to other calls does not depend on the clock; calling hours follow the calendar.
    return openMs > atMs ? appointmentAt(openMs) : dueAt(clock, openMs)
  }

  /**
   * Everything the call needs, or why it cannot be made. @param consoleOffer WebRTC offer of the person who talks
   * instead of an agent.
   */
  async function prepare(
    instance: InstanceSubject,
    number: string,
    agentId: string | null,
    consoleOffer: string | null,
  ): Promise<Outgoing | 'agent_gone' | 'gateway_unavailable'> {
    const { id: instanceId, accountId } = instance
    const agent = agentId === null ? null : await agents.find(accountId, instanceId, agentId)
    if (agent === undefined) return 'agent_gone'
    const { gateway } = await routes.availability(instance)
    if (gateway === null) return 'gateway_unavailable'
    const trunk = gateway === 'sip' ? await routes.trunk(instanceId) : undefined
    if (gateway === 'sip' && trunk === undefined) return 'gateway_unavailable'
    const route: CallPlan['route'] =
      gateway === 'sandbox'
        ? routes.sandbox(number, {
            ...{ questions: agent?.questions ?? [], isAgent: agent !== null },
            isByHand: await deps.isAnsweredByHand(accountId, number),
          })
        : trunk !== undefined
          ? { kind: 'sip', trunk, number }
          : { kind: 'webrtc', offer: null }
    const { settings } = await setup.read(instanceId)
    return { instance, gateway, agent, wish: await wishFor(instance, agent, { route, consoleOffer, settings, number }) }
  }

  /** @param about the special properties of this call. */
  async function wishFor(
    instance: InstanceSubject,
    agent: VoiceAgent | null,
    about: Pick<CallWish, 'route' | 'consoleOffer'> & {
      settings: Awaited<ReturnType<VoiceSetup['read']>>['settings']
      number: string
    },
  ): Promise<CallWish> {
    const { announcement, keep_recordings_days: days } = about.settings
    return {
      ...{ route: about.route, consoleOffer: about.consoleOffer, announcement, ringMs: RING_MS },
      agent: agent && { name: agent.name, greeting: greetingOf(agent), instructions: agent.systemPrompt },
      speech: await speech.services(instance.accountId),
      title: `Call with ${about.number || 'a visitor'}`,
      isSandbox: about.route.kind === 'sandbox',
      expiresAtMs: days === null ? null : clock.now() + days * 86_400_000,
    }
  }

  /** Whether the person may be called now. @returns why not. @throws ApiError invalid_state if the number cannot call. */
  async function permissionFor({ instance, gateway }: Outgoing, number: string): Promise<EndReason | null> {
    if (gateway === 'sandbox') return needsSandboxPermission(number) ? 'call_permission_required' : null
    if (gateway !== 'cloud' || cloudLegs === null) return null
    cloudLegs.requireCallable(instance)
    return cloudLegs.permissionFor(instance, number)
  }

  /** One commit: checks that the call may start, and records that it is being dialed. */
  async function begin(tx: Tx, call: StoredCall, gateway: Gateway): Promise<Begun> {
    if ((await tx.one(callById, call))?.status !== 'scheduled') return 'gone'
    const notNow = await allowance.refusal(tx, call, gateway)
    if (notNow !== null) return notNow
    const instance = await instances.find(tx, call.accountId, call.instanceId)
    const fromNumber = instance?.phoneNumber ?? null
    await tx.run(setDialing, { id: call.id, boot: db.boot, gateway, fromNumber, now: clock.now() })
    return 'begun'
  }

  /** Starts a call whose row has the status of a dialed call. */
  async function place(call: StoredCall, { instance, gateway, wish }: Outgoing) {
    if (gateway !== 'cloud' || cloudLegs === null) return running.start(call, wish)
    return cloudLegs.dial(instance, call, wish)
  }

  return {
    act,
    prepare,
    permissionFor,
    begin,
    place,
    wishFor,
    kind: {
      name: 'voice.dial' as const,
      perLane: LIMITS.voiceChannels,
      concurrency: LIMITS.voiceCalls,
      deadlineMs: DEADLINE_MS,
      retryDelaysMs: [5_000, 30_000, 120_000],
      act: async (run: JobRun<{ callId: string }>, signal: AbortSignal) => {
        const hangUp = () => running.find(run.input.callId)?.hangUp('app_closed')
        signal.addEventListener('abort', hangUp, { once: true })
        return act(run)
      },
      record: async (_tx: Tx, _run: JobRun<{ callId: string }>, turn: Turn): Promise<JobOutcome> =>
        turn === null ? { kind: 'done' } : { kind: 'again', at: turn },
      /** After three unexpected failures the call fails and does not wait any longer. */
      recordFailure: async (tx: Tx, run: StoredRun<{ callId: string }>) => {
        const end = { id: run.input.callId, reason: 'agent_failed', status: 'failed', now: clock.now() } as const
        await tx.run(endScheduled, end)
      },
    },
  }
}

export type Dial = ReturnType<typeof createDial>

const greetingOf = ({ name, greeting }: Pick<VoiceAgent, 'name' | 'greeting'>): string =>
  greeting ?? `Hello, this is ${name}. How can I help you?`

const NOT_OFFERED: readonly string[] = ['calls_off', 'calls_need_limit', 'calls_not_in_country', 'calls_beside_app']

/** Why a due call was not made. */
const reasonOf = ({ detail }: ApiError): EndReason =>
  NOT_OFFERED.includes(detail?.reason ?? '') ? 'calls_not_offered' : 'gateway_unavailable'
