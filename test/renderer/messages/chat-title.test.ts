import { expect, test } from 'vitest'
import { chatTitle, groupEnding } from '../../../renderer/rooms/messages/chat-title.ts'

const said = [{ direction: 'in' as const, push_name: 'Ana' }]

test('a person is called by the name that the contacts have, else by the one they use', () => {
  expect(chatTitle({ name: 'Ana Souza' }, false, said)).toBe('Ana Souza')
  expect(chatTitle(undefined, false, said)).toBe('Ana')
  expect(chatTitle({ name: 'Ana Souza' }, false, said, 'Ana, bread on Fridays')).toBe('Ana, bread on Fridays')
  expect(chatTitle(undefined, false)).toBeUndefined()
})

test('a group is never called after somebody who wrote in it', () => {
  expect(chatTitle({ name: null }, true, said)).toBeUndefined()
  expect(groupEnding('120363041234567890@g.us')).toBe('7890')
})
