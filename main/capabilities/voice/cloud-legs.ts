import { ApiError } from '../../contract/errors.ts'
import type { EndReason } from '../../contract/voice.ts'
import { cause } from '../../kernel/log.ts'
import type { PlacedCall } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import { CloudCallRefused, type CloudCalling, type CloudCallEvent } from '../../engines/official/index.ts'
import type { StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import type { CallWish, Running, RunningCall } from './running.ts'

interface Leg {
  readonly instance: InstanceSubject
  readonly placed: PlacedCall
  /** The network ended it, so it does not need a hangup. */
  isOver: boolean
}

interface CloudLegsDeps extends Pick<VoiceDeps, 'log'> {
  readonly cloud: CloudCalling
  readonly running: Running
  /** Accepts or refuses an incoming call. */
  readonly onOffered: (instanceId: string, event: CloudCallEvent & { kind: 'offered' }) => Promise<void>
}

/** Connects the audio of a call in the voice process with the signaling of the Cloud API. */
export function createCloudLegs({ cloud, running, log, onOffered }: CloudLegsDeps) {
  const legs = new Map<string, Leg>()
  /** Events that arrived before the answer to our request. */
  const early = new Map<string, CloudCallEvent[]>()

  const telling = new Set<Promise<unknown>>()

  function quietly(act: Promise<unknown>, event: string): void {
    const told = act
      .catch((error: unknown) => log.warn({ event, cause: cause(error) }))
      .finally(() => telling.delete(told))
    telling.add(told)
  }

  function apply(leg: Leg, event: CloudCallEvent): void {
    const { placed } = leg
    if (event.kind === 'ringing' || event.kind === 'accepted') placed.remoteState(event.kind)
    if (event.kind === 'answer') placed.remoteAnswer(event.sdp)
    if (event.kind !== 'rejected' && event.kind !== 'ended') return
    leg.isOver = true
    placed.hangUp(event.kind === 'rejected' ? 'rejected' : event.failed ? 'no_answer' : 'person_hung_up')
  }

  /** Follows a call until it ends, and hangs up at the network if we ended it. */
  function follow(networkId: string, leg: Leg, call: RunningCall): void {
    legs.set(networkId, leg)
    for (const event of early.get(networkId) ?? []) apply(leg, event)
    early.delete(networkId)
    void call.ended.then(() => {
      legs.delete(networkId)
      if (!leg.isOver) quietly(cloud.terminate(leg.instance, networkId), 'voice.not_terminated')
    })
  }

  cloud.onEvent(async (instanceId, event) => {
    const leg = legs.get(event.networkId)
    if (leg !== undefined) return apply(leg, event)
    if (event.kind === 'offered') return onOffered(instanceId, event)
    // Callbacks can arrive before the answer to the request that made the call.
    early.set(event.networkId, [...(early.get(event.networkId) ?? []), event])
    if (early.size > EARLY_AT_MOST) early.delete([...early.keys()][0] ?? '')
  })

  return {
    requireCallable: (instance: InstanceSubject): void => cloud.requireCallable(instance),

    /** @returns null if they may be called. @throws ApiError invalid_state if the number cannot call now. */
    async permissionFor(instance: InstanceSubject, number: string): Promise<EndReason | null> {
      try {
        if ((await cloud.permission(instance, number)) === 'granted') return null
        await cloud.requestPermission(instance, number)
        return 'call_permission_required'
      } catch (error) {
        if (error instanceof ApiError && error.code === 'invalid_state') throw error
        log.warn({ event: 'voice.permission_unknown', cause: cause(error) })
        return 'gateway_unavailable'
      }
    },

    async dial(instance: InstanceSubject, call: StoredCall, wish: CallWish): Promise<RunningCall> {
      let placed: PlacedCall | undefined
      const started: RunningCall = running.start(call, {
        ...wish,
        onPlaced: (one) => (placed = one),
        events: {
          ...wish.events,
          onLocalSdp: (sdp) => quietly(connect(sdp), 'voice.not_connected'),
        },
      })
      const connect = async (sdp: string) => {
        if (placed === undefined) return
        try {
          const networkId = await cloud.connect(instance, { number: call.toNumber ?? '', sdp, callId: call.id })
          follow(networkId, { instance, placed, isOver: false }, started)
        } catch (error) {
          started.hangUp(error instanceof CloudCallRefused ? error.reason : 'gateway_unavailable')
        }
      }
      return started
    },

    /** Accepts an incoming call. @param start places it. @returns false if it cannot be accepted. */
    async accept(
      instance: InstanceSubject,
      networkId: string,
      start: (onPlaced: (placed: PlacedCall) => void, onAnswer: (sdp: string) => void) => Promise<RunningCall | null>,
    ): Promise<boolean> {
      const { promise: answered, resolve: onAnswer } = Promise.withResolvers<string>()
      let placed: PlacedCall | undefined
      const started = await start((one) => (placed = one), onAnswer)
      if (started === null || placed === undefined) return false
      follow(networkId, { instance, placed, isOver: false }, started)
      void answered
        .then((sdp) => cloud.accept(instance, networkId, sdp))
        .catch((error: unknown) => {
          log.warn({ event: 'voice.not_accepted', cause: cause(error) })
          started.hangUp('gateway_unavailable')
        })
      return true
    },
    /** Resolves once all hangups have been sent to the network. */
    settled: () => Promise.all(telling),
    reject: (instance: InstanceSubject, networkId: string) =>
      quietly(cloud.reject(instance, networkId), 'voice.not_rejected'),
  }
}

export type CloudLegs = ReturnType<typeof createCloudLegs>

const EARLY_AT_MOST = 500
