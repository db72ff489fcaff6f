const SERIAL = 0x53574244
const FRAMES = 50
/** 20 ms at the 48 kHz that Opus counts in. */
const FRAME_SAMPLES = 960
/** Silence of 20 ms: a CELT frame that codes nothing. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe])

const BEGIN = 2
const END = 4

/** A second of silence as Ogg/Opus, the format of voice notes. */
export function sampleOgg(): Buffer {
  const frames = Array.from({ length: FRAMES }, () => SILENCE)
  return Buffer.concat([
    page(BEGIN, 0, 0, [opusHead()]),
    page(0, 1, 0, [opusTags()]),
    page(END, 2, FRAMES * FRAME_SAMPLES, frames),
  ])
}

/** RFC 7845: version 1, mono, no pre-skip, 48 kHz, no gain, mapping family 0. */
function opusHead(): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.set([1, 1], 8)
  head.writeUInt32LE(48_000, 12)
  return head
}

function opusTags(): Buffer {
  const vendor = Buffer.from('Switchboard sandbox', 'latin1')
  const tags = Buffer.alloc(8 + 4 + vendor.length + 4)
  tags.write('OpusTags', 0, 'latin1')
  tags.writeUInt32LE(vendor.length, 8)
  tags.set(vendor, 12)
  return tags
}

/** RFC 3533. Packets here are shorter than 255 bytes, so each is one segment. */
function page(flags: number, sequence: number, position: number, packets: Buffer[]): Buffer {
  const header = Buffer.alloc(27 + packets.length)
  header.write('OggS', 0, 'latin1')
  header[5] = flags
  header.writeBigUInt64LE(BigInt(position), 6)
  header.writeUInt32LE(SERIAL, 14)
  header.writeUInt32LE(sequence, 18)
  header[26] = packets.length
  header.set(
    packets.map((packet) => packet.length),
    27,
  )
  const whole = Buffer.concat([header, ...packets])
  whole.writeUInt32LE(checksum(whole), 22)
  return whole
}

/** CRC-32 of Ogg: polynomial 0x04c11db7, not reflected, begun with 0. */
function checksum(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  }
  return crc >>> 0
}
