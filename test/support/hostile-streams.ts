import type { ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const chunkOf = (delta: object) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta }] })}\n\n`
const callOf = (index: number, args = '{}') =>
  chunkOf({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'faq_search', arguments: args } }],
  })
const END = `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`

export type Speak = (response: ServerResponse) => void

/** Writes as fast as it is read, until the reader leaves or `bytes` were written. */
function pour(response: ServerResponse, block: string | Buffer, bytes = Infinity): void {
  let written = 0
  const more = () => {
    while (!response.destroyed && written < bytes) {
      written += block.length
      if (!response.write(block)) return void response.once('drain', more)
    }
    if (!response.destroyed) response.end()
  }
  more()
}

function drip(response: ServerResponse, text: string): void {
  let at = 0
  const timer = setInterval(() => response.write(text[at++ % text.length]), 5)
  response.once('close', () => clearInterval(timer))
}

const stream = (response: ServerResponse, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close', ...headers })

const MB = 1024 * 1024
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

function once(make: () => string | Buffer): () => Buffer {
  let made: Buffer | undefined
  return () => (made ??= Buffer.from(make()))
}

const MANY_CALLS = once(() => Array.from({ length: 100_000 }, (_, at) => callOf(at)).join('') + END)
const CALLS_IN_ONE = once(() => {
  const called = { type: 'function', function: { name: 'faq_search', arguments: '{}' } }
  const calls = Array.from({ length: 20_000 }, (_, index) => ({ index, id: `c${index}`, ...called }))
  return chunkOf({ tool_calls: calls }) + END
})
const SPLIT_ARGUMENTS = once(
  () => callOf(0, '') + chunkOf({ tool_calls: [{ index: 0, function: { arguments: '[' } }] }).repeat(15_000) + END,
)
const DEEP_JSON = once(() => `data: ${deep(500_000)}\n\n${chunkOf({ content: deep(500_000) })}${END}`)
const DEEP_ARGUMENTS = once(() => callOf(0, deep(100_000)) + END)
const DEEP_ERROR = once(() => deep(1_000_000))
const SMALL_OBJECTS = once(() => `data: [${'{},'.repeat(1_000_000)}{}]\n\n${END}`)
const GZIP = once(() => gzipSync(Buffer.alloc(150 * MB, 'x')))
const BROTLI = once(() => brotliCompressSync(Buffer.alloc(20 * MB, 'x')))

/** Everything that a model server can do wrong with a stream. */
export const HOSTILE_STREAMS = {
  'says nothing': (response) => stream(response).flushHeaders(),
  'says one byte after the other, for ever': (response) => drip(stream(response), chunkOf({ content: 'a' })),
  'never ends its text': (response) => pour(stream(response), chunkOf({ content: 'a' }).repeat(500)),
  'never ends its comments': (response) => pour(stream(response), ': hello\n\n'.repeat(5_000)),
  'sends one line without end': (response) => {
    stream(response).write('data: {"choices":[{"delta":{"content":"')
    pour(response, 'x'.repeat(64 * 1024))
  },
  'sends 150 MB': (response) => pour(stream(response), chunkOf({ content: 'x'.repeat(60_000) }), 150 * MB),
  'sends 100,000 tool calls': (response) => stream(response).end(MANY_CALLS()),
  'sends 20,000 tool calls in one event': (response) => stream(response).end(CALLS_IN_ONE()),
  'sends the arguments of a call byte by byte': (response) => stream(response).end(SPLIT_ARGUMENTS()),
  'sends bytes that are no UTF-8': (response) =>
    pour(stream(response), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a]), MB),
  'sends deep JSON': (response) => stream(response).end(DEEP_JSON()),
  'sends deep arguments': (response) => stream(response).end(DEEP_ARGUMENTS()),
  'sends a million small objects': (response) => stream(response).end(SMALL_OBJECTS()),
  'sends a compressed bomb': (response) => stream(response, { 'content-encoding': 'gzip' }).end(GZIP()),
  'sends a bomb for another decoder': (response) => stream(response, { 'content-encoding': 'br' }).end(BROTLI()),
  'breaks off': (response) => void stream(response).write(chunkOf({ content: '{"reply":"' }), () => response.destroy()),
  'fails with 150 MB': (response) =>
    pour(response.writeHead(500, { 'content-type': 'application/json' }), 'x'.repeat(64 * 1024), 150 * MB),
  'refuses with deep JSON': (response) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end(DEEP_ERROR()),
} as const satisfies Record<string, Speak>
export type HostileStream = keyof typeof HOSTILE_STREAMS

/** Makes the long streams, so that no request waits for that. */
export function prepareStreams(): void {
  for (const make of [MANY_CALLS, CALLS_IN_ONE, SPLIT_ARGUMENTS, DEEP_JSON, DEEP_ARGUMENTS, DEEP_ERROR, SMALL_OBJECTS])
    make()
  for (const make of [GZIP, BROTLI]) make()
}
