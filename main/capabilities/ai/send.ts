import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Messages, SendResult } from '../messages/index.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Chats } from './chats.ts'
import { conversationBySeq, isPaused, setAnsweredByAgent, setRest, type ConversationRow } from './conversation-store.ts'
import { countDaily } from './daily.ts'
import type { AiDeps } from './deps.ts'
import type { FollowUps } from './follow-up.ts'
import { isForNobody } from './opted-out.ts'
import type { SettingsStore } from './settings.ts'
import { END, waitUntil, type Step } from './step.ts'
import { countTry, endTurn, partSent, turnBySeq, type Part, type StoredDecision, type TurnRow } from './turn-store.ts'
import { hasPersonWritten } from './utterances.ts'

interface SendDeps extends Pick<AiDeps, 'db' | 'clock' | 'instances' | 'messages' | 'safety' | 'optOuts'> {
  readonly settings: Pick<SettingsStore, 'read'>
  readonly chats: Chats
  readonly followUps: Pick<FollowUps, 'schedule'>
}

type Message = Awaited<ReturnType<Messages['getByKey']>>

/** @param isRepeat an earlier run may have sent something. */
export type Sender = (turnSeq: number, isRepeat: boolean, signal: AbortSignal) => Promise<Step>

/** Errors after which nothing was sent and a later attempt may succeed. */
const PASSING: Partial<Record<ErrorCode, number>> = {
  not_ready: 15_000,
  rate_limited: 10_000,
  service_unavailable: 5_000,
  storage_full: 60_000,
  sealed: 60_000,
  upstream_unavailable: 10_000,
}
const LONGEST_DELAY_MS = 60_000
/** After this time, a person has to answer instead. */
const LATEST_MS = 2 * 3_600_000

/**
 * Sends the parts of a decision in order, each with its own Idempotency-Key. Before each part it checks whether a
 * person has taken over. After an interruption, the result of a send is looked up by its key; an unknown result is
 * final.
 */
