import { KEYED_PROVIDERS, type KeyedProvider } from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { Secret } from '../../kernel/secret.ts'
import { isSameOrigin } from '../../outbound/service-address.ts'
import { ask } from './ask.ts'
import type { ProviderKey, PutProviderKeyBody } from './contract.ts'
import { ENDPOINTS } from './endpoints.ts'
import { ProviderFailure } from './failures.ts'
import { keyOf, keysOf, removeKey, saveKey, type KeyRow } from './store.ts'
import { isSimulated, type Way, type Ways } from './ways.ts'
import type { RequireAccess } from '../handler.ts'

/** A provider with its current address and key. */
export interface Access {
  readonly provider: KeyedProvider
  readonly way: Way
  readonly key: Secret | null
}

interface KeysDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
  readonly ways: Ways
}

interface Place {
  readonly instanceId: string
  readonly accountId: AccountId
}

/** The principal that stores a key. */
interface By {
  /** The address may be on this computer or in a trusted range. */
  readonly byOperator: boolean
  readonly requireAccess: RequireAccess
}

export type Keys = ReturnType<typeof createKeys>

/** Provider keys, one per provider and instance. They can be written and used, and are never shown. */
export function createKeys({ db, clock, seal, ways }: KeysDeps) {
  const ownerOf = (instanceId: string, provider: string) => `ai-key:${instanceId}:${provider}`

  const wayOf = ({ provider, baseUrl, byOperator }: Pick<KeyRow, 'provider' | 'baseUrl' | 'byOperator'>): Way =>
    ways.to(baseUrl ?? ENDPOINTS[provider].baseUrl ?? '', { byOperator: byOperator === 1 })

  const simulatedKey = (baseUrl: string | null, accountId: AccountId): Secret | null => {
    const key = baseUrl === null ? undefined : ways.simulatorKey(baseUrl, accountId)
    return key === undefined ? null : new Secret(key)
  }

  /**
   * @returns true if the provider accepted the key, false if it could not be reached. @throws ApiError
   * validation_error
   */
  async function verify(access: Access, accountId: AccountId): Promise<boolean> {
    const { checkPath } = ENDPOINTS[access.provider]
    try {
      await ask({ ...access, path: checkPath, accountId })
      return true
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      if (error.code === 'refused')
        throw new ApiError('validation_error', `api_key: ${error.message}`).because('provider_refused')
      return false
    }
  }

  return {
    async list(instanceId: string): Promise<ProviderKey[]> {
      const rows = await db.read(keysOf, { instanceId })
      return KEYED_PROVIDERS.map((provider) =>
        toRecord(
          provider,
          rows.find((row) => row.provider === provider),
        ),
      )
    },

    async put(
      { instanceId, accountId }: Place,
      provider: KeyedProvider,
      { api_key: apiKey, base_url: typed }: PutProviderKeyBody,
      { byOperator, requireAccess }: By,
    ): Promise<ProviderKey> {
      if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
        throw new ApiError(
          'validation_error',
          'api_key must not contain spaces, line breaks or special characters.',
        ).because('key_characters')
      if (apiKey === undefined && provider !== 'custom' && !isSimulated(typed ?? null))
        throw new ApiError(
          'validation_error',
          'api_key is required. Create one in the account of the provider.',
        ).because('field_required', { field: 'api_key' })
      if (typed === undefined && provider === 'custom')
        throw new ApiError(
          'validation_error',
          'base_url is required for custom, such as https://llm.example.com/v1.',
        ).because('field_required', { field: 'base_url' })
      const known = await db.readOne(keyOf, { instanceId, provider })
      // A member may replace the key for the server that the operator chose.
      const keepsTrust = !byOperator && known?.byOperator === 1 && typed !== undefined && typed === known.baseUrl
      const mayBeLocal = provider === 'custom'
      const baseUrl =
        typed === undefined || keepsTrust ? (typed ?? null) : await ways.check(typed, { byOperator, mayBeLocal })
      const owner = ownerOf(instanceId, provider)
      const stored = apiKey === undefined ? keptKey(known, baseUrl) : null
      const key = apiKey === undefined ? stored && seal.open(stored, owner) : new Secret(apiKey)
      // Sealed before the check: while the vault is locked, nothing is sent either.
      const sealed = stored ?? (key && seal.seal(key, owner))
      const place = { provider, baseUrl, byOperator: byOperator || keepsTrust ? 1 : 0 } as const
      const asked = { provider, way: wayOf(place), key: key ?? simulatedKey(place.baseUrl, accountId) }
      const verified = await verify(asked, accountId)
      const row = {
        ...{ instanceId, accountId, key: sealed, ...place },
        verified: verified ? (1 as const) : (0 as const),
        updatedAtMs: clock.now(),
      }
      await db.commit(async (tx) => {
        // Checked again, because checking the address and the key takes a while.
        await requireAccess(tx)
        await tx.run(saveKey, row)
      })
      return toRecord(provider, row)
    },

    remove: (instanceId: string, provider: KeyedProvider) =>
      db.commit((tx) => tx.run(removeKey, { instanceId, provider })),

    /** Whether there is a key, or an address that needs no key. */
    async has(read: Pick<Tx, 'one'>, instanceId: string, provider: KeyedProvider): Promise<boolean> {
      return (await read.one(keyOf, { instanceId, provider })) !== undefined
    },

    /** @throws ApiError provider_key_missing, sealed */
    async open({ instanceId, accountId }: Place, provider: KeyedProvider): Promise<Access> {
      const row = await db.readOne(keyOf, { instanceId, provider })
      if (row === undefined) throw keyMissing(provider)
      const { key: sealed, baseUrl } = row
      const key = sealed === null ? simulatedKey(baseUrl, accountId) : seal.open(sealed, ownerOf(instanceId, provider))
      return { provider, way: wayOf(row), key }
    },
  }
}

/** A stored key is kept only for the server for which it was entered. */
const keptKey = (known: KeyRow | undefined, baseUrl: string | null): Uint8Array | null =>
  known !== undefined && known.baseUrl !== null && baseUrl !== null && isSameOrigin(known.baseUrl, baseUrl)
    ? known.key
    : null

export const keyMissing = (provider: KeyedProvider) =>
  new ApiError(
    'provider_key_missing',
    `There is no API key for the provider ${provider}. Store one with PUT …/ai/provider-keys/${provider}.`,
  )

const toRecord = (provider: KeyedProvider, row: KeyRow | undefined): ProviderKey =>
  row === undefined
    ? { provider, configured: false, verified: null, base_url: null, updated_at: null }
    : {
        provider,
        configured: true,
        verified: row.verified === 1,
        base_url: row.baseUrl,
        updated_at: isoTime(row.updatedAtMs),
      }
