/** ITU-T G.711: a byte for each sample at 8 kHz. */
export interface G711 {
  readonly payloadType: 0 | 8
  encode(sample: number): number
  decode(byte: number): number
}

const BIAS = 0x84
const CLIP = 32_635

export const PCMU: G711 = {
  payloadType: 0,
  encode(sample) {
    const sign = sample < 0 ? 0x80 : 0
    const magnitude = Math.min(CLIP, Math.abs(sample)) + BIAS
    const exponent = Math.max(0, 31 - Math.clz32(magnitude) - 7)
    const mantissa = (magnitude >> (exponent + 3)) & 0x0f
    return ~(sign | (exponent << 4) | mantissa) & 0xff
  },
  decode(byte) {
    const inverted = ~byte & 0xff
    const exponent = (inverted >> 4) & 0x07
    const magnitude = (((inverted & 0x0f) << 3) + BIAS) << exponent
    return inverted & 0x80 ? BIAS - magnitude : magnitude - BIAS
  },
}

export const PCMA: G711 = {
  payloadType: 8,
  encode(sample) {
    const sign = sample < 0 ? 0 : 0x80
    const magnitude = Math.min(CLIP, sample < 0 ? -sample - 1 : sample)
    const exponent = Math.max(0, 31 - Math.clz32(Math.max(1, magnitude)) - 7)
    const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f
    return (sign | (exponent << 4) | mantissa) ^ 0x55
  },
  decode(byte) {
    const bits = byte ^ 0x55
    const exponent = (bits >> 4) & 0x07
    const base = ((bits & 0x0f) << 4) + 8
    const magnitude = exponent === 0 ? base : (base + 0x1_00) << (exponent - 1)
    return bits & 0x80 ? magnitude : -magnitude
  },
}

/** 16 kHz to 8 kHz: two samples become one, which also removes what 8 kHz cannot carry. */
export function toG711(pcm: Int16Array, { encode }: G711): Buffer {
  const bytes = Buffer.alloc(pcm.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = encode(((pcm[2 * i] ?? 0) + (pcm[2 * i + 1] ?? 0)) >> 1)
  return bytes
}

/** 8 kHz to 16 kHz, with a sample between each two. */
export function fromG711(bytes: Uint8Array, { decode }: G711): Int16Array {
  const pcm = new Int16Array(bytes.length * 2)
  let last = decode(bytes[0] ?? 0xff)
  for (const [i, byte] of bytes.entries()) {
    const sample = decode(byte)
    pcm[2 * i] = (last + sample) >> 1
    pcm[2 * i + 1] = sample
    last = sample
  }
  return pcm
}
