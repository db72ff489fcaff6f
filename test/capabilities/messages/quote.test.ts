import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Draft } from '../../../main/capabilities/messages/index.ts'
import type { EngineSignal } from '../../../main/engines/engine.ts'
import { asReply, bench, idIn, INSTANCE, OTHER_INSTANCE, refusal, TEXT, type Bench } from './bench.ts'

const ANA = '12025550101'
const GROUP = '120363000000000001@g.us'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const rows = (text: string) => b.raw.prepare(text).all()
const count = (table: string) => (b.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n

/** @returns our id of what somebody said. */
async function hear(more: Partial<Extract<EngineSignal, { kind: 'received' }>> = {}): Promise<string> {
  await b.messages.onSignal(INSTANCE, {
    kind: 'received',
    ...{ engineMessageId: 'N1', chat: ANA, from: ANA, fromMe: false, atMs: b.clock.now(), type: 'text', text: 'Open?' },
    ...{ isGroup: false, pushName: null, media: null, quotedEngineMessageId: null, participant: null, referral: null },
    fromLid: null,
    ...more,
  })
  b.events()
  const [row] = rows('SELECT id FROM messages ORDER BY seq DESC LIMIT 1') as [{ id: string }]
  return row.id
}

/** A send as another room makes it: an answer, unless the draft says otherwise. */
async function answer(quotedMessageId: string, more: Partial<Draft> = {}) {
  const instance = await b.instances.subject(b.accountId, INSTANCE)
  if (instance === undefined) throw new Error('the instance exists')
  const draft = { kind: 'text', to: ANA, text: 'Yes', quotedMessageId, ...more } as Draft
  const sent = await b.messages.sendDraft({
    ...{ instance, draft, operation: 'POST send/text', rawBody: () => draft },
    ...{ idempotencyKey: 'k', source: 'api' },
  })
  return asReply(sent)
}

describe('a reply', () => {
  test('passes the quoted message to the engine, and stores its message_id', async () => {
    const theirs = await hear()
    const reply = await answer(theirs)
    const said = { engineMessageId: 'N1', chat: ANA, isOwn: false, participant: null, type: 'text', text: 'Open?' }
    expect(b.engine.asked.map(({ out }) => out)).toEqual([{ kind: 'text', to: ANA, text: 'Yes', quoted: said }])
    const [newest] = (await b.messages.thread(INSTANCE, ANA, {})).data
    expect(newest).toMatchObject({ id: idIn(reply), direction: 'out', quotedMessageId: theirs })
    expect(b.events()).toEqual(['message.sent'])
  })

  test('can quote a sent message, with its current text', async () => {
    const ours = idIn(await b.send({ to: ANA, text: 'Opn' }))
    const engineMessageId = '3EB0000001'
    const edit = { chat: ANA, from: '12025550100', fromMe: true, atMs: b.clock.now(), text: 'Open' }
    await b.messages.onSignal(INSTANCE, { kind: 'edited', engineMessageId, ...edit })
    await answer(ours)
    expect(b.engine.asked.at(-1)?.out).toMatchObject({ quoted: { engineMessageId, isOwn: true, text: 'Open' } })
  })

  test('can quote a message typed on the instance’s own phone', async () => {
    const typed = await hear({ from: '12025550100', fromMe: true })
    await answer(typed)
    expect(b.engine.asked.at(-1)?.out).toMatchObject({ quoted: { engineMessageId: 'N1', isOwn: true } })
  })

  test.each([
    ['5511987654321', '551187654321'],
    ['551187654321', '5511987654321'],
  ])('to %s can quote a message from %s, because both spellings are one person', async (to, chat) => {
    const theirs = await hear({ chat, from: chat })
    await answer(theirs, { to })
    expect(b.engine.asked.at(-1)?.out).toMatchObject({ to, quoted: { engineMessageId: 'N1', chat } })
  })

  test('is replayed even if the quoted message was deleted or removed since', async () => {
    const theirs = await hear()
    const first = await answer(theirs)
    await b.messages.onSignal(INSTANCE, {
      ...{ kind: 'deleted', engineMessageId: 'N1', chat: ANA, from: ANA, fromMe: false },
      ...{ deletedBy: ANA, atMs: b.clock.now() },
    })
    expect(await answer(theirs)).toEqual({ bytes: first.bytes, replayed: true })
    b.raw.prepare('DELETE FROM messages WHERE id = ?').run(theirs)
    expect(await answer(theirs)).toEqual({ bytes: first.bytes, replayed: true })
    expect(await refusal(answer('msg_other'))).toMatchObject({ code: 'idempotency_conflict' })
    expect(b.engine.asked).toHaveLength(1)
  })
})

describe('is refused and leaves no row, no key and no event if the quoted message', () => {
  const REFUSALS: readonly (readonly [string, () => Promise<string>, object])[] = [
    [
      'does not exist',
      async () => 'msg_none',
      { code: 'not_found', message: expect.stringContaining('quoted_message_id') },
    ],
    [
      'belongs to another instance',
      async () => idIn(await b.send({ to: ANA, text: 'Hello' }, { instance: OTHER_INSTANCE })),
      { code: 'not_found' },
    ],
    [
      'is from another chat',
      () => hear({ chat: '12025550102', from: '12025550102' }),
      { code: 'validation_error', message: expect.stringMatching(/belongs to 12025550102, and to is 12025550101\./) },
    ],
    [
      'is from a group',
      () => hear({ chat: GROUP, isGroup: true, participant: ANA }),
      { code: 'validation_error', message: expect.stringContaining(GROUP) },
    ],
    [
      'was deleted',
      async () => {
        const id = await hear()
        await b.messages.onSignal(INSTANCE, {
          ...{ kind: 'deleted', engineMessageId: 'N1', chat: ANA, from: ANA, fromMe: false },
          ...{ deletedBy: ANA, atMs: b.clock.now() },
        })
        return id
      },
      { code: 'invalid_state', status: 409, message: expect.stringContaining('was deleted') },
    ],
    [
      'was refused by the network',
      async () => {
        const plan = b.engine.plan
        const error = { code: 'not_on_whatsapp', message: 'No such person.', provider_code: null } as const
        b.engine.plan = async () => ({ kind: 'refused', error })
        const id = idIn(await b.send({ to: ANA, text: 'Hello' }))
        b.engine.plan = plan
        return id
      },
      { code: 'invalid_state', status: 409, message: expect.stringContaining('status record') },
    ],
  ]

  test.each(REFUSALS)('%s', async (_what, said, error) => {
    const quoted = await said()
    b.events()
    const before = [count('messages'), count('events'), b.engine.asked.length]
    expect(await refusal(answer(quoted))).toMatchObject(error)
    expect([count('messages'), count('events'), b.engine.asked.length]).toEqual(before)
    expect(count('idempotency_keys')).toBe(0)
    expect(await b.send(TEXT, { key: 'k' })).toMatchObject({ replayed: false })
  })

  test('cannot be looked up because the instance is not connected', async () => {
    await b.connect(false)
    expect(await refusal(answer('msg_none'))).toMatchObject({ code: 'not_ready' })
  })
})

test('no file is downloaded for a reply whose quoted message does not exist', async () => {
  const picture = { kind: 'media', url: 'https://media.sandbox/image.png', mediaType: 'image', caption: null } as const
  expect(await refusal(answer('msg_none', { ...picture, filename: null }))).toMatchObject({ code: 'not_found' })
})
