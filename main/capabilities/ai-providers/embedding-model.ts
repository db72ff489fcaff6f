import type { AccountId } from '../../kernel/ids.ts'
import { ask, modelNamesIn } from './ask.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { Access } from './keys.ts'

const EMBEDDING_MODELS = { openai: 'text-embedding-3-small', google: 'gemini-embedding-001' } as const

/** Which model of the provider makes vectors; undefined: none. @throws ProviderFailure */
export async function embeddingModelOf(access: Access, accountId: AccountId): Promise<string | undefined> {
  const { provider } = access
  if (provider === 'openai' || provider === 'google') return EMBEDDING_MODELS[provider]
  if (provider !== 'custom') return undefined
  const names = modelNamesIn(await ask({ ...access, path: ENDPOINTS.custom.modelsPath, accountId }))
  return names.find((name) => /embed/i.test(name))
}
