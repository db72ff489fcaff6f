import { beforeEach, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const NUMBER = '12025550123'
const ANA = '12025550199'

let w: World
let official: { id: string }
let phone: { id: string }

beforeEach(async () => {
  w = await worldOfTest()
  official = await w.official(NUMBER)
  phone = await w.pair(NUMBER)
})

const fuse = () => w.api('POST', `/v1/instances/${official.id}/fusion`, { smv2_instance_id: phone.id })
const unfuse = () => w.api('DELETE', `/v1/instances/${official.id}/fusion`)
const said = async (number: string, act: string, body: object) => {
  const answer = await w.api('POST', `/v1/sandbox/phones/${number}/messages${act}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const speak = (number: string, body: object) => said(number, '', body)
const happens = async (act: () => Promise<unknown>) => {
  const mark = await w.mark()
  await act()
  return w.eventsSince(mark)
}
const summary = (events: Awaited<ReturnType<typeof happens>>) => events.map(({ type }) => type)

describe('two instances with one number that are not fused', () => {
  test('each report a received message', async () => {
    const events = await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
    expect(summary(events)).toEqual(['message.received', 'message.received'])
    expect(new Set(events.map(({ instance }) => instance.id))).toEqual(new Set([official.id, phone.id]))
  })
})

describe('two fused instances', () => {
  beforeEach(async () => {
    await fuse()
  })

  test('report a received message once, under one instance', async () => {
    const events = await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
    expect(events).toMatchObject([{ type: 'message.received', data: { chat: ANA, from: ANA, text: 'Hi' } }])
    expect([official.id, phone.id]).toContain(events[0]?.instance.id)
  })

  test('report every message once, even if several have the same text', async () => {
    const events = await happens(async () => {
      for (let i = 0; i < 5; i++) await speak(ANA, { to: NUMBER, text: 'Ok' })
    })
    expect(summary(events)).toEqual(Array.from({ length: 5 }, () => 'message.received'))
    expect(new Set(events.map(({ data }) => data['message_id'])).size).toBe(5)
  })

  test('report an edit, a reaction, its removal and a deletion once each, for the same message', async () => {
    const mark = await w.mark()
    const { id } = await speak(ANA, { to: NUMBER, text: 'Helo' })
    const [heard] = await w.eventsSince(mark)
    const events = await happens(async () => {
      await said(ANA, `/${id}/edit`, { text: 'Hello' })
      await w.mark()
      await said(ANA, `/${id}/react`, { emoji: '👍' })
      await w.mark()
      await said(ANA, `/${id}/react`, { emoji: '' })
      await w.mark()
      await said(ANA, `/${id}/delete`, {})
    })
    expect(summary(events)).toEqual(['message.edited', 'message.reaction', 'message.reaction', 'message.deleted'])
    for (const { data } of events) expect(data['message_id']).toBe(heard?.data['message_id'])
  })

  test('count a chat as unread once, and a reply through either instance marks it as read', async () => {
    const ask = asConsole(w)
    const unread = async () => (await ask('GET', '/v1/unread-conversations')).body.sandbox as number
    for (const { id } of [official, phone]) {
      await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
      expect(await unread()).toBe(1)
      await happens(() => ask('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Hello' }))
      expect(await unread()).toBe(0)
    }
    await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
    await happens(() => speak(NUMBER, { to: ANA, text: 'From my phone' }))
    expect(await unread()).toBe(0)
  })

  test('report a message typed on the phone once, as from_me', async () => {
    const events = await happens(() => speak(NUMBER, { to: ANA, text: 'From my phone' }))
    expect(events).toMatchObject([{ type: 'message.received', data: { from_me: true, chat: ANA } }])
  })

  test.each(['official', 'smv2'] as const)(
    'report replies and reactions to a message that %s sent once, with its message_id',
    async (sender) => {
      const { id } = sender === 'official' ? official : phone
      await speak(ANA, { to: NUMBER, text: 'Hello?' })
      const { message_id } = (await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Yes?' })).body
      await w.mark()
      const events = await happens(async () => {
        await speak(ANA, { to: NUMBER, text: 'As you said', quoted_message_id: message_id })
        await w.mark()
        await said(ANA, `/${message_id}/react`, { emoji: '👍' })
      })
      expect(summary(events)).toEqual(['message.received', 'message.reaction'])
      expect(events.map(({ data }) => data['quoted_message_id'] ?? data['message_id'])).toEqual([
        message_id,
        message_id,
      ])
    },
  )

  test('do not report a message again when an instance reconnects that was disconnected meanwhile', async () => {
    await w.api('POST', `/v1/instances/${phone.id}/disconnect`)
    const first = await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
    expect(first).toMatchObject([{ type: 'message.received', instance: { id: official.id } }])
    const later = await happens(() => w.api('POST', `/v1/instances/${phone.id}/restart`))
    expect(summary(later)).toEqual(['instance.connecting', 'instance.connected'])
  })

  test('treat the same text in another chat, or to another number, as a different message', async () => {
    const stranger = await w.pair('12025550177')
    const events = await happens(async () => {
      await speak(ANA, { to: NUMBER, text: 'Hi' })
      await speak(ANA, { to: NUMBER, text: 'Hi', group: 'team' })
      await speak(ANA, { to: '12025550177', text: 'Hi' })
    })
    expect(summary(events)).toEqual(['message.received', 'message.received', 'message.received'])
    expect(events.filter(({ instance }) => instance.id === stranger.id)).toHaveLength(1)
  })

  test('each report messages again once the fusion is removed', async () => {
    await unfuse()
    const events = await happens(() => speak(ANA, { to: NUMBER, text: 'Hi' }))
    expect(summary(events)).toEqual(['message.received', 'message.received'])
  })
})
