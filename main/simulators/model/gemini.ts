import { listOf, objectOf, textOf, type ModelAnswer, type ModelRequest, type Turn } from './conversation.ts'
import { piecesOf, sse, type ChatProtocol, type Failure } from './protocol.ts'

/** `POST /v1beta/models/{model}:generateContent` of Google, and `:streamGenerateContent`. */
export const gemini: ChatProtocol = {
  read(body) {
    const generation = objectOf(body.generationConfig)
    const isJson = generation.responseMimeType === 'application/json'
    const calling = objectOf(objectOf(body.toolConfig).functionCallingConfig)
    const schema = objectOf(generation.responseJsonSchema ?? generation.responseSchema)
    return {
      system: textsOf(objectOf(body.systemInstruction).parts),
      turns: listOf(body.contents).map(objectOf).flatMap(toTurns),
      tools: listOf(body.tools)
        .flatMap((tool) => listOf(objectOf(tool).functionDeclarations))
        .map(objectOf)
        .map(({ name, description, parameters, parametersJsonSchema }) => ({
          name: textOf(name),
          description: textOf(description),
          schema: objectOf(parametersJsonSchema ?? parameters),
        })),
      toolChoice: calling.mode === 'NONE' ? 'none' : textOf(listOf(calling.allowedFunctionNames)[0]) || null,
      schema: isJson ? schema : null,
      wantsUsage: true,
    }
  },

  whole: (request, answer) => response(request, answer, partsOf(answer, [answer.text]), 'STOP'),

  stream(request, answer) {
    const pieces = piecesOf(answer.text)
    return [
      ...pieces.map((text) => sse(response(request, answer, [{ text }], null))),
      sse(response(request, answer, partsOf(answer, []), 'STOP')),
    ]
  },

  failure({ status, message }: Failure) {
    const word = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
    }
    return { error: { code: status, message, status: word[status] } }
  },
}

const response = ({ model }: ModelRequest, { id, usage }: ModelAnswer, parts: object[], finish: string | null) => ({
  candidates: [
    {
      content: { role: 'model', parts },
      index: 0,
      ...(finish !== null && { finishReason: finish }),
      safetyRatings: [],
    },
  ],
  ...(finish !== null && {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  }),
  modelVersion: model,
  responseId: id,
})

const partsOf = ({ calls }: ModelAnswer, texts: readonly string[]): object[] => [
  ...texts.filter((text) => text !== '').map((text) => ({ text })),
  ...calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
]

const textsOf = (parts: unknown): string =>
  listOf(parts)
    .map((part) => textOf(objectOf(part).text))
    .join('\n')

function toTurns({ role, parts }: Record<string, unknown>): Turn[] {
  return listOf(parts)
    .map(objectOf)
    .map((part): Turn => {
      const result = objectOf(part.functionResponse)
      if (part.functionResponse !== undefined) return { role: 'tool', text: resultOf(objectOf(result.response)) }
      if (part.functionCall !== undefined)
        return { role: 'assistant', text: `[${textOf(objectOf(part.functionCall).name)}]` }
      return { role: role === 'model' ? 'assistant' : 'user', text: textOf(part.text) }
    })
}

/** The AI SDK wraps a result as `{name, content}`. */
const resultOf = (response: Record<string, unknown>): string =>
  typeof response.content === 'string' ? response.content : JSON.stringify(response.content ?? response)
