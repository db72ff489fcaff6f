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
const url = { type: 'URL', text: 'Open', url: 'https://luz.example' }

describe('what Meta refuses when a template is submitted', () => {
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
  expect(rejectionOf([body(text)])).toBe(expected)
})
