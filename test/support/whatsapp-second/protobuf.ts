/** The fields of a protobuf message, by number. Signal's messages contain only varints and bytes. */
export type Fields = ReadonlyMap<number, number | Buffer>

export function encodeFields(fields: Readonly<Record<number, number | Uint8Array | undefined>>): Buffer {
  const parts: Uint8Array[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'number') parts.push(varint(Number(name) << 3), varint(value))
    else if (value) parts.push(varint((Number(name) << 3) | 2), varint(value.length), value)
  }
  return Buffer.concat(parts)
}

/** @throws for other types of fields. */
export function decodeFields(bytes: Buffer): Fields {
  const fields = new Map<number, number | Buffer>()
  let at = 0
  const next = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes.readUInt8(at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const key = next()
    const value = next()
    if ((key & 7) === 0) fields.set(key >> 3, value)
    else if ((key & 7) === 2 && at + value <= bytes.length) fields.set(key >> 3, bytes.subarray(at, (at += value)))
    else throw new Error(`field ${key >> 3} is neither a number nor bytes`)
  }
  return fields
}

/** @throws if the field is missing. */
export function bytesAt(fields: Fields, name: number): Buffer {
  const value = fields.get(name)
  if (!Buffer.isBuffer(value)) throw new Error(`field ${name} is missing`)
  return value
}

export function numberAt(fields: Fields, name: number): number | undefined {
  const value = fields.get(name)
  return typeof value === 'number' ? value : undefined
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}
