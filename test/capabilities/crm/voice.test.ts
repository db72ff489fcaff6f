import { expect, test } from 'vitest'
import { testAgents } from '../../support/voice.ts'
import { ghlWorldOfTest, until } from './ghl-world.ts'

test('a call with its recording appears once for the contact, in GoHighLevel and in the CRM webhook', async () => {
  const w = await ghlWorldOfTest({ voiceAgents: testAgents(), settings: { voiceSandboxSpeed: 10 } })
  const { id } = await w.connected()
  await w.must('PUT', `/v1/instances/${id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' })
  await w.must('POST', `/v1/instances/${id}/voice/enable`)
  const made = await w.must('POST', `/v1/instances/${id}/voice/calls`, {
    to_number: '12025550123',
    agent_id: 'agent-1',
  })
  const call = await until(async () => {
    const read = await w.must('GET', `/v1/instances/${id}/voice/calls/${made.id}`)
    if (read.status !== 'completed') throw new Error(read.status)
    return read
  })
  const number = (await w.must('GET', `/v1/instances/${id}`)).phone_number
  const thread = await until(async () => {
    const messages = await w.thread('12025550123')
    if (messages.length === 0) throw new Error('not there yet')
    return messages
  })
  const download = `/panel/v1/instances/${id}/voice/recordings/${call.recording_id}/download`
  const told = {
    ...{ type: 'Call', direction: 'outbound', text: `completed: +${number} → +12025550123` },
    attachments: [expect.stringMatching(new RegExp(`^http://[^/]+${download}$`))],
  }
  expect(thread).toEqual([expect.objectContaining(told)])
  await until(async () => {
    const { data } = await w.must('GET', '/v1/sandbox/catcher/crm')
    const events = data.map(({ body }: any) => JSON.parse(body)).filter(({ type }: any) => type === 'call')
    expect(events).toHaveLength(1)
    expect(events[0].call).toMatchObject({
      ...{ id: call.id, from: number, to: '12025550123', outcome: 'completed' },
      ...{ duration_seconds: call.duration_seconds, recording_url: expect.stringContaining(download) },
    })
  })
  // It opens for whoever is signed in, and for nobody else.
  expect((await w.api('GET', download, undefined, { key: null })).status).toBe(401)
})
