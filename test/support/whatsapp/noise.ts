import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { Curve, proto, type KeyPair } from 'baileys'

/** Encrypts and decrypts the frames of a connection after the handshake. Each direction has its own counter. */
export interface Transport {
  seal(plain: Uint8Array): Buffer
  open(sealed: Uint8Array): Buffer
}

/** The server's part of a Noise XX handshake, starting with the client's first message. */
export interface Handshake {
  /** The server's answer to the client's hello. */
  readonly hello: Buffer
  /** @returns the client's introduction, encrypted with the keys that both sides now share. */
  finish(message: Uint8Array): { readonly clientKey: Buffer; readonly payload: Buffer; readonly transport: Transport }
}

/** The certificate chain of a server, and the key of its root. */
export interface NoiseIdentity {
  /** The public key that clients trust, 32 bytes. */
  readonly root: Buffer
  readonly key: KeyPair
  readonly certificates: Uint8Array
}

// As long as a hash, so that it is used without hashing.
const NAME = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
const TAG_BYTES = 16
const YEAR_SECONDS = 365 * 24 * 3_600

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Faults in the certificates of a server whose root is trusted. */
export type CertificateFault =
  /** They certify another key than the server's. */
  | { readonly kind: 'foreign_key' }
  /** The last certificate does not name the previous one as its issuer. */
  | { readonly kind: 'foreign_issuer' }
  | { readonly kind: 'out_of_date'; readonly which: 'leaf' | 'intermediate'; readonly when: 'past' | 'future' }

/** Root, intermediate and leaf as in the real network: the root signs the intermediate, whose issuer serial is 0. */
export function createNoiseIdentity(root = Curve.generateKeyPair(), fault?: CertificateFault): NoiseIdentity {
  const intermediate = Curve.generateKeyPair()
  const key = Curve.generateKeyPair()
  const now = Math.floor(Date.now() / 1_000)
  // Wide margins, because the clocks of tests may be set to other times.
  const valid = { notBefore: now - 5 * YEAR_SECONDS, notAfter: now + 5 * YEAR_SECONDS }
  const past = { ...valid, notAfter: now - 60 }
  const future = { ...valid, notBefore: now + 3_600 }
  const validityOf = (which: 'leaf' | 'intermediate') => {
    if (fault?.kind !== 'out_of_date' || fault.which !== which) return valid
    return fault.when === 'past' ? past : future
  }
  const certificate = (
    which: 'leaf' | 'intermediate',
    [serial, issuerSerial]: readonly [number, number],
    of: KeyPair,
    issuer: KeyPair,
  ) => {
    const fields = { serial, issuerSerial, key: of.public, ...validityOf(which) }
    const details = proto.CertChain.NoiseCertificate.Details.encode(fields).finish()
    return { details, signature: Curve.sign(issuer.private, details) }
  }
  const chain = {
    intermediate: certificate('intermediate', [1, 0], intermediate, root),
    leaf: certificate('leaf', [2, fault?.kind === 'foreign_issuer' ? 9 : 1], key, intermediate),
  }
  const certificates = proto.CertChain.encode(chain).finish()
  return {
    root: Buffer.from(root.public),
    key: fault?.kind === 'foreign_key' ? Curve.generateKeyPair() : key,
    certificates,
  }
}

/** @param message the client's hello. @param prologue what the client sent before it. */
export function answerHello(message: Uint8Array, prologue: Uint8Array, identity: NoiseIdentity): Handshake {
  const clientEphemeral = proto.HandshakeMessage.decode(message).clientHello?.ephemeral
  if (clientEphemeral?.length !== 32) throw new Error('the client’s hello has no ephemeral key')
  const state = symmetricState()
  state.mixHash(prologue)
  state.mixHash(clientEphemeral)

  const ephemeral = Curve.generateKeyPair()
  state.mixHash(ephemeral.public)
  state.mixKey(Curve.sharedKey(ephemeral.private, clientEphemeral))
  const encryptedKey = state.encrypt(identity.key.public)
  state.mixKey(Curve.sharedKey(identity.key.private, clientEphemeral))
  const serverHello = {
    ephemeral: ephemeral.public,
    static: encryptedKey,
    payload: state.encrypt(identity.certificates),
  }
  return {
    hello: Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish()),
    finish(answer) {
      const { clientFinish } = proto.HandshakeMessage.decode(answer)
      if (!clientFinish?.static || !clientFinish.payload) throw new Error('the client’s second message is not a finish')
      const clientKey = state.decrypt(clientFinish.static)
      state.mixKey(Curve.sharedKey(ephemeral.private, clientKey))
      const payload = state.decrypt(clientFinish.payload)
      return { clientKey, payload, transport: state.split() }
    },
  }
}

function symmetricState() {
  let hash: Buffer = NAME
  let chain: Buffer = NAME
  let key: Buffer = NAME
  let counter = 0
  const mixHash = (data: Uint8Array) => void (hash = sha256(hash, data))
  const derive = (input: Uint8Array) => {
    const both = Buffer.from(hkdfSync('sha256', input, chain, Buffer.alloc(0), 64))
    return [both.subarray(0, 32), both.subarray(32)] as const
  }
  return {
    mixHash,
    mixKey(input: Uint8Array) {
      ;[chain, key] = derive(input)
      counter = 0
    },
    encrypt(plain: Uint8Array): Buffer {
      const sealed = seal(key, counter++, plain, hash)
      mixHash(sealed)
      return sealed
    },
    decrypt(sealed: Uint8Array): Buffer {
      const plain = open(key, counter++, sealed, hash)
      mixHash(sealed)
      return plain
    },
    split(): Transport {
      const [fromClient, toClient] = derive(Buffer.alloc(0))
      let sent = 0
      let received = 0
      const nothing = Buffer.alloc(0)
      return {
        seal: (plain) => seal(toClient, sent++, plain, nothing),
        open: (sealed) => open(fromClient, received++, sealed, nothing),
      }
    },
  }
}

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(counter, 8)
  return iv
}

function seal(key: Buffer, counter: number, plain: Uint8Array, authenticated: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(counter)).setAAD(authenticated)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, counter: number, sealed: Uint8Array, authenticated: Uint8Array): Buffer {
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(counter)).setAAD(authenticated)
  decipher.setAuthTag(sealed.subarray(end))
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
}
