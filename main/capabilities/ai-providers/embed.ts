import { embedMany } from 'ai'
import type { AccountId } from '../../kernel/ids.ts'
import { ask, modelNamesIn } from './ask.ts'
import { ENDPOINTS } from './endpoints.ts'
import { toProviderFailure } from './failures.ts'
import type { Access } from './keys.ts'
import { modelsOf } from './language-model.ts'

const EMBEDDING_MODELS = { openai: 'text-embedding-3-small', google: 'gemini-embedding-001' } as const
const AT_ONCE = 64

/** Which model of the provider makes vectors; undefined: none. @throws ProviderFailure */
export async function embeddingModelOf(access: Access, accountId: AccountId): Promise<string | undefined> {
  const { provider } = access
  if (provider === 'openai' || provider === 'google') return EMBEDDING_MODELS[provider]
  if (provider !== 'custom') return undefined
  const names = modelNamesIn(await ask({ ...access, path: ENDPOINTS.custom.modelsPath, accountId }))
  return names.find((name) => /embed/i.test(name))
}

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
