import { randomBytes, verify } from 'node:crypto'
import { proto } from 'baileys'
import type { Applicant } from '../whatsapp/index.ts'
import { agree, hkdf, hmac, newKeyPair, openGcm, sha256 } from './bytes.ts'
import type { PasskeyFault } from './faults.ts'
import type { LinkingWorld, Notice, Registrant } from './linking.ts'
import { bytesIn, childOf, errorOf, firstTag, node, resultOf, type Node } from './node.ts'
import { ORIGIN, RP_ID, type OwnPasskey } from './own-passkey.ts'
import type { Person } from './person.ts'

type Face = NonNullable<Applicant['ceremony']>

/** Linking with the passkey of an account: the parts of the server and of the phone. */
export interface Shortcake extends Face {
  hear(iq: Node): void
  abandon(): void
  readonly isOver: boolean
}

/** The requests of a client in this order. The options are requested only if it did not get any. */
const STEPS = [
  'passkey_request_options',
  'ref',
  'passkey_prologue',
  'companion_nonce',
  'encrypted_pairing_request',
] as const
type Step = (typeof STEPS)[number]

export const SHORTCAKE_QUERIES: ReadonlySet<string> = new Set(STEPS)

const TYPE_OF: Readonly<Record<Step, 'get' | 'set'>> = {
  passkey_request_options: 'get',
  ref: 'get',
  passkey_prologue: 'set',
  companion_nonce: 'set',
  encrypted_pairing_request: 'set',
}

/** A query that the server refuses, with the code for the client. */
class Refusal extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

function demand(code: number, holds: boolean, reason: string): void {
  if (!holds) throw new Refusal(code, reason)
}

const HANDOFF = 'shortcake-passkey-handoff-v1'
const BUNDLE = 'Pairing Information Encryption Key'
const CROCKFORD = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'
const OVERSIZED = 5_000
const FOREIGNER = '12025559999@s.whatsapp.net'

/** @param seen the ADV secret that the phone has seen. @returns the new secret that the client has created. */
export function holdShortcake(
  person: Person,
  registrant: Registrant,
  seen: Buffer,
  world: LinkingWorld,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    registrant.hold(createShortcake({ person, registrant, seen, world, resolve, reject }))
  })
}

interface Course {
  readonly person: Person
  readonly registrant: Registrant
  readonly seen: Buffer
  readonly world: LinkingWorld
  resolve(secret: Buffer): void
  reject(reason: Error): void
}

