import { describe, expect, test } from 'vitest'
import { refusalOf, rejectionOf } from '../../../main/engines/sandbox/template-rules.ts'

const draft = (...components: object[]) => ({ name: 'offer', language: 'pt_BR', category: 'MARKETING', components })
const body = (text: string, ...examples: string[]) => ({
  ...{ type: 'BODY', text },
  ...(examples.length > 0 && { example: { body_text: [examples] } }),
})
const BODY = body('Everything for the garden.')
const header = (text: string, example?: object) => ({
  type: 'HEADER',
  format: 'TEXT',
  text,
  ...(example && { example }),
})
const buttons = (...given: object[]) => ({ type: 'BUTTONS', buttons: given })
const reply = (text: string) => ({ type: 'QUICK_REPLY', text })
const withVariable = (end: string, ...example: string[]) => ({
  ...{ type: 'URL', text: 'Open', url: `https://luz.example/${end}` },
  ...(example.length > 0 && { example }),
})
const phone = (phone_number: string) => ({ type: 'PHONE_NUMBER', text: 'Call us', phone_number })
const APP = { package_name: 'com.example.luz', signature_hash: 'K8a/AINcGX7' }
const otp = (otp_type = 'COPY_CODE', ...supported_apps: object[]) => ({
  ...{ type: 'OTP', otp_type },
  ...(supported_apps.length > 0 && { supported_apps }),
})
interface Codes {
  readonly body?: object
  readonly minutes?: number
  readonly button?: object
  readonly more?: object
}
const codes = ({ body: given = {}, minutes, button = otp(), more }: Codes = {}) => ({
  ...{ name: 'code', language: 'en', category: 'AUTHENTICATION' },
  components: [
    { type: 'BODY', ...given },
    ...(minutes === undefined ? [] : [{ type: 'FOOTER', code_expiration_minutes: minutes }]),
    ...(more === undefined ? [] : [more]),
    buttons(button),
  ],
})
const url = { type: 'URL', text: 'Open', url: 'https://luz.example' }

