import type { EventData } from '../../contract/events.ts'
import type { Source } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { InCommit } from '../../kernel/ledger.ts'
import { primaryAgent } from './agent-store.ts'
import type { Chats } from './chats.ts'
import {
  clearPause,
  isPaused,
  openTurnOf,
  setAnsweredByPerson,
  setInbound,
  setPause,
  type ConversationRow,
} from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import { nextOpenMs } from './hours.ts'
import type { Settings, SettingsStore } from './settings.ts'
import { dueOf, LONGEST_BURST_MS, type TurnQueue } from './step.ts'
import { addToTurn, insertTurn, settleUnknown, turnOf } from './turn-store.ts'
import { spokenText } from './utterances.ts'

interface ListenDeps extends Pick<AiDeps, 'clock'> {
  readonly settings: Pick<SettingsStore, 'read'>
  readonly chats: Chats
  readonly turns: TurnQueue
}

interface Heard {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly data: EventData['message.received']
}

/** Sources of messages that a person wrote, with any client. */
const OF_PERSONS: ReadonlySet<Source> = new Set(['console', 'ghl', 'phone'])
/** Types of messages that need no answer. */
const UNANSWERABLE = new Set(['sticker', 'poll_vote', 'unavailable'])
/** Older messages are history, for example after a long time offline. */
const STALE_MS = 24 * 3_600_000
const MESSAGES_OF_A_TURN = 20
const QUESTION_LENGTH = 8_000

/** Reads the messages of the chats in the commits that record them, so each message is answered once or not at all. */
export function createListener({
  clock,
  settings: store,
  chats,
  turns,
}: ListenDeps): InCommit<'message.sent' | 'message.received'> {
  return {
    phase: 'derive',
    on: ['message.sent', 'message.received'],
    run: async (tx, event) => {
      if (event.type === 'message.sent') {
        if (OF_PERSONS.has(event.data.source)) await personWrote(tx, event, event.data.chat, true)
        if (event.origin?.kind === 'agent') {
          const { turnSeq, part } = event.origin
          await tx.run(settleUnknown, { turnSeq, part })
        }
      } else if (event.data.from_me) await personWrote(tx, event, event.data.chat, false)
      else await received(tx, event)
    },
  }

  async function personWrote(
    tx: Tx,
    { instanceId, accountId }: Pick<Heard, 'instanceId' | 'accountId'>,
    chat: string,
    isFromHere: boolean,
  ): Promise<void> {
    const settings = await store.read(tx, instanceId)
    if (!settings.enabled || (settings.ignore_groups && isGroup(chat))) return
    const conversation = await chats.ensure(tx, { instanceId, accountId, chat })
    const now = clock.now()
    const { seq } = conversation
    const untilMs = now + settings.pause_on_human_minutes * 60_000
    // A longer pause is kept.
    const isLonger = isPaused(conversation, now) && (conversation.pausedUntilMs ?? Infinity) > untilMs
    // A message sent from here takes the chat back from Meta's agent.
    const isTakenBack = isFromHere && conversation.metaAgentAtMs !== null
    if (!isLonger || isTakenBack) await tx.run(setPause, { seq, untilMs, reason: 'person', now })
    await tx.run(setAnsweredByPerson, { seq, now })
    await chats.dropUnsent(tx, conversation, 'person')
    chats.notify(tx, { instanceId, accountId })
  }

  async function received(tx: Tx, { instanceId, accountId, data }: Heard): Promise<void> {
    const settings = await store.read(tx, instanceId)
    if (!settings.enabled || (settings.ignore_groups && data.is_group) || UNANSWERABLE.has(data.type)) return
    const now = clock.now()
    const atMs = Date.parse(data.timestamp)
    const text = spokenText({ type: data.type, text: data.text, caption: data.media?.caption ?? null })
    if (text === '' || now - atMs > STALE_MS) return
    if ((await tx.one(primaryAgent, { instanceId })) === undefined) return
    const { chat } = data
    const conversation = await chats.ensure(tx, { instanceId, accountId, chat })
    const { seq } = conversation
    await tx.run(setInbound, { seq, at: Math.min(atMs, now), now })
    await chats.dropUnsent(tx, conversation, 'person_answered', ['follow_up'])
    chats.notify(tx, { instanceId, accountId })
    // The message came to us, so Meta's agent no longer answers: its own messages arrive with a handover of the same
    // time.
    const isBackFromMeta = conversation.metaAgentAtMs !== null && atMs > conversation.metaAgentAtMs
    if (isPaused(conversation, now) && !isBackFromMeta) return
    // The pause has ended.
    if (conversation.paused === 1) await tx.run(clearPause, { seq, now })
    await ask(tx, conversation, settings, text, now)
  }

  /** Adds to the waiting turn, or opens a new one. */
  async function ask(tx: Tx, conversation: ConversationRow, settings: Settings, text: string, now: number) {
    const { seq, id, openTurn, nextTurn, instanceId, chat, accountId } = conversation
    const due = (sinceMs: number) => {
      const calmAtMs = Math.min(now + settings.debounce_seconds * 1_000, Math.max(now, sinceMs + LONGEST_BURST_MS))
      return nextOpenMs(settings.business_hours, settings.timezone, calmAtMs)
    }
    const open = openTurn === null ? undefined : await tx.one(turnOf, { conversationSeq: seq, turn: openTurn })
    if (open !== undefined && open.kind === 'reply' && open.revision < MESSAGES_OF_A_TURN) {
      const question = `${open.question}\n${text}`.slice(0, QUESTION_LENGTH)
      if ((await tx.run(addToTurn, { seq: open.seq, question, dueAtMs: due(open.firstAtMs) })) === 1) return
    }
    const turn = { seq: await tx.next('ai_turns'), conversationSeq: seq, turn: nextTurn, kind: 'reply' as const }
    const dueAtMs = due(now)
    const question = text.slice(0, QUESTION_LENGTH)
    await tx.run(insertTurn, { ...turn, instanceId, chat, accountId, question, now, dueAtMs })
    await tx.run(openTurnOf, { seq, turn: nextTurn, next: nextTurn + 1 })
    const place = { id, instanceId, chat, accountId }
    await turns.add(tx, { conversation: place, ...turn, due: dueOf(clock, { firstAtMs: now, dueAtMs }) })
  }
}

const isGroup = (chat: string): boolean => chat.endsWith('@g.us')
