import { LIMITS } from '../../contract/limits.ts'
import type { EndReason, Gateway } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import type { JobOutcome, JobRun } from '../../kernel/job.ts'
import type { CallPlan } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceAgent } from './agents.ts'
import { finalStatus } from './call-state.ts'
import { callById, endScheduled, liveOfInstance, postpone, setDialing, type StoredCall } from './call-store.ts'
import type { CloudLegs } from './cloud-legs.ts'
import type { VoiceDeps } from './deps.ts'
import { nextCallTime } from './pacing.ts'
import { needsSandboxPermission, type Routes } from './routes.ts'
import type { CallWish, Running } from './running.ts'
import type { VoiceSetup } from './setup.ts'
import type { Standing } from './standing.ts'
import type { createSpeech } from './speech.ts'

interface DialDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'instances' | 'agents' | 'process'> {
  readonly running: Running
  readonly setup: VoiceSetup
  readonly standing: Standing
  readonly routes: Routes
  readonly speech: ReturnType<typeof createSpeech>
  readonly cloudLegs: CloudLegs | null
}

/** A step that is due again, or null: the call is over. */
type Turn = { readonly atMs: number } | null

const RING_MS = 45_000
const CHANNELS_BUSY_MS = 2_000
/** Longer than the longest call. */
const DEADLINE_MS = 45 * 60_000

/** Everything a call needs to begin. */
export interface Outgoing {
  readonly instance: InstanceSubject
  readonly gateway: Gateway
  readonly agent: VoiceAgent | null
  readonly wish: CallWish
}

/** Makes calls that are due. */
export function createDial(deps: DialDeps) {
  const { db, clock, instances, agents, standing, running, setup, routes, speech, cloudLegs } = deps

  const failScheduled = (call: StoredCall, reason: EndReason): Promise<Turn> =>
    db
      .commit((tx) =>
        tx.run(endScheduled, { id: call.id, status: finalStatus(reason, false), reason, now: clock.now() }),
      )
      .then(() => {
        running.publish(call)
        return null
      })

  /** Dials a call whose time has come. */
  async function act({ input }: JobRun<{ callId: string }>): Promise<Turn> {
    const call = await db.readOne(callById, { id: input.callId })
    // Above the first attempt it may have been dialed: it is never dialed again.
    if (call?.status !== 'scheduled') return null
    const { instanceId, accountId } = call
    const { settings } = await setup.read(instanceId)
    const openMs = nextCallTime(settings.calling_hours, clock.now())
    if (openMs !== null && openMs > clock.now()) return wait(call, openMs)
    const refusal = await standing.refusal(accountId)
    if (refusal !== null) return failScheduled(call, refusal)
    if (((await db.readOne(liveOfInstance, { instanceId }))?.count ?? 0) >= LIMITS.voiceChannels)
      return { atMs: clock.now() + CHANNELS_BUSY_MS }
    const instance = await instances.subject(accountId, instanceId)
    if (instance === undefined || instance.deleted) return failScheduled(call, 'instance_deleted')
    if (!instance.connected) return failScheduled(call, 'not_ready')
    const prepared = await prepare(instance, call.toNumber ?? '', call.agentId, null)
    if (typeof prepared === 'string') return failScheduled(call, prepared)
    const permission = await permissionFor(prepared, call.toNumber ?? '')
    if (permission !== null) return failScheduled(call, permission)
    const begun = await db.commit((tx) => begin(tx, call, prepared.gateway))
    if (begun !== 'begun') return begun === 'gone' ? null : failScheduled(call, begun)
    await (
      await place(call, prepared)
    ).ended
    return null
  }

  async function wait(call: StoredCall, atMs: number): Promise<Turn> {
    await db.commit((tx) => tx.run(postpone, { id: call.id, scheduledAtMs: atMs }))
    running.publish(call)
    return { atMs }
  }

  /** Everything a call needs, or why it cannot be made. @param consoleOffer of the person who talks instead of an agent. */
  async function prepare(
    instance: InstanceSubject,
    number: string,
    agentId: string | null,
    consoleOffer: string | null,
  ): Promise<Outgoing | EndReason> {
    const { id: instanceId, accountId } = instance
    const agent = agentId === null ? null : await agents.find(accountId, instanceId, agentId)
    if (agent === undefined) return 'agent_gone'
    const { gateway } = await routes.availability(instance)
    if (gateway === null) return 'gateway_unavailable'
    const trunk = gateway === 'sip' ? await routes.trunk(instanceId) : undefined
    if (gateway === 'sip' && trunk === undefined) return 'gateway_unavailable'
    const route: CallPlan['route'] =
      gateway === 'sandbox'
        ? routes.sandbox(number, agent?.questions ?? [], agent !== null)
        : trunk !== undefined
          ? { kind: 'sip', trunk, number }
          : { kind: 'webrtc', offer: null }
    const { settings } = await setup.read(instanceId)
    return { instance, gateway, agent, wish: await wishFor(instance, agent, { route, consoleOffer, settings, number }) }
  }

  /** @param about what is special about this call. */
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

  /** Whether the person may be called now. @returns why not. */
  async function permissionFor({ instance, gateway }: Outgoing, number: string): Promise<EndReason | null> {
    if (gateway === 'sandbox') return needsSandboxPermission(number) ? 'call_permission_required' : null
    if (gateway !== 'cloud' || cloudLegs === null) return null
    return cloudLegs.permissionFor(instance, number)
  }

  /** One commit: a call of the trial is taken, and the call is dialed. */
  async function begin(tx: Tx, call: StoredCall, gateway: Gateway): Promise<'begun' | 'gone' | EndReason> {
    if ((await tx.one(callById, call))?.status !== 'scheduled') return 'gone'
    const taken = await setup.takeCall(tx, call.instanceId)
    if (taken !== 'taken') return taken
    const instance = await instances.find(tx, call.accountId, call.instanceId)
    const fromNumber = instance?.phoneNumber ?? null
    await tx.run(setDialing, { id: call.id, boot: db.boot, gateway, fromNumber, now: clock.now() })
    return 'begun'
  }

  /** Starts a call whose row says that it is being dialed. */
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
      name: 'voice.dial',
      perLane: LIMITS.voiceChannels,
      concurrency: 64,
      deadlineMs: DEADLINE_MS,
      retryDelaysMs: [5_000, 30_000, 120_000],
      act: async (run: JobRun<{ callId: string }>, signal: AbortSignal) => {
        const hangUp = () => running.find(run.input.callId)?.hangUp('app_closed')
        signal.addEventListener('abort', hangUp, { once: true })
        return act(run)
      },
      record: async (_tx: Tx, _run: JobRun<{ callId: string }>, turn: Turn): Promise<JobOutcome> =>
        turn === null ? { kind: 'done' } : { kind: 'again', atMs: turn.atMs },
      /** Something unexpected happened three times: the call is not left waiting. */
      recordFailure: async (tx: Tx, run: JobRun<{ callId: string }>) => {
        const end = { id: run.input.callId, reason: 'agent_failed', status: 'failed', now: clock.now() } as const
        if ((await tx.run(endScheduled, end)) === 0)
          await running.end(tx, { ...end, recordingId: null, durationMs: null })
      },
    },
  }
}

export type Dial = ReturnType<typeof createDial>

const greetingOf = ({ name, greeting }: Pick<VoiceAgent, 'name' | 'greeting'>): string =>
  greeting ?? `Hello, this is ${name}. How can I help you?`
