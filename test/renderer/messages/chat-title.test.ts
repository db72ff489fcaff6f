import { expect, test } from 'vitest'
import { chatTitle, groupEnding } from '../../../renderer/rooms/messages/chat-title.ts'

const said = [{ direction: 'in' as const, push_name: 'Ana' }]

test('a person has the name of the contact, else their own name', () => {
  expect(chatTitle({ name: 'Ana Souza' }, false, said)).toBe('Ana Souza')
  expect(chatTitle(undefined, false, said)).toBe('Ana')
  expect(chatTitle({ name: 'Ana Souza' }, false, said, 'Ana, bread on Fridays')).toBe('Ana, bread on Fridays')
  expect(chatTitle(undefined, false)).toBeUndefined()
})

test('a group never has the name of a sender', () => {
  expect(chatTitle({ name: null }, true, said)).toBeUndefined()
  expect(groupEnding('120363041234567890@g.us')).toBe('7890')
})
