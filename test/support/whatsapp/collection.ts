import { proto } from 'baileys'
import type { CollectionName } from './ledger.ts'

/** A collection as the server keeps it: it has no key, and knows of each setting which one it is and no more. */
export interface Collection {
  readonly name: CollectionName
  readonly version: number
  /** Takes what shall be the next version. @param mutations of the patch, where they lie in a file beside it. */
  keep(patch: proto.ISyncdPatch, mutations?: readonly proto.ISyncdMutation[]): void
  /** What has changed after this version, oldest first. */
  since(version: number): readonly proto.ISyncdPatch[]
  /** Everything as of a version, for those who begin; undefined where there is little enough to hand out one by one. */
  snapshot(): proto.ISyncdSnapshot | undefined
}

/** Whoever begins gets the whole as of such a version, and what came after it one by one. */
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
