import { LIMITS } from '../../../main/contract/limits.ts'

export interface Pair {
  readonly id: number
  readonly key: string
  readonly value: string
}

export const toPairs = (metadata: Readonly<Record<string, string>> | null): Pair[] =>
  Object.entries(metadata ?? {}).map(([key, value], id) => ({ id, key, value }))

/** Rows without a key are left out; without rows, the metadata is empty. */
export function toMetadata(pairs: readonly Pair[]): Record<string, string> | null {
  const kept = pairs.filter(({ key }) => key.trim() !== '')
  return kept.length === 0 ? null : Object.fromEntries(kept.map(({ key, value }) => [key.trim(), value]))
}

/** Finds what the service would reject, before the request. @returns a key below `instances.metadata.problem`. */
export function findMetadataProblem(pairs: readonly Pair[]): 'twice' | 'noKey' | 'longKey' | 'longValue' | undefined {
  const keys = pairs.map(({ key }) => key.trim()).filter(Boolean)
  if (new Set(keys).size < keys.length) return 'twice'
  if (pairs.some(({ key, value }) => key.trim() === '' && value !== '')) return 'noKey'
  if (keys.some((key) => key.length > LIMITS.metadataKeyLength)) return 'longKey'
  if (pairs.some(({ value }) => value.length > LIMITS.metadataValueLength)) return 'longValue'
  return undefined
}

export const MAX_PAIRS = LIMITS.metadataPairs
