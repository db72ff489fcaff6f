import { proto } from 'baileys'
import { EMPTY_HASH, rehash } from './lt-hash.ts'
import {
  eightBytes,
  hmac,
  keysOf,
  openSetting,
  sealedSetting,
  sealSetting,
  type Operation,
  type SealedSetting,
  type Setting,
  type SyncKey,
} from './setting.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

/** The collections with the settings of an account. Each has its own versions. */
export const COLLECTIONS = ['critical_block', 'critical_unblock_low', 'regular_high', 'regular_low', 'regular'] as const
export type CollectionName = (typeof COLLECTIONS)[number]

/** A collection from the view of devices that have the keys. */
export interface Ledger {
  readonly version: number
  /** A hash of the MACs of all values. Equal settings have equal hashes. */
  readonly hash: Buffer
  /** The MACs of the values, by the MACs of their indices. */
  readonly macs: ReadonlyMap<string, Buffer>
  /** The settings by their serialized index. */
  readonly settings: ReadonlyMap<string, Setting>
}

interface Change {
  readonly operation: Operation
  readonly setting: Setting
}

export const EMPTY_LEDGER: Ledger = { version: 0, hash: EMPTY_HASH, macs: new Map(), settings: new Map() }

/** Creates the next version of a collection, encrypted with the key. */
export function sealChanges(
  name: CollectionName,
  ledger: Ledger,
  key: SyncKey,
  changes: readonly Change[],
): { patch: proto.ISyncdPatch; ledger: Ledger } {
  const sealed = changes.map(({ operation, setting }) => sealSetting(key, operation, setting))
  const next = changed(ledger, changes, sealed)
  const snapshotMac = snapshotMacOf(name, next, key)
  const patch = {
    mutations: changes.map(({ operation }, at) => ({ operation, record: sealed[at]!.record })),
    snapshotMac,
    patchMac: patchMacOf(name, next.version, key, snapshotMac, sealed),
    keyId: { id: key.id },
  }
  return { patch, ledger: next }
}

/**
 * Reads a version that another device created.
 * @throws if it is not valid, or is not based on this version.
 */
export function openChanges(name: CollectionName, ledger: Ledger, key: SyncKey, patch: proto.ISyncdPatch): Ledger {
  const snapshotMac = Buffer.from(patch.snapshotMac ?? [])
  const mutations = (patch.mutations ?? []).map(({ operation, record }) => ({
    operation: operation ?? SET,
    sealed: sealedSetting(record ?? {}),
  }))
  const sealed = mutations.map((mutation) => mutation.sealed)
  if (!patchMacOf(name, ledger.version + 1, key, snapshotMac, sealed).equals(patch.patchMac ?? Buffer.alloc(0)))
    throw new Error('the MAC of the change is wrong')
  const changes = mutations.map(({ operation, sealed: one }) => ({
    operation,
    setting: openSetting(key, operation, one),
  }))
  const next = changed(ledger, changes, sealed)
  if (!snapshotMacOf(name, next, key).equals(snapshotMac)) throw new Error('the MAC of the whole is wrong')
  return next
}

function changed(ledger: Ledger, changes: readonly Change[], sealed: readonly SealedSetting[]): Ledger {
  const macs = new Map(ledger.macs)
  const settings = new Map(ledger.settings)
  const gone: Buffer[] = []
  const added: Buffer[] = []
  changes.forEach(({ operation, setting }, at) => {
    const { indexMac, valueMac } = sealed[at]!
    const name = indexMac.toString('base64')
    const before = macs.get(name)
    if (before) gone.push(before)
    macs.delete(name)
    settings.delete(JSON.stringify(setting.index))
    if (operation === REMOVE) return
    added.push(valueMac)
    macs.set(name, valueMac)
    settings.set(JSON.stringify(setting.index), setting)
  })
  return { version: ledger.version + 1, hash: rehash(ledger.hash, gone, added), macs, settings }
}

const snapshotMacOf = (name: CollectionName, { hash, version }: Ledger, key: SyncKey): Buffer =>
  hmac('sha256', keysOf(key).snapshot, hash, eightBytes(version), Buffer.from(name))

function patchMacOf(
  name: CollectionName,
  version: number,
  key: SyncKey,
  snapshotMac: Buffer,
  sealed: readonly SealedSetting[],
): Buffer {
  const macs = sealed.map(({ valueMac }) => valueMac)
  return hmac('sha256', keysOf(key).patch, snapshotMac, ...macs, eightBytes(version), Buffer.from(name))
}
