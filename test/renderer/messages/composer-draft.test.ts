import { describe, expect, test } from 'vitest'
import { bodyOf, draftOf, EMPTY_DRAFT, isTyped, NO_MEDIA } from '../../../renderer/rooms/messages/composer-draft.ts'

const TO = '12025550101'
const file = (part: object) => ({
  ...EMPTY_DRAFT,
  text: ' Look ',
  media: { ...NO_MEDIA, url: ' https://example.com/a.png ', ...part },
})

describe('what the composer sends', () => {
  test.each([
    ['a text', { ...EMPTY_DRAFT, text: ' Hi ' }, { to: TO, text: 'Hi' }],
    ['nothing but spaces', { ...EMPTY_DRAFT, text: '  ' }, undefined],
    ['a file whose address is not one', file({ url: 'example.com/a.png' }), undefined],
    ['an image', file({}), { to: TO, media_url: 'https://example.com/a.png', media_type: 'image', caption: 'Look' }],
    [
      'a voice note, which has no caption',
      file({ type: 'audio' }),
      {
        ...{ to: TO, media_url: 'https://example.com/a.png', media_type: 'audio' },
      },
    ],
    [
      'a document with its name',
      file({ type: 'document', filename: ' a.pdf ' }),
      {
        ...{
          to: TO,
          media_url: 'https://example.com/a.png',
          media_type: 'document',
          caption: 'Look',
          filename: 'a.pdf',
        },
      },
    ],
  ] as const)('%s', (_, draft, body) => {
    expect(bodyOf(TO, draft)).toEqual(body)
  })
})

test('restores an unsent message with its file', () => {
  for (const draft of [{ ...EMPTY_DRAFT, text: 'Hi' }, file({ type: 'document', filename: 'a.pdf' })]) {
    const body = bodyOf(TO, draft)
    if (body === undefined) throw new Error('This draft can be sent.')
    expect(bodyOf(TO, draftOf(body))).toEqual(body)
  }
})

test('an open file field is not unsaved text, a URL in it is', () => {
  expect(isTyped(EMPTY_DRAFT)).toBe(false)
  expect(isTyped({ ...EMPTY_DRAFT, text: ' ', media: NO_MEDIA })).toBe(false)
  expect(isTyped({ ...EMPTY_DRAFT, media: { ...NO_MEDIA, url: 'h' } })).toBe(true)
})
