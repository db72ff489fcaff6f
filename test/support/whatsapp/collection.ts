import { proto } from 'baileys'
import type { CollectionName } from './ledger.ts'

/** A collection on the server. The server has no key, so it knows which setting changes but not its content. */
export interface Collection {
  readonly name: CollectionName
  readonly version: number
  /** Stores the next version. @param mutations the changes, if they are in a separate file. */
  keep(patch: proto.ISyncdPatch, mutations?: readonly proto.ISyncdMutation[]): void
  /** The changes after this version, oldest first. */
  since(version: number): readonly proto.ISyncdPatch[]
  /** A complete version for new clients; undefined if the changes are few enough to be sent separately. */
  snapshot(): proto.ISyncdSnapshot | undefined
}

/** Snapshots exist for every fifth version. A new client gets the newest one and the later changes. */
const SNAPSHOT_EVERY = 5

export function createCollection(name: CollectionName): Collection {
  const patches: proto.ISyncdPatch[] = []
  const records = new Map<string, proto.ISyncdRecord>()
  let snapshot: proto.ISyncdSnapshot | undefined

  function note({ operation, record }: proto.ISyncdMutation): void {
    const index = Buffer.from(record?.index?.blob ?? []).toString('base64')
    records.delete(index)
    if (record && operation !== proto.SyncdMutation.SyncdOperation.REMOVE) records.set(index, record)
  }

  return {
    name,
    get version() {
      return patches.length
    },
    keep(patch, mutations = patch.mutations ?? []) {
      const version = { version: patches.length + 1 }
      patches.push({ ...patch, version })
      mutations.forEach(note)
      if (patches.length % SNAPSHOT_EVERY !== 0) return
      const { snapshotMac: mac = null, keyId = null } = patch
      snapshot = { version, records: [...records.values()], mac, keyId }
    },
    since: (version) => patches.slice(version),
    snapshot: () => snapshot,
  }
}
