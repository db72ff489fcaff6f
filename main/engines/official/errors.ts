import type { MessageErrorShape } from '../../contract/shapes.ts'
import type { Hold, ThrottleScope } from '../engine.ts'
import { integerAt, recordAt, recordsAt, textAt, type Json } from './json.ts'

/** An error of the Graph API, in an answer or later in a status. */
export interface GraphError {
  readonly code: number
  readonly subcode?: number
  /** Meta's short message for developers; shown to the caller of a request with a wrong parameter. */
  readonly details: string
}

/** Why Meta accepts no message with a template. */
type TemplateFault = 'paused' | 'disabled' | 'missing'

/** What an error means for us. */
export type Meaning =
  | { readonly kind: 'token_dead' }
  | { readonly kind: 'permission' }
  | { readonly kind: 'throttled'; readonly scope: ThrottleScope }
  /** Final for this message. */
  | { readonly kind: 'refused'; readonly code: MessageErrorShape['code'] }
  /** The request itself is wrong. */
  | { readonly kind: 'invalid' }
  /** The template cannot be used now, for any recipient. */
  | { readonly kind: 'template'; readonly fault: TemplateFault }
  /** Meta reports a fault of its own: the message was not accepted. */
  | { readonly kind: 'server' }
  /** Applies to every message of this number. */
  | { readonly kind: 'held'; readonly reason: Hold['reason'] }
  | { readonly kind: 'blocked' }

const refused = (code: MessageErrorShape['code']): Meaning => ({ kind: 'refused', code })
const throttled = (scope: ThrottleScope): Meaning => ({ kind: 'throttled', scope })
const template = (fault: TemplateFault): Meaning => ({ kind: 'template', fault })
const held = (reason: Hold['reason']): Meaning => ({ kind: 'held', reason })

const MEANINGS = new Map<number, Meaning>([
  ...each([0, 190], { kind: 'token_dead' }),
  ...each([3, 10, 131_005], { kind: 'permission' }),
  ...each([4, 80_007, 80_008, 130_429], throttled('number')),
  ...each([131_056], throttled('pair')),
  ...each([131_047], refused('outside_window')),
  ...each([131_026], refused('undeliverable')),
  ...each([131_049, 131_050], refused('marketing_limit')),
  ...each([130_472, 130_497, 131_021, 131_030], refused('engine_rejected')),
  ...each([100, 131_008, 131_009, 131_051, 131_052, 131_053, 131_055, 131_062], { kind: 'invalid' }),
  ...each([1, 2, 131_000, 131_016, 131_057, 133_004], { kind: 'server' }),
  // 132069: templates of a certain form can be sent only a few times an hour for now.
  ...each([132_015, 132_069], template('paused')),
  ...each([132_016, 132_068], template('disabled')),
  ...each([132_001], template('missing')),
  ...each([131_042], held('payment')),
  ...each([131_048], held('spam')),
  ...each([368], held('policy')),
  ...each([131_037], held('display_name')),
  ...each([33, 131_045], held('registration')),
  ...each([133_005, 133_008, 133_009], held('pin')),
  ...each([131_031], { kind: 'blocked' }),
])

/** Ranges in which every code means the same. */
const RANGES: readonly (readonly [from: number, to: number, Meaning])[] = [
  [200, 299, { kind: 'permission' }],
  [132_000, 132_999, { kind: 'invalid' }],
  [133_000, 133_999, held('registration')],
]

function each(codes: readonly number[], meaning: Meaning): [number, Meaning][] {
  return codes.map((code) => [code, meaning])
}

/** @returns undefined for an unknown code; the HTTP status then decides. */
export function meaningOf({ code }: GraphError): Meaning | undefined {
  return MEANINGS.get(code) ?? RANGES.find(([from, to]) => code >= from && code <= to)?.[2]
}

const DETAILS_LENGTH = 300
const INVALID_PARAMETER = 100

/** @returns undefined when the body is not a Graph error. */
export function readError(body: Json): GraphError | undefined {
  return failedUserIn(body) ?? toError(recordAt(body, 'error')) ?? toUploadError(recordAt(body, 'debug_info'))
}

/** For a change of the block list, Meta puts the error beside the person it concerns. */
export function failedUserIn(body: Json): GraphError | undefined {
  const [failed = {}] = recordsAt(recordAt(body, 'block_users'), 'failed_users')
  const [error] = recordsAt(failed, 'errors')
  return error && toError(error)
}

/** Upload errors come from another Meta host, in another form and without a code. */
function toUploadError(info: Json): GraphError | undefined {
  const [type, said] = [textAt(info, 'type'), textAt(info, 'message')]
  if (type === null) return undefined
  return { code: INVALID_PARAMETER, details: (said ?? type).slice(0, DETAILS_LENGTH) }
}

