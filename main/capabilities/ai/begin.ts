import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { HandoffReason } from '../../contract/ai-conversation.ts'
import type { Hold } from '../../engines/engine.ts'
import type { Tx } from '../../kernel/db.ts'
import { appointmentAt, dueIn } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { fold } from '../../kernel/search/index.ts'
import type { Agent } from './agent-store.ts'
import type { Agents } from './agents.ts'
import type { Chats } from './chats.ts'
import { closeTurnOf, conversationBySeq, isPaused, setRepeats, type ConversationRow } from './conversation-store.ts'
import { limitReached } from './daily.ts'
import type { AiDeps } from './deps.ts'
import { nextOpenMs } from './hours.ts'
import { isForNobody } from './opted-out.ts'
import type { Settings, SettingsStore } from './settings.ts'
import { setRefused } from './settings-store.ts'
import type { Stage } from './stage-store.ts'
import type { Stages } from './stages.ts'
import { asksForPerson, handoffText } from './handoff.ts'
import { longReply, wantedRest } from './long-replies.ts'
import { dueOf, END, SEND, waitUntil, type Step } from './step.ts'
import {
  answeredSince,
  endTurn,
  setDecision,
  setSendsFrom,
  setThinking,
  turnBySeq,
  unendedBefore,
  type StoredDecision,
  type TurnRow,
} from './turn-store.ts'
import { isUnreadable } from './utterances.ts'

interface BeginDeps extends Pick<
  AiDeps,
  'db' | 'clock' | 'instances' | 'fusion' | 'optOuts' | 'providers' | 'refusalOf'
> {
  readonly settings: Pick<SettingsStore, 'read'>
  readonly agents: Pick<Agents, 'primary'>
  readonly stages: Pick<Stages, 'of'>
  readonly chats: Chats
}

/** Everything that the agent needs for an answer. */
export interface Begun {
  readonly kind: 'think'
  readonly turn: TurnRow
  readonly agent: Agent
  readonly stages: readonly Stage[]
  readonly stageId: string | null
  readonly settings: Settings
}

export type Begin = (turnSeq: number) => Promise<Step | Begun>

const TEN_MINUTES_MS = 600_000
const HOUR_MS = 3_600_000
const ANSWERS_IN_TEN_MINUTES = 10
/** A text that arrives for the third time in a row probably comes from a bot. */
const SAME_IN_A_ROW = 3
const LOOK_AGAIN_MS = 2_000
/** Only phone numbers are the same on every engine; hidden ids differ. */
const NUMBER = /^\d+$/
/** The longest wait for a number that cannot send, and the interval of checks. */
const HELD_MOST_MS = 30 * 60_000
const HELD_MS = 10_000

/**
 * Decides in one commit whether a turn takes place. Pauses, limits and guards are checked before any model is asked.
 */
