import { listOf, objectOf, textOf, type ModelAnswer, type ModelRequest, type Turn } from './conversation.ts'
import { contentOf, openaiFailure } from './openai-chat.ts'
import { piecesOf, sse, type ChatProtocol } from './protocol.ts'

/** `POST /v1/responses` of OpenAI, which its SDKs use first. */
export const openaiResponses: ChatProtocol = {
  read(body) {
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
    const input = items.map(objectOf)
    const isSystem = ({ role }: Record<string, unknown>) => role === 'system' || role === 'developer'
    const format = objectOf(objectOf(body.text).format)
    const choice = body.tool_choice
    return {
      system: [textOf(body.instructions), ...input.filter(isSystem).map(({ content }) => contentOf(content))].join(
        '\n',
      ),
      turns: input.filter((item) => !isSystem(item)).flatMap(toTurns),
      tools: listOf(body.tools)
        .map(objectOf)
        .filter(({ type }) => type === 'function')
        .map(({ name, description, parameters }) => ({
          name: textOf(name),
          description: textOf(description),
          schema: objectOf(parameters),
        })),
      toolChoice: typeof choice === 'string' ? choice : textOf(objectOf(choice).name) || null,
      schema: format.type === 'json_schema' ? objectOf(format.schema) : null,
      wantsUsage: true,
    }
  },

  whole: (request, answer) => ({ ...head(request, answer), output: outputOf(answer), status: 'completed' }),

  stream(request, answer) {
    let sequence = 0
    const event = (type: string, data: object) => sse({ type, sequence_number: sequence++, ...data }, type)
    const response = { ...head(request, answer), output: [], status: 'in_progress' }
    return [
      event('response.created', { response }),
      ...outputOf(answer).flatMap((item, at) => [
        event('response.output_item.added', { output_index: at, item: startOf(item) }),
        ...deltasOf(item).map(([type, delta]) =>
          event(type, { item_id: item.id, output_index: at, content_index: 0, delta }),
        ),
        event('response.output_item.done', { output_index: at, item }),
      ]),
      event('response.completed', {
        response: { ...head(request, answer), output: outputOf(answer), status: 'completed' },
      }),
    ]
  },

  failure: openaiFailure,
}

const head = ({ model }: ModelRequest, { id, usage }: ModelAnswer) => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: 0,
  model,
  error: null,
  incomplete_details: null,
  usage: {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  },
})

type Item =
  | {
      type: 'message'
      id: string
      role: 'assistant'
      status: string
      content: { type: 'output_text'; text: string; annotations: [] }[]
    }
  | { type: 'function_call'; id: string; call_id: string; name: string; arguments: string; status: string }

function outputOf({ id, text, calls }: ModelAnswer): Item[] {
  const said: Item[] =
    text === ''
      ? []
      : [
          {
            ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' },
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]
  const called = calls.map((call): Item => ({
    ...{ type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name, status: 'completed' },
    arguments: JSON.stringify(call.arguments),
  }))
  return [...said, ...called]
}

const startOf = (item: Item): Item =>
  item.type === 'message'
    ? { ...item, status: 'in_progress', content: [] }
    : { ...item, status: 'in_progress', arguments: '' }

const deltasOf = (item: Item): (readonly [string, string])[] =>
  item.type === 'message'
    ? piecesOf(item.content[0]?.text ?? '').map((text) => ['response.output_text.delta', text] as const)
    : [['response.function_call_arguments.delta', item.arguments]]

function toTurns(item: Record<string, unknown>): Turn[] {
  if (item.type === 'function_call_output') return [{ role: 'tool', text: contentOf(item.output) }]
  if (item.type === 'function_call') return [{ role: 'assistant', text: `[${textOf(item.name)}]` }]
  return [{ role: item.role === 'assistant' ? 'assistant' : 'user', text: contentOf(item.content) }]
}
