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
import { failureOfStatus, ProviderFailure, unavailable, unknownModel, unreadable } from './failures.ts'
import { brokenBodyIn } from './guarded-fetch.ts'

/** The failure for an error of the model library. @param provider its name for people */
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
  if (isBadOutput(error)) return unreadable(provider)
  if (error instanceof Error && error.name === 'AbortError')
    return new ProviderFailure('aborted', 'The request was cancelled.')
  return unavailable(provider)
}

const isBadOutput = (error: unknown): boolean =>
  NoObjectGeneratedError.isInstance(error) ||
  NoOutputGeneratedError.isInstance(error) ||
  JSONParseError.isInstance(error) ||
  TypeValidationError.isInstance(error) ||
  InvalidToolInputError.isInstance(error)

function ofBroken(broken: NonNullable<ReturnType<typeof brokenBodyIn>>, provider: string): ProviderFailure {
  const isAborted = 'reason' in broken ? broken.reason === 'aborted' : broken.failure.code === 'aborted'
  if (isAborted) return new ProviderFailure('aborted', 'The request was cancelled.')
  if ('reason' in broken && broken.reason === 'too_large')
    return new ProviderFailure(
      'bad_output',
      `${provider} returned an answer that is too long. Choose another model for the agent.`,
    )
  return unavailable(provider)
}
