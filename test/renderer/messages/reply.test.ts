import { expect, test } from 'vitest'
import { authorName, canReplyTo, withQuote } from '../../../renderer/rooms/messages/reply.ts'
import { message } from './build.ts'

test('a message can be quoted once the network has it, unless it is deleted', () => {
  const there = { ...message(1), engine_message_id: 'a', deleted_at: null }
  expect(canReplyTo(there)).toBe(true)
  expect(canReplyTo({ ...there, engine_message_id: null })).toBe(false)
  expect(canReplyTo({ ...there, deleted_at: '2026-03-01T09:30:00.000Z' })).toBe(false)
})

test('a reply contains the quoted message', () => {
  const body = { to: '12025550101', text: 'Yes' }
  expect(withQuote(body, message(1))).toEqual({ ...body, quoted_message_id: message(1).message_id })
  expect(withQuote(body, undefined)).toEqual(body)
})

test('names the sender by contact, own name or number', () => {
  const theirs = { push_name: 'Ana', sender: '12025550101' }
  const people = { nameOf: () => undefined, addressOf: (phone: string) => `+${phone}` }
  expect(authorName(theirs, { ...people, nameOf: () => 'Ana, bread on Fridays' })).toBe('Ana, bread on Fridays')
  expect(authorName(theirs, people)).toBe('Ana')
  expect(authorName({ ...theirs, push_name: null }, people)).toBe('+12025550101')
  expect(authorName({ push_name: null, sender: null }, people)).toBeUndefined()
})
