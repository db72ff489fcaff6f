import type { KeyedProvider } from '../../contract/ai.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { parseForeignJson } from '../../kernel/foreign-json.ts'
import type { Secret } from '../../kernel/secret.ts'
import { ENDPOINTS } from './endpoints.ts'
import { failureOfStatus, unavailable, unreadable } from './failures.ts'
import type { Way } from './ways.ts'

interface Question {
  readonly provider: KeyedProvider
  readonly way: Way
  readonly key: Secret | null
  readonly path: string
  readonly accountId: AccountId
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** The longest known list of models, OpenRouter's, takes a third of this. */
const MAX_BODY_BYTES = 2 * 1024 * 1024
const MAX_NAMES = 5_000

/** Sends a provider a request that costs nothing. @throws ProviderFailure */
export async function ask({ provider, way, key, path, accountId, timeoutMs = TIMEOUT_MS }: Question): Promise<unknown> {
  const { name, keyHeader } = ENDPOINTS[provider]
  const answer = await way.outbound.request({
    url: way.baseUrl + path,
    method: 'GET',
    headers: { accept: 'application/json', ...(key && keyHeader(key.open())) },
    headersTimeoutMs: timeoutMs,
    connectTimeoutMs: Math.min(timeoutMs, 5_000),
    bodyTimeoutMs: timeoutMs,
    maxBodyBytes: MAX_BODY_BYTES,
    from: { accountId },
  })
  if (answer.kind === 'failure') throw unavailable(name)
  // Google answers 400 instead of 401 to an invalid key.
  if (answer.status === 400 && provider === 'google') throw failureOfStatus(401, {}, name)
  if (answer.status < 200 || answer.status > 299) throw failureOfStatus(answer.status, answer.headers, name)
  try {
    return parseForeignJson(answer.body)
  } catch {
    throw unreadable(name)
  }
}

/** The first names in a list of models, in any of the three formats. */
export function modelNamesIn(answer: unknown): string[] {
  const { data, models } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>
  const list = Array.isArray(data) ? data : Array.isArray(models) ? models : []
  const names = list.slice(0, MAX_NAMES).flatMap((entry: unknown) => {
    const { id, name } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
    const text = typeof id === 'string' ? id : typeof name === 'string' ? name : ''
    return text === '' ? [] : [text.replace(/^models\//, '').slice(0, 200)]
  })
  return [...new Set(names)].toSorted()
}
