import { beforeEach, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'

let w: World
let get: ReturnType<typeof asConsole>
beforeEach(async () => {
  w = await worldOfTest()
  get = asConsole(w)
})

const ANA = '12025550177'
const ASK = {
  type: 'button',
  body: 'Shall we deliver today?',
  footer: 'Reply any time',
  buttons: [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ],
}
const SHOWN = {
  ...{ type: 'interactive', kind: 'button', header: null, footer: 'Reply any time', button: null },
  ...{ buttons: ASK.buttons, sections: [], url: null },
}

const phone = `/v1/sandbox/phones/${ANA}/messages`
const thread = async (id: string) => (await get('GET', `/v1/instances/${id}/conversations/${ANA}/messages`)).body.data

async function askAna() {
  const { id, phone_number: number } = await w.official()
  const { body: said } = await w.api('POST', phone, { to: number, text: 'Hi' })
  await w.pass(1_000)
  const [hello] = await thread(id)
  const body = { to: ANA, interactive: ASK, quoted_message_id: hello.message_id }
  const { status, body: sent } = await w.api('POST', `/v1/instances/${id}/messages`, body)
  expect(status).toBe(201)
  await w.pass(10_000)
  return { id, said, sent }
}

test('buttons are shown in the conversation and on the phone, and a tap arrives as a reply', async () => {
  const { id, said, sent } = await askAna()
  const [asked] = await thread(id)
  expect(asked).toMatchObject({ type: 'interactive', text: ASK.body, content: SHOWN, status: 'read' })
  expect((await w.api('GET', `/v1/instances/${id}/messages/${sent.message_id}`)).body.type).toBe('interactive')
  const [received] = (await w.api('GET', phone)).body.data
  expect(received).toMatchObject({ type: 'interactive', text: ASK.body, quoted_message_id: said.id })

  const { status, body } = await w.api('POST', `${phone}/${received.id}/tap`, { id: 'no' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ from: ANA, text: 'No', instance_ids: [id] })
  await w.pass(1_000)
  const [answer] = await thread(id)
  expect(answer).toMatchObject({
    ...{ direction: 'in', type: 'text', text: 'No', quoted_message_id: sent.message_id },
    content: { type: 'button_reply', id: 'no', title: 'No' },
  })
})

test('a tap is sent to webhooks as the content of message.received', async () => {
  const { id } = await askAna()
  await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/taps', events: ['message.received'] })
  const [received] = (await w.api('GET', phone)).body.data
  await w.api('POST', `${phone}/${received.id}/tap`, { id: 'yes' })
  await w.pass(5_000)
  const events = (await w.caught('taps')).map(({ body }) => JSON.parse(body))
  const [event] = events.filter(({ type }) => type === 'message.received')
  expect(event).toMatchObject({
    instance: { id },
    data: { from: ANA, text: 'Yes', content: { type: 'button_reply', id: 'yes', title: 'Yes' } },
  })
})

test('an invalid interactive message is refused, and nothing is stored', async () => {
  const { id } = await w.official()
  const send = (interactive: object, more: object = {}) =>
    w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, interactive, ...more })
  const refused = async (answer: Promise<{ status: number; body: any }>) => {
    const { status, body } = await answer
    return `${status} ${body.error.code}: ${body.error.message}`
  }
  const four = [...ASK.buttons, { id: '3', title: 'Maybe' }, { id: '4', title: 'Later' }]
  expect(await refused(send({ ...ASK, buttons: four }))).toMatch(/^400 validation_error: .*interactive\.buttons.* 3 /)
  const long = [{ id: '1', title: 'x'.repeat(21) }]
  expect(await refused(send({ ...ASK, buttons: long }))).toMatch(/^400 validation_error: .*title.* 20 /)
  expect(await refused(send({ ...ASK, body: 'x'.repeat(1_025) }))).toBe(
    '400 validation_error: interactive.body must have at most 1024 characters.',
  )
  expect(await refused(send({ type: 'button', body: 'x' }))).toBe(
    '400 validation_error: interactive.buttons is missing: type button needs it.',
  )
  expect(await refused(send(ASK, { text: 'x' }))).toContain('The body has text and interactive. Send exactly one of')
  expect(await refused(send(ASK, { caption: 'x' }))).toContain('caption is only allowed with media_url or media_id.')
  expect(await thread(id)).toEqual([])
})

test('the smv2 engine cannot send buttons', async () => {
  const { id } = await w.pair()
  const { status, body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, interactive: ASK })
  expect([status, body.error.code]).toEqual([400, 'engine_mismatch'])
})

test('buttons in a raw payload are shown like those of an interactive message', async () => {
  const { id, phone_number: number } = await w.official()
  await w.api('POST', phone, { to: number, text: 'Hi' })
  await w.pass(1_000)
  const replies = ASK.buttons.map((reply) => ({ type: 'reply', reply }))
  const interactive = {
    ...{ type: 'button', body: { text: ASK.body }, footer: { text: ASK.footer } },
    action: { buttons: replies },
  }
  const cloud_api = { type: 'interactive', interactive }
  await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, cloud_api })
  await w.pass(1_000)
  expect((await thread(id))[0]).toMatchObject({ text: ASK.body, content: SHOWN })
})
