type FailureCode = 'refused' | 'model_unknown' | 'rate_limited' | 'unavailable' | 'bad_output' | 'aborted'

/** Why a provider gave no usable answer, in our words. Never contains text from the provider. */
export class ProviderFailure extends Error {
  readonly code: FailureCode
  /** The wait that the provider requests; null: none. */
  readonly retryAfterMs: number | null

  constructor(code: FailureCode, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ProviderFailure'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

const MAX_WAIT_MS = 24 * 3_600_000

/** The failure for an HTTP status of a provider. @param headers with names in lower case */
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
    return new ProviderFailure(
      'bad_output',
      `${provider} does not accept the request for this model. Choose another one for the agent.`,
    )
  return unavailable(provider, retryAfterMs(headers))
}

function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const exact = Number(headers['retry-after-ms'])
  if (exact > 0) return Math.min(exact, MAX_WAIT_MS)
  const seconds = Number(headers['retry-after'])
  return seconds > 0 ? Math.min(seconds * 1_000, MAX_WAIT_MS) : null
}

export const unavailable = (provider: string, wait: number | null = null) =>
  new ProviderFailure(
    'unavailable',
    `${provider} cannot be reached, or does not answer. Check its status and address, and try again.`,
    wait,
  )

export const unreadable = (provider: string) =>
  new ProviderFailure(
    'bad_output',
    `${provider} returned an answer that cannot be read. Try again, or choose another model for the agent.`,
  )

export const unknownModel = (provider: string) =>
  new ProviderFailure('model_unknown', `${provider} has no such model. Choose another one for the agent.`)
