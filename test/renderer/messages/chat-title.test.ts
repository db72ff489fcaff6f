import { expect, test } from 'vitest'
import { chatTitle, groupEnding } from '../../../renderer/rooms/messages/chat-title.ts'

const said = [{ direction: 'in' as const, push_name: 'Ana' }]

test('a person is called by the name they use, else by their number', () => {
  expect(chatTitle('12025550123', { name: 'Ana Souza' }, false, said)).toBe('Ana Souza')
  expect(chatTitle('12025550123', undefined, false, said)).toBe('Ana')
  expect(chatTitle('12025550123', undefined, false)).toBe('+1 202 555 0123')
})

test('a group is never called after somebody who wrote in it', () => {
  expect(chatTitle('120363041234567890@g.us', { name: null }, true, said)).toBeUndefined()
  expect(groupEnding('120363041234567890@g.us')).toBe('7890')
})
