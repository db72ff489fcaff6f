import { describe, expect, test } from 'vitest'
import type { Interactive } from '../../../main/contract/interactive.ts'
import { interactiveContent } from '../../../main/engines/official/interactive-content.ts'
import { interactiveFault, interactivePayload } from '../../../main/engines/official/interactive.ts'
import {
  draftOfInteractive,
  faultsOf,
  interactiveOf,
  newInteractive,
  shownInteractive,
  WRITTEN_KINDS,
  type InteractiveDraft,
} from '../../../renderer/parts/interactive-draft.ts'

const filled = (kind: InteractiveDraft['kind']): InteractiveDraft => ({
  ...newInteractive(kind, ' Shall we? '),
  ...{ header: ' Order ', footer: '', buttons: ['Yes ', 'No'], button: 'Open', url: ' https://a.example ' },
  ...{ flow: ' 7 ', screen: ' FIRST ', catalog: ' 9 ', products: kind === 'product' ? ' rose ' : ' rose, tulip,' },
  sections: [
    { title: 'Today', rows: [{ title: 'Morning', description: ' 9 to 12 ' }] },
    { title: 'Later', rows: [{ title: 'Morning', description: '' }] },
  ],
})

describe.each(WRITTEN_KINDS)('%s', (kind) => {
  const message = interactiveOf(filled(kind))

  test('is accepted by the service', () => {
    expect(faultsOf(filled(kind))).toEqual({})
    expect(interactiveFault(message)).toBeUndefined()
  })

  test('looks the same before and after sending', () => {
    expect(shownInteractive(message)).toEqual(interactiveContent(interactivePayload(message)))
  })

  test('is restored unchanged if it could not be sent', () => {
    const draft = draftOfInteractive(message)
    expect(draft && interactiveOf(draft)).toEqual(message)
  })

  test('is incomplete without its content', () => {
    expect(faultsOf(newInteractive(kind, ' '))).toMatchObject(
      kind === 'product' ? { catalog: 'empty', products: 'empty' } : { body: 'empty' },
    )
  })
})

describe.each([
  ['button', { type: 'image', url: ' https://a.example/x.png ', filename: 'x' }],
  ['cta_url', { type: 'document', url: 'https://a.example/x.pdf', filename: ' Offer.pdf ' }],
] as const)('a file above %s', (kind, headerMedia) => {
  const draft = { ...filled(kind), headerMedia }
  const message = interactiveOf(draft)

  test('replaces the text, and is accepted, shown and restored', () => {
    expect([faultsOf(draft), interactiveFault(message)]).toEqual([{}, undefined])
    expect(message).not.toHaveProperty('header')
    expect(shownInteractive(message)).toEqual(interactiveContent(interactivePayload(message)))
    const again = draftOfInteractive(message)
    expect(again && interactiveOf(again)).toEqual(message)
  })

  test('needs a URL', () => {
    expect(faultsOf({ ...draft, headerMedia: { ...headerMedia, url: 'x.png' } })).toEqual({ headerMedia: 'url' })
  })
})

test('does not send a file above a list', () => {
  const headerMedia = { type: 'image', url: '', filename: '' } as const
  expect(faultsOf({ ...filled('list'), headerMedia })).toEqual({})
  expect(interactiveOf({ ...filled('list'), headerMedia })).toMatchObject({ header: 'Order' })
})

test('two rows with one title have different ids', () => {
  const { sections } = interactiveOf(filled('list'))
  expect(sections?.map(({ rows }) => rows?.[0])).toEqual([
    { id: 'Morning', title: 'Morning', description: '9 to 12' },
    { id: 'Morning (2)', title: 'Morning' },
  ])
})

test('names what is missing by its position', () => {
  const list = { ...filled('list'), sections: [{ title: '', rows: [{ title: ' ', description: '' }] }] }
  expect(faultsOf(list)).toEqual({ 'sections.0.rows.0': 'empty' })
  expect(faultsOf({ ...list, sections: [...list.sections, ...list.sections] })).toMatchObject({ 'sections.1': 'empty' })
  expect(faultsOf({ ...filled('cta_url'), url: 'shop.example' })).toEqual({ url: 'url' })
  expect(faultsOf({ ...filled('button'), buttons: ['Yes', ' Yes'] })).toEqual({ 'buttons.1': 'same' })
})

test('a product message has one product, a list as many as Meta allows', () => {
  expect(faultsOf({ ...filled('product'), products: 'rose, tulip' })).toEqual({ products: 'one' })
  const many = Array.from({ length: 31 }, (_, at) => `rose${at}`).join(',')
  expect(faultsOf({ ...filled('product_list'), products: many })).toEqual({ products: 'many' })
  expect(faultsOf({ ...filled('product_list'), header: ' ' })).toEqual({ header: 'empty' })
})

test.each<[string, Interactive]>([
  ['a form with a token', { type: 'flow', body: 'Hi', button: 'Open', flow: { id: '7', token: 'x' } }],
  ['a form by its name', { type: 'flow', body: 'Hi', button: 'Open', flow: { name: 'booking' } }],
  [
    'products in sections with titles',
    {
      type: 'product_list',
      header: 'A',
      body: 'B',
      catalog_id: '9',
      sections: [{ title: 'C', product_ids: ['rose'] }],
    },
  ],
])('%s cannot be edited, but is shown', (_, message) => {
  expect(draftOfInteractive(message)).toBeNull()
  expect(shownInteractive(message)).toEqual(interactiveContent(interactivePayload(message)))
})
