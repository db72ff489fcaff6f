import { wrapLanguageModel, type LanguageModel, type LanguageModelMiddleware } from 'ai'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { ProviderFailure } from './failures.ts'

/** Limit for one answer. Each call is executed, so a model could make us send thousands of requests to HTTP tools. */
const TOOL_CALLS = 16
/**
 * Limit for all tool calls of one answer, because the library parses their arguments again with every part that
 * arrives.
 */
const ARGUMENT_CHARS = 8_000
/** Parts of the stream that are passed on before yielding to the event loop. */
const PARTS_IN_A_TURN = 16

/**
 * Limits the tool calls in a model's answers, and yields to the event loop between their parts. @param name for
 * people
 */
export const boundedModel = (model: Exclude<LanguageModel, string>, name: string) =>
  wrapLanguageModel({ model, middleware: boundedStream(name) })

const boundedStream = (name: string): LanguageModelMiddleware => ({
  async wrapStream({ doStream }) {
    const { stream, ...rest } = await doStream()
    const calls = new Set<string>()
    let argumentChars = 0
    let parts = 0
    const bounded = new TransformStream<Part, Part>({
      async transform(part, controller) {
        if (part.type === 'tool-input-start') calls.add(part.id)
        if (part.type === 'tool-call') calls.add(part.toolCallId)
        if (calls.size > TOOL_CALLS)
          throw new ProviderFailure(
            'bad_output',
            `${name} called more than ${TOOL_CALLS} tools at once. Choose another model for the agent.`,
          )
        if (part.type === 'tool-input-delta') argumentChars += part.delta.length
        if (argumentChars > ARGUMENT_CHARS)
          throw new ProviderFailure(
            'bad_output',
            `${name} called tools with more than ${ARGUMENT_CHARS} characters. Choose another model for the agent.`,
          )
        controller.enqueue(part)
        if (++parts % PARTS_IN_A_TURN === 0) await yieldToEventLoop()
      },
    })
    return { ...rest, stream: stream.pipeThrough(bounded) }
  },
})

type Part =
  Awaited<ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]['doStream']>> extends {
    stream: ReadableStream<infer P>
  }
    ? P
    : never
