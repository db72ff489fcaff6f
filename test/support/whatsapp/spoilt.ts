import { type proto } from 'baileys'

/** Which MAC of a change is wrong: the one of a value, of an index, of the resulting collection, or of the change. */
export type Spoilt = 'value' | 'index' | 'collection' | 'change'

/** The same change with one inverted bit in one of its MACs. */
export function spoil(patch: proto.ISyncdPatch, which: Spoilt): proto.ISyncdPatch {
  switch (which) {
    case 'collection':
      return { ...patch, snapshotMac: flipped(patch.snapshotMac) }
    case 'change':
      return { ...patch, patchMac: flipped(patch.patchMac) }
    case 'value':
      return withRecord(patch, ({ value, ...record }) => ({ ...record, value: { blob: flipped(value?.blob) } }))
    case 'index':
      return withRecord(patch, ({ index, ...record }) => ({ ...record, index: { blob: flipped(index?.blob) } }))
  }
}

function withRecord(
  { mutations, ...patch }: proto.ISyncdPatch,
  spoilRecord: (record: proto.ISyncdRecord) => proto.ISyncdRecord,
): proto.ISyncdPatch {
  const [first, ...others] = mutations ?? []
  return { ...patch, mutations: [{ ...first, record: spoilRecord(first?.record ?? {}) }, ...others] }
}

/** Inverts a bit in the last byte, because the MAC of a value is at its end. */
function flipped(bytes: Uint8Array | null | undefined): Buffer {
  const other = Buffer.from(bytes ?? [])
  other.writeUInt8(other.readUInt8(other.length - 1) ^ 1, other.length - 1)
  return other
}
