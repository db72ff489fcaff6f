import { randomBytes } from 'node:crypto'
import { buildAckStanza, Curve, proto, type BinaryNode } from 'baileys'
import { until } from '../service-process.ts'
import {
  codeToCompare,
  handoffProof,
  identityBytes,
  prologuePayload,
  requestKey,
  sealRequest,
  type CompanionIdentity,
  type PairingRequest,
} from './passkey-crypto.ts'
import { nothingKept, rawClient, type Kept, type RawClient } from './raw-client.ts'
import { bytesIn, bytesOf, child, stanza, type Stanza } from './stanza.ts'
import type { AssertionJson, RequestOptions } from './webauthn.ts'

/** The client library, with the missing part for linking with a passkey. */
export interface PasskeyClient {
  readonly client: RawClient
  readonly kept: Kept
  /** All options that it got, oldest first. */
  readonly asked: readonly RequestOptions[]
  /** Resolves with the newest options after it got some. */
  options(): Promise<RequestOptions>
  /** Sends the assertion and everything that does not wait for the code. @throws if the server refuses it. */
  answer(assertion: AssertionJson): Promise<void>
  /** The code that it would display. */
  code(): Promise<string>
  /** The person confirms that the codes are equal. */
  confirm(): Promise<void>
  /** The errors of the server after the assertion. */
  readonly refusals: readonly string[]
}

/** Deviations of this client from the protocol. */
export interface Bent {
  readonly credentialId?: Buffer
  readonly companion?: Partial<CompanionIdentity>
  /** Sends no proof. */
  readonly isLate?: boolean
  /** Creates the proof with this secret. */
  readonly proofSecret?: Buffer
  readonly nonce?: Buffer
  readonly requestKey?: Buffer
  readonly request?: Partial<PairingRequest>
  /** Sends the secret that the phone saw, instead of a new one. */
  readonly keepsSecret?: boolean
  readonly asksForRef?: { readonly type?: 'get' | 'set'; readonly xmlns?: string }
  readonly skipsRef?: boolean
  /** How long it waits for an answer. */
  readonly patienceMs?: number
}

const SERVER = 's.whatsapp.net'
const MALFORMED = 487
const PATIENCE_MS = 5_000

export function passkeyClient(bent: Bent = {}, kept: Kept = nothingKept()): PasskeyClient {
  const client = rawClient(kept)
  const { socket } = client
  const ephemeral = Curve.generateKeyPair()
  const nonce = randomBytes(32)
  const asked: RequestOptions[] = []
  const refusals: string[] = []
  let scanned: Buffer | undefined
  let companion: CompanionIdentity | undefined
  let primary: { readonly publicKey: Buffer; readonly nonce: Buffer } | undefined

  const query = (type: 'get' | 'set', content: Stanza, bend = {}) => {
    const attributes = { type, to: SERVER, xmlns: 'md', id: socket.generateMessageTag(), ...bend }
    return socket.query(stanza('iq', attributes, [content]), bent.patienceMs ?? PATIENCE_MS)
  }
  // After a pairing code was requested, the library sends the acks itself.
  const acknowledge = async (node: BinaryNode, error?: number) => {
    if (kept.creds.me === undefined) await socket.sendNode(buildAckStanza(node, error))
  }
  const isServer = ({ attrs: { from } }: BinaryNode) => from === SERVER || from === `@${SERVER}`

  const on = (type: string, take: (node: BinaryNode) => Promise<void>) =>
    socket.ws.on(`CB:notification,type:${type}`, (node: BinaryNode) => {
      take(node).catch((error: unknown) => void refusals.push((error as Error).message))
    })

  on('passkey_prologue_request', async (node) => {
    if (!isServer(node)) return acknowledge(node)
    const options = optionsIn(node)
    if (options === 'malformed') return acknowledge(node, MALFORMED)
    await acknowledge(node)
    if (scanned === undefined) {
      scanned = Buffer.from(kept.creds.advSecretKey, 'base64')
      if (!bent.keepsSecret) kept.creds.advSecretKey = randomBytes(32).toString('base64')
    }
    const found = options ?? optionsIn(await query('get', stanza('passkey_request_options')))
    if (found !== undefined && found !== 'malformed') asked.push(found)
  })

  on('crsc_continuation', async (node) => {
    if (!isServer(node) || companion === undefined) return acknowledge(node)
    const read = proto.PrimaryEphemeralIdentity.decode(bytesOf(node, 'primary_ephemeral_identity'))
    const { publicKey, nonce: theirs } = read
    if (publicKey?.length !== 32 || theirs?.length !== 32) return acknowledge(node, MALFORMED)
    await acknowledge(node)
    primary = { publicKey: Buffer.from(publicKey), nonce: Buffer.from(theirs) }
    await query('set', stanza('companion_nonce', {}, bent.nonce ?? nonce))
    if (!bent.isLate) await handOver()
  })

  on('companion_reg_refresh', acknowledge)

  async function handOver(): Promise<void> {
    if (primary === undefined || companion === undefined) throw new Error('the phone has not answered')
    const { creds } = kept
    const request = {
      noiseKey: Buffer.from(creds.noiseKey.public),
      identity: Buffer.from(creds.signedIdentityKey.public),
      secret: Buffer.from(creds.advSecretKey, 'base64'),
      ...bent.request,
    }
    const key = bent.requestKey ?? requestKey(ephemeral.private, primary.publicKey, companion)
    await query('set', stanza('encrypted_pairing_request', {}, sealRequest(key, request)))
  }

  return {
    client,
    kept,
    asked,
    refusals,
    options: () => until('a request for a passkey', () => asked.at(-1)),
    async answer({ id, rawId, type, response }) {
      const given = bent.skipsRef ? undefined : await query('get', stanza('ref'), bent.asksForRef)
      const ref = bytesOf(given, 'ref').toString()
      const { CHROME } = proto.DeviceProps.PlatformType
      companion = { publicKey: Buffer.from(ephemeral.public), deviceType: CHROME, ref, ...bent.companion }
      const payload = prologuePayload(identityBytes(companion), nonce)
      const proof = handoffProof(bent.proofSecret ?? scanned ?? Buffer.alloc(0), payload)
      const children = [
        stanza('credential_id', {}, bent.credentialId ?? Buffer.from(rawId, 'base64url')),
        stanza('webauthn_assertion', {}, Buffer.from(JSON.stringify({ id, rawId, type, response }))),
        stanza('prologue_payload', {}, payload),
        ...(bent.isLate ? [] : [stanza('pairing_handoff_proof', {}, proof)]),
      ]
      await query('set', stanza('passkey_prologue', {}, children))
    },
    async code() {
      const { publicKey, nonce: theirs } = await until('the phone’s answer', () => primary)
      return codeToCompare(nonce, publicKey, theirs)
    },
    confirm: handOver,
  }
}

/** @returns undefined if the element contains no options. */
function optionsIn(node: BinaryNode): RequestOptions | 'malformed' | undefined {
  const found = child(node, 'passkey_request_options')
  if (found === undefined) return undefined
  const content = bytesIn(found)
  if (content.length > 4_096) return 'malformed'
  try {
    return JSON.parse(content.toString()) as RequestOptions
  } catch {
    return 'malformed'
  }
}
