import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { CallSource, Gateway } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import { cause } from '../../kernel/log.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { CallPlan, PlacedCall } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceAgent } from './agents.ts'
import { callById, endScheduled, insertCall, liveOfInstance, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { finalStatus } from './call-state.ts'
import type { Dial } from './dial.ts'
import type { Running, RunningCall } from './running.ts'
import type { Schedule } from './schedule.ts'
import type { VoiceSetup } from './setup.ts'
import type { Standing } from './standing.ts'

/** A call that somebody else began. */
interface Arriving {
  readonly instance: InstanceSubject
  readonly agent: VoiceAgent
  readonly route: CallPlan['route']
  readonly gateway: Gateway
  readonly source: CallSource
  readonly from: string | null
  readonly to: string | null
  readonly widgetId: string | null
  readonly onAnswer?: (sdp: string) => void
  readonly onPlaced?: (placed: PlacedCall) => void
}

interface DirectDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'ids' | 'agents' | 'instances' | 'log'> {
  readonly running: Running
  readonly setup: VoiceSetup
  readonly standing: Pick<Standing, 'mayAnswer'>
  readonly dial: Dial
  readonly schedule: Schedule
}

const ANSWER_MS = 10_000

/** Calls that begin at once: those that come in, and those a person at the console makes. */
export function createDirectCalls(deps: DirectDeps) {
  const { db, clock, ids, agents, instances, standing, log, running, setup, dial, schedule } = deps

  const activeOn = async (instanceId: string) => (await db.readOne(liveOfInstance, { instanceId }))?.count ?? 0

  /** @returns null: voice is off, the trial is used up, or every channel is busy. */
  async function take(arriving: Arriving): Promise<StoredCall | null> {
    const { instance, agent, gateway, source, from, to, widgetId } = arriving
    if ((await activeOn(instance.id)) >= LIMITS.voiceChannels) return null
    const id = ids.uuid()
    const now = clock.now()
    return db.commit(async (tx) => {
      await instances.requireOwner(tx, instance.accountId, instance.id)
      if ((await setup.takeCall(tx, instance.id)) !== 'taken') return null
      await tx.run(insertCall, {
        ...{ seq: await tx.next('voice_calls'), id, accountId: instance.accountId, instanceId: instance.id },
        ...{ agentId: agent.id, toNumber: to, fromNumber: from, direction: 'inbound', source, gateway },
        ...{ status: 'ringing', batchId: null, widgetId, scheduledAtMs: now, startedAtMs: now, createdAtMs: now },
        ...{ attempt: 1, boot: db.boot },
      })
      return (await tx.one(callById, { id })) ?? null
    })
  }

  /** Answers a call with an agent. @returns null: it cannot be taken. */
  async function arrive(arriving: Arriving): Promise<RunningCall | null> {
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

  /** The agent that answers; undefined: there is none. */
  const answeringAgent = async ({ accountId, id }: InstanceSubject, agentId: string | null) => {
    if (!standing.mayAnswer(accountId)) return undefined
    return agentId === null ? agents.primary(accountId, id) : agents.find(accountId, id, agentId)
  }

  async function failUnbegun(tx: Tx, call: StoredCall, reason: 'trial_used_up' | 'voice_off'): Promise<void> {
    await tx.run(endScheduled, { id: call.id, reason, status: finalStatus(reason, false), now: clock.now() })
  }

  return {
    arrive,
    answeringAgent,

    /** The person at the console calls. @throws ApiError */
    async softphone(instance: InstanceSubject, number: string, offer: string) {
      const { gateway } = await schedule.requireReady(instance)
      const prepared = await schedule.requirePermission(instance, null, number, offer)
      if ((await activeOn(instance.id)) >= LIMITS.voiceChannels)
        throw new ApiError('invalid_state', `${LIMITS.voiceChannels} calls run already. Wait until one ends.`)
      const call = await db.commit(async (tx) => {
        const inserted = await schedule.insert(tx, instance, {
          ...{ agentId: null, number, source: 'console', gateway, scheduledAtMs: clock.now(), batchId: null },
          status: 'scheduled',
        })
        const begun = await dial.begin(tx, inserted, gateway)
        if (begun === 'trial_used_up' || begun === 'voice_off') await failUnbegun(tx, inserted, begun)
        return begun === 'begun' ? ((await tx.one(callById, { id: inserted.id })) ?? null) : null
      })
      if (call === null)
        throw new ApiError(
          'invalid_state',
          'No calls of the trial are left. Buy a voice package and enable voice again.',
        )
      const { promise, resolve } = Promise.withResolvers<string | null>()
      const placed = await dial.place(call, {
        ...prepared,
        wish: { ...prepared.wish, events: { onConsoleAnswer: resolve } },
      })
      void placed.ended.then(() => resolve(null))
      const limit = startTimeout(clock, ANSWER_MS, () => resolve(null))
      const answer = await promise
      limit.cancel()
      if (answer === null) {
        placed.hangUp('no_media_connection')
        log.warn({ event: 'voice.softphone_not_connected', callId: call.id, cause: cause(new Error('no answer')) })
        throw new ApiError('service_unavailable', 'The call could not be connected to this window. Try again.')
      }
      return { call: (await db.readOne(callById, { id: call.id })) ?? call, answer }
    },
  }
}

export type DirectCalls = ReturnType<typeof createDirectCalls>
