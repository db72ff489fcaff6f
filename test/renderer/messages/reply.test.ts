import { expect, test } from 'vitest'
import { authorOf, canReplyTo, withQuote } from '../../../renderer/rooms/messages/reply.ts'
import { message } from './build.ts'

test('a message can be answered once the network has it, and as long as it is not deleted', () => {
  const there = { ...message(1), engine_message_id: 'a', deleted_at: null }
  expect(canReplyTo(there)).toBe(true)
  expect(canReplyTo({ ...there, engine_message_id: null })).toBe(false)
  expect(canReplyTo({ ...there, deleted_at: '2026-03-01T09:30:00.000Z' })).toBe(false)
})

test('an answer names the message it quotes', () => {
  const body = { to: '12025550101', text: 'Yes' }
  expect(withQuote(body, message(1))).toEqual({ ...body, quoted_message_id: message(1).message_id })
  expect(withQuote(body, undefined)).toEqual(body)
})

test('a quote says who wrote it', () => {
  const theirs = { direction: 'in', push_name: 'Ana', sender: '12025550101' } as const
  expect(authorOf({ ...theirs, direction: 'phone' })).toEqual({ isOwn: true })
  expect(authorOf(theirs)).toEqual({ isOwn: false, name: 'Ana', number: '12025550101' })
})
