import { describe, expect, test } from 'vitest'
import { newButton, mayAdd, type FormButton } from '../../renderer/rooms/templates/template-buttons.ts'
import { EXAMPLES, exampleTemplate } from '../../renderer/rooms/templates/template-examples.ts'
import { hintsOf } from '../../renderer/rooms/templates/template-hints.ts'
import { componentsRefusal, rejectionOf } from '../../main/engines/sandbox/template-rules.ts'
import {
  exampleKeys,
  NEW_TEMPLATE,
  toComponents,
  toForm,
  toMedia,
  toPreview,
  type Template,
  type TemplateForm,
} from '../../renderer/rooms/templates/template-form.ts'

const template = (...components: Template['components']): Template => ({
  ...{ id: '1', name: 'offer', language: 'pt_BR', status: 'APPROVED', category: 'MARKETING', quality: null },
  ...{
    rejected_reason: null,
    rejection_help: null,
    paused_until: null,
    category_change: null,
    restriction: null,
    ttl_seconds: null,
    deletes_at: null,
    components,
  },
})
const BODY = { type: 'BODY', text: 'Dear {{1}}, see {{2}} soon.', example: { body_text: [['Ana', 'it']] } }
const NAMED = {
  type: 'BODY',
  text: 'Dear {{name}}, hello.',
  example: { body_text_named_params: [{ param_name: 'name', example: 'Ana' }] },
}
const HEADER = { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Ana'] } }
const PICTURE = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } }
const FOOTER = { type: 'FOOTER', text: 'Luz' }
const REPLY = { type: 'QUICK_REPLY', text: 'Yes' }
const LINK = { type: 'URL', text: 'Open', url: 'https://luz.example' }
const CODE = { type: 'COPY_CODE', example: '25OFF' }

