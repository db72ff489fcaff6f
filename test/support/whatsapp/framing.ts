/**
 * Splits the bytes of a client into frames: a three-byte length, then that many bytes. The bytes may arrive in any
 * pieces.
 */
export interface Frames {
  /** What the client sent before its first frame. Both sides include it in their hash. */
  readonly prologue: Buffer
  /** @returns the frames that are complete now. @throws if the bytes violate the protocol. */
  push(bytes: Buffer): Buffer[]
}

const PROLOGUE = Buffer.from([0x57, 0x41, 0x06, 0x03])
const LENGTH_BYTES = 3
/** `ED` 00 01 and a length: with this, a client asks for the server that it was told to use. */
const ROUTING = Buffer.from([0x45, 0x44, 0x00, 0x01])

export function createFrames(): Frames {
  let buffered: Buffer = Buffer.alloc(0)
  let isStarted = false
  return {
    prologue: PROLOGUE,
    push(bytes) {
      buffered = Buffer.concat([buffered, bytes])
      if (!isStarted) {
        const rest = afterIntroduction(buffered)
        if (rest === undefined) return []
        buffered = rest
        isStarted = true
      }
      const frames: Buffer[] = []
      for (let frame = nextFrame(buffered); frame; frame = nextFrame(buffered)) {
        frames.push(frame)
        buffered = buffered.subarray(LENGTH_BYTES + frame.length)
      }
      return frames
    },
  }
}

/** @returns undefined while the introduction is incomplete. */
function afterIntroduction(bytes: Buffer): Buffer | undefined {
  if (bytes.length < PROLOGUE.length) return undefined
  if (bytes.subarray(0, ROUTING.length).equals(ROUTING)) {
    const start = ROUTING.length + LENGTH_BYTES
    if (bytes.length < start) return undefined
    const length = bytes.readUIntBE(ROUTING.length, LENGTH_BYTES)
    return bytes.length < start + length ? undefined : afterIntroduction(bytes.subarray(start + length))
  }
  if (!bytes.subarray(0, PROLOGUE.length).equals(PROLOGUE)) throw new Error('the client does not introduce itself')
  return bytes.subarray(PROLOGUE.length)
}

function nextFrame(bytes: Buffer): Buffer | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined
  const length = bytes.readUIntBE(0, LENGTH_BYTES)
  return bytes.length < LENGTH_BYTES + length ? undefined : bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
}

export function frame(payload: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUIntBE(payload.length, 0, LENGTH_BYTES)
  return Buffer.concat([length, payload])
}
