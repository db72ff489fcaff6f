import { listOf, objectOf, textOf, type ModelAnswer, type ModelRequest, type Turn } from './conversation.ts'
import { contentOf } from './openai-chat.ts'
import { piecesOf, sse, type ChatProtocol, type Failure } from './protocol.ts'

/** `POST /v1/messages` of Anthropic. */
export const anthropic: ChatProtocol = {
  read(body) {
    const choice = objectOf(body.tool_choice)
    const format = objectOf(objectOf(body.output_config).format ?? body.output_format)
    return {
      system: contentOf(body.system),
      turns: listOf(body.messages).map(objectOf).flatMap(toTurns),
      tools: listOf(body.tools)
        .map(objectOf)
        .map(({ name, description, input_schema: schema }) => ({
          name: textOf(name),
          description: textOf(description),
          schema: objectOf(schema),
        })),
      toolChoice: choice.type === 'none' ? 'none' : textOf(choice.name) || null,
      schema: format.type === 'json_schema' ? objectOf(format.schema) : null,
      wantsUsage: true,
    }
  },

  whole: (request, answer) => ({
    ...message(request, answer),
    content: blocksOf(answer),
    stop_reason: stopOf(answer),
    usage: { input_tokens: answer.usage.input, output_tokens: answer.usage.output },
  }),

  stream(request, answer) {
    const event = (type: string, data: object) => sse({ type, ...data }, type)
    const blocks = blocksOf(answer).flatMap((block, index) => [
      event('content_block_start', {
        index,
        content_block: block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} },
      }),
      ...deltasOf(block).map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ])
    return [
      event('message_start', {
        message: { ...message(request, answer), usage: { input_tokens: answer.usage.input, output_tokens: 1 } },
      }),
      event('ping', {}),
      ...blocks,
      event('message_delta', {
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: answer.usage.output },
      }),
      event('message_stop', {}),
    ]
  },

  failure({ status, message: text }: Failure) {
    const type = {
      400: 'invalid_request_error',
      401: 'authentication_error',
      404: 'not_found_error',
      429: 'rate_limit_error',
      500: 'api_error',
    }
    return { type: 'error', error: { type: type[status], message: text } }
  },
}

const message = ({ model }: ModelRequest, { id }: ModelAnswer) => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null as string | null,
  stop_sequence: null,
})

const stopOf = ({ calls }: ModelAnswer) => (calls.length > 0 ? 'tool_use' : 'end_turn')

type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

const blocksOf = ({ text, calls }: ModelAnswer): AnswerBlock[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use' as const, id, name, input })),
]

const deltasOf = (block: AnswerBlock): object[] =>
  block.type === 'text'
    ? piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]

/** In this protocol, tool results are parts of a user message. */
function toTurns({ role, content }: Record<string, unknown>): Turn[] {
  if (typeof content === 'string') return [{ role: role === 'assistant' ? role : 'user', text: content }]
  return listOf(content)
    .map(objectOf)
    .map((part): Turn => {
      if (part.type === 'tool_result') return { role: 'tool', text: contentOf(part.content) }
      if (part.type === 'tool_use') return { role: 'assistant', text: `[${textOf(part.name)}]` }
      return { role: role === 'assistant' ? role : 'user', text: textOf(part.text) }
    })
}
