import {
  APICallError,
  InvalidToolInputError,
  JSONParseError,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  NoSuchModelError,
  StreamProviderError,
  TypeValidationError,
} from 'ai'
import { brokenBodyIn } from './guarded-fetch.ts'

type FailureCode = 'refused' | 'model_unknown' | 'rate_limited' | 'unavailable' | 'bad_output' | 'aborted'

/** Why a provider gave no usable answer, in our words. What it said itself is nowhere in it. */
export class ProviderFailure extends Error {
  readonly code: FailureCode
  /** How long the provider asks to wait; null: it does not say. */
  readonly retryAfterMs: number | null

  constructor(code: FailureCode, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ProviderFailure'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

const MAX_WAIT_MS = 24 * 3_600_000

/** @param provider its name for people */
export function toProviderFailure(error: unknown, provider: string): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  const broken = brokenBodyIn(error)
  if (broken !== undefined) return ofBroken(broken, provider)
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) return unavailable(provider)
    return failureOfStatus(error.statusCode, error.responseHeaders ?? {}, provider)
  }
  if (StreamProviderError.isInstance(error)) {
    return error.statusCode === undefined ? unavailable(provider) : failureOfStatus(error.statusCode, {}, provider)
  }
  if (NoSuchModelError.isInstance(error)) return unknownModel(provider)
  if (isBadOutput(error))
    return new ProviderFailure('bad_output', `${provider} returned an answer that cannot be read.`)
  if (error instanceof Error && error.name === 'AbortError')
    return new ProviderFailure('aborted', 'The request was cancelled.')
  return unavailable(provider)
}

/** What a status of a provider means. @param headers with names in lower case */
export function failureOfStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  provider: string,
): ProviderFailure {
  if (status === 401 || status === 403)
    return new ProviderFailure('refused', `${provider} refuses the API key. Store a valid one.`)
  if (status === 402)
    return new ProviderFailure('refused', `${provider} says that the account has no credit left. Top it up.`)
  if (status === 404) return unknownModel(provider)
  if (status === 429) {
    const wait = retryAfterMs(headers)
    return new ProviderFailure('rate_limited', `${provider} limits how many requests it takes.`, wait)
  }
  if (status === 413 || status === 422 || status === 400)
    return new ProviderFailure('bad_output', `${provider} does not accept the request for this model.`)
  return unavailable(provider, retryAfterMs(headers))
}

function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const exact = Number(headers['retry-after-ms'])
  if (exact > 0) return Math.min(exact, MAX_WAIT_MS)
  const seconds = Number(headers['retry-after'])
  return seconds > 0 ? Math.min(seconds * 1_000, MAX_WAIT_MS) : null
}

const isBadOutput = (error: unknown): boolean =>
  NoObjectGeneratedError.isInstance(error) ||
  NoOutputGeneratedError.isInstance(error) ||
  JSONParseError.isInstance(error) ||
  TypeValidationError.isInstance(error) ||
  InvalidToolInputError.isInstance(error)

const unavailable = (provider: string, wait: number | null = null) =>
  new ProviderFailure('unavailable', `${provider} cannot be reached, or does not answer.`, wait)

const unknownModel = (provider: string) =>
  new ProviderFailure('model_unknown', `${provider} has no such model. Choose another one for the agent.`)

function ofBroken(broken: NonNullable<ReturnType<typeof brokenBodyIn>>, provider: string): ProviderFailure {
  const isAborted = 'reason' in broken ? broken.reason === 'aborted' : broken.failure.code === 'aborted'
  if (isAborted) return new ProviderFailure('aborted', 'The request was cancelled.')
  if ('reason' in broken && broken.reason === 'too_large')
    return new ProviderFailure('bad_output', `${provider} returned an answer that is too long.`)
  return unavailable(provider)
}
