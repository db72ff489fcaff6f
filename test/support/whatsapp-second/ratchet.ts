import { randomInt } from 'node:crypto'
import { agree, decryptCbc, encryptCbc, hkdf, hmac, isSignedBy, newKeyPair, signWith, typed, untyped } from './bytes.ts'
import type { KeyPair } from './bytes.ts'
import { bytesAt, decodeFields, encodeFields, numberAt } from './protobuf.ts'

/** The keys that are needed to write to a device for the first time. */
export interface Bundle {
  readonly registrationId: number
  readonly identity: Buffer
  readonly signedPreKey: { readonly id: number; readonly key: Buffer; readonly signature: Buffer }
  readonly preKey?: { readonly id: number; readonly key: Buffer }
}

export interface Sealed {
  readonly type: 'msg' | 'pkmsg'
  readonly bytes: Buffer
}

/** A message that cannot be read. */
export class Unreadable extends Error {}

interface Chain {
  key: Buffer
  counter: number
}

interface Session {
  readonly theirIdentity: Buffer
  /** The public key that started the session, in hex. */
  readonly baseKey: string
  root: Buffer
  ratchet: KeyPair
  sending: Chain | undefined
  sentBefore: number
  readonly receiving: Map<string, Chain & { readonly skipped: Map<number, Buffer> }>
  /** Sent with every message until the other side has answered. */
  opening: Readonly<Record<number, number | Buffer | undefined>> | undefined
}

const VERSION = Buffer.from([0x33])
const MAC_BYTES = 8
const MOST_SKIPPED = 2_000

/** All encrypted conversations of one device: X3DH and the double ratchet, as Signal describes them. */
export interface Correspondent {
  readonly identity: KeyPair
  readonly registrationId: number
  /** @returns keys for another first message to this device. */
  bundle(): Bundle
  knows(peer: string): boolean
  /** Starts a new session. @throws if the owner has not signed the keys. */
  begin(peer: string, bundle: Bundle): void
  seal(peer: string, plain: Uint8Array): Sealed
  /** @throws Unreadable */
  open(peer: string, sealed: Sealed): Buffer
  forget(): void
  /** The sender keys of groups: one key per sender, which is first sent to all members. */
  readonly senderKeys: SenderKeys
}

export function createCorrespondent(): Correspondent {
  const identity = newKeyPair()
  const registrationId = randomInt(1, 16_380)
  const signed = newKeyPair()
  const signedId = randomInt(1, 2 ** 24)
  const signature = signWith(identity.private, typed(signed.public))
  const preKeys = new Map<number, KeyPair>()
  const sessions = new Map<string, Session[]>()
  let lastPreKey = randomInt(1, 2 ** 20)

  const of = (peer: string) => sessions.get(peer) ?? []

  /** @returns the session for the first message of another device. */
  function answer(peer: string, fields: ReturnType<typeof decodeFields>): Session {
    const baseKey = untyped(bytesAt(fields, 2))
    const known = of(peer).find((one) => one.baseKey === baseKey.toString('hex'))
    if (known) return known
    const preKeyId = numberAt(fields, 1)
    const preKey = preKeyId === undefined ? undefined : preKeys.get(preKeyId)
    if (preKeyId !== undefined && !preKey) throw new Unreadable(`the one-time key ${preKeyId} is used up`)
    if (numberAt(fields, 6) !== signedId) throw new Unreadable('the signed key is not known')
    const theirIdentity = untyped(bytesAt(fields, 3))
    const secret = [
      agree(signed.private, theirIdentity),
      agree(identity.private, baseKey),
      agree(signed.private, baseKey),
      ...(preKey ? [agree(preKey.private, baseKey)] : []),
    ]
    if (preKeyId !== undefined) preKeys.delete(preKeyId)
    return newSession(theirIdentity, baseKey, secret, signed)
  }

  return {
    identity,
    registrationId,
    senderKeys: createSenderKeys(),
    bundle() {
      const id = ++lastPreKey
      const pair = newKeyPair()
      preKeys.set(id, pair)
      const signedPreKey = { id: signedId, key: signed.public, signature }
      return { registrationId, identity: identity.public, signedPreKey, preKey: { id, key: pair.public } }
    },
    knows: (peer) => of(peer).length > 0,
    begin(peer, bundle) {
      const { signedPreKey, preKey } = bundle
      if (!isSignedBy(bundle.identity, typed(signedPreKey.key), signedPreKey.signature))
        throw new Error(`the keys of ${peer} are not signed by their owner`)
      const base = newKeyPair()
      const secret = [
        agree(identity.private, signedPreKey.key),
        agree(base.private, bundle.identity),
        agree(base.private, signedPreKey.key),
        ...(preKey ? [agree(base.private, preKey.key)] : []),
      ]
      const session = newSession(bundle.identity, base.public, secret, newKeyPair())
      session.sending = stepRoot(session, signedPreKey.key)
      session.opening = {
        ...{ 1: preKey?.id, 2: typed(base.public), 3: typed(identity.public) },
        ...{ 5: registrationId, 6: signedPreKey.id },
      }
      sessions.set(peer, [session, ...of(peer)])
    },
    seal(peer, plain) {
      const [session] = of(peer)
      if (!session?.sending) throw new Error(`no session with ${peer}`)
      const bytes = sealIn(session, session.sending, identity.public, plain)
      if (!session.opening) return { type: 'msg', bytes }
      return { type: 'pkmsg', bytes: Buffer.concat([VERSION, encodeFields({ ...session.opening, 4: bytes })]) }
    },
    open(peer, { type, bytes }) {
      if (bytes[0] !== VERSION[0]) throw new Unreadable('another version')
      if (type === 'pkmsg') {
        const fields = decodeFields(bytes.subarray(1))
        const session = answer(peer, fields)
        const plain = openIn(session, identity.public, bytesAt(fields, 4))
        sessions.set(peer, [session, ...of(peer).filter((one) => one !== session)])
        return plain
      }
      for (const session of of(peer)) {
        const plain = tryOpen(session, identity.public, bytes)
        if (!plain) continue
        session.opening = undefined
        sessions.set(peer, [session, ...of(peer).filter((one) => one !== session)])
        return plain
      }
      throw new Unreadable(`no session with ${peer} can read this`)
    },
    forget: () => sessions.clear(),
  }
}

