import { describe, expect, test } from 'vitest'
import { chosen, formOf, settingsOf } from '../../../renderer/rooms/instances/call-settings.ts'

const RINGS = { reject: false, message: null }
const REJECTS = { reject: true, message: 'Please write to us.' }

test.each([RINGS, REJECTS, { reject: true, message: null }, { reject: false, message: 'Later' }])(
  'shows and saves the settings %j unchanged',
  (settings) => {
    expect(settingsOf(formOf(settings))).toEqual(settings)
  },
)

test('trims the text, and treats spaces only as no text', () => {
  expect(settingsOf({ choice: 'reject', message: '  ' })).toEqual({ reject: true, message: null })
  expect(settingsOf({ choice: 'reject', message: ' Please write to us. ' })).toEqual(REJECTS)
})

describe('choosing what happens to calls', () => {
  test('suggests a text when rejecting is chosen for the first time', () => {
    expect(chosen(formOf(RINGS), 'reject', RINGS, 'Hello')).toEqual({ choice: 'reject', message: 'Hello' })
  })

  test('keeps an existing text and does not restore a removed one', () => {
    expect(chosen(formOf(REJECTS), 'ring', REJECTS, 'Hello')).toEqual({ choice: 'ring', message: REJECTS.message })
    const silent = { reject: true, message: null }
    expect(chosen({ choice: 'ring', message: '' }, 'reject', silent, 'Hello').message).toBe('')
  })
})
