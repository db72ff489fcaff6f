import type { ModelFault } from '../../contract/sandbox.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'
import { CutConnection, type SimulatedAnswer } from '../listener.ts'
import type { ModelAccount } from './accounts.ts'
import { tokensOf, type ModelAnswer, type ModelRequest } from './conversation.ts'
import type { ChatProtocol } from './protocol.ts'
import { replyTo } from './reply.ts'

interface ChatDeps {
  readonly clock: Clock
  readonly random: Random
}

/** Answers a chat request in the format of its provider. */
export async function answerChat(
  { clock, random }: ChatDeps,
  protocol: ChatProtocol,
  account: ModelAccount,
  request: ModelRequest,
  fault: ModelFault | null,
): Promise<SimulatedAnswer> {
  const scripted = account.next()
  if (scripted?.delay_ms) await clock.sleep(scripted.delay_ms)
  const { text, calls } =
    scripted === undefined ? replyTo(request) : { text: scripted.text ?? '', calls: scripted.tool_calls ?? [] }
  const answer: ModelAnswer = {
    id: `sandbox-${random.bytes(8).toString('hex')}`,
    text,
    calls: calls.map((call) => ({ id: `call_${random.bytes(8).toString('hex')}`, ...call })),
    usage: {
      input: tokensOf(request.system + request.turns.map((turn) => turn.text).join('')),
      output: tokensOf(text + JSON.stringify(calls)),
    },
  }
  return request.isStream
    ? streamed(protocol.stream(request, answer), fault)
    : whole(protocol.whole(request, answer), fault)
}

function whole(body: unknown, fault: ModelFault | null): SimulatedAnswer {
  if (fault === null) return { status: 200, body }
  const text = JSON.stringify(body)
  const half = text.slice(0, text.length / 2)
  const headers = { 'content-type': 'application/json' }
  if (fault === 'cut_stream') return { status: 200, headers, body: cut([half]) }
  // Some protocols send tool arguments as text and others as an object; half of either is invalid JSON.
  return { status: 200, headers, body: fault === 'malformed_json' ? half : withoutArguments(text) }
}

function streamed(events: readonly string[], fault: ModelFault | null): SimulatedAnswer {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
  const half = events.slice(0, Math.ceil(events.length / 2))
  if (fault === 'cut_stream') return { status: 200, headers, body: cut(half) }
  if (fault === 'malformed_json') return { status: 200, headers, body: all([...half, 'data: {"choices":[{"del\n\n']) }
  if (fault === 'malformed_tool_call') return { status: 200, headers, body: all(events.map(withoutArguments)) }
  return { status: 200, headers, body: all(events) }
}

/** Breaks the arguments of tools, and keeps the rest. */
const withoutArguments = (json: string): string =>
  json
    .replace(/("arguments":"|"partial_json":")(?:\\.|[^"\\])+"/g, '$1{\\"broken\\":"')
    .replace(/("input":|"args":)\{[^{}"]*"[^{}]*\}/g, '$1"broken"')

async function* all(events: readonly string[]): AsyncGenerator<string> {
  for (const event of events) yield await Promise.resolve(event)
}

async function* cut(events: readonly string[]): AsyncGenerator<string> {
  yield* all(events)
  // The written part is sent before the connection closes.
  await new Promise((resolve) => setImmediate(resolve))
  throw new CutConnection()
}