function newSession(theirIdentity: Buffer, baseKey: Buffer, secret: readonly Buffer[], ratchet: KeyPair): Session {
  const root = hkdf(Buffer.concat([Buffer.alloc(32, 0xff), ...secret]), 64, 'WhisperText', Buffer.alloc(32))
  return {
    ...{ theirIdentity, baseKey: baseKey.toString('hex'), root: root.subarray(0, 32), ratchet },
    ...{ sending: undefined, sentBefore: 0, receiving: new Map(), opening: undefined },
  }
}

/** Calculates the next root key. @returns the chain that it starts. */
function stepRoot(session: Session, theirKey: Buffer): Chain {
  const both = hkdf(agree(session.ratchet.private, theirKey), 64, 'WhisperRatchet', session.root)
  session.root = both.subarray(0, 32)
  return { key: both.subarray(32), counter: 0 }
}

function stepChain(chain: Chain): Buffer {
  const messageKey = hmac(chain.key, Buffer.from([1]))
  chain.key = hmac(chain.key, Buffer.from([2]))
  chain.counter++
  return messageKey
}

function keysOf(messageKey: Buffer) {
  const all = hkdf(messageKey, 80, 'WhisperMessageKeys', Buffer.alloc(32))
  return { cipher: all.subarray(0, 32), mac: all.subarray(32, 64), iv: all.subarray(64) }
}

function sealIn(session: Session, chain: Chain, ourIdentity: Buffer, plain: Uint8Array): Buffer {
  const { counter } = chain
  const { cipher, mac, iv } = keysOf(stepChain(chain))
  const fields = {
    1: typed(session.ratchet.public),
    2: counter,
    3: session.sentBefore,
    4: encryptCbc(cipher, iv, plain),
  }
  const body = Buffer.concat([VERSION, encodeFields(fields)])
  const sum = hmac(mac, typed(ourIdentity), typed(session.theirIdentity), body)
  return Buffer.concat([body, sum.subarray(0, MAC_BYTES)])
}

/** @returns undefined if the message belongs to another session; this session is then unchanged. */
function tryOpen(session: Session, ourIdentity: Buffer, bytes: Buffer): Buffer | undefined {
  const chains = [...session.receiving].map(([key, one]) => [key, { ...one, skipped: new Map(one.skipped) }] as const)
  const copy = { ...session, receiving: new Map(chains), ...(session.sending && { sending: { ...session.sending } }) }
  try {
    const plain = openIn(copy, ourIdentity, bytes)
    Object.assign(session, copy)
    return plain
  } catch {
    return undefined
  }
}

function openIn(session: Session, ourIdentity: Buffer, bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -MAC_BYTES)
  const fields = decodeFields(body.subarray(1))
  const theirKey = untyped(bytesAt(fields, 1))
  const counter = numberAt(fields, 2) ?? 0
  const chain = session.receiving.get(theirKey.toString('hex')) ?? turn(session, theirKey, numberAt(fields, 3) ?? 0)
  const { cipher, mac, iv } = keysOf(messageKeyAt(chain, counter))
  const sum = hmac(mac, typed(session.theirIdentity), typed(ourIdentity), body)
  if (!sum.subarray(0, MAC_BYTES).equals(bytes.subarray(-MAC_BYTES))) throw new Unreadable('the MAC is wrong')
  return decryptCbc(cipher, iv, bytesAt(fields, 4))
}