describe('the check of a submitted template', () => {
  test.each<[string, Parameters<typeof refusalOf>[0], string | undefined]>([
    ['a plain body', draft(BODY), undefined],
    ['a name with capitals', { ...draft(BODY), name: 'Offer' }, 'lowercase'],
    ['a language that is none', { ...draft(BODY), language: 'Portuguese' }, 'not supported'],
    ['a category that is none', { ...draft(BODY), category: 'PROMO' }, 'Category'],
    ['no body', draft(header('Hello')), 'BODY'],
    ['two bodies', draft(BODY, BODY), 'at most one'],
    ['an unknown component', draft(BODY, { type: 'VIDEO' }), 'VIDEO'],
    ['1,024 characters', draft(body('x'.repeat(1_024))), undefined],
    ['1,025 characters', draft(body('x'.repeat(1_025))), '1024'],
    ['1,024 emojis', draft(body('🌱'.repeat(1_024))), undefined],
    ['a variable without an example', draft(body('Dear {{1}}, it is spring.')), 'example'],
    ['a variable with an empty example', draft(body('Dear {{1}}, it is spring.', ' ')), 'example'],
    ['a variable with an example', draft(body('Dear {{1}}, it is spring.', 'Ana')), undefined],
    ['numbers with a gap', draft(body('Dear {{1}}, {{3}} is here.', 'Ana', 'it')), 'without gaps'],
    ['numbers and names', draft(body('Dear {{1}}, {{what}} is here.', 'Ana', 'it')), 'all numbered'],
    ['a header of 61 characters', draft(BODY, header('x'.repeat(61))), '60'],
    ['a header with two variables', draft(BODY, header('{{1}} {{2}}', { header_text: ['a', 'b'] })), 'one variable'],
    ['a header with bold text', draft(BODY, header('*Sale*')), 'formatting'],
    ['a header with an emoji', draft(BODY, header('Sale 🌱')), 'emojis'],
    ['a picture without a sample', draft(BODY, { type: 'HEADER', format: 'IMAGE' }), 'sample'],
    [
      'a picture with a sample',
      draft(BODY, { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } }),
      undefined,
    ],
    ['a footer with a variable', draft(BODY, { type: 'FOOTER', text: '{{1}}' }), 'footer'],
    ['eleven buttons', draft(BODY, buttons(...Array.from({ length: 11 }, () => reply('Yes')))), '10'],
    ['three addresses', draft(BODY, buttons(url, url, url)), 'URL'],
    ['quick replies apart', draft(BODY, buttons(reply('Yes'), url, reply('No'))), 'together'],
    ['quick replies together', draft(BODY, buttons(reply('Yes'), reply('No'), url)), undefined],
    ['a button of 26 characters', draft(BODY, buttons(reply('x'.repeat(26)))), '25'],
    ['no buttons', draft(BODY, { type: 'BUTTONS', buttons: [] }), 'at least one'],
    ['a button without a text', draft(BODY, buttons({ type: 'QUICK_REPLY' })), 'needs a text'],
    ['a button with an emoji', draft(BODY, buttons(reply('Yes 🌱'))), 'emojis'],
    ['a button with a variable', draft(BODY, buttons(reply('{{1}}'))), 'variables'],
    ['an address that is none', draft(BODY, buttons({ ...url, url: 'luz.example' })), 'valid url'],
    ['an address with a variable', draft(BODY, buttons(withVariable('{{1}}', 'summer'))), undefined],
    ['an address with a variable and no example', draft(BODY, buttons(withVariable('{{1}}'))), 'example'],
    ['a variable in the middle', draft(BODY, buttons(withVariable('{{1}}/a', 'summer'))), 'at its end'],
    ['two variables in an address', draft(BODY, buttons(withVariable('{{1}}/{{2}}', 'a', 'b'))), 'at its end'],
    ['a phone number', draft(BODY, buttons(phone('+12025550123'))), undefined],
    ['a phone number of 21 digits', draft(BODY, buttons(phone('1'.repeat(21)))), '20 characters'],
    ['a phone number with letters', draft(BODY, buttons(phone('call me'))), 'digits'],
    ['two phone numbers', draft(BODY, buttons(phone('+12025550123'), phone('+12025550123'))), 'PHONE_NUMBER'],
    ['a code', draft(BODY, buttons({ type: 'COPY_CODE', example: '25OFF' })), undefined],
    ['a code of 16 characters', draft(BODY, buttons({ type: 'COPY_CODE', example: 'x'.repeat(16) })), '15 characters'],
    ['a flow', draft(BODY, buttons({ type: 'FLOW', text: 'Book', flow_id: '1' })), undefined],
    ['a flow without its id', draft(BODY, buttons({ type: 'FLOW', text: 'Book' })), 'flow_id'],
    ['a catalog', draft(BODY, buttons({ type: 'CATALOG', text: 'View catalog' })), undefined],
    ['several products', draft(BODY, buttons({ type: 'MPM', text: 'View items' })), undefined],
    ['a voice call', draft(BODY, buttons({ type: 'VOICE_CALL', text: 'Call now' })), undefined],
    ['a one-time code in marketing', draft(BODY, buttons(otp())), 'category AUTHENTICATION'],
    ['a template of codes', codes(), undefined],
    [
      'a template of codes with both sentences',
      codes({ body: { add_security_recommendation: true }, minutes: 90 }),
      undefined,
    ],
    ['a template of codes with a text', codes({ body: { text: 'Your code is {{1}}' } }), 'text of its own'],
    ['a code that expires after 91 minutes', codes({ minutes: 91 }), '1 to 90'],
    ['a code that expires immediately', codes({ minutes: 0 }), '1 to 90'],
    ['a template of codes with a header', codes({ more: header('Hello') }), 'header'],
    ['a template of codes with an answer', codes({ button: reply('Yes') }), 'one button of type OTP'],
    ['a code that fills itself in', codes({ button: otp('ONE_TAP', APP) }), undefined],
    ['a code that fills itself in nowhere', codes({ button: otp('ONE_TAP') }), 'supported_apps'],
    ['a code without a tap, without its terms', codes({ button: otp('ZERO_TAP', APP) }), 'zero_tap_terms_accepted'],
    ['an unknown kind of code', codes({ button: otp('NO_TAP') }), 'otp_type'],
  ])('%s', (_, given, expected) => {
    const refusal = refusalOf(given)
    if (expected === undefined) expect(refusal).toBeUndefined()
    else expect(refusal).toContain(expected)
  })
})

test.each([
  ['no variable', 'Everything for the garden.', null],
  ['a variable within the text', 'Dear {{1}}, it is spring again.', null],
  ['a variable at the beginning', '{{1}}, it is spring again.', 'INVALID_FORMAT'],
  ['a variable at the end', 'It is spring again, {{1}}', 'INVALID_FORMAT'],
  ['two variables side by side', 'Dear {{1}} {{2}}, it is spring again in here.', 'INVALID_FORMAT'],
  ['few words for the variables', 'Dear {{1}}, see {{2}} now.', 'INVALID_FORMAT'],
])('Meta’s review of %s', (_, text, expected) => {
  expect(rejectionOf([body(text)], 'MARKETING')).toBe(expected)
})
