import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'

const ANA = '12025550301'

test('a sent poll can be voted in and read, and each vote is reported as an event', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const poll = { to: ANA, question: 'When?', options: ['Today', 'Later'], max_choices: 1 }
  const { message_id: messageId } = (await w.api('POST', `/v1/instances/${id}/engine/smv2/send/poll`, poll)).body
  await w.quiet()
  const path = `/v1/instances/${id}/polls/${messageId}`
  const options = [
    { text: 'Today', votes: 0 },
    { text: 'Later', votes: 0 },
  ]
  expect((await w.api('GET', path)).body).toEqual({ question: 'When?', options, voters: [] })

  const vote = (choices: string[]) =>
    w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${messageId}/vote`, { options: choices })
  expect((await vote(['Today'])).status).toBe(200)
  await w.quiet()
  await vote(['Later'])
  await w.quiet()
  expect((await w.api('GET', path)).body).toMatchObject({
    options: [{ votes: 0 }, { text: 'Later', votes: 1 }],
    voters: [{ number: ANA, options: ['Later'] }],
  })
  const { data } = (await w.api('GET', '/v1/events?type=message.received')).body
  expect(data.map((event: { data: object }) => event.data)).toMatchObject([
    { type: 'poll_vote', text: 'Later', from: ANA, content: { poll_message_id: messageId, options: ['Later'] } },
    { type: 'poll_vote', text: 'Today', quoted_message_id: messageId },
  ])

  const { key } = await w.key({ scopes: ['messages:send'] })
  expect((await w.api('GET', path, undefined, { key })).status).toBe(403)
  const { key: stranger } = await w.stranger()
  expect((await w.api('GET', path, undefined, { key: stranger })).status).toBe(404)
  expect((await w.api('GET', `/v1/instances/${id}/polls/msg_unknown`)).status).toBe(404)
})
