import { ApiError } from '../../contract/errors.ts'
import type { PasskeyCredential } from '../../contract/instance.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'
import type { PasskeyFailure, PasskeyOptions, PasskeyState } from '../engine.ts'
import { requireStep } from '../passkey-step.ts'
import { checkAssertion, type Assertion } from './assertion.ts'
import type { Library } from './library.ts'
import { errorText, queryErrorOf } from './query.ts'
import {
  comparisonCodeOf,
  handoffKeyOf,
  handoffProofOf,
  IV_BYTES,
  KEY_BYTES,
  pairingKeyOf,
  prologueOf,
  publicKeyOf,
  sealedPairingRequest,
  type DeviceKeys,
} from './shortcake.ts'

/** The queries of a ceremony. Each rejects if the network refuses it or does not answer. */
export interface PasskeyNetwork {
  options(): Promise<PasskeyOptions>
  ref(): Promise<string>
  prologue(sent: Assertion & { readonly payload: Buffer; readonly proof: Buffer | null }): Promise<void>
  nonce(bytes: Buffer): Promise<void>
  pairingRequest(bytes: Buffer): Promise<void>
}

/** The phone's half of the key exchange. */
export interface PrimaryIdentity {
  readonly publicKey: Uint8Array
  readonly nonce: Uint8Array
}

interface PasskeyDeps {
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly alarms: Alarms
  readonly random: Pick<Random, 'bytes'>
  readonly id: InstanceId
  readonly library: Pick<Library, 'proto' | 'bytesToCrockford'>
  readonly network: PasskeyNetwork
  readonly deviceType: number
  /** The secret in the code that the phone scanned. */
  readonly seenSecret: Buffer
  /** These include the secret that replaces it. */
  readonly keys: DeviceKeys
  /** Number of the first request in this ceremony. */
  readonly firstAttempt: number
  /** Called when the step or the options change. */
  changed(): void
  /** Called once, unless `end` was called first. */
  failed(reason: PasskeyFailure, code: number | null): void
}

/** One attempt to link an account that asks for its passkey. */
export interface PasskeyCeremony {
  view(): PasskeyState
  /** The network asks again. @param options null: it sent none. */
  requested(options: PasskeyOptions | null): void
  /** @throws ApiError invalid_state, validation_error, upstream_unavailable */
  respond(attempt: number, credential: PasskeyCredential): Promise<void>
  /** The phone has answered. @param primary null: the answer was malformed. */
  continued(primary: PrimaryIdentity | null): void
  /** @throws ApiError invalid_state, upstream_unavailable */
  confirm(attempt: number, match: boolean): Promise<void>
  /** Ends it without calling `failed`. @param error what pending calls are rejected with. */
  end(error?: ApiError): void
}

const OPTIONS_MS = 600_000
const PROVING_MS = 40_000
const STEP_MS = 120_000
/** The phone accepts a proof for this long. After that, a person has to compare the codes. */
const HANDOFF_MS = 300_000
const WRONG_ANSWERS = 10

type Step = 'asking' | 'proving' | 'phone' | 'comparing' | 'finishing' | 'over'

const SHOWN: Readonly<Record<Step, PasskeyState['step']>> = {
  asking: 'sign',
  proving: 'phone',
  phone: 'phone',
  comparing: 'compare',
  finishing: 'finishing',
  over: 'finishing',
}

/** Why a step that takes too long fails. */
const TOO_LATE: Readonly<Record<Step, PasskeyFailure>> = {
  asking: 'expired',
  proving: 'connection_lost',
  phone: 'phone_silent',
  comparing: 'expired',
  finishing: 'phone_silent',
  over: 'expired',
}

