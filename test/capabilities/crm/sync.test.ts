import { expect, test } from 'vitest'
import { ghlWorldOfTest, until } from './ghl-world.ts'

test('messages go both ways, with their status', async () => {
  const w = await ghlWorldOfTest()
  const instance = await w.connected('12025550100')
  expect(await w.ghl(instance.id)).toMatchObject({ connected: true, mode: 'oauth', state: 'connected' })

  await w.say('12025550177', '12025550100', 'Hello')
  const thread = await until(async () => {
    const found = await w.thread('12025550177')
    expect(found).toHaveLength(1)
    return found
  })
  expect(thread).toMatchObject([{ direction: 'inbound', text: 'Hello', source: 'api' }])

  const { id } = await w.conversation('12025550177')
  await w.must('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, { text: 'Hi there' })
  await until(async () => {
    const found = await w.thread('12025550177')
    expect(found.map(({ text, status }) => [text, status])).toEqual([
      ['Hello', 'delivered'],
      ['Hi there', 'read'],
    ])
  })
  const { data } = await w.must('GET', '/v1/sandbox/phones/12025550177/messages')
  expect(data.filter(({ from }: any) => from === '12025550100').map(({ text }: any) => text)).toEqual(['Hi there'])
})