export function createBegin({
  db,
  clock,
  instances,
  fusion,
  optOuts,
  providers,
  refusalOf,
  settings: store,
  agents,
  stages,
  chats,
}: BeginDeps): Begin {
  return async (turnSeq) => {
    const found = await db.readOne(turnBySeq, { seq: turnSeq })
    if (found === undefined) return END
    const accountRefusal = await refusalOf(found.accountId)
    const engine = (await instances.subject(found.accountId, found.instanceId))?.engine ?? 'smv2'
    return db.commit(async (tx) => {
      const turn = await tx.one(turnBySeq, { seq: turnSeq })
      if (turn === undefined || turn.endedAtMs !== null) return END
      const { conversationSeq, instanceId } = turn
      if (await tx.one(unendedBefore, { conversationSeq, turn: turn.turn }))
        return waitUntil(dueIn(clock, LOOK_AGAIN_MS))
      if (turn.state === 'sending') return SEND
      const due = dueOf(clock, turn)
      // The hours below say when they begin by the clock as it is now.
      if (turn.dueAtMs > clock.now() && !due.isAppointment) return waitUntil(due)
      const conversation = await tx.one(conversationBySeq, { seq: conversationSeq })
      if (conversation === undefined) return skip(tx, turn, 'deleted')
      const settings = await store.read(tx, instanceId)
      const refusal = await whyNot(tx, turn, conversation, settings)
      if (refusal !== undefined) return skip(tx, turn, refusal)
      const openMs = nextOpenMs(settings.business_hours, settings.timezone, clock.now())
      if (turn.kind === 'reply' && openMs > clock.now()) return waitUntil(appointmentAt(openMs))
      // Checked before any model or tool, because the answer could not be sent.
      if (accountRefusal !== null) return leaveToPerson(tx, { turn, conversation, settings }, accountRefusal)
      const hold = await holdOf(tx, turn)
      const sendsFrom = hold === undefined ? null : await linkedSender(tx, turn, settings)
      if (sendsFrom !== turn.sendsFrom) await tx.run(setSendsFrom, { seq: turnSeq, instanceId: sendsFrom })
      if (hold !== undefined && sendsFrom === null) {
        if (clock.now() - turn.dueAtMs < HELD_MOST_MS) return waitUntil(dueIn(clock, HELD_MS))
        return leaveToPerson(tx, { turn, conversation, settings }, `held_${hold}`)
      }
      const agent = await agents.primary(tx, instanceId)
      if (agent === undefined) return skip(tx, turn, 'no_agent')
      const rest = wantedRest(turn, conversation)
      const handoff = await whyHandOver(tx, turn, conversation, settings, rest === null ? agent : null)
      if (handoff !== undefined) {
        const text = SILENT.has(handoff) ? null : handoffText(settings, turn.question)
        const sends = await chats.handOver(
          tx,
          { turn, conversation, settings },
          { reason: handoff, detail: null },
          { text, agentId: agent.id },
        )
        return sends ? SEND : END
      }
      if (rest !== null) return goOn(tx, { turn, conversation }, longReply(rest, engine), agent)
      const all = await stages.of(tx, agent.id)
      // Stages belong to one agent.
      const stageId = (all.find(({ id }) => id === conversation.stageId) ?? all[0])?.id ?? null
      await tx.run(setThinking, { seq: turnSeq, agentId: agent.id, stageId })
      return {
        kind: 'think',
        turn: { ...turn, agentId: agent.id, tries: turn.tries + 1 },
        agent,
        stages: all,
        stageId,
        settings,
      }
    })
  }

  /** A number that was reported as spam may still answer people who write to it. */
  async function holdOf(tx: Tx, { accountId, instanceId }: TurnRow): Promise<Hold['reason'] | undefined> {
    const instance = await instances.find(tx, accountId, instanceId)
    const reason = instance && instances.holdOf({ ...instance, accountId })?.reason
    return reason === 'spam' ? undefined : reason
  }

  /** The linked instance of the same number, which may answer for a held one if it can send. */
  async function linkedSender(
    tx: Tx,
    { accountId, instanceId, kind, chat }: TurnRow,
    settings: Settings,
  ): Promise<InstanceId | null> {
    if (!settings.answer_over_linked_number || kind !== 'reply' || !NUMBER.test(chat)) return null
    const id = await fusion.partnerOf(tx, instanceId)
    const partner = id && (await instances.find(tx, accountId, id))
    if (!partner || partner.status !== 'connected') return null
    return instances.holdOf({ ...partner, accountId }) === null ? partner.id : null
  }

  /** Sends the rest of an answer. It was written earlier, so no model is asked. */
  async function goOn(
    tx: Tx,
    { turn, conversation }: { readonly turn: TurnRow; readonly conversation: ConversationRow },
    { parts, rest }: ReturnType<typeof longReply>,
    agent: Agent,
  ): Promise<Step> {
    await tx.run(closeTurnOf, { seq: turn.conversationSeq, turn: turn.turn })
    const reply = conversation.rest
    const stored: StoredDecision = { parts, becomes: 'answered', reply, sources: [], toolCalls: [], rest }
    await tx.run(setDecision, {
      ...{ seq: turn.seq, decision: JSON.stringify(stored), reason: null, detail: null, source: 'model' },
      ...{ stageId: conversation.stageId, agentId: agent.id, durationMs: 0 },
    })
    return SEND
  }

  async function leaveToPerson(
    tx: Tx,
    chat: Parameters<Chats['handOver']>[1],
    detail: AccountRefusal | `held_${Hold['reason']}`,
  ): Promise<Step> {
    if (chat.turn.kind === 'follow_up') return skip(tx, chat.turn, 'not_sent', detail)
    await chats.handOver(tx, chat, { reason: 'not_sent', detail }, { text: null })
    return END
  }

  async function skip(tx: Tx, row: TurnRow, reason: string, detail: string | null = null): Promise<Step> {
    const { seq, conversationSeq, turn } = row
    await tx.run(endTurn, { seq, state: 'skipped', reason, detail, now: clock.now() })
    await tx.run(closeTurnOf, { seq: conversationSeq, turn })
    return END
  }

  async function whyNot(
    tx: Tx,
    turn: TurnRow,
    conversation: ConversationRow,
    settings: Settings,
  ): Promise<string | undefined> {
    if (!settings.enabled) return 'disabled'
    if (isPaused(conversation, clock.now())) return conversation.pauseReason ?? 'paused'
    return (await isForNobody(tx, turn, optOuts)) ? 'opted_out' : undefined
  }

  async function whyHandOver(
    tx: Tx,
    turn: TurnRow,
    conversation: ConversationRow,
    settings: Settings,
    /** null if the answer is already written and no agent is needed. */
    agent: Agent | null,
  ): Promise<HandoffReason | undefined> {
    const { instanceId, question } = turn
    if (turn.kind === 'reply') {
      if (asksForPerson(question, settings)) return 'keyword'
      if (isUnreadable(question)) return 'unreadable_message'
      // Repeated requests for the rest of an answer are not a loop.
      if (agent !== null && (await isLoop(tx, turn, conversation))) return 'loop'
      const { max_replies_per_hour: most } = settings
      if ((await countSince(tx, turn, clock.now() - HOUR_MS)) >= most) return 'hourly_limit'
    }
    if (agent === null || agent.provider === 'builtin') return undefined
    const limit = await limitReached(tx, agent, settings.timezone, clock.now())
    if (limit !== undefined) return limit
    if (await providers.has(tx, instanceId, agent.provider)) return undefined
    await tx.run(setRefused, { instanceId, code: 'provider_key_missing', at: clock.now() })
    return 'provider_key_missing'
  }

  async function isLoop(tx: Tx, turn: TurnRow, { seq, repeatedText, repeats }: ConversationRow): Promise<boolean> {
    // The same text twice within one burst counts once.
    const text = [...new Set(turn.question.split('\n').map(fold))].join('\n')
    // Counts only once for a turn that is retried.
    const isFirstLook = turn.tries === 0
    const count = text === repeatedText ? repeats + (isFirstLook ? 1 : 0) : 1
    if (isFirstLook) await tx.run(setRepeats, { seq, text, repeats: count })
    if (count >= SAME_IN_A_ROW) return true
    return (await countSince(tx, turn, clock.now() - TEN_MINUTES_MS)) >= ANSWERS_IN_TEN_MINUTES
  }
}

/** No text is sent for these reasons, so that two bots do not answer each other endlessly. */
const SILENT: ReadonlySet<HandoffReason> = new Set(['loop', 'hourly_limit'])

const countSince = async (tx: Tx, { conversationSeq }: TurnRow, since: number): Promise<number> =>
  (await tx.one(answeredSince, { conversationSeq, since }))?.count ?? 0
