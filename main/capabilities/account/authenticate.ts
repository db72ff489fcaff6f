import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { KeyId } from '../../kernel/ids.ts'
import { hashKey, isWellFormedKey } from '../../kernel/keys.ts'
import { toKey, usableKey, usableKeyById, type ApiKey } from './store.ts'

interface Deps {
  readonly db: Pick<Db, 'readOne'>
  readonly clock: Pick<Clock, 'now'>
  /** Default requests per minute of a key; read on each use. */
  readonly defaultRate: () => number
  /** Called on each successful use; must be cheap. */
  readonly onUsed: (id: KeyId) => void
}

export interface Authentication {
  /** @returns the principal of the token; undefined when it is malformed, unknown, revoked or expired. */
  readonly authenticate: (token: string) => Promise<Principal | undefined>
  /** The principal of a key that was checked before; undefined when it was revoked or has expired since. */
  readonly principalOf: (id: KeyId) => Promise<Principal | undefined>
  /** Clears the cache. Called after every commit that changes a key, so that a revocation takes effect immediately. */
  readonly clearCache: () => void
}

interface CachedKey {
  readonly hash: Uint8Array
  readonly keyId: KeyId
  readonly expiresAtMs: number | null
  readonly principal: Principal
}

/** Far more keys than an account has; the limit keeps a runaway script from filling the memory. */
const MAX_CACHED = 50_000

export function createAuthentication({ db, clock, defaultRate, onUsed }: Deps): Authentication {
  const cache = new Map<string, CachedKey>()
  let changes = 0

  const principalFor = (key: ApiKey, accountName: string): Principal => ({
    kind: 'key',
    role: null,
    accountId: key.accountId,
    accountName,
    key: { id: key.id, name: key.name, last4: key.last4, expiresAtMs: key.expiresAtMs, approval: key.approval },
    scopes: key.scopes,
    allowedInstanceIds: key.allowedInstanceIds,
    // The setting may change while the principal is cached.
    get ratePerMinute() {
      return key.ratePerMinute ?? defaultRate()
    },
    source: 'api',
  })

  async function load(hash: Buffer): Promise<CachedKey | undefined> {
    const changesBefore = changes
    const row = await db.readOne(usableKey, { hash })
    if (!row) return undefined
    const key = toKey(row)
    const principal = Object.freeze(principalFor(key, row.accountName))
    const known: CachedKey = { hash: row.hash, keyId: key.id, expiresAtMs: key.expiresAtMs, principal }
    // A key that was revoked while it was read must not be cached as usable.
    if (changes === changesBefore) {
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(hash.toString('latin1'), known)
    }
    return known
  }

  return {
    async authenticate(token) {
      if (!isWellFormedKey(token)) return undefined
      const hash = hashKey(token)
      const known = cache.get(hash.toString('latin1')) ?? (await load(hash))
      if (!known || !timingSafeEqual(known.hash, hash)) return undefined
      if (known.expiresAtMs !== null && known.expiresAtMs <= clock.now()) return undefined
      onUsed(known.keyId)
      return known.principal
    },
    async principalOf(id) {
      const row = await db.readOne(usableKeyById, { id })
      if (!row || (row.expiresAtMs !== null && row.expiresAtMs <= clock.now())) return undefined
      return principalFor(toKey(row), row.accountName)
    },
    clearCache() {
      changes++
      cache.clear()
    },
  }
}
