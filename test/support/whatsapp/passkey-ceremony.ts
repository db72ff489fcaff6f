import { randomBytes, randomInt } from 'node:crypto'
import { proto } from 'baileys'
import type { ApplicantInside, NoticeInside } from './applicant.ts'
import type { FaultsInside } from './faults.ts'
import type { PasskeyNotice, PasskeyQuery } from './passkey-faults.ts'
import type { PhoneInside } from './people.ts'
import { createPrimaryDevice, type Prologue } from './primary-device.ts'
import { bytesIn, bytesOf, child, errorTo, firstTag, stanza, type Stanza } from './stanza.ts'
import { AssertionRefused, requestOptions, verifyAssertion, type RequestOptions } from './webauthn.ts'

/** Linking with a passkey, from the request for one to the keys of the client. One for each scan or typed code. */
export interface Ceremony {
  /** What the client was asked for most recently. */
  readonly options: RequestOptions
  /** Whether the client proved that it was scanned; undefined until it sent an assertion that was taken. */
  readonly hasProof: boolean | undefined
  /** The code that the phone shows; undefined while there is nothing to compare. */
  readonly code: string | undefined
  /** The phone's owner has compared the code, where the phone waits for that. */
  confirm(isSame: boolean): void
  /** Asks for an assertion again, with another challenge. */
  askAgain(): void
  /** Sends the phone's answer though nothing is there yet to be answered. */
  continueTooEarly(): void
}

/** The same, for those who run the network. */
export interface CeremonyInside extends Ceremony {
  /** Takes what the client asks. */
  hear(iq: Stanza): void
  abandon(reason: string): void
  readonly isOver: boolean
  /** The new ADV secret, once the phone has the client's keys. */
  readonly secret: Promise<Buffer>
}

interface Setting {
  readonly applicant: ApplicantInside
  readonly phone: PhoneInside
  /** The ADV secret that the phone saw. */
  readonly secret: Buffer
  readonly faults: Pick<FaultsInside, 'atPasskeyStep'>
}

const LARGEST_OPTIONS_BYTES = 4_096
const KEY_BYTES = 32
/** A notification that nobody but the server may send. */
const FOREIGN_SENDER = '12025559999@s.whatsapp.net'

/** Asks a client for an assertion, and takes it from there with the phone. */
export function holdCeremony({ applicant, phone, secret, faults }: Setting): CeremonyInside {
  const primary = createPrimaryDevice(secret, applicant.registration)
  const outcome = Promise.withResolvers<Buffer>()
  // Whoever asked for the link awaits this; a failure that comes first must not end the process.
  outcome.promise.catch(() => {})
  const confirmation = Promise.withResolvers<boolean>()
  let options = requestOptions()
  let ref: string | undefined
  let prologue: Prologue | undefined
  let isContinued = false
  let code: string | undefined
  let isOver = false

  function fail(reason: string): void {
    isOver = true
    outcome.reject(new Error(reason))
  }

  function expectGoodAck({ type, acknowledged }: NoticeInside, isCut: boolean): void {
    void acknowledged.then(({ error }) => {
      if (error !== undefined) fail(`the client refused ${type} with ${error}`)
      else if (isCut) applicant.drop()
    })
  }

  function askForAssertion(): void {
    const type = 'passkey_prologue_request' satisfies PasskeyNotice
    options = requestOptions()
    const fault = faults.atPasskeyStep(type)
    if (fault?.kind === 'foreign') applicant.notify(type, [optionsStanza(requestOptions())], FOREIGN_SENDER)
    const content = fault?.kind === 'options' ? spoiltOptions(options)[fault.options] : [optionsStanza(options)]
    expectGoodAck(applicant.notify(type, content), fault?.kind === 'cut')
  }

  function sendContinuation(): void {
    const type = 'crsc_continuation' satisfies PasskeyNotice
    const fault = faults.atPasskeyStep(type)
    if (fault?.kind === 'foreign') applicant.notify(type, [strangerStanza()], FOREIGN_SENDER)
    isContinued = true
    const content =
      fault?.kind === 'short_nonce' ? strangerStanza(KEY_BYTES - 1) : primaryStanza(primary.ephemeralIdentity)
    // Clients see the server's address with and without the sign before it.
    expectGoodAck(applicant.notify(type, [content], 's.whatsapp.net'), fault?.kind === 'cut')
  }

  /** What the phone finds wrong, the server never learns: it has answered, and the client waits in vain. */
  function onPhone(act: () => void): void {
    try {
      act()
    } catch (error) {
      fail((error as Error).message)
    }
  }

  function takePrologue(node: Stanza): Stanza[] {
    demand(ref !== undefined && prologue === undefined, 'passkey_prologue does not follow ref')
    const proof = child(node, 'pairing_handoff_proof')
    const credentialId = bytesOf(node, 'credential_id')
    const taken = readPrologue(bytesOf(node, 'prologue_payload'), proof && bytesIn(proof))
    demand(taken.ref === ref, 'the prologue names another ref')
    demand(taken.deviceType === applicant.deviceType, 'the prologue names another type of device')
    const expected = { challenge: options.challenge, passkeys: phone.passkeys }
    verifyAssertion(bytesOf(node, 'webauthn_assertion'), credentialId, expected)
    prologue = taken
    return []
  }

  async function finish(content: Buffer): Promise<void> {
    try {
      const next = primary.takeRequest(content)
      if (phone.habits.compares && !(await confirmation.promise)) throw new Error('the phone’s owner saw another code')
      isOver = true
      outcome.resolve(next)
    } catch (error) {
      fail((error as Error).message)
    }
  }

  const queries: Readonly<Record<PasskeyQuery, Query>> = {
    passkey_request_options: {
      type: 'get',
      answer() {
        options = requestOptions()
        return [optionsStanza(options)]
      },
    },
    ref: {
      type: 'get',
      answer(_node, fault) {
        // What looks like a number is packed on its way, and arrives as text instead of bytes.
        ref = fault === 'text' ? String(randomInt(1e9, 1e12)) : randomBytes(16).toString('base64url')
        return [stanza('ref', {}, fault === 'text' ? ref : Buffer.from(ref))]
      },
    },
    passkey_prologue: {
      type: 'set',
      answer: takePrologue,
      after: () =>
        onPhone(() => {
          primary.takePrologue(prologue!)
          if (phone.habits.passkey !== 'refuses') sendContinuation()
        }),
    },
    companion_nonce: {
      type: 'set',
      answer() {
        demand(isContinued, 'companion_nonce does not follow crsc_continuation')
        return []
      },
      after: (node) =>
        onPhone(() => {
          const compared = primary.takeNonce(bytesIn(node))
          if (phone.habits.compares || prologue?.proof === undefined) code = compared
        }),
    },
    encrypted_pairing_request: { type: 'set', answer: () => [], after: (node) => void finish(bytesIn(node)) },
  }

  function hear(iq: Stanza): void {
    const tag = firstTag(iq) as PasskeyQuery
    const query = queries[tag]
    const refuse = (errorCode: number, reason: string) => {
      applicant.link.send(errorTo(iq, errorCode))
      fail(reason)
    }
    const fault = isOver ? undefined : faults.atPasskeyStep(tag)
    if (fault?.kind === 'cut') return applicant.drop()
    if (fault?.kind === 'unanswered') return
    if (fault?.kind === 'refused') return refuse(fault.code, `the server answered ${tag} with ${fault.code}`)
    const node = child(iq, tag)!
    try {
      demand(!isOver, 'nothing is asked of this client any more')
      demand(iq.attrs['type'] === query.type, `${tag} is not asked with type ${query.type}`)
      demand(isForServer(iq), `${tag} does not go to the server in the namespace md`)
      const result = { type: 'result', id: iq.attrs['id'], from: '@s.whatsapp.net' }
      applicant.link.send(stanza('iq', result, query.answer(node, fault?.kind)))
    } catch (error) {
      if (!(error instanceof AssertionRefused)) throw error
      return refuse(error.code, error.message)
    }
    query.after?.(node)
  }

  askForAssertion()
  return {
    secret: outcome.promise,
    hear,
    abandon: fail,
    get isOver() {
      return isOver
    },
    get options() {
      return options
    },
    get hasProof() {
      return prologue && prologue.proof !== undefined
    },
    get code() {
      return code
    },
    confirm: confirmation.resolve,
    askAgain: askForAssertion,
    continueTooEarly: () => void applicant.notify('crsc_continuation', [strangerStanza()]),
  }
}

