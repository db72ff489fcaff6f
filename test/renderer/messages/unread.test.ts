import { describe, expect, test } from 'vitest'
import { keepOpen } from '../../../renderer/rooms/messages/unread-list.ts'
import type { Conversation } from '../../../renderer/rooms/messages/records.ts'
import { createReadMarker, type ChatView } from '../../../renderer/rooms/messages/read-marker.ts'

describe('an open chat is marked as read', () => {
  const view = (change: Partial<ChatView> = {}): ChatView => ({
    ...{ place: 'a/1', isWatched: true, newestMessageId: 'm1', unreadMessages: 0, isMarked: false },
    ...change,
  })
  const run = (...views: Partial<ChatView>[]) => views.map((change) => view(change)).map(createReadMarker())

  test('when it opens with unread messages, and when one arrives', () => {
    expect(run({ unreadMessages: 2 }, {}, { newestMessageId: 'm2', unreadMessages: 1 })).toEqual([true, false, true])
  })

  test('not while the window has no focus, but once it has', () => {
    expect(run({ isWatched: false, unreadMessages: 2 }, { unreadMessages: 2 })).toEqual([false, true])
  })

  test('when it opens with a mark, but not if it is marked while open', () => {
    expect(run({ isMarked: true }, {}, { isMarked: true })).toEqual([true, false, false])
    expect(run({ isMarked: true }, { place: 'a/2', isMarked: true })).toEqual([true, true])
  })

  test('not if nothing is unread', () => {
    expect(run({}, { newestMessageId: 'm2' })).toEqual([false, false])
  })

  test('once per new message if the list has no unread state', () => {
    const unknown = { unreadMessages: undefined }
    expect(run(unknown, unknown, { ...unknown, newestMessageId: 'm2' })).toEqual([true, false, true])
  })
})

describe('the list of unread conversations', () => {
  const conversation = (chat: string, minute: number, unread_messages = 1): Conversation => ({
    ...{ chat, name: null, is_group: false, messages: 1, last_inbound_at: null, unread_messages, marked_unread: false },
    ...{ opted_out: false, opt_out_question: null },
    last: {
      ...{ message_id: `msg_${chat}`, direction: 'in', type: 'text', text: '', status: null },
      at: `2026-03-01T09:${minute}:00.000Z`,
    },
  })
  const [ada, bob, eve] = [conversation('1', 30), conversation('2', 20), conversation('3', 10)]

  test('keeps the open chat in its place after it was read', () => {
    expect(keepOpen([ada, eve], [ada, bob, eve], '2')).toEqual([ada, conversation('2', 20, 0), eve])
  })

  test('removes the others', () => {
    expect(keepOpen([ada], [ada, bob, eve], '')).toEqual([ada])
    expect(keepOpen([ada, bob], [ada, bob, eve], '2')).toEqual([ada, bob])
    expect(keepOpen([ada], undefined, '2')).toEqual([ada])
  })
})
