import { afterEach, beforeEach, expect, test } from 'vitest'
import { toThreadMessage } from '../../../main/capabilities/messages/conversation-record.ts'
import { bench, INSTANCE, OTHER_INSTANCE, type Bench } from './bench.ts'

const ANA = '12025550101'
const BEN = '12025550102'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const spoken = (from: string, atMs = b.clock.now()) => ({
  ...{ engineMessageId: 'POLL', chat: ANA, from, fromMe: false, atMs },
})

async function hearPoll(): Promise<string> {
  await b.messages.onSignal(INSTANCE, {
    ...spoken(ANA),
    ...{ kind: 'received', type: 'poll', text: 'When?', isGroup: false, pushName: null, media: null },
    ...{ quotedEngineMessageId: null, participant: null, referral: null, fromLid: null },
    content: { type: 'poll', question: 'When?', options: ['Today', 'Tomorrow'], max_choices: 1 },
  })
  return (b.raw.prepare(`SELECT id FROM messages WHERE type = 'poll'`).get() as { id: string }).id
}

const vote = (from: string, options: string[], atMs?: number) =>
  b.messages.onSignal(INSTANCE, { kind: 'vote', options, ...spoken(from, atMs) })

test('a poll without votes shows its options', async () => {
  const id = await hearPoll()
  expect(await b.messages.poll(INSTANCE, id)).toEqual({
    question: 'When?',
    options: [
      { text: 'Today', votes: 0 },
      { text: 'Tomorrow', votes: 0 },
    ],
    voters: [],
  })
})

test('each person has one vote, a later vote replaces it, and each change is reported', async () => {
  const id = await hearPoll()
  b.events()
  const at = b.clock.now()
  await vote(ANA, ['Today'], at)
  await vote(ANA, ['Today'], at)
  await vote(BEN, ['Today'], at)
  await vote(ANA, ['Tomorrow'], at + 5)
  // Delivered late: it is not what Ana wants any more.
  await vote(ANA, ['Today'], at + 1)
  expect(b.events()).toEqual(['message.received', 'message.received', 'message.received'])
  expect(b.lastData()).toMatchObject({
    ...{ type: 'poll_vote', text: 'Tomorrow', from: ANA, chat: ANA, quoted_message_id: id },
    content: { type: 'poll_vote', poll_message_id: id, options: ['Tomorrow'] },
  })
  expect(await b.messages.poll(INSTANCE, id)).toMatchObject({
    options: [
      { text: 'Today', votes: 1 },
      { text: 'Tomorrow', votes: 1 },
    ],
    voters: [
      { number: ANA, options: ['Tomorrow'] },
      { number: BEN, options: ['Today'] },
    ],
  })
  await vote(ANA, [], at + 9)
  const { voters, options } = await b.messages.poll(INSTANCE, id)
  expect([voters.map(({ number }) => number), options.map(({ votes }) => votes)]).toEqual([[BEN], [1, 0]])
})

test('a vote that arrives before its poll counts once the poll arrives, also after a restart', async () => {
  await vote(BEN, ['Tomorrow'])
  expect(b.lastData()).toMatchObject({ quoted_message_id: 'POLL' })
  await b.reopen()
  const id = await hearPoll()
  expect(await b.messages.poll(INSTANCE, id)).toMatchObject({ voters: [{ number: BEN, options: ['Tomorrow'] }] })
})

test('the conversation shows the poll with its votes, and votes are not shown as messages', async () => {
  await hearPoll()
  await vote(BEN, ['Today'])
  const { data } = await b.messages.thread(INSTANCE, ANA, {})
  expect(data.map((said) => toThreadMessage(INSTANCE, said))).toMatchObject([
    { type: 'poll', poll: { options: [{ votes: 1 }, { votes: 0 }], voters: [{ number: BEN }] } },
  ])
})

test('a person who voted with a hidden id and with the number has one vote, the later one', async () => {
  const id = await hearPoll()
  const at = b.clock.now()
  await vote('900000000000001', ['Today'], at + 5)
  await vote(BEN, ['Tomorrow'], at)
  await b.learn('900000000000001', BEN)
  expect((await b.messages.poll(INSTANCE, id)).voters).toMatchObject([{ number: BEN, options: ['Today'] }])
})

test('an unknown poll and a poll of another instance are not found', async () => {
  const id = await hearPoll()
  await expect(b.messages.poll(OTHER_INSTANCE, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(b.messages.poll(INSTANCE, 'msg_unknown')).rejects.toMatchObject({ code: 'not_found' })
})
