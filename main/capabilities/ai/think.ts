import { ApiError } from '../../contract/errors.ts'
import type { HandoffReason } from '../../contract/ai-conversation.ts'
import type { Engine } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import { ProviderFailure } from '../ai-providers/index.ts'
import type { Begun } from './begin.ts'
import { createCallTool } from './call-tool.ts'
import type { Chats } from './chats.ts'
import { closeTurnOf, conversationBySeq, isPaused, setStage } from './conversation-store.ts'
import { countDaily } from './daily.ts'
import type { Brain, Decision, Usage } from './decision.ts'
import type { AiDeps } from './deps.ts'
import { SpentFailure } from './spent-failure.ts'
import { isRefused, setRefused } from './settings-store.ts'
import { handoffText } from './handoff.ts'
import { longReply, wholeReply } from './long-replies.ts'
import { dueOf, END, SEND, waitUntil, type Step } from './step.ts'
import {
  addTurnUsage,
  endTurn,
  setDecision,
  setWaiting,
  turnBySeq,
  type Part,
  type StoredDecision,
  type TurnRow,
} from './turn-store.ts'
import { recentUtterances, sidesOf } from './utterances.ts'

interface ThinkDeps extends Pick<
  AiDeps,
  'db' | 'clock' | 'instances' | 'fusion' | 'messages' | 'log' | 'calls' | 'usage'
> {
  readonly brain: Brain
  readonly chats: Chats
}

export type Thinker = (begun: Begun, signal: AbortSignal) => Promise<Step>

const TRIES = { unavailable: 3, bad_output: 2 }
const RETRY_MS = 3_000
const LEAST_WAIT_MS = 2_000
/** If the wait would be longer, a person answers. */
const LONGEST_WAIT_MS = 600_000
const SEALED_RETRY_MS = 30_000

/** Asks the agent outside of any commit, and stores its decision in one commit. */
export function createThinker({
  db,
  clock,
  instances,
  fusion,
  messages,
  log,
  calls,
  usage: agencyUsage,
  brain,
  chats,
}: ThinkDeps): Thinker {
  const callTool = createCallTool({ calls, log })
  const ended = ({ seq }: TurnRow) => ({ seq, detail: null, now: clock.now() })

  return async (begun, signal) => {
    const { turn, agent, stages, stageId, settings } = begun
    const { instanceId, accountId, chat, question, kind } = turn
    try {
      const decision = await brain.reply(
        {
          ...{ instanceId, accountId, agent, stages, stageId, question, kind },
          history: await recentUtterances(messages, await sidesOf({ db, fusion }, instanceId), chat),
          nowMs: clock.now(),
          timezone: settings.timezone,
          scheduleCall: await callTool(turn, agent, settings.timezone),
        },
        signal,
      )
      const engine = (await instances.subject(accountId, instanceId))?.engine ?? 'smv2'
      return await db.commit((tx) => decide(tx, begun, decision, engine))
    } catch (error) {
      signal.throwIfAborted()
      return onFailure(begun, error)
    }
  }

  /** @returns the next step if the turn must not be decided now. */
  async function overtaken(tx: Tx, { turn, settings }: Begun, usage: Usage): Promise<Step | undefined> {
    const now = await tx.one(turnBySeq, { seq: turn.seq })
    await countUsage(tx, now ?? turn, usage, settings.timezone)
    // A person has replied, or the agent was paused.
    if (now === undefined || now.endedAtMs !== null || now.state !== 'thinking') return END
    if (now.revision === turn.revision) return undefined
    // More messages arrived meanwhile: one answer covers all of them.
    await tx.run(setWaiting, { seq: turn.seq })
    return waitUntil(dueOf(clock, now))
  }

  async function decide(tx: Tx, begun: Begun, decision: Decision, engine: Engine): Promise<Step> {
    const { turn, agent, settings } = begun
    const { usage, handoff, reply, media, stageId, source, sources, toolCalls, summary } = decision
    const other = await overtaken(tx, begun, usage)
    if (other !== undefined) return other
    const conversation = await tx.one(conversationBySeq, { seq: turn.conversationSeq })
    if (conversation === undefined || isPaused(conversation, clock.now())) {
      await tx.run(endTurn, { ...ended(turn), state: 'skipped', reason: conversation?.pauseReason ?? 'deleted' })
      return END
    }
    if (agent.provider !== 'builtin') await clearRefusal(tx, turn.instanceId)
    await tx.run(setStage, { seq: turn.conversationSeq, agentId: agent.id, stageId })
    const parts = media.map(({ mediaId, mediaType, filename }): Part => ({
      kind: 'media',
      mediaId,
      mediaType,
      filename,
    }))
    const said = { source, sources, toolCalls, stageId, agentId: agent.id, durationMs: usage.durationMs }
    if (handoff !== null) {
      const text = reply ?? handoffText(settings, turn.question)
      const sends = await chats.handOver(tx, { turn, conversation, settings }, handoff, {
        text,
        parts: [...parts, ...wholeReply(text, engine)],
        summary,
        ...said,
      })
      return sends ? SEND : END
    }
    await tx.run(closeTurnOf, { seq: turn.conversationSeq, turn: turn.turn })
    const long = reply === null ? null : longReply(reply, engine)
    if (long !== null) parts.push(...long.parts)
    if (parts.length === 0) {
      await tx.run(endTurn, { ...ended(turn), state: 'skipped', reason: 'nothing_to_say' })
      return END
    }
    const rest = long === null || long.rest === null ? {} : { rest: long.rest }
    const stored: StoredDecision = { parts, becomes: 'answered', reply, sources, toolCalls, ...rest }
    await tx.run(setDecision, {
      ...{ seq: turn.seq, decision: JSON.stringify(stored), reason: null, detail: null },
      ...{ source, stageId, agentId: agent.id, durationMs: usage.durationMs },
    })
    return SEND
  }

  async function onFailure(begun: Begun, error: unknown): Promise<Step> {
    const verdict = verdictOf(error, begun.turn, clock.now())
    if (verdict === undefined) throw error
    const { turn } = begun
    const usage = error instanceof SpentFailure ? error.usage : NOTHING
    log.info({ event: 'ai.provider_failed', instanceId: turn.instanceId, provider: begun.agent.provider, ...verdict })
    return db.commit(async (tx) => {
      const other = await overtaken(tx, begun, usage)
      if (other !== undefined) return other
      if (verdict.kind === 'retry') {
        await tx.run(setWaiting, { seq: turn.seq })
        return waitUntil(dueIn(clock, verdict.waitMs))
      }
      const { reason } = verdict
      if (LASTING.has(reason)) await tx.run(setRefused, { instanceId: turn.instanceId, code: reason, at: clock.now() })
      const conversation = await tx.one(conversationBySeq, { seq: turn.conversationSeq })
      if (conversation === undefined) return END
      // If a follow-up cannot be written, no person has to act.
      if (turn.kind === 'follow_up') {
        await tx.run(endTurn, { ...ended(turn), state: 'skipped', reason })
        return END
      }
      const { settings, agent } = begun
      const text = handoffText(settings, turn.question)
      const said = { text, agentId: agent.id }
      const sends = await chats.handOver(tx, { turn, conversation, settings }, { reason, detail: null }, said)
      return sends ? SEND : END
    })
  }

  async function clearRefusal(tx: Tx, instanceId: string): Promise<void> {
    if (await tx.one(isRefused, { instanceId })) await tx.run(setRefused, { instanceId, code: null, at: null })
  }

  async function countUsage(tx: Tx, turn: TurnRow, usage: Usage, timezone: string): Promise<void> {
    const { inputTokens, outputTokens, costMicros } = usage
    if (inputTokens + outputTokens === 0) return
    await tx.run(addTurnUsage, { seq: turn.seq, input: inputTokens, output: outputTokens, costMicros })
    const counts = { inputTokens, outputTokens, costMicros: costMicros ?? 0 }
    await countDaily(tx, { ...turn, timezone, nowMs: clock.now() }, counts)
    const { accountId, instanceId } = turn
    await agencyUsage.add(tx, { accountId, instanceId, atMs: clock.now(), aiTokens: inputTokens + outputTokens })
  }
}

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0, costMicros: null, durationMs: 0 }