function createShortcake({ person, registrant, seen, world, resolve, reject }: Course): Shortcake {
  const { link } = registrant
  const primary = { ...newKeyPair(), nonce: randomBytes(32) }
  let options = newOptions()
  let next: Step = 'ref'
  let ref = ''
  let prologue: Prologue | undefined
  let code: string | undefined
  let isOver = false
  let isContinued = false
  let compared: ((isSame: boolean) => void) | undefined

  function end(outcome: Error | Buffer): void {
    if (isOver) return
    isOver = true
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome)
  }

  /** A client may reject a notice, and the connection may break right after it was received. */
  function follow({ type, acknowledged }: Notice, fault?: PasskeyFault): void {
    void acknowledged.then(
      ({ error }) => {
        if (error !== undefined) end(new Error(`the client refuses ${type} with ${error}`))
        else if (fault?.kind === 'cut') link.drop()
      },
      (error: unknown) => end(asError(error)),
    )
  }

  function request(): void {
    options = newOptions()
    const fault = world.faults.takePasskey('passkey_prologue_request')
    if (fault?.kind === 'foreign') registrant.notify('passkey_prologue_request', [optionsNode(newOptions())], FOREIGNER)
    const content = optionsContent(options, fault)
    follow(registrant.notify('passkey_prologue_request', content), fault)
  }

  function proceed(): void {
    const fault = world.faults.takePasskey('crsc_continuation')
    const identity = (nonce: Buffer) =>
      node(
        'primary_ephemeral_identity',
        {},
        Buffer.from(proto.PrimaryEphemeralIdentity.encode({ publicKey: primary.public, nonce }).finish()),
      )
    if (fault?.kind === 'foreign') registrant.notify('crsc_continuation', [identity(randomBytes(32))], FOREIGNER)
    const nonce = fault?.kind === 'short_nonce' ? primary.nonce.subarray(1) : primary.nonce
    isContinued = true
    follow(registrant.notify('crsc_continuation', [identity(nonce)]), fault)
  }

  /** If the phone's part fails, the client is not told. */
  function phone(act: () => void): void {
    try {
      act()
    } catch (error) {
      end(asError(error))
    }
  }

  const handlers: Readonly<Record<Step, (iq: Node) => Node>> = {
    passkey_request_options: (iq) => resultOf(iq, [optionsNode(options)]),
    ref(iq) {
      const isText = textFault !== undefined
      ref = isText ? String(randomBytes(4).readUInt32BE()) : randomBytes(12).toString('base64url')
      textFault = undefined
      next = 'passkey_prologue'
      return resultOf(iq, [isText ? { tag: 'ref', attrs: {}, content: ref } : node('ref', {}, ref)])
    },
    passkey_prologue(iq) {
      prologue = readPrologue(iq, ref, registrant.platform)
      checkAssertion(prologue.assertion, prologue.credentialId, options.challenge, person.passkeys)
      next = 'companion_nonce'
      if (person.habits.passkey !== 'refuses') setImmediate(() => phone(() => answerPrologue(prologue)))
      return resultOf(iq)
    },
    companion_nonce(iq) {
      const nonce = bytesIn(iq, 'companion_nonce')
      demand(400, isContinued && nonce.length === 32, 'the nonce comes too early, or is not 32 bytes')
      next = 'encrypted_pairing_request'
      setImmediate(() => phone(() => takeNonce(nonce)))
      return resultOf(iq)
    },
    encrypted_pairing_request(iq) {
      const sealed = proto.EncryptedPairingRequest.decode(bytesIn(iq, 'encrypted_pairing_request'))
      setImmediate(() => phone(() => takeRequest(sealed)))
      return resultOf(iq)
    },
  }
  let textFault: PasskeyFault | undefined

  function answerPrologue(given: Prologue | undefined): void {
    if (given?.proof) {
      const expected = hmac(hkdf(seen, 32, HANDOFF), given.payload)
      if (!expected.equals(given.proof)) throw new Error('the hand-off proof is not by the secret that was seen')
    }
    proceed()
  }

  function takeNonce(nonce: Buffer): void {
    if (!prologue || !sha256(prologue.identity, nonce).equals(prologue.commitment))
      throw new Error('this is not the nonce that the client committed to')
    if (!prologue.proof || person.habits.compares) code = codeOf(primary.nonce, nonce, primary.public)
  }

  function takeRequest({ encryptedPayload, iv }: proto.IEncryptedPairingRequest): void {
    if (!prologue) return
    const salt = Buffer.from(`Companion Pairing ${prologue.deviceType} with ref ${ref}`)
    const key = hkdf(agree(primary.private, prologue.publicKey), 32, BUNDLE, salt)
    const { companionPublicKey, companionIdentityKey, advSecret } = openRequest(key, iv, encryptedPayload)
    if (!link.clientKey.equals(companionPublicKey ?? Buffer.alloc(0))) throw new Error('another Noise key')
    if (!registrant.registration.identity.equals(companionIdentityKey ?? Buffer.alloc(0)))
      throw new Error('another identity key')
    const secret = Buffer.from(advSecret ?? [])
    if (secret.length !== 32) throw new Error('the secret is not 32 bytes')
    if (secret.equals(seen)) throw new Error('the secret is still the one that was seen')
    if (!person.habits.compares) return end(secret)
    compared = (isSame) => end(isSame ? secret : new Error('the client shows another code'))
    if (verdict !== undefined) compared(verdict)
  }
  let verdict: boolean | undefined

  registrant.hungUp.catch((error: unknown) => end(asError(error)))
  queueMicrotask(request)
  return {
    get options() {
      return options
    },
    get hasProof() {
      return prologue && prologue.proof !== undefined
    },
    get code() {
      return code
    },
    get isOver() {
      return isOver
    },
    confirm(isSame) {
      verdict = isSame
      if (compared) compared(isSame)
      else if (!isSame) end(new Error('the client shows another code'))
    },
    askAgain: request,
    continueTooEarly() {
      const identity = proto.PrimaryEphemeralIdentity.encode({
        publicKey: primary.public,
        nonce: randomBytes(32),
      }).finish()
      registrant.notify('crsc_continuation', [node('primary_ephemeral_identity', {}, Buffer.from(identity))])
    },
    abandon: () => end(new Error('the client hung up')),
    hear(iq) {
      const step = firstTag(iq) as Step
      const fault = world.faults.takePasskey(step)
      if (fault?.kind === 'unanswered') return
      if (fault?.kind === 'cut') return link.drop()
      if (fault?.kind === 'text') textFault = fault
      try {
        if (fault?.kind === 'refused') throw new Refusal(fault.code, `${step} with ${fault.code}`)
        demand(400, !isOver, 'nothing is asked any more')
        demand(400, iq.attrs['type'] === TYPE_OF[step], `${step} was not asked with type ${TYPE_OF[step]}`)
        demand(400, iq.attrs['xmlns'] === 'md', `${step} was not asked in the namespace md`)
        demand(400, step === next || step === 'passkey_request_options', `${step} does not follow ${next}`)
        link.send(handlers[step](iq))
      } catch (error) {
        const refusal = error instanceof Refusal ? error : new Refusal(400, String(error))
        link.send(errorOf(iq, refusal.code, 'refused'))
        end(refusal)
      }
    },
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

const newOptions = (): Face['options'] => ({
  ...{ challenge: randomBytes(32).toString('base64url'), timeout: 600_000, rpId: RP_ID, allowCredentials: [] },
  ...{ userVerification: 'required', extensions: { uvm: true } },
})

const optionsNode = (options: Face['options']) => node('passkey_request_options', {}, JSON.stringify(options))

function optionsContent(options: Face['options'], fault: PasskeyFault | undefined): Node[] | undefined {
  if (fault?.kind !== 'options') return [optionsNode(options)]
  if (fault.options === 'absent') return undefined
  const text = {
    empty: '',
    not_json: 'challenge',
    oversized: JSON.stringify({ ...options, more: 'x'.repeat(OVERSIZED) }),
  }
  return [node('passkey_request_options', {}, text[fault.options])]
}

/** The data that the client sends with its assertion. */
interface Prologue {
  readonly credentialId: Buffer
  readonly assertion: Buffer
  readonly payload: Buffer
  readonly identity: Buffer
  readonly commitment: Buffer
  readonly publicKey: Buffer
  readonly deviceType: number
  readonly proof: Buffer | undefined
}

function readPrologue(iq: Node, ref: string, platform: number): Prologue {
  const prologue = childOf(iq, 'passkey_prologue')
  const payload = bytesIn(prologue, 'prologue_payload')
  const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
  const identity = Buffer.from(companionEphemeralIdentity ?? [])
  const { publicKey, deviceType, ref: named } = proto.CompanionEphemeralIdentity.decode(identity)
  demand(400, publicKey?.length === 32, 'the key of the client is not 32 bytes')
  demand(400, Number(deviceType) === platform, 'the client names another type of device')
  demand(400, named === ref, 'the client names another ref')
  const proof = childOf(prologue, 'pairing_handoff_proof')
  return {
    ...{ payload, identity, commitment: Buffer.from(commitment?.hash ?? []), deviceType: deviceType ?? 0 },
    ...{ publicKey: Buffer.from(publicKey ?? []), proof: proof && bytesIn(proof) },
    ...{ credentialId: bytesIn(prologue, 'credential_id'), assertion: bytesIn(prologue, 'webauthn_assertion') },
  }
}

interface Assertion {
  readonly rawId: string
  readonly type: string
  readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string }
}

