import type { TestReply } from '../../contract/ai-conversation.ts'
import { ApiError } from '../../contract/errors.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import { ProviderFailure } from '../ai-providers/index.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Agent } from './agent-store.ts'
import { tryDraft, type Agents } from './agents.ts'
import type { Suggestion, TestBody } from './contract/conversations.ts'
import type { Conversations } from './conversations.ts'
import { usageRecord } from './conversations.ts'
import { countDaily, limitReached } from './daily.ts'
import { NO_USAGE, type Brain, type Decision, type Usage, type Utterance } from './decision.ts'
import type { AiDeps } from './deps.ts'
import { asksForPerson, handoffText } from './handoff.ts'
import { SpentFailure } from './spent-failure.ts'
import type { SettingsStore } from './settings.ts'
import type { Stages } from './stages.ts'
import { recentUtterances, sidesOf } from './utterances.ts'

interface TrialDeps extends Pick<AiDeps, 'db' | 'clock' | 'fusion' | 'messages' | 'usage'> {
  readonly brain: Brain
  readonly settings: Pick<SettingsStore, 'read'>
  readonly agents: Pick<Agents, 'find' | 'primary'>
  readonly stages: Pick<Stages, 'of'>
  readonly conversations: Pick<Conversations, 'find'>
}

interface Question {
  readonly agent: Agent
  readonly question: string
  readonly history: readonly Utterance[]
  readonly stageId: string | null
}

export type Trial = ReturnType<typeof createTrial>

const DEADLINE_MS = 120_000

/** Answers as the agent would, without sending. Usage is counted, and the agent's limits apply. */
export function createTrial(deps: TrialDeps) {
  const { db, clock, fusion, messages, brain, settings: store, agents, stages, conversations } = deps
  const outside = { one: db.readOne, all: db.read }

  /** @throws ApiError invalid_state */
  async function primary(instanceId: string): Promise<Agent> {
    const agent = await agents.primary(outside, instanceId)
    if (agent !== undefined) return agent
    throw new ApiError('invalid_state', 'This instance has no agent yet. Create one with POST …/ai/agents.').because(
      'agent_missing',
    )
  }

  /** @throws ApiError; ProviderFailure */
  async function ask(instance: InstanceSubject, question: Question, signal: AbortSignal): Promise<Decision> {
    const { id: instanceId, accountId } = instance
    const { agent } = question
    const all = await stages.of(outside, agent.id)
    if (question.stageId !== null && !all.some(({ id }) => id === question.stageId))
      throw new ApiError('not_found', 'stage_id names no stage of this agent.').because('chosen_gone', {
        field: 'stage_id',
      })
    const { timezone } = await store.read(outside, instanceId)
    const count = ({ inputTokens, outputTokens, costMicros }: Usage) =>
      db.commit(async (tx) => {
        const of = { instanceId, agentId: agent.id, timezone, nowMs: clock.now() }
        await countDaily(tx, of, { inputTokens, outputTokens, costMicros: costMicros ?? 0 })
        await deps.usage.add(tx, { accountId, instanceId, atMs: clock.now(), aiTokens: inputTokens + outputTokens })
      })
    if ((await limitReached(outside, agent, timezone, clock.now())) !== undefined)
      throw new ApiError(
        'invalid_state',
        'The agent has reached its limit for today. Raise its limits, or try again tomorrow.',
      ).because('agent_limit_today')
    try {
      const decision = await brain.reply(
        {
          ...{ instanceId, accountId, agent, stages: all, kind: 'reply', nowMs: clock.now(), timezone },
          scheduleCall: null,
          ...{ question: question.question, history: question.history },
          stageId: question.stageId ?? all[0]?.id ?? null,
        },
        signal,
      )
      if (decision.usage.inputTokens + decision.usage.outputTokens > 0) await count(decision.usage)
      return decision
    } catch (error) {
      if (error instanceof SpentFailure && error.usage.inputTokens + error.usage.outputTokens > 0)
        await count(error.usage)
      throw error
    }
  }

  /** @throws ApiError */
  async function askInTime(instance: InstanceSubject, question: Question): Promise<Decision> {
    const controller = new AbortController()
    const timer = startTimeout(clock, DEADLINE_MS, () => controller.abort())
    try {
      return await ask(instance, question, controller.signal)
    } catch (error) {
      if (controller.signal.aborted)
        throw new ApiError('upstream_timeout', 'The model took longer than two minutes. Nothing was sent.').because(
          'model_too_slow',
        )
      if (error instanceof ProviderFailure)
        throw new ApiError('upstream_unavailable', `${error.message} Nothing was sent.`).because(
          `provider_${error.code}`,
        )
      throw error
    } finally {
      timer.cancel()
    }
  }

  return {
    ask,
    primary,

    async test(instance: InstanceSubject, body: TestBody): Promise<TestReply> {
      const saved =
        body.agent_id === undefined ? await primary(instance.id) : await agents.find(instance.id, body.agent_id)
      const agent = body.agent === undefined ? saved : tryDraft(saved, body.agent)
      const settings = await store.read(outside, instance.id)
      // As in a chat, a request for a person is answered without a model.
      if (asksForPerson(body.message, settings))
        return handedOver(handoffText(settings, body.message), body.stage_id ?? null)
      const history = [...(body.history ?? []), { from: 'person' as const, text: body.message }]
      const asked = { agent, question: body.message, history, stageId: body.stage_id ?? null }
      const { reply, source, stageId, handoff, toolCalls, usage, sources } = await askInTime(instance, asked)
      const handoffReply = handoff === null ? null : handoffText(settings, body.message)
      return {
        ...{ reply: reply ?? handoffReply, source, stage_id: stageId, handoff, tool_calls: [...toolCalls] },
        ...{ usage: usageRecord(usage), sources: [...sources] },
      }
    },

    async suggest(instance: InstanceSubject, chat: string): Promise<Suggestion> {
      const conversation = await conversations.find(instance.id, chat)
      const agent = await primary(instance.id)
      const history = await recentUtterances(messages, await sidesOf({ db, fusion }, instance.id), chat)
      const lastAnswer = history.findLastIndex(({ from }) => from === 'agent')
      const open = history.slice(lastAnswer + 1)
      const asked = (open.length > 0 ? open : history.filter(({ from }) => from === 'person').slice(-1)).map(
        ({ text }) => text,
      )
      if (asked.length === 0)
        throw new ApiError('invalid_state', 'The person has written nothing that could be answered.').because(
          'nothing_to_answer',
        )
      const known = await stages.of(outside, agent.id)
      const stageId = known.find(({ id }) => id === conversation?.stageId)?.id ?? null
      const decision = await askInTime(instance, { agent, question: asked.join('\n'), history, stageId })
      // A holding message is not a useful suggestion: the reader is the person whom it promises.
      const isHolding = decision.handoff !== null && decision.sources.length === 0
      return {
        reply: isHolding ? null : decision.reply,
        sources: [...decision.sources],
        usage: usageRecord(decision.usage),
      }
    },
  }
}

const handedOver = (reply: string, stageId: string | null): TestReply => ({
  ...{ reply, source: 'none', stage_id: stageId, handoff: { reason: 'keyword', detail: null }, tool_calls: [] },
  ...{ usage: usageRecord(NO_USAGE), sources: [] },
})
