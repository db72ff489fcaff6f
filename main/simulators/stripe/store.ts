import type { Tx, Db } from '../../kernel/db.ts'
import { objectsAfter, putObject, removeObject } from './sql.ts'
import type { Kinds, Kind, Stored } from './kinds.ts'

interface Entry {
  readonly seq: number
  readonly kind: Kind
  readonly object: Stored
}

/** The objects of one simulated Stripe account, in the order of their creation. */
interface Objects {
  readonly byId: Map<string, Entry>
  readonly byKind: Map<Kind, Map<string, Entry>>
}

function keep({ byId, byKind }: Objects, id: string, entry: Entry | null): void {
  const kind = entry?.kind ?? byId.get(id)?.kind
  if (kind === undefined) return
  const ofKind = byKind.get(kind) ?? new Map<string, Entry>()
  byKind.set(kind, ofKind)
  for (const index of [byId, ofKind]) {
    if (entry === null) index.delete(id)
    else index.set(id, entry)
  }
}

export interface StripeStore {
  /** Reads everything into memory; a simulator has little data. */
  load(): Promise<void>
  /** Starts the reads and changes of a request. Changes are invisible to others before `commit`. */
  begin(account: string): Unit
  accounts(): readonly string[]
}

/** The changes of one request: all are stored, or none. */
export interface Unit {
  readonly account: string
  find<K extends Kind>(kind: K, id: string): Kinds[K] | undefined
  /** Newest first. */
  list<K extends Kind>(kind: K): Kinds[K][]
  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K]
  remove(id: string): void
  /** The object with this id, of any kind. */
  any(id: string): Stored | undefined
  /** @param more writes in the same commit. */
  commit(more?: (tx: Tx) => Promise<void>): Promise<void>
}

const PORTION = 1_000

export function createStripeStore({ db }: { db: Db }): StripeStore {
  const accounts = new Map<string, Objects>()

  const objectsOf = (account: string): Objects => {
    const known = accounts.get(account)
    if (known !== undefined) return known
    const fresh: Objects = { byId: new Map(), byKind: new Map() }
    accounts.set(account, fresh)
    return fresh
  }

  return {
    async load() {
      accounts.clear()
      for (let after = 0; ;) {
        const rows = await db.read(objectsAfter, { after, rows: PORTION })
        for (const { account, id, seq, kind, body } of rows) {
          // Only `put` writes rows, with the kind of the object.
          keep(objectsOf(account), id, { seq, kind: kind as Kind, object: JSON.parse(body) as Stored })
        }
        const last = rows.at(-1)
        if (last === undefined || rows.length < PORTION) return
        after = last.seq
      }
    },
    accounts: () => [...accounts.keys()],

    begin(account) {
      const kept = objectsOf(account)
      const staged = new Map<string, { kind: Kind; object: Stored } | null>()

      const find = (id: string): { kind: Kind; object: Stored } | undefined => {
        const changed = staged.get(id)
        return changed === null ? undefined : (changed ?? kept.byId.get(id))
      }

      async function write(tx: Tx): Promise<Map<string, Entry | null>> {
        const written = new Map<string, Entry | null>()
        for (const [id, change] of staged) {
          if (change === null) {
            await tx.run(removeObject, { account, id })
            written.set(id, null)
            continue
          }
          const seq = kept.byId.get(id)?.seq ?? (await tx.next('sandbox_stripe_objects'))
          const { kind, object } = change
          await tx.run(putObject, { account, id, seq, kind, body: JSON.stringify(object) })
          written.set(id, { seq, kind, object })
        }
        return written
      }

      return {
        account,
        find(kind, id) {
          const found = find(id)
          // `put` pairs a kind with objects of its type.
          return found?.kind === kind ? (found.object as Kinds[typeof kind]) : undefined
        },
        list(kind) {
          // A changed object keeps its place; new ones follow in the order of their creation.
          const fresh = [...staged].filter(([, change]) => change?.kind === kind).map(([id]) => id)
          const ids = new Set([...(kept.byKind.get(kind)?.keys() ?? []), ...fresh])
          const found = [...ids].map(find).filter((entry) => entry !== undefined)
          // `put` pairs a kind with objects of its type.
          return found.map(({ object }) => object as Kinds[typeof kind]).toReversed()
        },
        put(kind, object) {
          staged.set(object.id, { kind, object })
          return object
        },
        remove: (id) => void staged.set(id, null),
        any: (id) => find(id)?.object,
        async commit(more) {
          const written = await db.commit(async (tx) => {
            const changes = await write(tx)
            await more?.(tx)
            return changes
          })
          for (const [id, entry] of written) keep(kept, id, entry)
          staged.clear()
        },
      }
    },
  }
}
