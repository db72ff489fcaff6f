import { describe, expect, test } from 'vitest'
import { componentsRefusal } from '../../main/engines/sandbox/template-rules.ts'
import { parameterFault } from '../../main/engines/sandbox/template-parameters.ts'
import { filledTemplate } from '../../renderer/rooms/campaigns/preview.ts'
import {
  listTemplateFields,
  readTemplatePayload,
  toTemplatePayload,
  type Template,
} from '../../renderer/rooms/campaigns/template.ts'
import { newButton } from '../../renderer/rooms/templates/template-buttons.ts'
import {
  cardFaults,
  mayAddToCards,
  moved,
  NEW_CAROUSEL,
  nextCard,
  withButton,
  withFormat,
  withoutButton,
  type Carousel,
  type FormCard,
} from '../../renderer/rooms/templates/template-cards.ts'
import { EXAMPLES, exampleTemplate } from '../../renderer/rooms/templates/template-examples.ts'
import {
  NEW_TEMPLATE,
  toComponents,
  toForm,
  toMedia,
  toPreview,
  type TemplateForm,
} from '../../renderer/rooms/templates/template-form.ts'
import { hintsOf } from '../../renderer/rooms/templates/template-hints.ts'

const HEADER = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } }
const BODY = { type: 'BODY', text: 'From {{1}} dollars.', example: { body_text: [['9']] } }
const BUTTONS = {
  type: 'BUTTONS',
  buttons: [
    { type: 'QUICK_REPLY', text: 'Tell me more' },
    { type: 'URL', text: 'Open', url: 'https://luz.example/{{1}}', example: ['rose'] },
  ],
}
const ABOVE = { type: 'BODY', text: 'New for you, {{1}}, this week.', example: { body_text: [['Ana']] } }
const carousel = (...cards: object[][]) => [
  ABOVE,
  { type: 'CAROUSEL', cards: cards.map((components) => ({ components })) },
]
const WHOLE = carousel([HEADER, BODY, BUTTONS], [HEADER, BODY, BUTTONS])
const template = (components: Template['components']): Template => ({
  ...{ id: '1', name: 'offers', language: 'en', status: 'APPROVED', category: 'MARKETING', quality: null },
  ...{ rejected_reason: null, rejection_help: null, paused_until: null, category_change: null, restriction: null },
  ...{ ttl_seconds: null, deletes_at: null, components },
})
const FILE = { mediaId: 'fil_1', name: 'rose.png', url: 'blob:1' }
const card = (changes: Partial<FormCard> = {}): FormCard => ({
  ...(NEW_CAROUSEL.cards[0] as FormCard),
  file: FILE,
  ...changes,
})
const form = (cards: readonly FormCard[], changes: Partial<TemplateForm> = {}): TemplateForm => ({
  ...{ ...NEW_TEMPLATE, category: 'MARKETING', body: 'New for you.' },
  ...{ carousel: { format: 'IMAGE', cards }, ...changes },
})