/** Everything is kept in memory, and overwritten at the end. */
export function createPasskeyCeremony(deps: PasskeyDeps, firstOptions: PasskeyOptions | null): PasskeyCeremony {
  const { clock, alarms, random, id, library, network, deviceType, keys } = deps
  const ending = `passkey ${id}`
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  const handoffKey = handoffKeyOf(deps.seenSecret)
  const handoffEndsMono = clock.mono() + HANDOFF_MS
  const ephemeral = random.bytes(KEY_BYTES)
  const nonce = random.bytes(KEY_BYTES)
  const secrets: Buffer[] = [handoffKey, ephemeral, nonce, deps.seenSecret]
  let step: Step = 'asking'
  let attempt = deps.firstAttempt
  let options: PasskeyOptions | null = null
  let optionsEndMono = 0
  let deadlineMs = 0
  let code: string | null = null
  let wrongAnswers = 0
  let ref = ''
  let isProven = false
  let pairingKey: Buffer | undefined
  /** The phone's answer, which may arrive before the network's answer to the prologue. */
  let early: PrimaryIdentity | null | undefined

  function enter(next: Step, limitMs: number): void {
    step = next
    deadlineMs = clock.now() + limitMs
    alarms.set(ending, deadlineMs, () => fail(TOO_LATE[next], null))
    deps.changed()
  }

  /** @returns the error that pending calls are rejected with. */
  function fail(reason: PasskeyFailure, failure: number | null, error: ApiError = overMeanwhile()): ApiError {
    if (step !== 'over') {
      end(error)
      deps.failed(reason, failure)
    }
    return error
  }

  function end(error: ApiError = overMeanwhile()): void {
    step = 'over'
    alarms.clear(ending)
    for (const secret of secrets) secret.fill(0)
    options = null
    code = null
    ended.reject(error)
  }

  /** Asks the network. A refusal or silence ends the ceremony. */
  async function ask<T>(asked: Promise<T>): Promise<T> {
    try {
      return await Promise.race([asked, ended.promise])
    } catch (error) {
      if (error instanceof ApiError) throw error
      const { code: number } = queryErrorOf(error)
      throw fail(number === null ? 'connection_lost' : 'refused', number, refusedBy(error))
    }
  }

  function offer(next: PasskeyOptions): void {
    options = next
    optionsEndMono = clock.mono() + OPTIONS_MS
    enter('asking', OPTIONS_MS)
  }

  function fetchOptions(): void {
    enter('asking', OPTIONS_MS)
    const asked = attempt
    // `ask` reports failures.
    void ask(network.options()).then(
      (fetched) => step === 'asking' && attempt === asked && offer(fetched),
      () => {},
    )
  }

  function checked(credential: PasskeyCredential, { challenge }: PasskeyOptions): Assertion {
    try {
      return checkAssertion(credential, challenge)
    } catch (error) {
      wrongAnswers++
      if (wrongAnswers >= WRONG_ANSWERS) fail('refused', null)
      throw error
    }
  }

  async function prove(assertion: Assertion): Promise<void> {
    secrets.push(assertion.json)
    enter('proving', PROVING_MS)
    ref = await ask(network.ref())
    const payload = prologueOf(library, { publicKey: publicKeyOf(ephemeral), deviceType, ref }, nonce)
    const proof = clock.mono() < handoffEndsMono ? handoffProofOf(handoffKey, payload) : null
    isProven = proof !== null
    await ask(network.prologue({ ...assertion, payload, proof }))
    assertion.json.fill(0)
    enter('phone', STEP_MS)
    if (early !== undefined) answerPhone(early)
  }

  function answerPhone(primary: PrimaryIdentity | null): void {
    // `ask` reports failures.
    reveal(primary).catch(() => {})
  }

  async function reveal(primary: PrimaryIdentity | null): Promise<void> {
    if (primary === null) throw fail('refused', null)
    try {
      pairingKey = pairingKeyOf(ephemeral, primary, { deviceType, ref })
    } catch {
      throw fail('refused', null)
    }
    secrets.push(pairingKey)
    const compared = comparisonCodeOf(library, primary, nonce)
    early = primary
    await ask(network.nonce(Buffer.from(nonce)))
    if (isProven) return finish()
    code = compared
    enter('comparing', STEP_MS)
  }

  async function finish(): Promise<void> {
    code = null
    enter('finishing', STEP_MS)
    const request = sealedPairingRequest(library, keys, pairingKey ?? Buffer.alloc(0), random.bytes(IV_BYTES))
    await ask(network.pairingRequest(request))
  }

  const view = (): PasskeyState => ({ step: SHOWN[step], options: shownOptions(), deadlineMs, code, attempt })
  const shownOptions = () => (step === 'asking' ? options : null)

  if (firstOptions) offer(firstOptions)
  else fetchOptions()

  return {
    view,
    requested(next) {
      // After this step an answer is on its way, and a ceremony sends only one.
      if (step !== 'asking') return
      if (next === null && options !== null && clock.mono() < optionsEndMono) return
      attempt++
      options = null
      if (next) offer(next)
      else fetchOptions()
    },
    async respond(given, credential) {
      requireStep(step === 'over' ? undefined : view(), 'sign', given)
      if (options === null) throw notYet()
      await prove(checked(credential, options))
    },
    continued(primary) {
      if (step === 'proving') early ??= primary
      else if (step === 'phone' && early === undefined) {
        early = primary
        answerPhone(primary)
      }
    },
    async confirm(given, match) {
      requireStep(step === 'over' ? undefined : view(), 'compare', given)
      if (!match) return void fail('differs', null)
      await finish()
    },
    end(error) {
      if (step !== 'over') end(error)
    },
  }
}

const notYet = () =>
  new ApiError(
    'invalid_state',
    'WhatsApp has not sent the options yet (passkey_not_asked). Read the QR view again.',
  ).because('passkey_ended')

const overMeanwhile = () =>
  new ApiError('invalid_state', 'The confirmation has ended (passkey_not_asked). Get a new QR code.').because(
    'passkey_ended',
  )

/** What pending calls are rejected with when the connection is lost. */
export const connectionLost = () =>
  new ApiError(
    'upstream_unavailable',
    'The connection to WhatsApp was lost during the confirmation, and nothing was linked. Get a new QR code.',
  ).because('passkey_lost')

const refusedBy = (error: unknown) =>
  new ApiError(
    'upstream_unavailable',
    `WhatsApp did not accept the confirmation (${errorText(error)}). Wait a few minutes, then get a new QR code.`,
  ).because('passkey_refused')
