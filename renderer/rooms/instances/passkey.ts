import type { PasskeyCredential, PasskeyView, QrView } from '../../../main/contract/instance.ts'
import type { Problem } from '../../app/problem.ts'

/** Why a confirmation failed: the values of `last_disconnect_reason` without the prefix `passkey_`. */
export const PASSKEY_ENDS = ['expired', 'refused', 'phone_silent', 'differs', 'connection_lost', 'too_often'] as const
export type PasskeyEnd = (typeof PASSKEY_ENDS)[number]

/** The reason if the service was restarted during pairing. */
const INTERRUPTED = 'pairing_interrupted'

/** @returns undefined for every reason that does not concern a passkey. */
export function passkeyEnd(reason: string | null, wasAsked = false): PasskeyEnd | undefined {
  if (wasAsked && reason === INTERRUPTED) return 'connection_lost'
  return PASSKEY_ENDS.find((end) => reason === `passkey_${end}`)
}

type Step = PasskeyView['step']
const STEPS = ['sign', 'phone', 'compare', 'finishing'] as const satisfies readonly Step[]

/** The steps in order, with the progress of each. */
export function passkeySteps(current: Step): { readonly step: Step; readonly is: 'done' | 'current' | 'next' }[] {
  const at = STEPS.indexOf(current)
  return STEPS.map((step, index) => ({ step, is: index < at ? 'done' : index === at ? 'current' : 'next' }))
}

/**
 * "pending" usually means that a code is being prepared. After the phone has linked the device, it means connecting.
 */
export function followPasskey(before: QrView | undefined, answer: QrView): QrView {
  if (answer.state !== 'pending' || before?.passkey === undefined || before.passkey.step === 'sign') return answer
  const { code: _code, ...passkey } = before.passkey
  return { ...before, passkey: { ...passkey, step: 'finishing' } }
}

/** Why an answer was not accepted; the person can try again. The texts are `instances.passkey.trouble`. */
export type PasskeyTrouble =
  | 'dismissed'
  | 'unavailable'
  | 'unreadable'
  | 'mismatch'
  | 'superseded'
  | 'refused'
  | 'failed'

export function troubleOf({ code }: Problem): PasskeyTrouble {
  switch (code) {
    case 'validation_error':
      return 'mismatch'
    case 'invalid_state':
      return 'superseded'
    case 'upstream_unavailable':
      return 'refused'
    default:
      return 'failed'
  }
}

/**
 * The script for the console of the person's own browser. It is one expression, because it may have to run again and some
 * consoles do not let a name be declared twice.
 */
export function signingScript(options: NonNullable<PasskeyView['options']>): string {
  const { challenge, ...others } = options
  return [
    '// Asks for the passkey of your WhatsApp account and shows its answer to one request.',
    '// It loads nothing and sends nothing.',
    'navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON({',
    `  challenge: ${literal(challenge)},`,
    ...Object.entries(others).map(([name, value]) => `  ${literal(name)}: ${literal(value)},`),
    '}) }).then((answer) => console.log(JSON.stringify(answer)))',
  ].join('\n')
}

/** Escapes what could end a line or a string, because the options come from the network. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}`)

/**
 * Parses the line that the script printed, and returns the short form that is sent. @returns undefined if it is
 * something else.
 */
export function parseCredential(text: string): PasskeyCredential | undefined {
  const { id, rawId, type, response } = fieldsOf(parseJson(unquote(text.trim())))
  const { clientDataJSON, authenticatorData, signature, userHandle } = fieldsOf(response)
  if (!isText(id) || !isText(rawId) || !isText(type)) return undefined
  if (!isText(clientDataJSON) || !isText(authenticatorData) || !isText(signature)) return undefined
  const user = isText(userHandle) ? userHandle : null
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle: user } }
}

/** Some consoles show values in quotes. */
const unquote = (text: string): string => /^(['"`])(.*)\1$/s.exec(text)?.[2] ?? text

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value) as Record<string, unknown>
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
