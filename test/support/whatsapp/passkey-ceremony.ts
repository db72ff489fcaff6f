import { randomBytes, randomInt } from 'node:crypto'
import type { ApplicantInside, NoticeInside } from './applicant.ts'
import type { FaultsInside } from './faults.ts'
import type { PasskeyNotice, PasskeyQuery } from './passkey-faults.ts'
import type { PhoneInside } from './people.ts'
import {
  optionsStanza,
  primaryStanza,
  readPrologue,
  spoiltOptions,
  strangerStanza,
  type Prologue,
} from './passkey-stanzas.ts'
import { createPrimaryDevice } from './primary-device.ts'
import { demand, Refused } from './refused.ts'
import { bytesIn, bytesOf, child, errorTo, firstTag, stanza, type Stanza } from './stanza.ts'
import { requestOptions, verifyAssertion, type RequestOptions } from './webauthn.ts'

/**
 * Linking with a passkey, from the request for it until the client's keys arrive. There is one for each scan or typed
 * code.
 */
export interface Ceremony {
  /** The latest options that the client got. */
  readonly options: RequestOptions
  /** Whether the client proved that its code was scanned; undefined until an assertion was accepted. */
  readonly hasProof: boolean | undefined
  /** The code on the phone; undefined while there is nothing to compare. */
  readonly code: string | undefined
  /** The phone's owner has compared the code, if the phone waits for that. */
  confirm(isSame: boolean): void
  /** Requests another assertion with a new challenge. */
  askAgain(): void
  /** Sends the phone's answer before the client has sent its part. */
  continueTooEarly(): void
}

/** Adds what only the simulated network uses. */
export interface CeremonyInside extends Ceremony {
  /** Handles a query of the client. */
  hear(iq: Stanza): void
  abandon(reason: string): void
  readonly isOver: boolean
  /** Resolves with the new ADV secret when the phone has the client's keys. */
  readonly secret: Promise<Buffer>
}

interface Setting {
  readonly applicant: ApplicantInside
  readonly phone: PhoneInside
  /** The ADV secret that the phone saw. */
  readonly secret: Buffer
  readonly faults: Pick<FaultsInside, 'atPasskeyStep'>
}

/** A sender other than the server, which clients must not accept. */
const FOREIGN_SENDER = '12025559999@s.whatsapp.net'

/** Requests an assertion from a client, and runs the ceremony with the phone. */
export function holdCeremony({ applicant, phone, secret, faults }: Setting): CeremonyInside {
  const primary = createPrimaryDevice(phone, secret, applicant.registration)
  const outcome = Promise.withResolvers<Buffer>()
  // The caller of `scan` awaits this. A failure before that must not end the process.
  outcome.promise.catch(() => {})
  let options = requestOptions()
  let ref: string | undefined
  let prologue: Prologue | undefined
  let isContinued = false
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
    const content = fault?.kind === 'short_nonce' ? strangerStanza(31) : primaryStanza(primary.ephemeralIdentity)
    // Clients accept the server's address with and without the leading @.
    expectGoodAck(applicant.notify(type, [content], 's.whatsapp.net'), fault?.kind === 'cut')
  }

  /**
   * The server does not learn of errors that the phone finds: it has already answered, and the client waits in vain.
   */
  async function onPhone(act: () => void | Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      fail((error as Error).message)
    }
  }

  function takePrologue(node: Stanza): Stanza[] {
    demand(400, ref !== undefined && prologue === undefined, 'passkey_prologue does not follow ref')
    const taken = readPrologue(node)
    demand(400, taken.ref === ref, 'the prologue names another ref')
    demand(400, taken.deviceType === applicant.deviceType, 'the prologue names another type of device')
    const expected = { challenge: options.challenge, passkeys: phone.passkeys }
    verifyAssertion(bytesOf(node, 'webauthn_assertion'), bytesOf(node, 'credential_id'), expected)
    prologue = taken
    return []
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
        // Digits are packed on the wire and arrive as text instead of bytes.
        ref = fault === 'text' ? String(randomInt(1e9, 1e12)) : randomBytes(16).toString('base64url')
        return [stanza('ref', {}, fault === 'text' ? ref : Buffer.from(ref))]
      },
    },
    passkey_prologue: {
      type: 'set',
      answer: takePrologue,
      after: () => {
        if (prologue && primary.takePrologue(prologue)) sendContinuation()
      },
    },
    companion_nonce: {
      type: 'set',
      answer() {
        demand(400, isContinued, 'companion_nonce does not follow crsc_continuation')
        return []
      },
      after: (node) => primary.takeNonce(bytesIn(node)),
    },
    encrypted_pairing_request: {
      type: 'set',
      answer: () => [],
      async after(node) {
        const next = await primary.takeRequest(bytesIn(node))
        isOver = true
        outcome.resolve(next)
      },
    },
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
      demand(400, !isOver, 'nothing is asked of this client any more')
      demand(400, iq.attrs['type'] === query.type, `${tag} is not asked with type ${query.type}`)
      demand(400, isForServer(iq), `${tag} does not go to the server in the namespace md`)
      const result = { type: 'result', id: iq.attrs['id'], from: '@s.whatsapp.net' }
      applicant.link.send(stanza('iq', result, query.answer(node, fault?.kind)))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return refuse(error.code, error.message)
    }
    void onPhone(() => query.after?.(node))
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
      return primary.code
    },
    confirm: primary.confirm,
    askAgain: askForAssertion,
    continueTooEarly: () => void applicant.notify('crsc_continuation', [strangerStanza()]),
  }
}

interface Query {
  readonly type: 'get' | 'set'
  /** @throws Refused if the server does not accept it. */
  answer(node: Stanza, fault?: string): Stanza[]
  /** Runs on the phone after the server has answered. @throws the error that the phone finds. */
  after?(node: Stanza): void | Promise<void>
}

const isForServer = ({ attrs: { to, xmlns } }: Stanza) => /^@?s\.whatsapp\.net$/.test(to ?? '') && xmlns === 'md'
