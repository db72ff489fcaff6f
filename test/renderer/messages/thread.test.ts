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
  test('the newest page is laid out oldest first', () => {
    expect(ids(firstPage(page(8, 10, 'c')))).toEqual([8, 9, 10])
  })

  test('older messages go in front, none of them twice', () => {
    const thread = withOlder(firstPage(page(8, 10, 'c8')), page(5, 8, 'c5'))
    expect(ids(thread)).toEqual([5, 6, 7, 8, 9, 10])
    expect(thread.older).toBe('c5')
  })

  test('the newest page, read again, brings what is new and replaces what changed', () => {
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

  test('when more was said than a page holds, no hole is left: the newest page stands alone', () => {
    const next = withNewest(firstPage(page(1, 3, 'c1')), page(50, 53, 'c50'))
    expect(ids(next)).toEqual([50, 51, 52, 53])
    expect(next.older).toBe('c50')
  })

  test('an older stretch, read again, changes what is in it and leaves the rest', () => {
    const thread = withOlder(firstPage(page(8, 10, 'c8')), page(5, 7, 'c5'))
    const fresh = { ...page(4, 6, 'c4'), data: page(4, 6, 'c4').data.map((one) => ({ ...one, text: 'edited' })) }
    const next = withReread(thread, fresh)
    expect(ids(next)).toEqual([5, 6, 7, 8, 9, 10])
    expect(next.messages.map(({ text }) => text)).toEqual([
      ...['edited', 'edited', 'words 7', 'words 8', 'words 9', 'words 10'],
    ])
    expect(next.older).toBe('c5')
  })

  test('what the service no longer has goes', () => {
    expect(
      ids(withNewest(firstPage(page(1, 3, null)), { ...page(1, 3, null), data: [message(3), message(1)] })),
    ).toEqual([1, 3])
  })
})

describe('what is laid out', () => {
  test('a line stands where a day begins', () => {
    const rows = rowsOf([message(1), message(2), message(24 * 60), message(24 * 60 + 1)])
    expect(rows.map(({ kind }) => kind)).toEqual(['day', 'message', 'message', 'day', 'message', 'message'])
  })

  test('the first of several by the same person is marked', () => {
    const rows = rowsOf([message(1), message(2), message(3, { direction: 'out', sender: '1' }), message(4)])
    expect(rows.map((row) => row.kind === 'message' && row.isFirst)).toEqual([false, true, false, true, true])
  })

  test('reactions are counted; one that was taken back is none', () => {
    const reactions = ['👍', '❤️', '👍', ''].map((emoji, sender) => ({ sender: String(sender), emoji }))
    expect(reactionsOf({ reactions })).toEqual([
      { emoji: '👍', count: 2 },
      { emoji: '❤️', count: 1 },
    ])
  })
})