interface Query {
  readonly type: 'get' | 'set'
  /** @throws AssertionRefused for what the server does not take. */
  answer(node: Stanza, fault?: string): Stanza[]
  /** What follows from it once it is answered. */
  after?(node: Stanza): void
}

/** @throws AssertionRefused: what is not in order gets 400. */
function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new AssertionRefused(reason, 400)
}

const isForServer = ({ attrs: { to, xmlns } }: Stanza) => /^@?s\.whatsapp\.net$/.test(to ?? '') && xmlns === 'md'

const optionsStanza = (options: RequestOptions | Buffer) =>
  stanza('passkey_request_options', {}, Buffer.isBuffer(options) ? options : Buffer.from(JSON.stringify(options)))

const spoiltOptions = (options: RequestOptions) => ({
  absent: undefined,
  empty: [optionsStanza(Buffer.alloc(0))],
  not_json: [optionsStanza(Buffer.from('{"challenge":'))],
  oversized: [optionsStanza(Buffer.from(JSON.stringify(options).padEnd(LARGEST_OPTIONS_BYTES + 1)))],
})

const primaryStanza = (ephemeralIdentity: Buffer) => stanza('primary_ephemeral_identity', {}, ephemeralIdentity)

/** Keys that belong to nobody. */
function strangerStanza(nonceBytes = KEY_BYTES): Stanza {
  const keys = { publicKey: randomBytes(KEY_BYTES), nonce: randomBytes(nonceBytes) }
  return primaryStanza(Buffer.from(proto.PrimaryEphemeralIdentity.encode(keys).finish()))
}

function readPrologue(payload: Buffer, proof: Buffer | undefined): Prologue {
  const { companionEphemeralIdentity, commitment } = decoded(proto.ProloguePayload, payload)
  const identity = Buffer.from(companionEphemeralIdentity ?? [])
  const { publicKey, deviceType, ref } = decoded(proto.CompanionEphemeralIdentity, identity)
  demand(publicKey?.length === KEY_BYTES, 'the key of the client has not 32 bytes')
  demand(commitment?.hash?.length === KEY_BYTES, 'the commitment has not 32 bytes')
  demand(proof === undefined || proof.length === KEY_BYTES, 'the hand-off proof has not 32 bytes')
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
    throw new AssertionRefused('the prologue cannot be read', 400)
  }
}
