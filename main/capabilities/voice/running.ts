import { join } from 'node:path'
import { rm } from 'node:fs/promises'
import type { EndReason, TranscriptLine } from '../../contract/voice.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Tx } from '../../kernel/db.ts'
import { systemClock } from '../../kernel/clock.ts'
import { cause } from '../../kernel/log.ts'
import type { CallEnd, CallEvents, CallPlan, PlacedCall } from '../../voice/voice-process.ts'
import { finalStatus } from './call-state.ts'
import { callById, type LiveEnd, endLive, insertLine, setAnswered, setRinging, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { insertRecording, RECORDING_FILE } from './recording-store.ts'

/** How a call is made; the plan without what every call has. */
export interface CallWish extends Pick<
  CallPlan,
  'route' | 'agent' | 'consoleOffer' | 'speech' | 'announcement' | 'title'
> {
  readonly isSandbox: boolean
  readonly ringMs: number
  readonly expiresAtMs: number | null
  readonly events?: Partial<Pick<CallEvents, 'onLocalSdp' | 'onConsoleAnswer' | 'onState'>>
  /** Called once the call was placed, before anything is heard of it. */
  readonly onPlaced?: (placed: PlacedCall) => void
}

export interface RunningCall {
  readonly call: StoredCall
  readonly lines: readonly TranscriptLine[]
  isAnswered(): boolean
  hangUp(reason: EndReason): void
  listen(offer: string): Promise<string | null>
  /** Resolves when its end is durable. Never rejects. */
  readonly ended: Promise<EndReason>
}

interface RunningDeps extends Pick<
  VoiceDeps,
  'db' | 'clock' | 'ids' | 'log' | 'files' | 'live' | 'config' | 'process' | 'agents' | 'onEnded' | 'usage'
> {
  /** Adds what follows a call, in the commit that ends it. */
  readonly afterCall: (tx: Tx, call: StoredCall) => Promise<void>
}

const CALL_LIMIT_MS = 30 * 60_000
const LARGEST_RECORDING = 200 * 1024 * 1024
const AT_SHUTDOWN_MS = 4_000

/** The calls of this process: places them, writes down what becomes of them, and ends them. */
export function createRunning(deps: RunningDeps) {
  const { db, clock, ids, log, files, live, config, process, agents, afterCall, onEnded, usage } = deps
  const running = new Map<string, RunningCall>()
  const folder = join(config.home, 'recordings')
  const partOf = (callId: string) => join(folder, `${callId}.ogg.part`)

  const publish = ({ accountId, id, instanceId }: Pick<StoredCall, 'accountId' | 'id' | 'instanceId'>) =>
    live.publish(accountId, { topic: 'voice', id, instance_id: instanceId })

  /** @param call its row says that it is being dialed, or rings. */
  function start(call: StoredCall, wish: CallWish): RunningCall {
    const lines: TranscriptLine[] = []
    let isAnswered = false
    // One commit after another, so that a call is never answered before it rings.
    let writing: Promise<unknown> = Promise.resolve()
    const write = (act: (tx: Tx) => Promise<unknown>) => {
      writing = writing
        .then(() => db.commit(act))
        .then(() => publish(call))
        .catch((error: unknown) => log.warn({ event: 'voice.not_recorded', callId: call.id, cause: cause(error) }))
    }
    const placed = process.place(planOf(call, wish), {
      onLocalSdp: (sdp) => wish.events?.onLocalSdp?.(sdp),
      onConsoleAnswer: (sdp) => wish.events?.onConsoleAnswer?.(sdp),
      onState(state) {
        if (state === 'in_progress') isAnswered = true
        const now = clock.now()
        write((tx) => (state === 'ringing' ? tx.run(setRinging, call) : tx.run(setAnswered, { id: call.id, now })))
        wish.events?.onState?.(state)
      },
      onLine(line) {
        const position = lines.push(line) - 1
        write((tx) => tx.run(insertLine, rowOf(call.id, position, line)))
      },
      onTurn: (text) => answer(call, lines, text),
    })
    wish.onPlaced?.(placed)
    const ended = placed.ended.then(async (end) => {
      await writing
      const reason = await finish(call, end, { isAnswered, ...wish })
      running.delete(call.id)
      // The instance may have been transferred meanwhile.
      publish((await db.readOne(callById, call).catch(() => undefined)) ?? call)
      return reason
    })
    const runningCall: RunningCall = {
      ...{ call, lines, ended },
      isAnswered: () => isAnswered,
      hangUp: placed.hangUp,
      listen: placed.listen,
    }
    running.set(call.id, runningCall)
    publish(call)
    return runningCall
  }

  const planOf = (call: StoredCall, wish: CallWish): CallPlan => ({
    callId: call.id,
    route: wish.route,
    agent: wish.agent,
    consoleOffer: wish.consoleOffer,
    speech: wish.speech,
    announcement: wish.announcement,
    recordTo: partOf(call.id),
    title: wish.title,
    isSandbox: wish.isSandbox,
    limitMs: CALL_LIMIT_MS,
    ringMs: wish.ringMs,
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

  /**
   * Ends a call that has begun, and counts it.
   * @param payerId who made it, if its instance may have been transferred meanwhile. @returns false: it had ended.
   */
  async function endCall(tx: Tx, end: LiveEnd, payerId?: AccountId): Promise<boolean> {
    if ((await tx.run(endLive, end)) === 0) return false
    const call = await tx.one(callById, end)
    if (call === undefined) return false
    // As `duration_seconds` says it, so that the sum of the calls is what was used.
    const callSeconds = Math.round((end.durationMs ?? 0) / 1_000)
    const { accountId, instanceId } = call
    await usage.add(tx, { accountId: payerId ?? accountId, instanceId, atMs: end.now, calls: 1, callSeconds })
    return true
  }

  /** The recording exists, its row does, and the call has ended: in one commit, after the file is in its place. */
  async function finish(
    call: StoredCall,
    end: CallEnd | null,
    about: { isAnswered: boolean; isSandbox: boolean; expiresAtMs: number | null },
  ): Promise<EndReason> {
    const reason = end?.reason ?? 'app_crashed'
    log.info({ event: 'voice.call_ended', callId: call.id, gateway: call.gateway, reason, ...end?.media })
    const part = partOf(call.id)
    const facts = end === null ? await repaired(part) : end.recording
    const now = clock.now()
    const talkedMs = end === null ? (facts?.durationMs ?? 0) : end.talkedMs
    const durationMs = about.isAnswered ? (talkedMs ?? 0) : null
    const close = async (tx: Tx, recordingId: string | null) => {
      const status = finalStatus(reason, about.isAnswered)
      if (!(await endCall(tx, { id: call.id, status, reason, now, recordingId, durationMs }, call.accountId))) return
      const ended = await tx.one(callById, call)
      if (ended === undefined) return
      await afterCall(tx, ended)
      await onEnded(tx, ended)
    }
    try {
      if (facts === null) {
        await rm(part, { force: true })
        await db.commit((tx) => close(tx, null))
        return reason
      }
      const about2 = { accountId: call.accountId, kind: RECORDING_FILE, name: `${call.id}.ogg`, mimeType: 'audio/ogg' }
      await files.adopt(part, { ...about2, expiresAtMs: null, maxBytes: LARGEST_RECORDING }, async (tx, stored) => {
        const recordingId = ids.uuid()
        const { accountId } = (await tx.one(callById, call)) ?? call
        if (accountId !== call.accountId)
          await files.rehome(tx, { accountId: call.accountId, kind: RECORDING_FILE, id: stored.id }, accountId)
        await tx.run(insertRecording, {
          ...{ seq: await tx.next('voice_recordings'), id: recordingId, fileId: stored.id, size: stored.size },
          ...{ accountId, instanceId: call.instanceId, callId: call.id },
          ...{ direction: call.direction, source: call.source, durationMs: facts.durationMs, peaks: facts.peaks },
          hasAudio: facts.hasAudio ? 1 : 0,
          sandbox: about.isSandbox ? 1 : 0,
          ...{ endedAtMs: now, createdAtMs: now, expiresAtMs: about.expiresAtMs },
        })
        await close(tx, recordingId)
      })
      return reason
    } catch (error) {
      log.error({ event: 'voice.recording_lost', callId: call.id, cause: cause(error) })
      await db
        .commit((tx) => close(tx, null))
        .catch((again: unknown) => log.error({ event: 'voice.end_lost', callId: call.id, cause: cause(again) }))
      return reason
    }
  }

  return {
    start,
    finish,
    end: endCall,
    folder,
    publish,
    find: (callId: string) => running.get(callId),
    ofAccount: (accountId: AccountId) => [...running.values()].filter(({ call }) => call.accountId === accountId),
    all: () => [...running.values()],
    /** Hangs up everything and waits until it is written down. */
    async stop(drainMs: number): Promise<void> {
      const all = [...running.values()]
      for (const one of all) one.hangUp('app_closed')
      if (all.length === 0) return
      const { promise: tooLate, resolve } = Promise.withResolvers<undefined>()
      // Of the machine, since it limits another process and the disk.
      const limit = systemClock.after(Math.min(drainMs, AT_SHUTDOWN_MS), () => resolve(undefined))
      await Promise.race([Promise.all(all.map(({ ended }) => ended)), tooLate])
      limit.cancel()
    },
  }
}

export type Running = ReturnType<typeof createRunning>

const rowOf = (callId: string, position: number, line: TranscriptLine) => ({
  ...{ callId, position, speaker: line.speaker, text: line.text },
  ...{ startMs: line.start_ms, endMs: line.end_ms },
})

/** Loaded for a recording that broke off, and for nothing else: the codec is large. */
const repaired = async (part: string) => (await import('../../voice/repair.ts')).repairRecording(part)
