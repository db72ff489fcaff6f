import type { SimulatedAnswer, SimulatedRequest } from '../listener.ts'
import type { ModelAccount } from './accounts.ts'
import { anthropic } from './anthropic.ts'
import { formOf, speak, spokenText } from './audio.ts'
import { listOf, objectOf, textOf, tokensOf } from './conversation.ts'
import { DIMENSIONS, embed } from './embeddings.ts'
import { gemini } from './gemini.ts'
import { MODELS } from './models.ts'
import { openaiChat, openaiFailure } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { ChatProtocol, Failure } from './protocol.ts'

/** The meaning of a request for its provider. */
export type Route = {
  readonly model: string | null
  readonly failure: (failure: Failure) => unknown
} & (
  | {
      readonly kind: 'chat'
      readonly protocol: ChatProtocol
      readonly body: Record<string, unknown>
      readonly isStream: boolean
    }
  | { readonly kind: 'plain'; readonly answer: (account: ModelAccount) => Promise<SimulatedAnswer> | SimulatedAnswer }
  | { readonly kind: 'models'; readonly isAnthropic: boolean }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'unknown' }
)

const OPENAI = { failure: openaiFailure }

export function routeOf(request: SimulatedRequest): Route {
  const { method, path, headers } = request
  const [version = '', ...rest] = path
  if (version === 'v1beta') return geminiRoute(request, rest)
  const isAnthropic = headers['anthropic-version'] !== undefined || rest[0] === 'messages'
  const failure = isAnthropic ? anthropic.failure : openaiFailure
  const name = `${method} ${rest.join('/')}`
  if (version !== 'v1') return { kind: 'unknown', model: null, failure }
  if (name === 'GET models') return { kind: 'models', model: null, failure, isAnthropic }
  // OpenRouter's endpoint for checking a key.
  if (name === 'GET key') {
    const answer = () => ({ status: 200, body: { data: { label: 'sandbox', limit: null, usage: 0 } } })
    return { kind: 'plain', model: null, failure, answer }
  }
  if (name === 'POST audio/transcriptions') {
    return { kind: 'plain', model: null, ...OPENAI, answer: (account) => transcribe(request, account) }
  }
  const body = bodyOf(request.body)
  if (body === null) return { kind: 'invalid', message: 'The body is no JSON object.', model: null, failure }
  const model = textOf(body.model) || null
  if (model === null) return { kind: 'invalid', message: 'The field model is missing.', model, failure }
  const chat = (protocol: ChatProtocol): Route => ({
    ...{ kind: 'chat', protocol, model, body, failure },
    isStream: body.stream === true,
  })
  switch (name) {
    case 'POST chat/completions':
      return chat(openaiChat)
    case 'POST responses':
      return chat(openaiResponses)
    case 'POST messages':
      return chat(anthropic)
    case 'POST embeddings':
      return { kind: 'plain', model, failure, answer: () => embeddings(body, model) }
    case 'POST audio/speech':
      return speechRoute(body, model)
    default:
      return { kind: 'unknown', model: null, failure }
  }
}

function geminiRoute({ method, body: bytes }: SimulatedRequest, path: readonly string[]): Route {
  const { failure } = gemini
  if (method === 'GET' && path.join('/') === 'models') {
    const models = MODELS.map((name) => ({ name: `models/${name}`, displayName: name }))
    return { kind: 'plain', model: null, failure, answer: () => ({ status: 200, body: { models } }) }
  }
  const [model = '', action] = (path[1] ?? '').split(':')
  if (method !== 'POST' || path[0] !== 'models' || path.length !== 2) return { kind: 'unknown', model: null, failure }
  const body = bodyOf(bytes)
  if (body === null) return { kind: 'invalid', message: 'The body is no JSON object.', model, failure }
  switch (action) {
    case 'generateContent':
    case 'streamGenerateContent':
      return { kind: 'chat', protocol: gemini, model, body, failure, isStream: action === 'streamGenerateContent' }
    case 'embedContent':
      return { kind: 'plain', model, failure, answer: () => ({ status: 200, body: { embedding: geminiVector(body) } }) }
    case 'batchEmbedContents': {
      const vectors = listOf(body.requests).map((one) => geminiVector(objectOf(one)))
      return { kind: 'plain', model, failure, answer: () => ({ status: 200, body: { embeddings: vectors } }) }
    }
    default:
      return { kind: 'unknown', model: null, failure }
  }
}

function geminiVector({ content }: Record<string, unknown>): { values: number[] } {
  const parts = listOf(objectOf(content).parts).map((part) => textOf(objectOf(part).text))
  return { values: embed(parts.join('\n')) }
}

export function listModels(isAnthropic: boolean): SimulatedAnswer {
  const data = MODELS.map((id) =>
    isAnthropic
      ? { type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }
      : { id, object: 'model', created: 0, owned_by: 'sandbox' },
  )
  return { status: 200, body: isAnthropic ? { data, has_more: false } : { object: 'list', data } }
}

function embeddings(body: Record<string, unknown>, model: string): SimulatedAnswer {
  const input = (typeof body.input === 'string' ? [body.input] : listOf(body.input)).map(textOf)
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : DIMENSIONS
  const isBase64 = body.encoding_format === 'base64'
  const data = input.map((text, index) => {
    const vector = embed(text, dimensions)
    const embedding = isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector
    return { object: 'embedding', index, embedding }
  })
  const tokens = input.reduce((sum, text) => sum + tokensOf(text), 0)
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return { status: 200, body: { object: 'list', data, model, usage } }
}

function speechRoute(body: Record<string, unknown>, model: string): Route {
  const format = textOf(body.response_format) || 'mp3'
  if (format !== 'wav' && format !== 'pcm') {
    const message = `The sandbox speaks wav and pcm only, and response_format is ${format}.`
    return { kind: 'invalid', message, model, ...OPENAI }
  }
  const type = format === 'wav' ? 'audio/wav' : 'audio/pcm'
  const answer = () => ({ status: 200, headers: { 'content-type': type }, body: speak(textOf(body.input))[format] })
  return { kind: 'plain', model, ...OPENAI, answer }
}

/** Audio from the sandbox contains its text; for other recordings, the answer describes the file. */
async function transcribe({ body, headers }: SimulatedRequest, account: ModelAccount): Promise<SimulatedAnswer> {
  const form = await formOf(body, headers['content-type'] ?? '')
  const file = form?.get('file')
  if (!(file instanceof File)) {
    return { status: 400, body: openaiFailure({ status: 400, message: 'The field file is missing.' }) }
  }
  const bytes = Buffer.from(await file.arrayBuffer())
  const text = account.next()?.text ?? spokenText(bytes) ?? `Recording of ${String(bytes.length)} bytes.`
  if (form?.get('response_format') === 'text') return { status: 200, body: text }
  const seconds = Math.round(bytes.length / 32_000)
  return { status: 200, body: { task: 'transcribe', language: 'english', duration: seconds, text, segments: [] } }
}

function bodyOf(bytes: Buffer): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? objectOf(parsed) : null
  } catch {
    return null
  }
}
