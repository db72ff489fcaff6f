import { beforeEach, describe, expect, test } from 'vitest'
import type { Notice } from '../../main/contract/notice.ts'
import type { NoteKind } from '../../main/contract/window-bridge.ts'
import { silentLog } from '../../main/kernel/log.ts'
import type { Counts } from '../../main/shell/counts.ts'
import type { Note } from '../../main/shell/notes.ts'
import { watchService } from '../../main/shell/service-watcher.ts'
import { wordsFor } from '../../main/shell/words.ts'
import { fakeClock, START_MS, type FakeClock } from '../support/clock.ts'

/** A service that answers from a table, and a person who wants everything told unless a test says otherwise. */
let clock: FakeClock
let answers: Record<string, unknown>
let asked: string[]
let notes: Note[]
let counts: Counts[]
let unwanted: Set<NoteKind>
let tell: (notice: Notice) => void
let stop: () => void

beforeEach(() => {
  clock = fakeClock()
  answers = { '/v1/console/overview': { instances: { total: 0, by_status: {} } } }
  ;[asked, notes, counts] = [[], [], []]
  unwanted = new Set()
  const watch = watchService({
    clock,
    log: silentLog,
    words: wordsFor('en'),
    async read(path) {
      asked.push(path)
      return answers[path.split('?')[0] ?? '']
    },
    onNotice(hear) {
      tell = hear
      return () => (tell = () => {})
    },
    isWanted: (kind) => !unwanted.has(kind),
    onCounts: (found) => void counts.push(found),
    onNote: (note) => void notes.push(note),
  })
  stop = watch.stop
})

function line(id: string, more: object = {}): void {
  answers[`/v1/instances/${id}`] = {
    id,
    name: `Line ${id}`,
    status: 'disconnected',
    last_disconnect_reason: null,
    ...more,
  }
}

const lose = (id: string) => tell({ topic: 'events', type: 'instance.disconnected', instance_id: id })

describe('the counts', () => {
  test('are read immediately, and once more shortly after changes', async () => {
    await clock.advance(0)
    expect(counts).toEqual([{ total: 0, connected: 0, lost: 0 }])
    const by_status = { connected: 5, qr: 1, created: 1, disconnected: 2, auth_failed: 1, passkey_required: 1 }
    answers['/v1/console/overview'] = { instances: { total: 11, by_status } }
    for (let i = 0; i < 500; i++) tell({ topic: 'instances', id: String(i) })
    await clock.advance(1_000)
    expect(counts.slice(1)).toEqual([{ total: 11, connected: 5, lost: 4 }])
  })

  test('are hidden if they cannot be read', async () => {
    await clock.advance(0)
    delete answers['/v1/console/overview']
    tell({ topic: 'instances' })
    await clock.advance(1_000)
    expect(counts).toHaveLength(1)
  })
})

describe('lost numbers', () => {
  test('one is named, and opens that number', async () => {
    line('a')
    lose('a')
    await clock.advance(1_000)
    expect(notes).toEqual([])
    await clock.advance(1_500)
    expect(notes).toEqual([
      {
        title: 'A number disconnected',
        body: 'Line a is no longer connected. Open Switchboard to see why.',
        route: '/instances/a',
      },
    ])
  })

  test('five hundred together are one notification', async () => {
    for (let i = 0; i < 500; i++) lose(String(i))
    await clock.advance(120_000)
    expect(notes).toEqual([expect.objectContaining({ title: '500 numbers disconnected', route: '/instances' })])
    expect(asked.filter((path) => path.startsWith('/v1/instances'))).toEqual([])
  })

  test('an unstable network causes at most one notification per minute and loses none', async () => {
    for (let second = 0; second < 180; second++) {
      line(String(second))
      lose(String(second))
      await clock.advance(1_000)
    }
    expect(notes.length).toBeGreaterThanOrEqual(2)
    expect(notes.length).toBeLessThanOrEqual(4)
    await clock.advance(61_000)
    const told = notes.map(({ title }) => Number(/^\d+/.exec(title)?.[0] ?? 1))
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(180)
  })

  test.each([
    ['has come back', { status: 'connected' }],
    ['was disconnected by a person', { last_disconnect_reason: 'user' }],
    ['was logged out by a person', { last_disconnect_reason: 'logout' }],
    ['was never paired', { last_disconnect_reason: 'qr_expired' }],
  ])('one that %s causes no notification', async (_, more) => {
    line('a', more)
    lose('a')
    await clock.advance(3_000)
    expect(notes).toEqual([])
    // Nothing was told, so the next one need not wait.
    line('b')
    lose('b')
    await clock.advance(3_000)
    expect(notes).toHaveLength(1)
  })

  test('one that its network refuses causes a notification too', async () => {
    line('a', { status: 'auth_failed', last_disconnect_reason: 'logged_out' })
    tell({ topic: 'events', type: 'instance.auth_failed', instance_id: 'a' })
    await clock.advance(3_000)
    expect(notes).toHaveLength(1)
  })

  test('cause none if notifications are off or the window has the focus', async () => {
    unwanted.add('lost')
    line('a')
    lose('a')
    await clock.advance(3_000)
    expect(notes).toEqual([])
    expect(asked.filter((path) => path.startsWith('/v1/instances'))).toEqual([])
  })
})