/** The other side has changed its ratchet key, so this side changes its own too. */
function turn(session: Session, theirKey: Buffer, lastOfBefore: number) {
  const newest = [...session.receiving.values()].at(-1)
  if (newest) skipTo(newest, lastOfBefore + 1)
  const chain = { ...stepRoot(session, theirKey), skipped: new Map<number, Buffer>() }
  session.receiving.set(theirKey.toString('hex'), chain)
  session.sentBefore = Math.max((session.sending?.counter ?? 0) - 1, 0)
  session.ratchet = newKeyPair()
  session.sending = stepRoot(session, theirKey)
  return chain
}

function messageKeyAt(chain: Chain & { readonly skipped: Map<number, Buffer> }, counter: number): Buffer {
  const kept = chain.skipped.get(counter)
  if (kept) {
    chain.skipped.delete(counter)
    return kept
  }
  if (counter < chain.counter) throw new Unreadable(`message ${counter} was read before`)
  skipTo(chain, counter)
  return stepChain(chain)
}

function skipTo(chain: Chain & { readonly skipped: Map<number, Buffer> }, counter: number): void {
  if (counter - chain.counter > MOST_SKIPPED) throw new Unreadable('too many messages are missing')
  while (chain.counter < counter) {
    const at = chain.counter
    chain.skipped.set(at, stepChain(chain))
  }
}

interface SenderKeys {
  /** The message with which members can read this device's later messages in the group. */
  distribution(group: string): Buffer
  seal(group: string, plain: Uint8Array): Buffer
  /** Stores the sender key of another member. */
  accept(group: string, author: string, distribution: Buffer): void
  /** @throws Unreadable */
  open(group: string, author: string, sealed: Buffer): Buffer
  forget(): void
}

interface SenderChain extends Chain {
  readonly id: number
  readonly signing: Buffer
  readonly skipped: Map<number, Buffer>
}

const SIGNATURE_BYTES = 64

function createSenderKeys(): SenderKeys {
  const ours = new Map<string, Chain & { readonly id: number; readonly pair: KeyPair }>()
  const theirs = new Map<string, SenderChain[]>()

  const own = (group: string) => {
    const found = ours.get(group) ?? {
      ...{
        id: randomInt(1, 2 ** 31),
        pair: newKeyPair(),
        key: hmac(newKeyPair().private, Buffer.from(group)),
        counter: 0,
      },
    }
    ours.set(group, found)
    return found
  }
  const groupKeys = (messageKey: Buffer) => {
    const all = hkdf(messageKey, 48, 'WhisperGroup', Buffer.alloc(32))
    return { iv: all.subarray(0, 16), cipher: all.subarray(16) }
  }

  return {
    distribution(group) {
      const { id, counter, key, pair } = own(group)
      return Buffer.concat([VERSION, encodeFields({ 1: id, 2: counter, 3: key, 4: typed(pair.public) })])
    },
    seal(group, plain) {
      const chain = own(group)
      const { counter } = chain
      const { iv, cipher } = groupKeys(stepChain(chain))
      const fields = encodeFields({ 1: chain.id, 2: counter, 3: encryptCbc(cipher, iv, plain) })
      const body = Buffer.concat([VERSION, fields])
      return Buffer.concat([body, signWith(chain.pair.private, body)])
    },
    accept(group, author, distribution) {
      const fields = decodeFields(distribution.subarray(1))
      const id = numberAt(fields, 1) ?? 0
      const name = `${group} ${author}`
      const known = theirs.get(name) ?? []
      if (known.some((chain) => chain.id === id)) return
      const chain = { key: bytesAt(fields, 3), counter: numberAt(fields, 2) ?? 0, skipped: new Map<number, Buffer>() }
      theirs.set(name, [{ ...chain, id, signing: untyped(bytesAt(fields, 4)) }, ...known])
    },
    open(group, author, sealed) {
      const body = sealed.subarray(0, -SIGNATURE_BYTES)
      const fields = decodeFields(body.subarray(1))
      const chain = theirs.get(`${group} ${author}`)?.find(({ id }) => id === numberAt(fields, 1))
      if (!chain) throw new Unreadable(`no key of ${author} in this group`)
      if (!isSignedBy(chain.signing, body, sealed.subarray(-SIGNATURE_BYTES)))
        throw new Unreadable('the signature of a group message is wrong')
      const { iv, cipher } = groupKeys(messageKeyAt(chain, numberAt(fields, 2) ?? 0))
      return decryptCbc(cipher, iv, bytesAt(fields, 3))
    },
    forget: () => theirs.clear(),
  }
}

const MOST_PADDING = 16

/** Adds one to sixteen bytes, each of which contains their count. */
export function pad(plain: Uint8Array): Buffer {
  const count = randomInt(1, MOST_PADDING + 1)
  return Buffer.concat([plain, Buffer.alloc(count, count)])
}

/** @throws if the padding is invalid. */
export function unpad(padded: Buffer): Buffer {
  const count = padded.at(-1) ?? 0
  const padding = padded.subarray(-count)
  if (count < 1 || count > MOST_PADDING || !padding.every((byte) => byte === count)) throw new Unreadable('bad padding')
  return padded.subarray(0, -count)
}
