import { isStepCount, jsonSchema, Output, streamText } from 'ai'
import type { AnswerSource, HandoffReason } from '../../contract/ai-conversation.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import { markupOfMarkdown } from '../../kernel/markup/index.ts'
import type { AiKnowledge } from '../ai-knowledge/index.ts'
import { costMicros, priceOf, type AiProviders, type Price } from '../ai-providers/index.ts'
import type { Agent } from './agent-store.ts'
import type { Brain, BrainTurn, Decision, Usage } from './decision.ts'
import type { createHttpCall } from './http-call.ts'
import type { HttpTools } from './http-tools.ts'
import type { MediaLibrary } from './media.ts'
import { toolsOf, type ToolNotes } from './model-tools.ts'
import { revealsInstructions } from './leak.ts'
import { instructionsFor, messagesFor, RULES } from './prompt.ts'
import { SpentFailure } from './spent-failure.ts'
import { say } from './texts.ts'
import { createTurnstile } from './turnstile.ts'

interface ModelBrainDeps {
  readonly clock: Pick<Clock, 'mono'>
  readonly providers: Pick<AiProviders, 'model' | 'failureOf'>
  readonly knowledge: Pick<AiKnowledge, 'search'>
  readonly media: Pick<MediaLibrary, 'of'>
  readonly httpTools: Pick<HttpTools, 'all'>
  readonly callHttp: ReturnType<typeof createHttpCall>
}

/** The structured answer of a model. */
interface Answer {
  readonly reply: string
  readonly stage_id?: string | null
  readonly confidence: number
  readonly needs_person: boolean
}

const STEPS = 6
const OUTPUT_TOKENS = 4_000
/** With a lower confidence, a person answers. */
const LEAST_CONFIDENCE = 0.5

/**
 * Only the complete answer is used. By default the library parses the whole text again for every chunk, so a server that
 * sends many small chunks could block the event loop.
 */
const UNREAD_PARTS = { parsePartialOutput: async () => undefined }

/** Answers with a model: one call with a structured answer, and up to five more for its tools. */
export function createModelBrain(deps: ModelBrainDeps): Brain {
  const { clock, providers, knowledge } = deps
  const pass = createTurnstile()

  return {
    async reply(turn, signal): Promise<Decision> {
      const { agent, instanceId, accountId, question } = turn
      const { provider } = agent
      if (provider === 'builtin') throw new TypeError('A built-in agent has no model.')
      const model = await providers.model({ instanceId, accountId, provider }, agent.model ?? '')
      const media = await deps.media.of(agent.id)
      const asker = { instanceId, accountId, provider }
      const found = question === '' ? undefined : await knowledge.search(asker, question, { signal })
      const sources = found?.sources ?? []
      const notes: ToolNotes = { stageId: null, handoff: null, media: [], calls: [], sources: [...sources] }
      const startedMs = clock.mono()
      const spent = { inputTokens: 0, outputTokens: 0 }
      const usage = () => usageOf(agent, spent, clock.mono() - startedMs)
      try {
        const answer = await ask(turn, { model, media, notes, sources, spent }, signal)
        return guarded(turn, decisionOf(turn, answer, notes, usage()))
      } catch (error) {
        throw new SpentFailure(await providers.failureOf(error, provider), usage())
      }
    },
  }

  async function ask(
    turn: BrainTurn,
    {
      model,
      media,
      notes,
      sources,
      spent,
    }: {
      readonly model: Awaited<ReturnType<AiProviders['model']>>
      readonly media: Awaited<ReturnType<MediaLibrary['of']>>
      readonly notes: ToolNotes
      readonly sources: readonly AnswerSource[]
      readonly spent: { inputTokens: number; outputTokens: number }
    },
    signal: AbortSignal,
  ): Promise<Answer> {
    const { agent, stages } = turn
    const httpTools = await deps.httpTools.all(agent.id)
    await pass()
    let failure: Error | undefined
    const fail = (error: unknown) => void (failure ??= error instanceof Error ? error : new Error('The stream failed.'))
    const result = streamText({
      model,
      instructions: instructionsFor(turn, media, sources),
      messages: messagesFor(turn),
      tools: toolsOf({ ...deps, turn, notes, media, httpTools, signal }),
      output: {
        ...Output.object({ schema: answerSchema(stages.map(({ id }) => id)), name: 'answer' }),
        ...UNREAD_PARTS,
      },
      stopWhen: isStepCount(STEPS),
      maxOutputTokens: OUTPUT_TOKENS,
      maxRetries: 0,
      abortSignal: signal,
      ...(agent.temperature !== null && { temperature: agent.temperature }),
      onError: ({ error }) => fail(error),
      onStepEnd({ usage }) {
        spent.inputTokens += usage.inputTokens ?? 0
        spent.outputTokens += usage.outputTokens ?? 0
      },
    })
    // Reads the stream to its end: an interrupted stream is a failure, even if text has arrived.
    await result.consumeStream({ onError: fail })
    const answer = await Promise.resolve(result.output).catch((error: unknown) => {
      fail(error)
      return undefined
    })
    if (failure !== undefined || answer === undefined) throw failure ?? new Error('The model said nothing.')
    return answer
  }
}

