import type { Conversation } from '../../contract/ai-conversation.ts'
import { USER_ID } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Chats } from './chats.ts'
import type { Turn } from './contract/conversations.ts'
import {
  clearPause,
  conversationOf,
  conversationsPage,
  isPaused,
  setPause,
  waitingPage,
  type ConversationRow,
} from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import type { Settings, SettingsStore } from './settings.ts'
import { turnsPage, type StoredDecision, type TurnRow } from './turn-store.ts'

interface ConversationsDeps extends Pick<AiDeps, 'db' | 'clock' | 'cursors' | 'messages'> {
  readonly settings: Pick<SettingsStore, 'read'>
  readonly chats: Chats
}

interface PageWish {
  readonly limit?: number
  readonly cursor?: string
}

export type Conversations = ReturnType<typeof createConversations>

/** A number, a hidden id or a group. */
const CHAT = new RegExp(`^(\\d{7,20}|${USER_ID}|[\\w.-]{1,60}@[a-z.]{1,20})$`)
const MOST = Number.MAX_SAFE_INTEGER

/** Lists conversations for people, and lets them take over. */
export function createConversations({ db, clock, cursors, messages, settings: store, chats }: ConversationsDeps) {
  const outside = { one: db.readOne }

  const show = (row: ConversationRow | undefined, chat: string, settings: Settings): Conversation =>
    toRecord(row ?? unknown(chat), settings.enabled, clock.now())

  /** @throws ApiError not_found */
  const requireChat = (chat: string): void => {
    if (!CHAT.test(chat)) throw new ApiError('not_found', 'This is neither a phone number nor the id of a chat.')
  }

  /** @throws ApiError not_found for a chat without a message */
  async function find(instanceId: InstanceSubject['id'], chat: string): Promise<ConversationRow | undefined> {
    requireChat(chat)
    const row = await db.readOne(conversationOf, { instanceId, chat })
    if (row !== undefined) return row
    const { data } = await messages.thread(instanceId, chat, { limit: 1 })
    if (data.length > 0) return undefined
    throw new ApiError('not_found', 'This instance has no conversation with this number.')
  }

  return {
    find,
    requireChat,

    async get({ id: instanceId }: InstanceSubject, chat: string): Promise<Conversation> {
      const row = await find(instanceId, chat)
      return show(row, chat, await store.read(outside, instanceId))
    },

    async list(
      { id: instanceId, accountId }: InstanceSubject,
      { filter = 'all', ...wish }: PageWish & { readonly filter?: 'all' | 'waiting' },
    ) {
      const settings = await store.read(outside, instanceId)
      return listPage(cursors, `ai-conversations:${instanceId}:${filter}`, wish, {
        read: ({ after: [beforeAt = MOST, before = MOST] = [], rows }) => {
          const page = { instanceId, beforeAt: Number(beforeAt), before: Number(before), rows }
          return filter === 'all' ? db.read(conversationsPage, page) : db.read(waitingPage, { ...page, accountId })
        },
        at: ({ changedAtMs, seq }) => [changedAtMs, seq],
        show: (found) => found.map((row) => show(row, row.chat, settings)),
      })
    },

    async turns({ id: instanceId }: InstanceSubject, chat: string, wish: PageWish) {
      const conversation = await find(instanceId, chat)
      return listPage(cursors, `ai-turns:${instanceId}:${chat}`, wish, {
        read: async ({ after: [before = MOST] = [], rows }) =>
          conversation ? db.read(turnsPage, { conversationSeq: conversation.seq, before: Number(before), rows }) : [],
        at: ({ turn }) => [turn],
        show: (turns) => turns.map(toTurn),
      })
    },

    /** @param minutes null: until the agent is resumed; undefined: as long as after a message from a person. */
    async pause(
      { id: instanceId, accountId }: InstanceSubject,
      chat: string,
      minutes: number | null | undefined,
    ): Promise<Conversation> {
      requireChat(chat)
      return db.commit(async (tx) => {
        const settings = await store.read(tx, instanceId)
        const { seq } = await chats.ensure(tx, { instanceId, accountId, chat })
        const now = clock.now()
        const length = minutes === undefined ? settings.pause_on_human_minutes : minutes
        const untilMs = length === null ? null : now + length * 60_000
        await tx.run(setPause, { seq, untilMs, reason: 'user', now })
        await chats.dropUnsent(tx, { seq }, 'user')
        chats.notify(tx, { accountId, instanceId })
        return show(await tx.one(conversationOf, { instanceId, chat }), chat, settings)
      })
    },

    async resume({ id: instanceId, accountId }: InstanceSubject, chat: string): Promise<Conversation> {
      requireChat(chat)
      return db.commit(async (tx) => {
        const settings = await store.read(tx, instanceId)
        const row = await tx.one(conversationOf, { instanceId, chat })
        if (row !== undefined && (row.paused === 1 || row.waiting === 1)) {
          await tx.run(clearPause, { seq: row.seq, now: clock.now() })
          chats.notify(tx, { accountId, instanceId })
        }
        return show(row && (await tx.one(conversationOf, { instanceId, chat })), chat, settings)
      })
    },
  }
}

