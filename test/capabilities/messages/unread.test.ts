import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bench, INSTANCE, OTHER_INSTANCE, refusal, type Bench } from './bench.ts'

const ADA = '12025550101'
const BOB = '12025550102'
const HIDDEN = 'US.13491208655302741918'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

let sent = 0
const received = (chat: string, { fromMe = false, id = `m${++sent}`, instance = INSTANCE } = {}) =>
  b.messages.onSignal(instance, {
    kind: 'received',
    ...{ engineMessageId: id, chat, from: chat, fromMe, atMs: b.clock.now(), type: 'text', text: 'Hi' },
    ...{ isGroup: false, pushName: null, media: null, quotedEngineMessageId: null, participant: null, referral: null },
    fromLid: null,
  })
const typedOnPhone = (chat: string) => received(chat, { fromMe: true })
const read = (chat: string, instance = INSTANCE) => b.messages.setUnread(instance, chat, false)
const markUnread = (chat: string, instance = INSTANCE) => b.messages.setUnread(instance, chat, true)
const merge = () => b.learn(HIDDEN, ADA)
const total = async () => (await b.messages.countUnread(b.accountId)).sandbox
const list = async (filter: 'all' | 'unread' = 'all', instance = INSTANCE) =>
  Object.fromEntries(
    (await b.messages.conversations(instance, { filter })).data.map(({ chat, unread }) => [
      chat,
      unread.marked ? `${unread.messages}*` : String(unread.messages),
    ]),
  )

describe('the unread count', () => {
  test('counts each received message of a chat, and each unread chat once', async () => {
    await received(ADA)
    await received(ADA)
    await received(BOB)
    expect(await list()).toEqual({ [ADA]: '2', [BOB]: '1' })
    expect(await total()).toBe(2)
  })

  test('counts a message once if the network repeats it', async () => {
    await received(ADA, { id: 'same' })
    await received(ADA, { id: 'same' })
    expect(await list()).toEqual({ [ADA]: '1' })
  })

  test('is zero after the chat is read, and starts again with the next message', async () => {
    await received(ADA)
    await received(ADA)
    await read(ADA)
    expect(await total()).toBe(0)
    await received(ADA)
    expect(await list()).toEqual({ [ADA]: '1' })
  })

  test('is zero after a message typed on the phone or sent in the window', async () => {
    await received(ADA)
    await received(BOB)
    await typedOnPhone(ADA)
    await b.send({ to: BOB, text: 'Hello' }, { source: 'console' })
    expect(await list()).toEqual({ [ADA]: '0', [BOB]: '0' })
  })

  test('is not changed by a message sent over the API', async () => {
    await received(ADA)
    await b.send({ to: ADA, text: 'Hello' })
    expect(await list()).toEqual({ [ADA]: '1' })
  })

  test('includes a chat marked as unread until it is read', async () => {
    await received(ADA)
    await read(ADA)
    await markUnread(ADA)
    await markUnread(ADA)
    expect([await list(), await total()]).toEqual([{ [ADA]: '0*' }, 1])
    await received(ADA)
    expect([await list(), await total()]).toEqual([{ [ADA]: '1*' }, 1])
    await read(ADA)
    await read(ADA)
    expect([await list(), await total()]).toEqual([{ [ADA]: '0' }, 0])
  })

  test('causes no event when a chat is read', async () => {
    await received(ADA)
    b.events()
    await read(ADA)
    expect([b.events(), b.engine.asked]).toEqual([[], []])
  })

  test('cannot be marked for a chat that does not exist', async () => {
    expect((await refusal(markUnread('12025550199'))).code).toBe('not_found')
    expect(await total()).toBe(0)
  })

  test('filters unread chats, most recent first, page by page', async () => {
    for (const chat of ['12025550111', '12025550112', '12025550113', ADA]) await received(chat)
    await read('12025550112')
    const first = await b.messages.conversations(INSTANCE, { filter: 'unread', limit: 2 })
    expect(first.data.map(({ chat }) => chat)).toEqual([ADA, '12025550113'])
    const cursor = first.nextCursor ?? ''
    const second = await b.messages.conversations(INSTANCE, { filter: 'unread', limit: 2, cursor })
    expect(second.data.map(({ chat }) => chat)).toEqual(['12025550111'])
    expect(second.nextCursor).toBeNull()
  })
})

describe('stored unread counts', () => {
  test('are separate for each instance of an account', async () => {
    await received(ADA)
    await received(ADA, { instance: OTHER_INSTANCE })
    await read(ADA)
    expect(await list('all', OTHER_INSTANCE)).toEqual({ [ADA]: '1' })
    expect(await total()).toBe(1)
  })

  test('cover every instance with unread chats, however many there are', async () => {
    await received(ADA)
    const id = (n: number) => `0197f0c2-0000-7000-8000-0000000${String(10_000 + n)}`
    const columns = b.raw.prepare("SELECT name FROM pragma_table_info('instances')").pluck().all() as string[]
    const own: Record<string, string> = { id: ':id', instance_name: ':id', updated_at: 'updated_at + :n' }
    const values = columns.map((name) => own[name] ?? name).join(', ')
    const copy = b.raw.prepare(
      `INSERT INTO instances (${columns.join(', ')}) SELECT ${values} FROM instances WHERE id = :from`,
    )
    const add = b.raw.prepare(
      'INSERT INTO unread_instances (instance_id, account_id, network, chats) VALUES (?, ?, ?, ?)',
    )
    for (let n = 0; n < 300; n++) {
      copy.run({ id: id(n), n: n + 10, from: INSTANCE })
      add.run(id(n), b.accountId, 'live', 2 + n)
    }
    const { live, sandbox, instances } = await b.messages.countUnread(b.accountId)
    expect([live, sandbox, instances.length]).toEqual([2 * 300 + (299 * 300) / 2, 1, 301])
    expect([instances[0], instances.at(-1)]).toEqual([
      { id: id(299), chats: 301 },
      { id: INSTANCE, chats: 1 },
    ])
  })

  test('survive a restart', async () => {
    await received(ADA)
    await b.reopen()
    expect(await list('unread')).toEqual({ [ADA]: '1' })
    expect(await total()).toBe(1)
  })

  test('are deleted with the instance, even if the network reports another message after that', async () => {
    await received(ADA)
    await b.instances.remove(INSTANCE)
    expect(await total()).toBe(0)
    await received(BOB)
    expect(await total()).toBe(0)
    expect(b.raw.prepare('SELECT * FROM unread_chats').all()).toEqual([])
  })

  test('notify windows when a chat becomes unread or read, and not in between', async () => {
    await received(ADA)
    await received(ADA)
    await read(ADA)
    await read(ADA)
    const notice = { topic: 'conversations', instance_id: INSTANCE }
    expect(b.notices).toEqual([notice, notice])
  })
})