/** An entry of `statuses[].errors[]`, or the `error` of an answer. */
const TEMPLATE_LIMIT = 2_388_019

/** The business account has reached the limit of its templates. */
export const isTemplateLimit = ({ code, subcode }: GraphError): boolean =>
  code === TEMPLATE_LIMIT || subcode === TEMPLATE_LIMIT

export function toError(error: Json): GraphError | undefined {
  const code = integerAt(error, 'code')
  if (code === null) return undefined
  const forPeople = textAt(recordAt(error, 'error_data'), 'details') ?? textAt(error, 'error_user_msg')
  const said = forPeople ?? textAt(error, 'message') ?? textAt(error, 'title')
  const subcode = integerAt(error, 'error_subcode')
  return { code, ...(subcode !== null && { subcode }), details: (said ?? '').slice(0, DETAILS_LENGTH) }
}

/** User ids differ per portfolio. */
export const WORDS_OF_OTHER_PORTFOLIO =
  'Meta gave this ID to another business portfolio, so this number cannot use it. Use the person’s phone number, or wait until they write to this number.'

/** Why a number cannot send, and how to fix it. */
export const WORDS_OF_HOLD: Readonly<Record<Hold['reason'], string>> = {
  payment: 'Meta takes no payment for this account. Add or correct the payment method in the WhatsApp Manager.',
  spam: 'Meta limits this number, because people blocked it or reported it as spam, or because its portfolio has used its messaging limit elsewhere. Write less, and only to people who expect it.',
  policy:
    'Meta has blocked this number for a time, because it broke a rule. Read in the WhatsApp Manager what to change.',
  display_name:
    'Meta has not approved the display name of this number. Change it in the WhatsApp Manager and wait for its review.',
  registration: 'This number is not registered for the Cloud API. Connect it again with its PIN.',
  pin: 'Meta asks for the two-step verification PIN of this number. Connect it again with the right PIN.',
}

/** Sentences for codes whose own error code is too general. */
const WORDS: Readonly<Record<number, string>> = {
  130_472: 'Meta withheld this marketing message from the person as part of an experiment. Do not send it again.',
  130_497: 'Meta does not let this business write to people in this country.',
  131_021: 'A number cannot write to itself.',
  131_030:
    'This is a test number of Meta, and it may only write to numbers that are on its list at Meta. Add the number there.',
  132_015:
    'Meta has paused this template, because people reacted badly to it. It can be used again once Meta ends the pause.',
  131_062: 'Meta sends this message to a phone number only, and this person hides theirs. Ask them for it first.',
  132_001: 'Meta has no approved template with this name and language. Choose another one, or create it.',
  132_016: 'Meta has disabled this template for good. Use another one.',
  132_068: 'Meta has blocked the form of this template. Read in WhatsApp Manager what to change, or use another one.',
  132_069:
    'Meta limits how often the form of this template is sent, because it fails too often. It is tried again later.',
}

const FAILURES: Readonly<Record<MessageErrorShape['code'], string>> = {
  outside_window: 'This person has not written to this number in the last 24 hours. Send an approved template instead.',
  undeliverable:
    'The message cannot be delivered: the number is not on WhatsApp, has not accepted its current terms, or runs an old app. Check the number, or use another way.',
  marketing_limit:
    'WhatsApp withheld this marketing message, or the person has stopped marketing messages. Do not send it again.',
  media_rejected: 'WhatsApp did not take the file of this message. Check its type and size, then send it again.',
  engine_rejected: 'WhatsApp refused the message.',
  reachout_restricted: 'WhatsApp refuses first messages from this number for now.',
  not_on_whatsapp: 'This number is not on WhatsApp.',
  expired: 'The network did not confirm the message within 24 hours.',
}

/** Why a message failed, as shown in its status. */
export function failureOf(error: GraphError): MessageErrorShape {
  const code = failureCodeOf(error)
  const meaning = meaningOf(error)
  const own = meaning?.kind === 'held' ? WORDS_OF_HOLD[meaning.reason] : (WORDS[error.code] ?? FAILURES[code])
  const words = code === 'engine_rejected' && own === FAILURES[code] ? `${own} ${error.details}`.trim() : own
  return { code, message: words, provider_code: error.code }
}

function failureCodeOf(error: GraphError): MessageErrorShape['code'] {
  if (error.code >= 131_051 && error.code <= 131_053) return 'media_rejected'
  const meaning = meaningOf(error)
  return meaning?.kind === 'refused' ? meaning.code : 'engine_rejected'
}
