import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'

const NUMBER = '12025550461'

let w: World
let graph: GraphSimulator
let line: OfficialNumber
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  line = await officialNumber(w, NUMBER)
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true, debounce_seconds: 1 })
})
afterAll(() => w.close())

async function ai(method: string, path: string, body?: object) {
  const answer = await w.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}
const conversation = (person: string) => ai('GET', `conversations/${person}`)
const thread = async (person: string): Promise<string[]> =>
  (await asConsole(w)('GET', `/v1/instances/${line.id}/conversations/${person}/messages`)).body.data.map(
    ({ direction, text }: { direction: string; text: string }) => `${direction}: ${text}`,
  )
const turnsOf = (chat: string) => w.rows('SELECT seq FROM ai_turns WHERE chat = :chat', { chat })
const metadata = () => ({ display_phone_number: NUMBER, phone_number_id: line.phoneNumberId })
const seconds = (later = 0) => String(Math.floor(Date.now() / 1_000) + later)
const text = (id: string, body: string, later = 0) => ({
  ...{ id: `wamid.${id}`, timestamp: seconds(later), type: 'text', text: { body } },
})
const call = (field: string, value: object) => graph.callBack(line.phoneNumberId, { field, value })
const standby = (value: object) => call('standby', { metadata: metadata(), standby: value })
const asks = (person: string, id: string) =>
  standby({ messages: [{ from: person, ...text(id, 'Are you open today?') }] })
const inState = (person: string, reason: string | null) =>
  until(String(reason), async () => {
    const { status, body } = await w.api('GET', `/v1/instances/${line.id}/ai/conversations/${person}`)
    return status === 200 && body.pause_reason === reason
  })

test('messages to and from Meta’s agent are shown, and our agent stays out of the chat', async () => {
  const person = '12025550361'
  await asks(person, 'a1')
  await standby({ message_echoes: [{ from: NUMBER, to: person, ...text('a2', 'Good morning!') }] })
  await until('both', async () => (await thread(person)).length === 2)
  expect(new Set(await thread(person))).toEqual(new Set(['in: Are you open today?', 'phone: Good morning!']))
  expect(await conversation(person)).toMatchObject({ ai_active: false, pause_reason: 'meta_agent', paused_until: null })
  expect(await turnsOf(person)).toEqual([])
})

test('our agent answers again once Meta’s agent has passed the chat to us', async () => {
  const person = '12025550362'
  await asks(person, 'b1')
  await inState(person, 'meta_agent')
  await call('messaging_handovers', {
    ...{ type: 'control_passed', timestamp: seconds(1), sender: { phone_number: person } },
    ...{ recipient: metadata(), control_passed: { previous_owner_app_role: 'meta_business_agent' } },
  })
  await inState(person, null)
  expect(await conversation(person)).toMatchObject({ ai_active: true })
})

test('a later message to us shows that Meta’s agent no longer answers', async () => {
  const person = '12025550363'
  await asks(person, 'c1')
  await inState(person, 'meta_agent')
  const messages = [{ from: person, ...text('c2', 'Are you open today?', 2) }]
  await call('messages', { metadata: metadata(), messages })
  await until('a turn', async () => (await turnsOf(person)).length === 1)
})

test('a message of a person from here ends Meta’s control of the chat', async () => {
  const person = '12025550364'
  await w.api('POST', `/v1/sandbox/phones/${person}/messages`, { to: NUMBER, text: 'Hi' })
  await until('shown', async () => (await thread(person)).length === 1)
  await asks(person, 'd1')
  await inState(person, 'meta_agent')
  const sent = await asConsole(w)('POST', `/v1/instances/${line.id}/messages`, { to: person, text: 'I am here.' })
  expect(sent.status).toBe(201)
  await inState(person, 'person')
})

test('a chat that somebody paused stays paused', async () => {
  const person = '12025550365'
  await ai('POST', `conversations/${person}/pause`)
  await asks(person, 'e1')
  await until('shown', async () => (await thread(person)).length === 1)
  expect(await conversation(person)).toMatchObject({ pause_reason: 'user' })
})