describe('the form of a carousel', () => {
  test('keeps unchanged cards', () => {
    expect(toComponents(toForm(template(WHOLE)))).toEqual(WHOLE)
    const plain = carousel([HEADER], [HEADER])
    expect(toComponents(toForm(template(plain)))).toEqual(plain)
  })

  test.each([
    ['a product', carousel([{ type: 'HEADER', format: 'PRODUCT' }], [{ type: 'HEADER', format: 'PRODUCT' }])],
    [
      'a button that it does not have',
      carousel([HEADER, { type: 'BUTTONS', buttons: [{ type: 'SPM', text: 'View' }] }], [HEADER]),
    ],
  ])('leaves cards with %s unchanged', (_, components) => {
    const read = toForm(template(components))
    expect([read.carousel, toComponents(read)]).toEqual([null, components])
  })

  test('produces what the sandbox accepts, without header, footer and buttons of the message', () => {
    const buttons = [{ ...newButton('URL', 'Open'), value: 'https://luz.example/{{1}}', example: 'rose' }]
    const one = card({ body: 'From {{1}} dollars.', examples: { 1: '9' }, buttons })
    const written = form([one, one], {
      headerKind: 'TEXT',
      header: 'Hi',
      footer: 'Luz',
      buttons: [newButton('QUICK_REPLY', 'A')],
    })
    const components = toComponents(written) as any[]
    for (const { components: parts } of components[1].cards) parts[0].example = HEADER.example
    expect(components.map(({ type }) => type)).toEqual(['BODY', 'CAROUSEL'])
    expect(componentsRefusal(components, 'MARKETING')).toBeUndefined()
    expect(toMedia(written)).toEqual({ card_media: [{ media_id: 'fil_1' }, { media_id: 'fil_1' }] })
  })

  test('uploads only chosen files, in the order of the cards', () => {
    const read = toForm(template(WHOLE))
    expect(toMedia(read)).toEqual({})
    const [first, second] = (read.carousel as Carousel).cards as [FormCard, FormCard]
    const changed = {
      ...read,
      carousel: { format: 'IMAGE' as const, cards: moved([first, { ...second, file: FILE }], 0, 1) },
    }
    expect(toMedia(changed)).toEqual({ card_media: [{ media_id: 'fil_1' }, null] })
  })

  test('is not a carousel in another category', () => {
    const { category: _, ...rest } = form([card(), card()])
    const written = { ...rest, category: 'UTILITY' as const }
    expect([toComponents(written).map(({ type }) => type), toMedia(written)]).toEqual([['BODY'], {}])
  })

  test('shows the cards with their examples', () => {
    const one = card({ body: 'From {{1}}.', examples: { 1: '9' }, buttons: [newButton('QUICK_REPLY', '')] })
    expect(toPreview(form([one, card()]), (kind) => kind)).toMatchObject({
      text: 'New for you.',
      cards: [
        { media: { type: 'image', url: 'blob:1' }, text: 'From 9.', buttons: ['…'] },
        { media: { type: 'image', url: 'blob:1' }, text: '', buttons: [] },
      ],
    })
  })

  test.each<[string, FormCard, FormCard, string]>([
    ['without a file', card({ file: null }), card(), 'noFile'],
    ['with a file of another kind', card({ file: null, kept: { ...HEADER, format: 'VIDEO' } }), card(), 'noFile'],
    ['with 161 characters', card({ body: 'a'.repeat(161) }), card({ body: 'a' }), 'tooLong'],
    ['with three line breaks', card({ body: 'a\nb\nc\nd' }), card({ body: 'a' }), 'lineBreaks'],
    ['without a text that others have', card(), card({ body: 'a' }), 'someText'],
    ['with a button that says nothing', card({ buttons: [newButton('QUICK_REPLY', ' ')] }), card(), 'noButton'],
    ['with a link that leads nowhere', card({ buttons: [newButton('URL', 'Open')] }), card(), 'noButton'],
    ['without an example', card({ body: 'From {{1}} on.' }), card({ body: 'a' }), 'noExample'],
  ])('marks a card %s', (_, one, other, fault) => {
    expect(cardFaults({ format: 'IMAGE', cards: [one, other] })).toEqual([fault, undefined])
  })

  test('accepts complete cards', () => {
    const one = card({ body: 'a'.repeat(160), buttons: [newButton('QUICK_REPLY', 'More')] })
    expect(cardFaults({ format: 'IMAGE', cards: [one, one] })).toEqual([undefined, undefined])
  })

  test('gives all cards the same kinds of buttons', () => {
    const cards = withButton(withButton([card(), card()], 'URL'), 'QUICK_REPLY')
    expect(cards.map(({ buttons }) => buttons.map(({ kind }) => kind))).toEqual([
      ['URL', 'QUICK_REPLY'],
      ['URL', 'QUICK_REPLY'],
    ])
    expect([mayAddToCards(cards, 'URL'), mayAddToCards(withoutButton(cards, 1), 'URL')]).toEqual([false, true])
    const next = nextCard({ format: 'IMAGE', cards })
    expect([next.buttons.map(({ kind }) => kind), next.file]).toEqual([['URL', 'QUICK_REPLY'], null])
  })

  test('moves a card, and needs new files if pictures become videos', () => {
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
    const changed = withFormat({ format: 'IMAGE', cards: [card({ kept: HEADER })] }, 'VIDEO')
    expect(cardFaults(changed)).toEqual(['noFile'])
  })

  test('reports what Meta’s review would reject on any card', () => {
    const keys = hintsOf(form([card({ body: 'Only today' }), card({ body: '{{1}} is here today' })])).map(
      ({ key }) => key,
    )
    expect(keys).toEqual(['edge'])
  })

  test.each(EXAMPLES)('the example "%s" has no words that would be refused', (name) => {
    expect(hintsOf(exampleTemplate(name, 'es')).filter(({ isAdvice }) => !isAdvice)).toEqual([])
  })
})

describe('a message with a carousel', () => {
  const VALUES = {
    'body.1': 'Ana',
    'card.0.header.image': 'https://luz.example/a.png',
    'card.0.body.1': '9',
    'card.0.button.1.1': 'rose',
    'card.1.header.image': 'https://luz.example/b.png',
    'card.1.body.1': '12',
    'card.1.button.1.1': 'tulip',
  }
  const choice = { name: 'offers', language: 'en', values: VALUES }

  test('asks for its own values, then for those of each card', () => {
    expect(listTemplateFields(template(WHOLE)).map(({ key, card: at }) => [key, at])).toEqual([
      ['body.1', null],
      ...Object.keys(VALUES)
        .slice(1)
        .map((key) => [key, Number(key.split('.')[1])]),
    ])
  })

  test('has Meta’s format, with a payload that names the tapped card', () => {
    const payload = toTemplatePayload(choice, template(WHOLE)) as any
    expect(parameterFault(payload.template, template(WHOLE) as never)).toBeUndefined()
    expect(payload.template.components[1].cards[1]).toEqual({
      card_index: 1,
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://luz.example/b.png' } }] },
        { type: 'body', parameters: [{ type: 'text', text: '12' }] },
        {
          type: 'button',
          sub_type: 'quick_reply',
          index: '0',
          parameters: [{ type: 'payload', payload: '2: Tell me more' }],
        },
        { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'tulip' }] },
      ],
    })
  })

  test('is parsed back unchanged', () => {
    expect(readTemplatePayload(toTemplatePayload(choice, template(WHOLE)))).toEqual(choice)
  })

  test('is shown with filled cards', () => {
    expect(filledTemplate(template(WHOLE), VALUES)).toMatchObject({
      text: 'New for you, Ana, this week.',
      buttons: [],
      cards: [
        {
          media: { type: 'image', url: 'https://luz.example/a.png' },
          text: 'From 9 dollars.',
          buttons: ['Tell me more', 'Open'],
        },
        { text: 'From 12 dollars.' },
      ],
    })
  })
})