/** Checks an assertion as WebAuthn requires of a relying party. */
function checkAssertion(json: Buffer, credentialId: Buffer, challenge: string, passkeys: readonly OwnPasskey[]): void {
  const { rawId, type, response } = JSON.parse(json.toString()) as Assertion
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  demand(400, bytes(rawId).equals(credentialId), 'the credential_id beside the assertion is another one')
  const passkey = passkeys.find((one) => one.credentialId.equals(credentialId))
  const clientData = bytes(response.clientDataJSON)
  const client = JSON.parse(clientData.toString()) as Readonly<Record<'type' | 'challenge' | 'origin', string>>
  const authenticatorData = bytes(response.authenticatorData)
  const flags = authenticatorData.readUInt8(32)
  demand(401, type === 'public-key' && client.type === 'webauthn.get', 'another type of credential')
  demand(401, client.challenge === challenge, 'the challenge is not the newest')
  demand(401, client.origin === ORIGIN, 'the origin is another site')
  demand(401, authenticatorData.subarray(0, 32).equals(sha256(Buffer.from(RP_ID))), 'another relying party')
  demand(401, (flags & 1) !== 0, 'the user was not present')
  demand(401, (flags & 4) !== 0, 'the user was not verified')
  if (!passkey) throw new Refusal(401, 'no passkey of this account')
  const signed = Buffer.concat([authenticatorData, sha256(clientData)])
  demand(401, verify('sha256', signed, passkey.publicKey, bytes(response.signature)), 'the signature is forged')
}

function openRequest(key: Buffer, iv: Uint8Array | null | undefined, sealed: Uint8Array | null | undefined) {
  try {
    return proto.PairingRequest.decode(openGcm(key, Buffer.from(iv ?? []), Buffer.from(sealed ?? [])))
  } catch {
    throw new Error('the request for the link cannot be opened')
  }
}

/** The code of eight characters that both sides display. */
function codeOf(primaryNonce: Buffer, companionNonce: Buffer, primaryKey: Buffer): string {
  const mixed = sha256(companionNonce, primaryKey)
  let bits = 0n
  for (let at = 0; at < 5; at++) bits = (bits << 8n) | BigInt(primaryNonce.readUInt8(at) ^ mixed.readUInt8(at))
  const digits = Array.from({ length: 8 }, (_, at) => CROCKFORD[Number((bits >> BigInt(35 - 5 * at)) & 31n)] ?? '')
  return `${digits.slice(0, 4).join('')}-${digits.slice(4).join('')}`
}
