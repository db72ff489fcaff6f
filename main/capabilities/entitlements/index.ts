import { FEATURES, type Feature } from '../../contract/features.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { createSlots, type EntitlementReader, type Slots } from './slots.ts'
import { familyOf, grantsOf, holderOf, parentOf, putGrant, removeGrant, type GrantRow } from './store.ts'

export { ALLOCATION } from './slots.ts'

/** A grant to an account. Granting again with the same source and key replaces it. */
interface Grant {
  readonly accountId: AccountId
  /** The granting room: `agency`, `billing`. */
  readonly source: string
  /** The reason for the grant: a sub-account, a subscription, a purchase. Unique within the source. */
  readonly sourceKey: string
  readonly slots?: number
  /** Absent: the grant does not change features. */
  readonly features?: readonly Feature[]
  readonly voicePackages?: number
  /** Freezes the account as long as the grant has this value. */
  readonly frozen?: boolean
}

/** @public */
export interface Entitled {
  readonly slots: number
  readonly features: readonly Feature[]
  readonly voicePackages: number
  /** The account, or its parent, owes money. */
  readonly frozen: boolean
}

export interface EntitlementsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  /** Read on each use. `slots` is the base of every account without a parent. */
  readonly config: { readonly slots: number; readonly agencyOvercommit?: boolean }
}

export interface Entitlements extends Slots {
  /** Idempotent by source and key. */
  grant(tx: Tx, grant: Grant): Promise<void>
  /** Revoking a grant that does not exist changes nothing. */
  revoke(tx: Tx, grant: Pick<Grant, 'source' | 'sourceKey'>): Promise<void>
  /** @param read the caller's commit; default: the committed state. */
  of(accountId: AccountId, read?: EntitlementReader): Promise<Entitled>
  /** Called after a commit that granted or revoked something. */
  onChanged(listener: () => void): void
  /** Called after a commit that froze or unfroze an account, with its id and those of its sub-accounts. */
  onFrozenChanged(listener: (accountIds: readonly AccountId[]) => void): void
  /** Whether the account belongs to an agency. */
  isClient(accountId: AccountId): Promise<boolean>
}

interface Granted extends Omit<Entitled, 'features'> {
  readonly features: readonly Feature[] | null
  readonly parentId: AccountId | null
}

const MOST_KNOWN = 20_000

/** What accounts may use, according to the settings and their grants. Each request for a feature checks it. */
export function createEntitlements({ db, clock, config }: EntitlementsDeps): Entitlements {
  const known = new Map<AccountId, Granted>()
  const committed: EntitlementReader = { all: db.read, one: db.readOne }

  const load = async (accountId: AccountId, read: EntitlementReader): Promise<Granted> => {
    const parentId = ((await read.one(parentOf, { accountId }))?.parentId ?? null) as AccountId | null
    return { ...sumOf(await read.all(grantsOf, { accountId })), parentId }
  }
  const listeners: (() => void)[] = []
  let changes = 0
  const find = async (accountId: AccountId, read: EntitlementReader | undefined): Promise<Granted> => {
    // A commit must see its own writes, and nobody else may.
    if (read !== undefined) return load(accountId, read)
    const found = known.get(accountId)
    if (found !== undefined) return found
    const changesBefore = changes
    const loaded = await load(accountId, committed)
    if (changes === changesBefore) {
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(accountId, loaded)
    }
    return loaded
  }
  const forget = (tx: Tx, accountId: string) =>
    tx.afterCommit(() => {
      changes++
      known.delete(accountId as AccountId)
      for (const listener of listeners) listener()
    })

  const frozenListeners: ((accountIds: readonly AccountId[]) => void)[] = []
  const isFrozen = async (tx: Tx, accountId: string) => sumOf(await tx.all(grantsOf, { accountId })).frozen
  const changed = async (tx: Tx, accountId: string, wasFrozen: boolean): Promise<void> => {
    forget(tx, accountId)
    if ((await isFrozen(tx, accountId)) === wasFrozen) return
    const below = await tx.all(familyOf, { parentId: accountId })
    const ids = [accountId as AccountId, ...below.map(({ id }) => id)]
    tx.afterCommit(() => {
      for (const listener of frozenListeners) listener(ids)
    })
  }

  const of: Entitlements['of'] = async (accountId, read) => {
    const { parentId, features, slots, voicePackages, frozen } = await find(accountId, read)
    if (parentId === null) return { slots: config.slots + slots, features: [...FEATURES], voicePackages, frozen }
    const above = await find(parentId, read)
    return { slots, features: features ?? [], voicePackages, frozen: frozen || above.frozen }
  }

  return {
    of,
    isClient: async (accountId) => (await find(accountId, undefined)).parentId !== null,
    async grant(tx, { accountId, source, sourceKey, slots = 0, features, voicePackages = 0, frozen = false }) {
      const row: GrantRow = {
        ...{ accountId, source, sourceKey, slots, voicePackages, frozen: frozen ? 1 : 0 },
        features: features === undefined ? null : JSON.stringify(features),
      }
      const wasFrozen = await isFrozen(tx, accountId)
      if ((await tx.one(putGrant, { ...row, now: clock.now() })) === undefined)
        throw new Error(`The grant ${source} ${sourceKey} is of another account`)
      await changed(tx, accountId, wasFrozen)
    },
    async revoke(tx, { source, sourceKey }) {
      const held = await tx.one(holderOf, { source, sourceKey })
      if (held === undefined) return
      const wasFrozen = await isFrozen(tx, held.accountId)
      await tx.run(removeGrant, { source, sourceKey })
      await changed(tx, held.accountId, wasFrozen)
    },
    onChanged: (listener) => void listeners.push(listener),
    onFrozenChanged: (listener) => void frozenListeners.push(listener),
    ...createSlots({ of, config, committed }),
  }
}

function sumOf(grants: readonly GrantRow[]): Omit<Granted, 'parentId'> {
  // grant() wrote this from features.
  const named = grants.flatMap(({ features }) => (features === null ? [] : [JSON.parse(features) as Feature[]]))
  return {
    slots: grants.reduce((sum, { slots }) => sum + slots, 0),
    voicePackages: grants.reduce((sum, { voicePackages }) => sum + voicePackages, 0),
    features: named.length === 0 ? null : FEATURES.filter((feature) => named.some((list) => list.includes(feature))),
    frozen: grants.some(({ frozen }) => frozen === 1),
  }
}