/** Failures that a person has to fix before the agent can answer again. */
const LASTING: ReadonlySet<HandoffReason> = new Set(['provider_refused', 'model_unknown', 'provider_key_missing'])

type Verdict =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'hand_over'; readonly reason: HandoffReason }

/** @returns undefined for an error in our own code. */
function verdictOf(error: unknown, { tries, firstAtMs }: TurnRow, nowMs: number): Verdict | undefined {
  const retry = (delayMs: number, else_: HandoffReason): Verdict =>
    nowMs + delayMs - firstAtMs <= LONGEST_WAIT_MS
      ? { kind: 'retry', waitMs: delayMs }
      : { kind: 'hand_over', reason: else_ }
  if (error instanceof ApiError) {
    if (error.code === 'provider_key_missing') return { kind: 'hand_over', reason: 'provider_key_missing' }
    return error.code === 'sealed' ? retry(SEALED_RETRY_MS, 'provider_unavailable') : undefined
  }
  if (!(error instanceof ProviderFailure)) return undefined
  switch (error.code) {
    case 'refused':
      return { kind: 'hand_over', reason: 'provider_refused' }
    case 'model_unknown':
      return { kind: 'hand_over', reason: 'model_unknown' }
    case 'rate_limited':
      return retry(Math.max(error.retryAfterMs ?? RETRY_MS * tries, LEAST_WAIT_MS), 'provider_unavailable')
    case 'bad_output':
      return tries < TRIES.bad_output ? retry(0, 'bad_model_output') : { kind: 'hand_over', reason: 'bad_model_output' }
    case 'unavailable':
      return tries < TRIES.unavailable
        ? retry(error.retryAfterMs ?? RETRY_MS * tries, 'provider_unavailable')
        : { kind: 'hand_over', reason: 'provider_unavailable' }
    case 'aborted':
      return undefined
  }
}
