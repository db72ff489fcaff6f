import type { LanguageModel } from 'ai'
import type { KeyedProvider } from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Resolve } from '../../outbound/outbound.ts'
import type { Guards } from '../../outbound/service-address.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Instances } from '../instances/index.ts'
import { ask, modelNamesIn } from './ask.ts'
import type { ProviderModel } from './contract.ts'
import { embeddingModelOf } from './embedding-model.ts'
import { ENDPOINTS } from './endpoints.ts'
import { ProviderFailure } from './failures.ts'
import { createKeys, type Keys } from './keys.ts'
import { findLocalModels } from './local-models.ts'
import { priceOf } from './prices.ts'
import { removeKeysOf } from './store.ts'
import { createWays, type SimulatedModel } from './ways.ts'

export { ProviderFailure } from './failures.ts'
export { costMicros, priceOf, type Price } from './prices.ts'
export { keyMissing } from './keys.ts'

export interface AiProvidersDeps extends Guards {
  readonly db: Db
  readonly clock: Clock
  readonly seal: Seal
  readonly resolve: Resolve
  readonly instances: Pick<Instances, 'subscribe'>
  /** null if the simulator is not running. */
  readonly modelSimulator: SimulatedModel | null
}

interface OfInstance {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly provider: KeyedProvider
}

export interface AiProviders extends Pick<Keys, 'list' | 'put' | 'remove' | 'has'> {
  /**
   * A model with the stored key. Its requests go through the guard, and `failureOf` explains their errors.
   * @throws ApiError provider_key_missing, sealed
   */
  model(of: OfInstance, model: string): Promise<LanguageModel>
  /** Why a request to a model failed, in our words. */
  failureOf(error: unknown, provider: KeyedProvider): Promise<ProviderFailure>
  /** @throws ApiError provider_key_missing, sealed, upstream_unavailable */
  models(of: OfInstance): Promise<ProviderModel[]>
  findLocal(accountId: AccountId): ReturnType<typeof findLocalModels>
  /**
   * Vectors of texts, with the name of the model that made them.
   * @returns undefined if the provider has no such model. @throws ApiError, ProviderFailure
   */
  embed(
    of: OfInstance,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly model: string; readonly vectors: readonly Float32Array[] } | undefined>
  close(): Promise<void>
}

// The model library is loaded on first use: this saves a fifth of the memory of an idle service.

/** Models that cannot answer a chat. */
const NOT_FOR_CHAT = /embed|whisper|tts|audio|image|dall-e|moderation|rerank|realtime|transcri|sora|veo|aqa/i
/** How long the name of the embedding model is cached. */
const EMBEDDING_KNOWN_MS = 600_000

export function createAiProviders(deps: AiProvidersDeps): AiProviders {
  const { db, clock, seal, instances } = deps
  const ways = createWays(deps)
  const keys = createKeys({ db, clock, seal, ways })
  const embeddingModels = new Map<string, { readonly model: string | undefined; readonly untilMs: number }>()

  instances.subscribe(async (tx, change) => {
    const { kind, id } = change
    // Requests made with a key are billed to the account that stored it.
    const isOfOther = change.kind === 'transferred' && !change.isRepeated
    if (kind === 'deleted' || kind === 'not_returned' || isOfOther) await tx.run(removeKeysOf, { instanceId: id })
  })

  return {
    ...keys,
    async model({ instanceId, accountId, provider }, model) {
      const access = await keys.open({ instanceId, accountId }, provider)
      const [{ modelsOf }, { boundedModel }] = await Promise.all([
        import('./language-model.ts'),
        import('./bounded-stream.ts'),
      ])
      return boundedModel(modelsOf(access, accountId).chat(model), ENDPOINTS[provider].name)
    },
    async failureOf(error, provider) {
      const { toProviderFailure } = await import('./sdk-failures.ts')
      return toProviderFailure(error, ENDPOINTS[provider].name)
    },
    async models({ instanceId, accountId, provider }) {
      const access = await keys.open({ instanceId, accountId }, provider)
      try {
        const names = modelNamesIn(await ask({ ...access, path: ENDPOINTS[provider].modelsPath, accountId }))
        return names.filter((name) => !NOT_FOR_CHAT.test(name)).map(toModel)
      } catch (error) {
        if (error instanceof ProviderFailure)
          throw new ApiError('upstream_unavailable', error.message).because(`provider_${error.code}`)
        throw error
      }
    },
    findLocal: (accountId) => findLocalModels(ways, accountId),
    async embed({ instanceId, accountId, provider }, texts, signal) {
      const access = await keys.open({ instanceId, accountId }, provider)
      const place = `${provider} ${access.way.baseUrl}`
      const known = embeddingModels.get(place)
      const model =
        known !== undefined && known.untilMs > clock.now() ? known.model : await embeddingModelOf(access, accountId)
      embeddingModels.set(place, { model, untilMs: clock.now() + EMBEDDING_KNOWN_MS })
      if (model === undefined) return undefined
      const { embedTexts } = await import('./embed.ts')
      return { model, vectors: await embedTexts(access, accountId, model, texts, signal) }
    },
    close: ways.close,
  }
}

function toModel(id: string): ProviderModel {
  const price = priceOf(id)
  return {
    id,
    input_per_million_usd: price?.inputPerMillionUsd ?? null,
    output_per_million_usd: price?.outputPerMillionUsd ?? null,
  }
}
