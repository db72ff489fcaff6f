import { jsonSchema, tool, type ToolSet } from 'ai'
import type { AnswerSource, ToolCall } from '../../contract/ai-conversation.ts'
import type { AiKnowledge } from '../ai-knowledge/index.ts'
import type { HttpTool } from './contract/tools.ts'
import type { BrainTurn } from './decision.ts'
import type { createHttpCall } from './http-call.ts'
import type { HttpToolRow } from './http-tool-store.ts'
import type { MediaRow } from './media-store.ts'
import { fence, knowledgeText } from './prompt.ts'

/** What the tools of a turn recorded. It takes effect only when the turn is decided. */
export interface ToolNotes {
  stageId: string | null
  handoff: { readonly reason: string; readonly summary: string | null } | null
  readonly media: MediaRow[]
  readonly calls: ToolCall[]
  readonly sources: AnswerSource[]
}

interface ToolDeps {
  readonly turn: BrainTurn
  readonly notes: ToolNotes
  readonly media: readonly MediaRow[]
  readonly httpTools: readonly HttpToolRow[]
  readonly knowledge: Pick<AiKnowledge, 'search'>
  readonly callHttp: ReturnType<typeof createHttpCall>
  readonly signal: AbortSignal
}

const RESULT_SHOWN = 500
const MEDIA_AT_MOST = 3

/**
 * The tools of a turn. They act only on the chat of the turn: none accepts a recipient or reads another chat. Their
 * results are untrusted data, like everything written by others.
 */
export function toolsOf({ turn, notes, media, httpTools, knowledge, callHttp, signal }: ToolDeps): ToolSet {
  const { agent, stages, instanceId, accountId } = turn
  const allowed = new Set(agent.tools)
  const noted = (name: string, args: Record<string, unknown>, result: string): string => {
    notes.calls.push({ name, arguments: args, result: result.slice(0, RESULT_SHOWN) })
    return result
  }
  const tools: ToolSet = {}

  if (allowed.has('faq_search'))
    tools['faq_search'] = tool({
      description: 'Searches what the business knows. Use it when the knowledge you have does not answer the question.',
      inputSchema: schemaOf({ query: { type: 'string', maxLength: 500 } }),
      async execute({ query }) {
        const question = String(query).slice(0, 500)
        const asker = { instanceId, accountId, provider: agent.provider }
        const { sources } = await knowledge.search(asker, question, { signal })
        notes.sources.push(...sources)
        return noted('faq_search', { query: question }, knowledgeText(sources))
      },
    })

  if (allowed.has('set_stage') && stages.length > 0)
    tools['set_stage'] = tool({
      description: 'Moves the conversation to another stage.',
      inputSchema: schemaOf({ stage_id: { type: 'string', enum: stages.map(({ id }) => id) } }),
      async execute({ stage_id: id }) {
        const stage = stages.find((known) => known.id === id)
        if (stage === undefined) return noted('set_stage', { stage_id: id }, 'There is no such stage.')
        notes.stageId = stage.id
        return noted('set_stage', { stage_id: id }, `The conversation is in the stage ${stage.name}.`)
      },
    })

  if (allowed.has('handoff_to_human'))
    tools['handoff_to_human'] = tool({
      description:
        'Passes the conversation to a person of the business. Answer the person with one polite sentence then.',
      inputSchema: schemaOf({
        reason: { type: 'string', enum: ['asked_for_person', 'no_answer', 'agent_decision'] },
        summary: { type: 'string', maxLength: 600, description: 'What the colleague must know.' },
      }),
      async execute({ reason, summary }) {
        notes.handoff = {
          reason: String(reason),
          summary: typeof summary === 'string' ? summary.slice(0, 600) || null : null,
        }
        return noted('handoff_to_human', { reason, summary }, 'A person takes over after your answer.')
      },
    })

  if (allowed.has('send_media') && media.length > 0)
    tools['send_media'] = tool({
      description: 'Sends one of the listed files to the person, before your answer.',
      inputSchema: schemaOf({ name: { type: 'string', enum: media.map(({ name }) => name) } }),
      async execute({ name }) {
        const file = media.find((known) => known.name === name)
        if (file === undefined) return noted('send_media', { name }, 'There is no such file.')
        if (notes.media.length >= MEDIA_AT_MOST)
          return noted('send_media', { name }, 'No further file can be sent now.')
        if (!notes.media.includes(file)) notes.media.push(file)
        return noted('send_media', { name }, 'The file is sent with your answer.')
      },
    })

  const { scheduleCall } = turn
  if (scheduleCall !== null)
    tools['schedule_call'] = tool({
      description: 'Schedules a telephone call to this person. Use it only if they ask to be called.',
      inputSchema: schemaOf({
        at: {
          type: 'string',
          maxLength: 40,
          description: 'Local date and time, such as 2026-03-02T15:30. Empty: as soon as possible.',
        },
      }),
      async execute({ at }) {
        // One call per turn, even if the model asks for more.
        const isRepeat = notes.calls.some(({ name }) => name === 'schedule_call')
        const result = isRepeat ? 'A call is scheduled already.' : await scheduleCall(String(at).trim().slice(0, 40))
        return noted('schedule_call', { at }, result)
      },
    })

  for (const row of httpTools) {
    if (row.enabled === 0) continue
    tools[row.name] = tool({
      description: row.description,
      inputSchema: schemaOfParameters(JSON.parse(row.parameters) as HttpTool['parameters']),
      async execute(input) {
        const result = await callHttp(row, input, accountId, signal).catch((error: unknown) => {
          signal.throwIfAborted()
          return error instanceof Error ? error.message : 'The tool failed.'
        })
        return noted(row.name, input, fence('result', result, 4_000))
      },
    })
  }
  return tools
}

type Input = Record<string, unknown>

const schemaOf = (properties: Record<string, object>) =>
  jsonSchema<Input>({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false })

const schemaOfParameters = (parameters: HttpTool['parameters']) =>
  jsonSchema<Input>({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, type, description }) => [name, { type, description }])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  })
