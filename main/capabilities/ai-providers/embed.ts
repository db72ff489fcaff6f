import { embedMany } from 'ai'
import type { AccountId } from '../../kernel/ids.ts'
import { ENDPOINTS } from './endpoints.ts'
import { toProviderFailure } from './sdk-failures.ts'
import type { Access } from './keys.ts'
import { modelsOf } from './language-model.ts'

/**
 * The vectors of a request are parsed in one synchronous step: with 3,072 numbers for each text, about a hundred
 * thousand.
 */
const AT_ONCE = 32

/** @throws ProviderFailure */
export async function embedTexts(
  access: Access,
  accountId: AccountId,
  model: string,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const { embedding } = modelsOf(access, accountId)
  if (embedding === null) return []
  const vectors: Float32Array[] = []
  try {
    for (let from = 0; from < texts.length; from += AT_ONCE) {
      const { embeddings } = await embedMany({
        model: embedding(model),
        values: texts.slice(from, from + AT_ONCE),
        maxRetries: 0,
        ...(signal && { abortSignal: signal }),
      })
      for (const vector of embeddings) vectors.push(Float32Array.from(vector))
    }
  } catch (error) {
    throw toProviderFailure(error, ENDPOINTS[access.provider].name)
  }
  return vectors
}