export function createSender(deps: SendDeps): Sender {
  const { db, clock, instances, messages, safety, optOuts, settings: store, chats, followUps } = deps

  return async (turnSeq, isRepeat, signal) => {
    for (let looks = isRepeat; ; looks = false) {
      signal.throwIfAborted()
      const turn = await db.readOne(turnBySeq, { seq: turnSeq })
      if (turn === undefined || turn.endedAtMs !== null || turn.decision === null) return END
      // This column is written only by this room.
      const decision = JSON.parse(turn.decision) as StoredDecision
      const part = decision.parts[turn.sentParts]
      if (part === undefined) return finish(turn, decision)
      const step = await sendPart(turn, part, looks || turn.tries > 0)
      if (step !== undefined) return step
    }
  }

  /** @returns undefined when the part was sent. */
  async function sendPart(turn: TurnRow, part: Part, looks: boolean): Promise<Step | undefined> {
    const { instanceId, accountId, chat } = turn
    const conversation = await db.readOne(conversationBySeq, { seq: turn.conversationSeq })
    if (conversation === undefined) return end(turn, 'skipped', 'deleted')
    const key = keyOf(conversation, turn)
    const known = looks ? await messageOf(turn, key) : undefined
    if (known !== undefined) return recordKnown(turn, known)
    const sender = senderOf(turn)
    for (const side of new Set([instanceId, sender]))
      if (await hasPersonWritten(messages, side, chat, turn.firstAtMs))
        return db.commit((tx) => leave(tx, turn, 'person'))
    const instance = await instances.subject(accountId, sender)
    if (instance === undefined || instance.deleted) return end(turn, 'skipped', 'deleted')
    const claimed = await db.commit((tx) => claim(tx, turn, instance))
    if (claimed !== undefined) return claimed
    const body = bodyOf(part, chat)
    const result = await messages
      .send({
        ...{ instance, body, rawBody: () => body, source: 'ai', idempotencyKey: key },
        origin: { kind: 'agent', turnSeq: turn.seq, part: turn.sentParts },
      })
      .catch((error: unknown): SendResult => {
        if (error instanceof ApiError) return { kind: 'not_sent', error }
        throw error
      })
    return record(turn, result)
  }

  /** @returns undefined if the part may be sent now. */
  async function claim(
    tx: Tx,
    { seq }: TurnRow,
    { id: instanceId, network }: InstanceSubject,
  ): Promise<Step | undefined> {
    const turn = await tx.one(turnBySeq, { seq })
    const conversation = turn && (await tx.one(conversationBySeq, { seq: turn.conversationSeq }))
    if (turn === undefined || turn.endedAtMs !== null || conversation === undefined) return END
    const { accountId, chat } = turn
    // A handoff pauses the chat itself; its own turn still sends.
    if (isPaused(conversation, clock.now()) && conversation.pauseReason !== 'handoff')
      return leave(tx, turn, conversation.pauseReason ?? 'paused')
    if (turn.kind === 'follow_up' && conversation.nextTurn > turn.turn + 1) return leave(tx, turn, 'person_answered')
    if (await isForNobody(tx, turn, optOuts)) return leave(tx, turn, 'opted_out')
    await tx.run(countTry, { seq })
    if (network !== 'live') return undefined
    const atMs = clock.now()
    const answer = await safety.claim(tx, { accountId, instanceId, phone: chat, cold: false, atMs, limits: {} })
    if (answer.kind === 'granted') return undefined
    if (answer.kind === 'wait' && answer.untilMs - turn.firstAtMs <= LATEST_MS)
      return waitUntil(dueAt(clock, answer.untilMs))
    return giveUp(tx, turn, answer.reason)
  }

  async function record(turn: TurnRow, result: SendResult): Promise<Step | undefined> {
    if (result.kind === 'unknown') return recordUnknown(turn)
    if (!('error' in result)) {
      if (result.kind === 'accepted') return recordSent(turn, result.messageId)
      return db.commit((tx) => giveUp(tx, turn, 'refused'))
    }
    const { error } = result
    const delayMs = PASSING[error.code]
    const isLate = clock.now() - turn.firstAtMs > LATEST_MS
    return db.commit(async (tx): Promise<Step> => {
      await safety.release(tx, { instanceId: senderOf(turn), phone: turn.chat })
      if (delayMs === undefined || isLate) return giveUp(tx, turn, error.code)
      return waitUntil(dueIn(clock, Math.min(delayMs * (turn.tries + 1), LONGEST_DELAY_MS)))
    })
  }

  async function recordKnown(turn: TurnRow, { id, status, engineMessageId }: Message): Promise<Step | undefined> {
    if (status === 'failed') return db.commit((tx) => giveUp(tx, turn, 'refused'))
    if (status === 'queued' && engineMessageId === null) return recordUnknown(turn)
    return recordSent(turn, id)
  }

  async function recordSent({ seq }: TurnRow, messageId: string): Promise<undefined> {
    await db.commit(async (tx) => {
      const turn = await tx.one(turnBySeq, { seq })
      if (turn === undefined) return
      const ids = [...(JSON.parse(turn.messageIds) as string[]), messageId]
      await tx.run(partSent, { seq, sentParts: turn.sentParts + 1, messageIds: JSON.stringify(ids) })
    })
  }

  /**
   * The part may have been sent, so sending it again could duplicate it. Later parts are dropped, because they make
   * no sense without it; a person reads what arrived and continues.
   */
  async function recordUnknown(turn: TurnRow): Promise<Step> {
    const { parts, becomes } = JSON.parse(turn.decision ?? '{}') as StoredDecision
    const isLast = turn.sentParts + 1 >= parts.length
    const conversation = await db.readOne(conversationBySeq, { seq: turn.conversationSeq })
    if (isLast || becomes !== 'answered' || turn.kind !== 'reply' || conversation === undefined)
      return end(turn, 'unknown', 'outcome_unknown')
    return db.commit(async (tx) => {
      const settings = await store.read(tx, turn.instanceId)
      const detail = `${turn.sentParts + 1}/${parts.length}`
      await chats.handOver(tx, { turn, conversation, settings }, { reason: 'partly_sent', detail }, { text: null })
      return END
    })
  }

  async function finish(turn: TurnRow, { becomes, rest }: StoredDecision): Promise<Step> {
    await db.commit(async (tx) => {
      const now = clock.now()
      const { seq, conversationSeq } = turn
      if ((await tx.run(endTurn, { seq, state: becomes, reason: null, detail: null, now })) === 0) return
      await tx.run(setAnsweredByAgent, { seq: conversationSeq, now })
      chats.notify(tx, turn)
      if (becomes !== 'answered') return
      if (rest !== undefined) await tx.run(setRest, { seq: conversationSeq, rest, turn: rest && turn.turn })
      const { timezone } = await store.read(tx, turn.instanceId)
      const counts = turn.kind === 'reply' ? { answered: 1 } : { followUps: 1 }
      await countDaily(tx, { ...turn, timezone, nowMs: now }, counts)
      await followUps.schedule(tx, turn)
    })
    return END
  }

  function end(turn: TurnRow, state: 'skipped' | 'unknown', reason: string): Promise<Step> {
    return db.commit(async (tx) => {
      await tx.run(endTurn, { seq: turn.seq, state, reason, detail: null, now: clock.now() })
      chats.notify(tx, turn)
      return END
    })
  }

  /** Parts that were already sent still count as an answer. */
  async function leave(tx: Tx, turn: TurnRow, reason: string): Promise<Step> {
    const state = turn.sentParts > 0 ? 'answered' : 'skipped'
    await tx.run(endTurn, { seq: turn.seq, state, reason, detail: null, now: clock.now() })
    chats.notify(tx, turn)
    return END
  }

  /** Leaves the chat to a person, because this answer cannot be sent. */
  async function giveUp(tx: Tx, turn: TurnRow, detail: string): Promise<Step> {
    const conversation = await tx.one(conversationBySeq, { seq: turn.conversationSeq })
    if (conversation === undefined || turn.kind === 'follow_up') {
      await tx.run(endTurn, { seq: turn.seq, state: 'skipped', reason: 'not_sent', detail, now: clock.now() })
      return END
    }
    const settings = await store.read(tx, turn.instanceId)
    await chats.handOver(tx, { turn, conversation, settings }, { reason: 'not_sent', detail }, { text: null })
    return END
  }

  async function messageOf(turn: TurnRow, key: string): Promise<Message | undefined> {
    try {
      return await messages.getByKey(senderOf(turn), key)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    }
  }
}

/** The instance that sends the answer. */
const senderOf = ({ sendsFrom, instanceId }: TurnRow): InstanceId => sendsFrom ?? instanceId

/** The key of the next part. */
const keyOf = ({ id }: ConversationRow, { turn, sentParts }: TurnRow): string =>
  sentParts === 0 ? `ai:${id}:${turn}` : `ai:${id}:${turn}:${sentParts}`

function bodyOf(part: Part, to: string) {
  switch (part.kind) {
    case 'text':
      return { to, text: part.text }
    case 'media': {
      const { mediaId, mediaType, filename } = part
      const named = mediaType === 'document' && filename !== null ? { filename } : {}
      return { to, media_id: mediaId, media_type: mediaType as 'image', ...named }
    }
    case 'template':
      return { to, cloud_api: { type: 'template', template: { name: part.name, language: { code: part.language } } } }
  }
}
