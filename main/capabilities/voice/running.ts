import type { EndReason, TranscriptLine } from '../../contract/voice.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import { cause } from '../../kernel/log.ts'
import { atMost, startTimeout } from '../../kernel/timeout.ts'
import type { CallEvents, CallPlan, PlacedCall } from '../../voice/voice-process.ts'
import { callById, endTransfer, insertLine, setHeld, setRinging, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { type Ending, type Endings, rowOf } from './ending.ts'
import type { Standing } from './standing.ts'

/** The properties of a call; the plan without those that all calls share. */
export interface CallWish extends Pick<
  CallPlan,
  'route' | 'agent' | 'consoleOffer' | 'speech' | 'announcement' | 'title'
> {
  readonly isSandbox: boolean
  readonly ringMs: number
  readonly expiresAtMs: number | null
  readonly events?: Partial<Pick<CallEvents, 'onLocalSdp' | 'onConsoleAnswer' | 'onState'>>
  /** Called after the call was placed, before its first event. */
  readonly onPlaced?: (placed: PlacedCall) => void
}

export interface RunningCall {
  readonly call: StoredCall
  readonly lines: readonly TranscriptLine[]
  /** The call was answered and has not ended. */
  isAnswered(): boolean
  /** The called person answers by hand. Works only with a simulated phone. */
  pickUp(): void
  hangUp(reason: EndReason): void
  /** Says goodbye, then hangs up. */
  sayGoodbye(reason: EndReason): void
  /** Resolves when its effect is stored. Never rejects. */
  control: PlacedCall['control']
  listen: PlacedCall['listen']
  /** Resolves when its end is durable, or when the service stops before that. Never rejects. */
  readonly ended: Promise<EndReason>
}

/** A call that rings here and is not answered yet. */
interface RingingCall extends RunningCall {
  /** Answers the call; it ends when the returned call ends. */
  becomes(wish: CallWish): RunningCall
}

interface RunningDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'log' | 'live' | 'process' | 'agents'> {
  readonly endings: Endings
  readonly standing: Pick<Standing, 'endReason'>
}

const CALL_LIMIT_MS = 30 * 60_000
/** Time limit for the first audio. Strangers can start widget calls, each of which occupies a channel meanwhile. */
const MEDIA_MS = 20_000
const WIDGET_MEDIA_MS = 10_000
const RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
const AT_SHUTDOWN_MS = 3_500
/** Part of the time reserved for storing recordings and rows; the rest is for goodbyes. */
const WRITTEN_WITHIN_MS = 1_000

/** The running calls of this process: places them, stores their progress, and ends them. */
export function createRunning(deps: RunningDeps) {
  const { db, clock, log, live, process, agents, endings, standing } = deps
  const running = new Map<string, RunningCall>()
  const ringing = new Map<string, RingingCall>()
  const stopped = Promise.withResolvers<undefined>()
  let isStopping = false
  let isStopped = false

  const publish = ({ accountId, id, instanceId }: Pick<StoredCall, 'accountId' | 'id' | 'instanceId'>) =>
    live.publish(accountId, { topic: 'voice', id, instance_id: instanceId })

  /** @param call a row with the status of a dialed or ringing call. */
  function start(call: StoredCall, wish: CallWish): RunningCall {
    const lines: TranscriptLine[] = []
    let answeredAtMs: number | null = null
    let isOver = false
    let askedReason: EndReason | undefined
    let isIncomplete = false
    // Commits run one after another, so that no call is answered before it rings.
    let writing: Promise<unknown> = Promise.resolve()
    const write = (act: (tx: Tx) => Promise<unknown>) => {
      writing = writing
        .then(() => db.commit(act))
        .then(() => publish(call))
        .catch((error: unknown) => {
          // Stored with the end of the call.
          isIncomplete = true
          log.warn({ event: 'voice.not_recorded', callId: call.id, cause: cause(error) })
        })
    }
    const placed = process.place(planOf(call, wish), {
      onLocalSdp: (sdp) => wish.events?.onLocalSdp?.(sdp),
      onConsoleAnswer: (sdp) => wish.events?.onConsoleAnswer?.(sdp),
      onState(state) {
        const now = clock.now()
        if (state === 'in_progress') answeredAtMs ??= now
        write((tx) => (state === 'ringing' ? tx.run(setRinging, call) : endings.answer(tx, call, now)))
        wish.events?.onState?.(state)
      },
      onLine(line) {
        const position = lines.push(line) - 1
        write((tx) => tx.run(insertLine, rowOf(call.id, position, line)))
      },
      onHeld(isHeld) {
        const heldAtMs = isHeld ? clock.now() : null
        write((tx) => tx.run(setHeld, { id: call.id, heldAtMs }))
      },
      onNotTransferred(failure) {
        const status = failure === null ? 'unknown' : 'failed'
        write((tx) => tx.run(endTransfer, { id: call.id, status, failure }))
      },
      onTurn: (text) => answer(call, lines, text),
    })
    wish.onPlaced?.(placed)
    const ended = placed.ended.then(async (end) => {
      isOver = true
      const endedAtMs = clock.now()
      await writing
      const reason = end?.reason ?? askedReason ?? 'app_crashed'
      log.info({ event: 'voice.call_ended', callId: call.id, gateway: call.gateway, reason, ...end?.media })
      await writeEnd({
        ...{ call, reason, endedAtMs, answeredAtMs, heard: end, lines: isIncomplete ? lines : [] },
        ...{ isSandbox: wish.isSandbox, expiresAtMs: wish.expiresAtMs },
      })
      running.delete(call.id)
      // The instance may have been transferred meanwhile.
      publish((await db.readOne(callById, call).catch(() => undefined)) ?? call)
      return reason
    })
    const runningCall: RunningCall = {
      ...{ call, lines, ended },
      isAnswered: () => answeredAtMs !== null && !isOver,
      pickUp: () => placed.remoteState('accepted'),
      hangUp(reason) {
        askedReason ??= reason
        placed.hangUp(reason)
      },
      sayGoodbye(reason) {
        askedReason ??= reason
        placed.sayGoodbye(reason)
      },
      async control(control) {
        const result = await placed.control(control)
        await writing
        return result
      },
      listen: placed.listen,
    }
    running.set(call.id, runningCall)
    publish(call)
    // The account may have been suspended since the check at the start.
    void endIfRefused(runningCall)
    return runningCall
  }

  async function endIfRefused({ call, hangUp }: RunningCall): Promise<void> {
    try {
      const reason = await standing.endReason(call)
      if (reason !== null) hangUp(reason)
    } catch (error) {
      log.error({ event: 'voice.standing_not_known', callId: call.id, cause: cause(error) })
    }
  }

  /**
   * Rings until the call is answered, the caller hangs up or the time is over.
   * @param call a row with the status of a ringing call.
   */
  function ring(call: StoredCall, ringMs: number, isSandbox: boolean): RunningCall {
    const { promise: ended, resolve } = Promise.withResolvers<EndReason>()
    const limit = startTimeout(clock, ringMs, () => end('no_answer'))
    let taken: RunningCall | undefined
    function becomes(wish: CallWish): RunningCall {
      limit.cancel()
      ringing.delete(call.id)
      taken = start(call, wish)
      void taken.ended.then(resolve)
      return taken
    }
    function end(asked: EndReason): void {
      if (taken !== undefined) return taken.hangUp(asked)
      if (!ringing.delete(call.id)) return
      limit.cancel()
      // Hanging up before answering declines the call.
      const reason = asked === 'operator_hung_up' || asked === 'canceled' ? 'rejected' : asked
      const ending = { call, reason, endedAtMs: clock.now(), answeredAtMs: null, heard: null, lines: [] }
      void writeEnd({ ...ending, isSandbox, expiresAtMs: null }).then(() => {
        running.delete(call.id)
        publish(call)
        resolve(reason)
      })
    }
    const one: RingingCall = {
      ...{ call, lines: [], ended, becomes, hangUp: end, sayGoodbye: end },
      isAnswered: () => false,
      pickUp() {},
      control: () => Promise.resolve({ ok: false, why: 'not_running' }),
      listen: () => Promise.resolve(null),
    }
    ringing.set(call.id, one)
    running.set(call.id, one)
    publish(call)
    return one
  }

  const planOf = (call: StoredCall, wish: CallWish): CallPlan => ({
    callId: call.id,
    route: wish.route,
    agent: wish.agent,
    consoleOffer: wish.consoleOffer,
    speech: wish.speech,
    announcement: wish.announcement,
    recordTo: endings.partOf(call.id),
    title: wish.title,
    isSandbox: wish.isSandbox,
    limitMs: CALL_LIMIT_MS,
    ringMs: wish.ringMs,
    mediaMs: call.gateway === 'widget' ? WIDGET_MEDIA_MS : MEDIA_MS,
  })

  async function answer(call: StoredCall, lines: readonly TranscriptLine[], text: string) {
    const { accountId, instanceId, agentId, id: callId } = call
    const number = call.direction === 'outbound' ? call.toNumber : call.fromNumber
    if (agentId === null) return { text: null, hangUp: false }
    try {
      return await agents.answer({ accountId, instanceId, agentId, callId, number, history: [...lines], text })
    } catch (error) {
      log.warn({ event: 'voice.agent_failed', callId, cause: cause(error) })
      return { text: 'I am sorry, I cannot answer that right now. Somebody will get back to you.', hangUp: false }
    }
  }

  /** Retries until it is stored or the service stops; the next start then ends the call. */
  async function writeEnd(ending: Ending): Promise<void> {
    const { call, reason } = ending
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      try {
        return await endings.write(ending)
      } catch (error) {
        log.error({ event: 'voice.end_not_written', callId: call.id, reason, nextInMs: waitMs, cause: cause(error) })
      }
      await pause(waitMs)
      if (isStopped) return
    }
  }

  /** Waits, but no longer than until the service stops. */
  function pause(ms: number): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const timer = startTimeout(clock, ms, () => resolve(undefined))
    void stopped.promise.then(resolve)
    return promise.finally(() => timer.cancel())
  }

  return {
    start,
    ring,
    /** A person answers a call that rings here. @returns undefined if it no longer rings. */
    answer: (callId: string, wish: CallWish): RunningCall | undefined => ringing.get(callId)?.becomes(wish),
    publish,
    find: (callId: string) => running.get(callId),
    all: () => [...running.values()],
    /** Hangs up calls of accounts that may no longer have them. */
    endRefused: () => running.forEach((one) => void endIfRefused(one)),
    /** Whether new calls are refused. */
    isStopping: () => isStopping,
    /** Says goodbye in all calls, hangs up, and waits until that is stored. */
    async stop(drainMs: number): Promise<void> {
      isStopping = true
      const limitMs = Math.min(drainMs, AT_SHUTDOWN_MS)
      // Uses the machine's clock, because it limits another process and the disk.
      const startedAt = systemClock.mono()
      for (const one of running.values()) one.sayGoodbye('app_closed')
      await allEnded(limitMs - WRITTEN_WITHIN_MS)
      for (const one of running.values()) one.hangUp('app_closed')
      await allEnded(limitMs - (systemClock.mono() - startedAt))
      isStopped = true
      stopped.resolve(undefined)
    },
  }

  async function allEnded(withinMs: number): Promise<void> {
    if (running.size === 0 || withinMs <= 0) return
    await atMost(systemClock, withinMs, Promise.all([...running.values()].map(({ ended }) => ended)))
  }
}

export type Running = ReturnType<typeof createRunning>
