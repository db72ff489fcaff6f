import { describe, expect, test } from 'vitest'
import {
  firstPage,
  reactionsOf,
  rowsOf,
  withNewest,
  withOlder,
  withReread,
} from '../../../renderer/rooms/messages/thread.ts'
import { message, page } from './build.ts'

const ids = ({ messages }: { messages: readonly { message_id: string }[] }) =>
  messages.map(({ message_id }) => Number(message_id.slice(4)))

describe('a conversation, page by page', () => {
  test('shows the newest page oldest first', () => {
    expect(ids(firstPage(page(8, 10, 'c')))).toEqual([8, 9, 10])
  })

  test('adds older messages in front, each once', () => {
    const thread = withOlder(firstPage(page(8, 10, 'c8')), page(5, 8, 'c5'))
    expect(ids(thread)).toEqual([5, 6, 7, 8, 9, 10])
    expect(thread.older).toBe('c5')
  })

  test('reloading the newest page adds new and replaces changed messages', () => {
    const thread = withOlder(firstPage(page(8, 10, 'c8')), page(5, 7, null))
    const fresh = { ...page(9, 12, 'c9'), data: page(9, 12, 'c9').data.map((one) => ({ ...one, text: 'edited' })) }
    const next = withNewest(thread, fresh)
    expect(ids(next)).toEqual([5, 6, 7, 8, 9, 10, 11, 12])
    expect(next.messages.map(({ text }) => text === 'edited')).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(next.older).toBeNull()
  })

  test('keeps only the newest page if there is a gap before it', () => {
    const next = withNewest(firstPage(page(1, 3, 'c1')), page(50, 53, 'c50'))
    expect(ids(next)).toEqual([50, 51, 52, 53])
    expect(next.older).toBe('c50')
  })

  test('reloading an older part changes only that part', () => {
    const thread = withOlder(firstPage(page(8, 10, 'c8')), page(5, 7, 'c5'))
    const fresh = { ...page(4, 6, 'c4'), data: page(4, 6, 'c4').data.map((one) => ({ ...one, text: 'edited' })) }
    const next = withReread(thread, fresh)
    expect(ids(next)).toEqual([5, 6, 7, 8, 9, 10])
    expect(next.messages.map(({ text }) => text)).toEqual([
      ...['edited', 'edited', 'words 7', 'words 8', 'words 9', 'words 10'],
    ])
    expect(next.older).toBe('c5')
  })

  test('removes messages that the service no longer has', () => {
    expect(
      ids(withNewest(firstPage(page(1, 3, null)), { ...page(1, 3, null), data: [message(3), message(1)] })),
    ).toEqual([1, 3])
  })
})

describe('the layout', () => {
  test('has a divider where a day begins', () => {
    const rows = rowsOf([message(1), message(2), message(24 * 60), message(24 * 60 + 1)])
    expect(rows.map(({ kind }) => kind)).toEqual(['day', 'message', 'message', 'day', 'message', 'message'])
  })

  test('marks the first of several messages by one person', () => {
    const rows = rowsOf([message(1), message(2), message(3, { direction: 'out', sender: '1' }), message(4)])
    expect(rows.map((row) => row.kind === 'message' && row.isFirst)).toEqual([false, true, false, true, true])
  })

  test('counts reactions without removed ones', () => {
    const reactions = ['👍', '❤️', '👍', ''].map((emoji, sender) => ({ sender: String(sender), emoji }))
    expect(reactionsOf({ reactions })).toEqual([
      { emoji: '👍', count: 2 },
      { emoji: '❤️', count: 1 },
    ])
  })
})