describe('failed deliveries', () => {
  const webhook = (id: string, more: object = {}) => ({
    id,
    url: `https://${id}.example:8443/hook?token=secret-${id}`,
    disabled_reason: null,
    ...more,
  })

  test('of one webhook are one notification with the host only', async () => {
    answers['/v1/webhooks'] = { data: [webhook('whk_a'), webhook('whk_b')] }
    for (let i = 0; i < 40; i++) tell({ topic: 'deliveries', id: 'whk_a', type: 'exhausted' })
    await clock.advance(3_000)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ title: 'Webhook delivery failed', route: '/webhooks/whk_a' })
    expect(notes[0]?.body).toContain('whk_a.example:8443')
    expect(JSON.stringify(notes)).not.toContain('secret')
  })

  test('that deactivate a webhook say so', async () => {
    answers['/v1/webhooks'] = { data: [webhook('whk_a', { disabled_reason: 'too_many_failures' })] }
    tell({ topic: 'deliveries', id: 'whk_a', type: 'exhausted' })
    tell({ topic: 'webhooks', id: 'whk_a', type: 'deactivated' })
    await clock.advance(3_000)
    expect(notes.map(({ title }) => title)).toEqual(['Webhook deactivated'])
  })

  test('of several webhooks are counted', async () => {
    answers['/v1/webhooks'] = { data: [webhook('whk_a'), webhook('whk_b')] }
    for (const id of ['whk_a', 'whk_b']) tell({ topic: 'deliveries', id, type: 'exhausted' })
    await clock.advance(3_000)
    expect(notes).toEqual([expect.objectContaining({ title: '2 webhooks are failing', route: '/webhooks' })])
  })

  test('that will be retried, or of a changed webhook, cause none', async () => {
    answers['/v1/webhooks'] = { data: [webhook('whk_a')] }
    tell({ topic: 'deliveries', id: 'whk_a' })
    tell({ topic: 'webhooks', id: 'whk_a' })
    tell({ topic: 'webhooks' })
    await clock.advance(3_000)
    expect(notes).toEqual([])
  })

  test('of a deleted webhook cause none', async () => {
    answers['/v1/webhooks'] = { data: [] }
    tell({ topic: 'deliveries', id: 'whk_a', type: 'exhausted' })
    await clock.advance(3_000)
    expect(notes).toEqual([])
  })
})

describe('new messages', () => {
  const heard = (instance: string, chat: string, more: object = {}) => ({
    instance: { id: instance },
    data: { chat, from: chat, from_me: false, text: 'my password is hunter2', push_name: null, ...more },
  })
  const receive = async (...data: object[]) => {
    answers['/v1/events'] = { data, has_more: false }
    tell({ topic: 'events', type: 'message.received', instance_id: 'a' })
    await clock.advance(3_000)
  }

  test('name the sender and the number, not the text, and open the chat', async () => {
    line('a')
    await receive(heard('a', '12025550101', { push_name: 'Ana' }))
    expect(notes).toEqual([{ title: 'New message', body: 'Ana wrote to Line a.', route: '/messages/a/12025550101' }])
    const [, query = ''] = asked.find((path) => path.startsWith('/v1/events'))?.split('?') ?? []
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      type: 'message.received',
      since: new Date(START_MS - 1_000).toISOString(),
      limit: '100',
    })
  })

  test('show the number of a sender without a name, or what the network gives for a hidden one', async () => {
    line('a')
    await receive(heard('a', '12025550101'))
    expect(notes[0]?.body).toBe('+12025550101 wrote to Line a.')
    await clock.advance(61_000)
    await receive(heard('a', '8812345', { from_lid: '8812345' }))
    expect(notes[1]?.body).toBe('8812345 wrote to Line a.')
  })

  test('of many people are one notification', async () => {
    await receive(heard('a', '1'), heard('a', '2'), heard('a', '2'))
    expect(notes).toEqual([{ title: 'New messages', body: 'In 2 conversations.', route: '/messages/a' }])
    await clock.advance(61_000)
    await receive(heard('a', '1'), heard('b', '1'))
    expect(notes[1]).toEqual({ title: 'New messages', body: 'In 2 conversations.', route: '/messages' })
  })

  test('written on the phone itself cause none', async () => {
    await receive(heard('a', '1', { from_me: true }))
    expect(notes).toEqual([])
  })
})

test('kinds of notifications do not wait for each other', async () => {
  line('a')
  answers['/v1/events'] = {
    data: [{ instance: { id: 'a' }, data: { chat: '1', from: '1', from_me: false, push_name: 'Ana' } }],
  }
  lose('a')
  tell({ topic: 'events', type: 'message.received', instance_id: 'a' })
  await clock.advance(3_000)
  expect(notes.map(({ title }) => title)).toEqual(['A number disconnected', 'New message'])
})

test('a failed request causes no notification and does not stop the watcher', async () => {
  Object.defineProperty(answers, '/v1/instances/a', {
    get() {
      throw new Error('no')
    },
  })
  lose('a')
  await clock.advance(3_000)
  line('b')
  lose('b')
  await clock.advance(3_000)
  expect(notes).toHaveLength(1)
})

test('stops listening and leaves no timer when it is stopped', async () => {
  line('a')
  lose('a')
  tell({ topic: 'instances' })
  stop()
  lose('a')
  await clock.advance(120_000)
  expect(notes).toEqual([])
  expect(clock.waiting()).toBe(0)
})
