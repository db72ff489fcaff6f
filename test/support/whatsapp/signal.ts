import { randomInt } from 'node:crypto'
import { Curve, generateSignalPubKey, signedKeyPair, type KeyPair } from 'baileys'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from 'baileys/lib/Signal/Group/index.js'
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal'
import { tryOnCopies } from '../../../main/engines/smv2/ratchet.ts'
import { hushLibrary } from './hush.ts'

hushLibrary()
// Real phones use another implementation, which does not have this error.
tryOnCopies(SessionCipher)

/** The keys that the directory returns for a first message to a device, 32 bytes each. */
export interface Bundle {
  readonly registrationId: number
  readonly identity: Buffer
  readonly signedPreKey: { readonly id: number; readonly key: Buffer; readonly signature: Buffer }
  /** A one-time key; it is removed when it is returned. */
  readonly preKey?: { readonly id: number; readonly key: Buffer } | undefined
}

export interface Sealed {
  readonly type: 'pkmsg' | 'msg'
  readonly bytes: Buffer
}

/** The conversations of one device: its keys, sessions and sender keys. A peer is named `number:device`. */
export interface SignalEnd {
  readonly identity: KeyPair
  readonly registrationId: number
  bundle(): Bundle
  knows(peer: string): boolean
  /** Starts a session with a bundle. An existing session is kept as an old one. */
  meet(peer: string, bundle: Bundle): Promise<void>
  /** Forgets all sessions, as after a new installation. */
  forgetAll(): void
  seal(peer: string, plain: Uint8Array): Promise<Sealed>
  open(peer: string, sealed: Sealed): Promise<Buffer>
  /** The key with which a member can read this device's later messages in a group. */
  senderKey(group: string): Promise<Buffer>
  sealForGroup(group: string, plain: Uint8Array): Promise<Buffer>
  learnSenderKey(group: string, peer: string, key: Uint8Array): Promise<void>
  openFromGroup(group: string, peer: string, sealed: Uint8Array): Promise<Buffer>
}

const SIGNED_PRE_KEY_ID = 1
const OWN = 'self:0'

/** @param name distinguishes the queues of this device from others in the same process; it must contain no dots. */
export function createSignalEnd(name: string): SignalEnd {
  const identity = Curve.generateKeyPair()
  const registrationId = randomInt(1, 16_380)
  const signedPreKey = signedKeyPair(identity, SIGNED_PRE_KEY_ID)
  const preKeys = new Map<string, KeyPair>()
  const sessions = new Map<string, ReturnType<SessionRecord['serialize']>>()
  const senderKeys = new Map<string, string>()
  let nextPreKey = 1

  const stored = ({ private: secret, public: open }: KeyPair) => ({
    privKey: Buffer.from(secret),
    pubKey: Buffer.from(generateSignalPubKey(open)),
  })
  // Stored as text, because a failed attempt to decrypt has already changed the record in memory.
  const storage: SignalStorage & { loadIdentityKey?: never } = {
    loadSession: async (id) => {
      const found = sessions.get(id)
      return found === undefined ? undefined : SessionRecord.deserialize(found)
    },
    storeSession: async (id, record) => void sessions.set(id, record.serialize()),
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => {
      const found = preKeys.get(String(id))
      return found && stored(found)
    },
    removePreKey: (id) => void preKeys.delete(String(id)),
    loadSignedPreKey: () => stored(signedPreKey.keyPair),
    getOurRegistrationId: () => registrationId,
    getOurIdentity: () => stored(identity),
  }
  const senderKeyStore = {
    loadSenderKey: async (key: SenderKeyName) => {
      const found = senderKeys.get(key.toString())
      return found === undefined ? new SenderKeyRecord() : SenderKeyRecord.deserialize(Buffer.from(found))
    },
    storeSenderKey: async (key: SenderKeyName, record: SenderKeyRecord) =>
      void senderKeys.set(key.toString(), JSON.stringify(record.serialize())),
  }

  const address = (peer: string) => {
    const [user = '', device = '0'] = peer.split(':')
    return new ProtocolAddress(`${name} to ${user}`, Number(device))
  }
  const cipher = (peer: string) => new SessionCipher(storage, address(peer))
  const senderName = (group: string, peer: string) => new SenderKeyName(group, address(peer))

  return {
    identity,
    registrationId,
    bundle() {
      const id = nextPreKey++
      const pair = Curve.generateKeyPair()
      preKeys.set(String(id), pair)
      return {
        registrationId,
        identity: Buffer.from(identity.public),
        signedPreKey: {
          id: SIGNED_PRE_KEY_ID,
          key: Buffer.from(signedPreKey.keyPair.public),
          signature: Buffer.from(signedPreKey.signature),
        },
        preKey: { id, key: Buffer.from(pair.public) },
      }
    },
    knows: (peer) => sessions.has(address(peer).toString()),
    async meet(peer, bundle) {
      const { signedPreKey: signed, preKey } = bundle
      await new SessionBuilder(storage, address(peer)).initOutgoing({
        registrationId: bundle.registrationId,
        identityKey: generateSignalPubKey(bundle.identity),
        signedPreKey: { keyId: signed.id, publicKey: generateSignalPubKey(signed.key), signature: signed.signature },
        // Without a one-time key, a session starts from the signed key alone; the declaration does not allow that.
        preKey: (preKey && { keyId: preKey.id, publicKey: generateSignalPubKey(preKey.key) }) as {
          keyId: number
          publicKey: Uint8Array
        },
      })
    },
    forgetAll: () => sessions.clear(),
    async seal(peer, plain) {
      const { type, body } = await cipher(peer).encrypt(Buffer.from(plain))
      // The library declares text, but returns bytes.
      return { type: type === 3 ? 'pkmsg' : 'msg', bytes: body as unknown as Buffer }
    },
    open: (peer, { type, bytes }) =>
      type === 'pkmsg' ? cipher(peer).decryptPreKeyWhisperMessage(bytes) : cipher(peer).decryptWhisperMessage(bytes),
    async senderKey(group) {
      return Buffer.from((await new GroupSessionBuilder(senderKeyStore).create(senderName(group, OWN))).serialize())
    },
    async sealForGroup(group, plain) {
      return Buffer.from(await new GroupCipher(senderKeyStore, senderName(group, OWN)).encrypt(plain))
    },
    async learnSenderKey(group, peer, key) {
      const message = new SenderKeyDistributionMessage(null, null, null, null, key)
      await new GroupSessionBuilder(senderKeyStore).process(senderName(group, peer), message)
    },
    async openFromGroup(group, peer, sealed) {
      return Buffer.from(await new GroupCipher(senderKeyStore, senderName(group, peer)).decrypt(sealed))
    },
  }
}
