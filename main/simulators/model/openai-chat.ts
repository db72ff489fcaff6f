import { listOf, objectOf, textOf, type ModelAnswer, type ModelRequest, type Tool, type Turn } from './conversation.ts'
import { piecesOf, sse, type ChatProtocol, type Failure } from './protocol.ts'

/** `POST /v1/chat/completions` of OpenAI and compatible providers. */
export const openaiChat: ChatProtocol = {
  read(body) {
    const messages = listOf(body.messages).map(objectOf)
    const isSystem = ({ role }: Record<string, unknown>) => role === 'system' || role === 'developer'
    const format = objectOf(body.response_format)
    const choice = body.tool_choice
    return {
      system: messages
        .filter(isSystem)
        .map(({ content }) => contentOf(content))
        .join('\n'),
      turns: messages.filter((message) => !isSystem(message)).map(toTurn),
      tools: listOf(body.tools).map((tool) => toTool(objectOf(objectOf(tool).function))),
      toolChoice: typeof choice === 'string' ? choice : textOf(objectOf(objectOf(choice).function).name) || null,
      schema:
        format.type === 'json_schema'
          ? objectOf(objectOf(format.json_schema).schema)
          : format.type === 'json_object'
            ? { type: 'object', properties: { reply: { type: 'string' } } }
            : null,
      wantsUsage: objectOf(body.stream_options).include_usage === true,
    }
  },

  whole: (request, answer) => ({
    id: answer.id,
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' ? null : answer.text,
          ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(toolCall) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  }),

  stream(request, answer) {
    const chunk = (delta: object, finish: string | null = null) =>
      sse({ ...head(request, answer), choices: [{ index: 0, delta, finish_reason: finish }] })
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(answer.text).map((content) => chunk({ content })),
      ...answer.calls.flatMap((call, index) => {
        const { id, type, function: called } = toolCall(call)
        return [
          chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] }),
          chunk({ tool_calls: [{ index, function: { arguments: called.arguments } }] }),
        ]
      }),
      chunk({}, finishOf(answer)),
      ...(request.wantsUsage ? [sse({ ...head(request, answer), choices: [], usage: usageOf(answer) })] : []),
      sse('[DONE]'),
    ]
  },

  failure: openaiFailure,
}

export function openaiFailure({ status, message }: Failure): unknown {
  const type = {
    400: 'invalid_request_error',
    401: 'invalid_request_error',
    404: 'invalid_request_error',
    429: 'requests',
    500: 'server_error',
  }
  const code = { 400: null, 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded', 500: null }
  return { error: { message, type: type[status], param: null, code: code[status] } }
}

const head = ({ model }: ModelRequest, { id }: ModelAnswer) => ({
  id,
  object: 'chat.completion.chunk',
  created: 0,
  model,
})

const finishOf = ({ calls }: ModelAnswer) => (calls.length > 0 ? 'tool_calls' : 'stop')

const usageOf = ({ usage: { input, output } }: ModelAnswer) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})

const toolCall = ({ id, name, arguments: given }: ModelAnswer['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
})

const toTool = ({ name, description, parameters }: Record<string, unknown>): Tool => ({
  name: textOf(name),
  description: textOf(description),
  schema: objectOf(parameters),
})

function toTurn({ role, content, tool_calls: calls }: Record<string, unknown>): Turn {
  const called = listOf(calls).map((call) => `[${textOf(objectOf(objectOf(call).function).name)}]`)
  if (role === 'tool') return { role, text: contentOf(content) }
  return { role: role === 'assistant' ? role : 'user', text: [contentOf(content), ...called].join(' ').trim() }
}

/** Text, or the text parts of a list. */
export const contentOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => textOf(objectOf(part).text))
        .join('\n')
