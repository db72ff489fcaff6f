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
} from '../../../renderer/rooms/messages/interactive-draft.ts'

const filled = (kind: InteractiveDraft['kind']): InteractiveDraft => ({
  ...newInteractive(kind, ' Shall we? '),
  ...{ header: ' Order ', footer: '', buttons: ['Yes ', 'No'], button: 'Open', url: ' https://a.example ' },
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

  test('looks before it is sent as it does after', () => {
    expect(shownInteractive(message)).toEqual(interactiveContent(interactivePayload(message)))
  })

  test('that could not be sent is written again as it was', () => {
    const draft = draftOfInteractive(message)
    expect(draft && interactiveOf(draft)).toEqual(message)
  })

  test('without a text is not finished', () => {
    expect(faultsOf(newInteractive(kind, ' '))).toMatchObject({ body: 'empty' })
  })
})

describe.each([
  ['button', { type: 'image', url: ' https://a.example/x.png ', filename: 'x' }],
  ['cta_url', { type: 'document', url: 'https://a.example/x.pdf', filename: ' Offer.pdf ' }],
] as const)('a file above %s', (kind, headerMedia) => {
  const draft = { ...filled(kind), headerMedia }
  const message = interactiveOf(draft)

  test('takes the place of the words, and is accepted, shown and written again', () => {
    expect([faultsOf(draft), interactiveFault(message)]).toEqual([{}, undefined])
    expect(message).not.toHaveProperty('header')
    expect(shownInteractive(message)).toEqual(interactiveContent(interactivePayload(message)))
    const again = draftOfInteractive(message)
    expect(again && interactiveOf(again)).toEqual(message)
  })

  test('needs an address', () => {
    expect(faultsOf({ ...draft, headerMedia: { ...headerMedia, url: 'x.png' } })).toEqual({ headerMedia: 'url' })
  })
})

test('a file above a list is not sent', () => {
  const headerMedia = { type: 'image', url: '', filename: '' } as const
  expect(faultsOf({ ...filled('list'), headerMedia })).toEqual({})
  expect(interactiveOf({ ...filled('list'), headerMedia })).toMatchObject({ header: 'Order' })
})

test('two rows of one title have different ids', () => {
  const { sections } = interactiveOf(filled('list'))
  expect(sections?.map(({ rows }) => rows?.[0])).toEqual([
    { id: 'Morning', title: 'Morning', description: '9 to 12' },
    { id: 'Morning (2)', title: 'Morning' },
  ])
})

test('what is missing is named by its place', () => {
  const list = { ...filled('list'), sections: [{ title: '', rows: [{ title: ' ', description: '' }] }] }
  expect(faultsOf(list)).toEqual({ 'sections.0.rows.0': 'empty' })
  expect(faultsOf({ ...list, sections: [...list.sections, ...list.sections] })).toMatchObject({ 'sections.1': 'empty' })
  expect(faultsOf({ ...filled('cta_url'), url: 'shop.example' })).toEqual({ url: 'url' })
  expect(faultsOf({ ...filled('button'), buttons: ['Yes', ' Yes'] })).toEqual({ 'buttons.1': 'same' })
})

test('a form or a product is not written here', () => {
  const product: Interactive = { type: 'product', catalog_id: '1', product_id: '2' }
  expect(draftOfInteractive(product)).toBeNull()
  expect(shownInteractive(product)).toEqual(interactiveContent(interactivePayload(product)))
})