/** The record of a chat without any agent activity. */
const unknown = (chat: string) => ({
  ...{
    chat,
    agentId: null,
    stageId: null,
    paused: 0 as const,
    pausedUntilMs: null,
    pauseReason: null,
    metaAgentAtMs: null,
  },
  ...{ handoffReason: null, handoffDetail: null, handoffAtMs: null, waiting: 0 as const, summary: null },
  ...{ answeredBy: null, lastInboundAtMs: null, lastAnswerAtMs: null, followUps: 0, followUpAtMs: null },
  ...{ rest: null, restTurn: null, changedAtMs: null },
})

const reasonOf = ({ metaAgentAtMs, pauseReason }: Pick<ConversationRow, 'metaAgentAtMs' | 'pauseReason'>) =>
  metaAgentAtMs === null ? pauseReason : 'meta_agent'

function toRecord(
  row: Omit<
    ConversationRow,
    'seq' | 'id' | 'instanceId' | 'accountId' | 'nextTurn' | 'openTurn' | 'repeatedText' | 'repeats' | 'changedAtMs'
  > & { readonly changedAtMs: number | null },
  isEnabled: boolean,
  nowMs: number,
): Conversation {
  const paused = isPaused(row, nowMs)
  return {
    phone: row.chat,
    ai_active: isEnabled && !paused,
    paused_until: paused ? isoTimeOrNull(row.pausedUntilMs) : null,
    pause_reason: paused ? reasonOf(row) : null,
    ...{ agent_id: row.agentId, stage_id: row.stageId, summary: row.summary },
    handoff:
      row.handoffReason === null || row.handoffAtMs === null
        ? null
        : {
            ...{ reason: row.handoffReason, detail: row.handoffDetail, at: isoTime(row.handoffAtMs) },
            waiting: row.waiting === 1,
          },
    answered_by: row.answeredBy,
    last_inbound_at: isoTimeOrNull(row.lastInboundAtMs),
    last_answer_at: isoTimeOrNull(row.lastAnswerAtMs),
    follow_up: { sent: row.followUps, due_at: isoTimeOrNull(row.followUpAtMs) },
    updated_at: isoTimeOrNull(row.changedAtMs),
  }
}

function toTurn(row: TurnRow): Turn {
  // This column is written only by this room.
  const decision = row.decision === null ? null : (JSON.parse(row.decision) as StoredDecision)
  return {
    ...{ turn: row.turn, state: row.state, kind: row.kind, question: row.question },
    reply: decision?.reply ?? null,
    message_ids: JSON.parse(row.messageIds) as string[],
    ...{ reason: row.reason, detail: row.detail, source: row.source, agent_id: row.agentId, stage_id: row.stageId },
    sources: [...(decision?.sources ?? [])],
    tool_calls: [...(decision?.toolCalls ?? [])],
    usage: usageRecord(row),
    created_at: isoTime(row.createdAtMs),
    ended_at: isoTimeOrNull(row.endedAtMs),
  }
}

/** Usage of a turn or a decision, as returned by the API. */
export const usageRecord = (usage: {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number | null
  readonly durationMs: number
}) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cost_usd: usage.costMicros === null ? null : usage.costMicros / 1_000_000,
  duration_ms: usage.durationMs,
})