describe('when a hidden id becomes a number', () => {
  test('the unread messages of both chats are added up', async () => {
    await received(HIDDEN)
    await received(HIDDEN)
    await received(ADA)
    await merge()
    expect([await list(), await total()]).toEqual([{ [ADA]: '3' }, 1])
  })

  test('messages that were read in either chat stay read', async () => {
    await received(HIDDEN)
    await read(HIDDEN)
    await received(HIDDEN)
    await received(ADA)
    await read(ADA)
    await merge()
    expect(await list()).toEqual({ [ADA]: '1' })
  })

  test('the unread mark is kept', async () => {
    await received(HIDDEN)
    await read(HIDDEN)
    await markUnread(HIDDEN)
    await merge()
    await merge()
    expect([await list(), await total()]).toEqual([{ [ADA]: '0*' }, 1])
  })

  test('more messages than fit in one transaction are counted', async () => {
    await received(HIDDEN)
    await read(HIDDEN)
    for (let i = 0; i < 1_100; i++) await received(HIDDEN)
    await merge()
    expect([await list(), await total()]).toEqual([{ [ADA]: '1100' }, 1])
  })
})

interface Step {
  readonly do: 'receive' | 'phone' | 'window' | 'read' | 'mark' | 'merge' | 'receiveTwin'
  readonly chat: string
}

test('the unread counts equal a full count of the messages after any random sequence of operations', async () => {
  const chat = fc.constantFrom(ADA, BOB, HIDDEN)
  const kind = fc.constantFrom<Step['do'][]>(
    ...(['receive', 'receive', 'receive', 'phone', 'window', 'read', 'mark', 'merge', 'receiveTwin'] as const),
  )
  const step: fc.Arbitrary<Step> = fc.record({ do: kind, chat })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      for (const each of [ADA, BOB, HIDDEN]) await read(each)
      b.raw.prepare('DELETE FROM messages').run()
      const model = createModel()
      for (const one of steps) {
        model.apply(one)
        await apply(one)
      }
      expect(unreadRows()).toEqual(model.unread())
      expect(await total()).toBe(model.unread().length)
    }),
    { numRuns: 20 },
  )
})

async function apply(step: Step): Promise<unknown> {
  switch (step.do) {
    case 'receive':
      return received(step.chat)
    case 'phone':
      return typedOnPhone(step.chat)
    case 'window':
      // Nobody can be written to by a hidden id on smv2.
      return step.chat === HIDDEN
        ? typedOnPhone(HIDDEN)
        : b.send({ to: step.chat, text: 'Hello' }, { source: 'console' })
    case 'read':
      return read(step.chat)
    case 'mark':
      return markUnread(step.chat).catch(() => {})
    case 'merge':
      return merge()
    case 'receiveTwin': {
      const id = `m${++sent}`
      await received(HIDDEN, { id })
      return received(ADA, { id })
    }
  }
}

const unreadRows = () => b.raw.prepare('SELECT chat, messages, marked FROM unread_chats ORDER BY chat').all()

/** Every message by itself, counted anew each time. */
function createModel() {
  let all: { chat: string; isIn: boolean; isUnread: boolean; twin: boolean }[] = []
  const marked = new Set<string>()
  const say = (chat: string, isIn: boolean, twin = false) => all.push({ chat, isIn, isUnread: isIn, twin })
  const clear = (chat: string) => {
    all = all.map((one) => (one.chat === chat ? { ...one, isUnread: false } : one))
    marked.delete(chat)
  }
  return {
    apply(step: Step): void {
      if (step.do === 'merge') {
        const isMoved = all.some(({ chat, twin }) => chat === HIDDEN && !twin)
        all = all.map((one) => (one.chat === HIDDEN && !one.twin ? { ...one, chat: ADA } : one))
        if (isMoved && marked.delete(HIDDEN)) marked.add(ADA)
      } else if (step.do === 'receiveTwin') {
        say(HIDDEN, true, true)
        say(ADA, true)
      } else {
        const { chat } = step
        if (step.do === 'receive') say(chat, true)
        else if (step.do === 'mark') {
          if (all.some((one) => one.chat === chat)) marked.add(chat)
        } else {
          if (step.do !== 'read') say(chat, false)
          clear(chat)
        }
      }
    },
    unread: () =>
      [ADA, BOB, HIDDEN].flatMap((chat) => {
        const messages = all.filter((one) => one.chat === chat && one.isUnread).length
        return messages > 0 || marked.has(chat) ? [{ chat, messages, marked: marked.has(chat) ? 1 : 0 }] : []
      }),
  }
}
