import { charactersIn } from '../../contract/message-limits.ts'

type Json = Readonly<Record<string, unknown>>

/** Meta: "Template components", 2026-05-06. */
const MOST = 10
const MOST_OF_A_KIND: Readonly<Record<string, number>> = {
  ...{ QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1, FLOW: 1, VOICE_CALL: 1, CATALOG: 1, MPM: 1 },
  ...{ SPM: 1, REQUEST_CONTACT_INFO: 1 },
}
const LONGEST = { text: 25, url: 2_000, phone: 20, code: 15 } as const
/** Meta sets the text of these buttons. */
const WITHOUT_TEXT = ['COPY_CODE', 'OTP', 'REQUEST_CONTACT_INFO']

/** Why Meta would refuse the buttons of a template, in Meta's words; undefined if it would not. */
export function buttonsRefusal({ buttons }: Json): string | undefined {
  if (!Array.isArray(buttons) || buttons.length === 0) return 'BUTTONS needs at least one button.'
  if (buttons.length > MOST) return `A template has at most ${MOST} buttons.`
  const all = buttons as Json[]
  const kinds = all.map(({ type }) => String(type))
  for (const [kind, mine] of Map.groupBy(kinds, (name) => name)) {
    const most = Object.hasOwn(MOST_OF_A_KIND, kind) ? MOST_OF_A_KIND[kind] : undefined
    if (most === undefined) return `Button type ${kind} is not valid.`
    if (mine.length > most) return `A template has at most ${most} buttons of type ${kind}.`
  }
  const replies = kinds.map((kind) => kind === 'QUICK_REPLY')
  if (replies.filter((isReply, at) => isReply && replies[at - 1] !== true).length > 1)
    return 'Quick replies must stand together.'
  for (const button of all) {
    const refusal = textRefusal(button) ?? OF_KIND[String(button['type'])]?.(button)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function textRefusal({ type, text }: Json): string | undefined {
  if (text === undefined && WITHOUT_TEXT.includes(String(type))) return undefined
  if (typeof text !== 'string' || text.trim() === '') return `A button of type ${String(type)} needs a text.`
  if (charactersIn(text) > LONGEST.text) return `The text of a button can have ${LONGEST.text} characters at most.`
  return /[\n*_~`]|\{\{|\p{Extended_Pictographic}/u.test(text)
    ? 'Buttons cannot have variables, new lines, emojis or formatting.'
    : undefined
}

const OF_KIND: Readonly<Record<string, (button: Json) => string | undefined>> = {
  URL: urlRefusal,
  PHONE_NUMBER: ({ phone_number: phone }) =>
    typeof phone === 'string' && /^\+?\d+$/.test(phone) && phone.length <= LONGEST.phone
      ? undefined
      : `phone_number must have digits, ${LONGEST.phone} characters at most.`,
  COPY_CODE: ({ example }) => {
    const code: unknown = Array.isArray(example) ? example[0] : example
    return typeof code === 'string' && code.trim() !== '' && charactersIn(code) <= LONGEST.code
      ? undefined
      : `A button of type COPY_CODE needs an example of ${LONGEST.code} characters at most.`
  },
  FLOW: ({ flow_id: id, flow_name: name, flow_json: json }) =>
    [id, name, json].filter((one) => one !== undefined).length === 1
      ? undefined
      : 'A button of type FLOW needs one of flow_id, flow_name and flow_json.',
  OTP: otpRefusal,
}

function urlRefusal({ url, example }: Json): string | undefined {
  if (typeof url !== 'string' || !/^https?:\/\/\S+$/.test(url)) return 'A button of type URL needs a valid url.'
  if (url.length > LONGEST.url) return `The url of a button can have ${LONGEST.url} characters at most.`
  const variables = url.match(/\{\{[^{}]*\}\}/g) ?? []
  if (variables.length === 0) return undefined
  if (variables.length > 1 || !url.endsWith('{{1}}')) return 'A url can have one variable, {{1}}, at its end.'
  const [given] = Array.isArray(example) ? (example as readonly unknown[]) : []
  return typeof given === 'string' && given.trim() !== '' ? undefined : 'A url with a variable needs an example.'
}

function otpRefusal({ otp_type: type, supported_apps: apps, zero_tap_terms_accepted: hasTerms }: Json) {
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(String(type)))
    return 'otp_type must be COPY_CODE, ONE_TAP or ZERO_TAP.'
  if (type === 'COPY_CODE') return undefined
  const isApp = ({ package_name: name, signature_hash: hash }: Json) =>
    typeof name === 'string' && /^[a-z]\w*(\.[a-z]\w*)+$/i.test(name) && typeof hash === 'string' && hash.length === 11
  const isGiven = Array.isArray(apps) && apps.length > 0 && apps.length <= 5 && (apps as Json[]).every(isApp)
  if (!isGiven) return `${String(type)} needs supported_apps: package_name, and signature_hash of 11 characters.`
  return type === 'ZERO_TAP' && hasTerms !== true ? 'ZERO_TAP needs zero_tap_terms_accepted.' : undefined
}