const VARIABLE_LINK = { ...LINK, url: 'https://luz.example/{{1}}', example: ['summer'] }
const PHONE = { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+12025550123' }
const FLOW = { type: 'FLOW', text: 'Book', flow_id: '7', flow_action: 'navigate', navigate_screen: 'FIRST' }
const CATALOG = { type: 'CATALOG', text: 'View catalog' }
const PRODUCTS = { type: 'MPM', text: 'View items' }
const PRODUCT = { type: 'SPM', text: 'View product' }
const CALL = { type: 'VOICE_CALL', text: 'Call now', ttl_minutes: 10 }
const buttons = (...given: object[]) => ({ type: 'BUTTONS', buttons: given })
/** The files of the cards are the person’s own. */
const withFiles = (given: TemplateForm): TemplateForm => ({
  ...given,
  carousel: given.carousel && {
    ...given.carousel,
    cards: given.carousel.cards.map((card) => ({ ...card, kept: PICTURE })),
  },
})
const labelOf = (kind: string) => `[${kind}]`
const form = (changes: Partial<TemplateForm>): TemplateForm => ({ ...NEW_TEMPLATE, ...changes })

describe('editing without a change keeps:', () => {
  test.each([
    ['a body', [BODY]],
    ['named variables', [NAMED]],
    ['all parts', [HEADER, BODY, FOOTER, buttons(REPLY, LINK)]],
    ['a header with a picture', [PICTURE, BODY]],
    ['a header with a place', [{ type: 'HEADER', format: 'LOCATION' }, BODY]],
    [
      'each kind of button',
      [BODY, buttons(REPLY, LINK, VARIABLE_LINK, PHONE, CODE, FLOW, CATALOG, PRODUCTS, PRODUCT, CALL)],
    ],
    ['buttons that the form does not have', [BODY, buttons(REPLY, { type: 'NEW_KIND', text: 'View' })]],
  ])('%s', (_, components) => {
    expect(toComponents(toForm(template(...components)))).toEqual(components)
  })
})

test('submits a code template without the text that Meta adds', () => {
  const shown = {
    ...template(
      { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
      { type: 'FOOTER', text: 'This code expires in 5 minutes.', code_expiration_minutes: 5 },
      buttons({
        type: 'URL',
        text: 'Copy',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      }),
    ),
    category: 'AUTHENTICATION',
  }
  expect(toComponents(toForm(shown))).toEqual([
    { type: 'BODY', add_security_recommendation: true },
    { type: 'FOOTER', code_expiration_minutes: 5 },
    buttons({ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }),
  ])
})

test('puts replies together before links', () => {
  const reply = newButton('QUICK_REPLY', 'Yes')
  const link: FormButton = { ...newButton('URL', 'Open'), value: LINK.url }
  const made = form({ body: 'Hi', buttons: [reply, link, { ...reply, text: 'No' }] })
  expect(toComponents(made).at(-1)).toEqual({ type: 'BUTTONS', buttons: [REPLY, { ...REPLY, text: 'No' }, LINK] })
  expect(toPreview(made, labelOf).buttons).toEqual(['Yes', 'No', 'Open'])
})

test('limits buttons to two links, one phone number and ten in all', () => {
  const link = newButton('URL', 'Open')
  expect([mayAdd([link], 'URL'), mayAdd([link, link], 'URL')]).toEqual([true, false])
  expect(mayAdd([newButton('PHONE_NUMBER', 'Call')], 'PHONE_NUMBER')).toBe(false)
  const replies = Array.from({ length: 10 }, () => newButton('QUICK_REPLY', 'Yes'))
  expect([mayAdd(replies.slice(1), 'QUICK_REPLY'), mayAdd(replies, 'URL')]).toEqual([true, false])
})

test('each variable needs an example, and the preview shows it', () => {
  const made = form({ headerKind: 'TEXT', header: 'For {{1}}', body: 'Dear {{1}}, see {{2}} and {{1}}.' })
  expect(exampleKeys(made)).toEqual(['header.1', 'body.1', 'body.2'])
  const examples = { 'header.1': 'you', 'body.1': 'Ana' }
  expect(toPreview({ ...made, examples }, labelOf)).toMatchObject({
    ...{ header: 'For you', text: 'Dear Ana, see {{2}} and Ana.' },
  })
})

test('a chosen file replaces the header’s file', () => {
  const file = { mediaId: 'fil_1', name: 'garden.png', url: 'blob:1' }
  const kept = toForm(template(PICTURE, BODY))
  expect(toMedia(kept)).toEqual({})
  const changed = { ...kept, file }
  expect(toMedia(changed)).toEqual({ header_media: { media_id: 'fil_1' } })
  expect(toComponents(changed)[0]).toEqual({ type: 'HEADER', format: 'IMAGE' })
  expect(toMedia({ ...changed, headerKind: 'TEXT' })).toEqual({})
})

describe('hints', () => {
  const keysOf = (changes: Partial<TemplateForm>) => hintsOf(form(changes)).map(({ key }) => key)

  test.each([
    ['Hello {{1}}, your table is ready.', []],
    ['{{1}}, your table is ready.', ['edge']],
    ['Your table is ready, {{1}}', ['edge']],
    ['Hello {{1}} {{2}}, your table is ready now.', ['adjacent']],
    ['Hello {{1}}, your table {{3}} is ready now.', ['gap']],
    ['Hello {{1}}, your table {{table}} is ready now.', ['mixed']],
    ['Hello {{1}}, at {{2}} now.', ['fewWords']],
  ])('on %j: %j', (body, expected) => {
    expect(keysOf({ body })).toEqual(expected)
  })

  test.each([
    ['en', 'Your order is here. Today you get 20% off everything.'],
    ['es', 'Su pedido llegó. Hoy tiene 20 % de descuento.'],
    ['pt', 'Seu pedido chegou. Hoje tem frete grátis em tudo.'],
  ])('warns about a utility template that advertises in %s', (_, body) => {
    expect(keysOf({ body })).toEqual(['offer'])
    expect(keysOf({ body, category: 'MARKETING' })).toEqual([])
  })

  test('a link’s variable must be at its end', () => {
    const link = { ...newButton('URL', 'Open'), value: 'https://luz.example/{{1}}/a' }
    expect(keysOf({ body: 'Hi', buttons: [link] })).toEqual(['urlEnd'])
    expect(keysOf({ body: 'Hi', buttons: [{ ...link, value: 'https://luz.example/{{1}}' }] })).toEqual([])
  })

  test('mixed buttons are for phones only', () => {
    const both = [newButton('QUICK_REPLY', 'Yes'), newButton('URL', 'Open')]
    expect(keysOf({ body: 'Hi', buttons: both })).toEqual(['phonesOnly'])
  })
})

describe.each(['en', 'es_MX', 'pt_BR', 'de'])('the examples in %s', (language) => {
  test.each(EXAMPLES)('%s is accepted and approved by Meta', (name) => {
    const example = exampleTemplate(name, language)
    const components = toComponents(withFiles(example))
    expect(componentsRefusal(components, example.category)).toBeUndefined()
    expect(rejectionOf(components, example.category)).toBeNull()
    expect(hintsOf(example).filter(({ isAdvice }) => !isAdvice)).toEqual([])
  })
})
