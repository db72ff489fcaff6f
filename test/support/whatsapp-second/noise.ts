import { proto } from 'baileys'
import { agree, hkdf, newKeyPair, openGcm, sealGcm, sha256, signWith, type KeyPair } from './bytes.ts'

const NAME = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
const PROLOGUE = Buffer.from([0x57, 0x41, 6, 3])
const ROUTING = Buffer.from([0x45, 0x44, 0, 1])
const YEAR_SECONDS = 31_536_000

/** The root of all certificates, and the keys that it certifies. */
export interface Trust {
  readonly root: KeyPair
  readonly server: KeyPair
  /** The serialized certificate chain. */
  readonly chain: Uint8Array
}

export function createTrust(root = newKeyPair()): Trust {
  const [intermediate, server] = [newKeyPair(), newKeyPair()]
  return {
    root,
    server,
    chain: proto.CertChain.encode({
      intermediate: certificate({ serial: 7, issuerSerial: 0, key: intermediate.public }, root),
      leaf: certificate({ serial: 8, issuerSerial: 7, key: server.public }, intermediate),
    }).finish(),
  }
}

function certificate(about: { serial: number; issuerSerial: number; key: Buffer }, issuer: KeyPair) {
  const now = Math.floor(Date.now() / 1_000)
  const validity = { notBefore: now - YEAR_SECONDS, notAfter: now + YEAR_SECONDS }
  const details = proto.CertChain.NoiseCertificate.Details.encode({ ...about, ...validity }).finish()
  return { details, signature: signWith(issuer.private, details) }
}

/** Splits a stream of bytes into frames. One chunk may contain several frames, and a frame may arrive in parts. */
export function createFrames() {
  let rest: Buffer = Buffer.alloc(0)
  let hasIntro = false
  return {
    /** The bytes with which the client asks for the same server as before. */
    routing: null as Buffer | null,
    /** @throws if the stream does not begin as the protocol requires. */
    add(bytes: Buffer): Buffer[] {
      rest = Buffer.concat([rest, bytes])
      if (!hasIntro) {
        const start = introLength(rest)
        if (start === undefined) return []
        if (start > PROLOGUE.length) this.routing = rest.subarray(7, start - PROLOGUE.length)
        rest = rest.subarray(start)
        hasIntro = true
      }
      const frames: Buffer[] = []
      while (rest.length >= 3 && rest.length >= 3 + rest.readUIntBE(0, 3)) {
        const end = 3 + rest.readUIntBE(0, 3)
        frames.push(rest.subarray(3, end))
        rest = rest.subarray(end)
      }
      return frames
    },
  }
}

/** @returns undefined if more bytes are needed. */
function introLength(bytes: Buffer): number | undefined {
  let at = 0
  if (bytes.subarray(0, 4).equals(ROUTING)) {
    if (bytes.length < 7) return undefined
    at = 7 + bytes.readUIntBE(4, 3)
  }
  const end = at + PROLOGUE.length
  if (bytes.length < end) return undefined
  if (!bytes.subarray(at, end).equals(PROLOGUE)) throw new Error('the stream does not begin with WA')
  return end
}

export function frameOf(payload: Uint8Array): Buffer {
  const length = Buffer.alloc(3)
  length.writeUIntBE(payload.length, 0, 3)
  return Buffer.concat([length, payload])
}

const nonce = (counter: number) => {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(counter, 8)
  return iv
}

/** Encryption of both directions after the handshake. */
export interface Transport {
  seal(plain: Uint8Array): Buffer
  open(sealed: Buffer): Buffer
}

export interface Handshake {
  /** Handles the client's first frame. @returns the server's answer. */
  answer(frame: Buffer): Buffer
  /** Handles the client's second frame. */
  finish(frame: Buffer): {
    readonly clientKey: Buffer
    readonly payload: proto.ClientPayload
    readonly transport: Transport
  }
}

/** The server's side of Noise XX. */
export function createHandshake({ server, chain }: Trust): Handshake {
  const ephemeral = newKeyPair()
  let digest: Buffer = NAME
  let salt: Buffer = NAME
  let key: Buffer = NAME
  let counter = 0
  let clientEphemeral: Uint8Array = Buffer.alloc(0)

  const mix = (bytes: Uint8Array) => {
    digest = sha256(digest, bytes)
  }
  const mixKey = (secret: Uint8Array) => {
    const both = hkdf(secret, 64, '', salt)
    salt = both.subarray(0, 32)
    key = both.subarray(32)
    counter = 0
  }
  const seal = (plain: Uint8Array) => {
    const sealed = sealGcm(key, nonce(counter++), plain, digest)
    mix(sealed)
    return sealed
  }
  const open = (sealed: Uint8Array) => {
    const plain = openGcm(key, nonce(counter++), Buffer.from(sealed), digest)
    mix(sealed)
    return plain
  }

  mix(PROLOGUE)
  return {
    answer(frame) {
      const { clientHello } = proto.HandshakeMessage.decode(frame)
      clientEphemeral = clientHello?.ephemeral ?? Buffer.alloc(0)
      mix(clientEphemeral)
      mix(ephemeral.public)
      mixKey(agree(ephemeral.private, clientEphemeral))
      const sealedKey = seal(server.public)
      mixKey(agree(server.private, clientEphemeral))
      const serverHello = { ephemeral: ephemeral.public, static: sealedKey, payload: seal(chain) }
      return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())
    },
    finish(frame) {
      const { clientFinish } = proto.HandshakeMessage.decode(frame)
      const clientKey = open(clientFinish?.static ?? Buffer.alloc(0))
      mixKey(agree(ephemeral.private, clientKey))
      const payload = proto.ClientPayload.decode(open(clientFinish?.payload ?? Buffer.alloc(0)))
      const both = hkdf(Buffer.alloc(0), 64, '', salt)
      return { clientKey, payload, transport: createTransport(both.subarray(32), both.subarray(0, 32)) }
    },
  }
}

function createTransport(outward: Buffer, inward: Buffer): Transport {
  let [sent, received] = [0, 0]
  return {
    seal: (plain) => sealGcm(outward, nonce(sent++), plain),
    open: (sealed) => openGcm(inward, nonce(received++), sealed),
  }
}
