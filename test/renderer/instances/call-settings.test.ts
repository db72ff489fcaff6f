import { describe, expect, test } from 'vitest'
import { chosen, formOf, settingsOf } from '../../../renderer/rooms/instances/call-settings.ts'

const RINGS = { reject: false, message: null }
const REJECTS = { reject: true, message: 'Please write to us.' }

test.each([RINGS, REJECTS, { reject: true, message: null }, { reject: false, message: 'Later' }])(
  'settings %j are shown and saved as they are',
  (settings) => {
    expect(settingsOf(formOf(settings))).toEqual(settings)
  },
)

test('a text of spaces counts as no text, and spaces around a text are removed', () => {
  expect(settingsOf({ choice: 'reject', message: '  ' })).toEqual({ reject: true, message: null })
  expect(settingsOf({ choice: 'reject', message: ' Please write to us. ' })).toEqual(REJECTS)
})

describe('choosing what happens', () => {
  test('rejecting for the first time comes with a text', () => {
    expect(chosen(formOf(RINGS), 'reject', RINGS, 'Hello')).toEqual({ choice: 'reject', message: 'Hello' })
  })

  test('a text that is there stays, and one that was removed is not put back', () => {
    expect(chosen(formOf(REJECTS), 'ring', REJECTS, 'Hello')).toEqual({ choice: 'ring', message: REJECTS.message })
    const silent = { reject: true, message: null }
    expect(chosen({ choice: 'ring', message: '' }, 'reject', silent, 'Hello').message).toBe('')
  })
})
