import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { demand, Refused } from './refused.ts'
import { bytesOf, child, stanza, type Stanza } from './stanza.ts'
import type { RequestOptions } from './webauthn.ts'

/** The data of a client before it knows the phone's keys. */
export interface Prologue {
  readonly payload: Buffer
  readonly identity: Buffer
  readonly commitment: Buffer
  readonly publicKey: Buffer
  readonly deviceType: proto.DeviceProps.PlatformType
  readonly ref: string
  /** Absent if too much time has passed since the scan. */
  readonly proof: Buffer | undefined
}

const LARGEST_OPTIONS_BYTES = 4_096
const KEY_BYTES = 32

/** The options for a client, or other bytes instead. */
export const optionsStanza = (options: RequestOptions | Buffer) =>
  stanza('passkey_request_options', {}, Buffer.isBuffer(options) ? options : Buffer.from(JSON.stringify(options)))

/** Unusable options, by what is wrong. */
export const spoiltOptions = (options: RequestOptions) => ({
  absent: undefined,
  empty: [optionsStanza(Buffer.alloc(0))],
  not_json: [optionsStanza(Buffer.from('{"challenge":'))],
  oversized: [optionsStanza(Buffer.from(JSON.stringify(options).padEnd(LARGEST_OPTIONS_BYTES + 1)))],
})

export const primaryStanza = (ephemeralIdentity: Buffer) => stanza('primary_ephemeral_identity', {}, ephemeralIdentity)

/** Random keys that belong to nobody. */
export function strangerStanza(nonceBytes = KEY_BYTES): Stanza {
  const keys = { publicKey: randomBytes(KEY_BYTES), nonce: randomBytes(nonceBytes) }
  return primaryStanza(Buffer.from(proto.PrimaryEphemeralIdentity.encode(keys).finish()))
}

/** @throws Refused if it cannot be read or has a wrong length. */
export function readPrologue(node: Stanza): Prologue {
  const payload = bytesOf(node, 'prologue_payload')
  const proof = child(node, 'pairing_handoff_proof') && bytesOf(node, 'pairing_handoff_proof')
  const { companionEphemeralIdentity, commitment } = decoded(proto.ProloguePayload, payload)
  const identity = Buffer.from(companionEphemeralIdentity ?? [])
  const { publicKey, deviceType, ref } = decoded(proto.CompanionEphemeralIdentity, identity)
  demand(400, publicKey?.length === KEY_BYTES, 'the key of the client has not 32 bytes')
  demand(400, commitment?.hash?.length === KEY_BYTES, 'the commitment has not 32 bytes')
  demand(400, proof === undefined || proof.length === KEY_BYTES, 'the hand-off proof has not 32 bytes')
  return {
    payload,
    identity,
    proof,
    commitment: Buffer.from(commitment.hash),
    publicKey: Buffer.from(publicKey),
    deviceType: deviceType ?? proto.DeviceProps.PlatformType.UNKNOWN,
    ref: ref ?? '',
  }
}

function decoded<T>(message: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T {
  try {
    return message.decode(bytes)
  } catch {
    throw new Refused(400, 'the prologue cannot be read')
  }
}