/** Fields are nullable, because strict models require every field. */
function answerSchema(stageIds: readonly string[]) {
  const stage =
    stageIds.length === 0 ? {} : { stage_id: { type: ['string', 'null'] as const, enum: [...stageIds, null] } }
  const properties = {
    reply: { type: 'string', description: 'What the person reads, without Markdown. Empty: nothing.' },
    confidence: { type: 'number', description: '0 to 1: how sure you are that the answer is right.' },
    needs_person: { type: 'boolean', description: 'A person of the business must answer.' },
    ...stage,
  } as const
  return jsonSchema<Answer>(
    { type: 'object', properties, required: Object.keys(properties), additionalProperties: false } as Parameters<
      typeof jsonSchema
    >[0],
    {
      validate: (value) =>
        isAnswer(value)
          ? { success: true, value }
          : { success: false, error: new Error('The answer does not have the form that was asked for.') },
    },
  )
}

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== 'object' || value === null) return false
  const { reply, confidence, needs_person: needsPerson } = value as Record<string, unknown>
  // Too long for a real answer, and slow to convert.
  const isReply = typeof reply === 'string' && reply.length <= LIMITS.textLength
  return isReply && typeof confidence === 'number' && typeof needsPerson === 'boolean'
}

function decisionOf(
  { stages, stageId, question, kind }: BrainTurn,
  answer: Answer,
  notes: ToolNotes,
  usage: Usage,
): Decision {
  const wanted = notes.stageId ?? answer.stage_id ?? stageId
  const stage = stages.some(({ id }) => id === wanted) ? wanted : stageId
  const handoff = kind === 'follow_up' ? null : handoffOf(answer, notes)
  const written = markupOfMarkdown(answer.reply)
  // An uncertain answer is not sent.
  const isGuess = handoff?.reason === 'low_confidence'
  const reply = isGuess ? say('holding', question) : written === '' ? null : written
  const named = new Map(notes.sources.map((source) => [`${source.kind}:${source.id}`, source]))
  return {
    ...{ reply, media: isGuess ? [] : notes.media, stageId: stage, handoff, source: 'model' },
    summary: handoff === null ? null : (notes.handoff?.summary ?? question),
    sources: [...named.values()].slice(0, 5),
    toolCalls: notes.calls,
    usage,
  }
}

/** Replaces an answer in which the model reveals its instructions. */
function guarded({ agent, question }: BrainTurn, decision: Decision): Decision {
  if (decision.reply === null || !revealsInstructions(decision.reply, RULES, agent.systemPrompt)) return decision
  return {
    ...decision,
    ...{ reply: say('holding', question), media: [], summary: question },
    handoff: { reason: 'bad_model_output', detail: 'The answer repeated the instructions of the agent.' },
  }
}

function handoffOf(answer: Answer, { handoff }: ToolNotes): Decision['handoff'] {
  if (handoff !== null) {
    const reasons: readonly HandoffReason[] = ['asked_for_person', 'no_answer', 'agent_decision']
    return { reason: reasons.find((reason) => reason === handoff.reason) ?? 'agent_decision', detail: handoff.summary }
  }
  if (answer.confidence < LEAST_CONFIDENCE) return { reason: 'low_confidence', detail: null }
  return answer.needs_person ? { reason: 'agent_decision', detail: null } : null
}

function usageOf(agent: Agent, spent: { inputTokens: number; outputTokens: number }, durationMs: number): Usage {
  const price = priceFor(agent)
  const { inputTokens, outputTokens } = spent
  const cost = price === null ? null : costMicros(price, inputTokens, outputTokens)
  return { inputTokens, outputTokens, costMicros: cost, durationMs: Math.round(durationMs) }
}

const priceFor = ({ price, model }: Agent): Price | null =>
  price === null
    ? priceOf(model ?? '')
    : { inputPerMillionUsd: price.input_per_million_usd, outputPerMillionUsd: price.output_per_million_usd }
