import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { Log } from '../../main/kernel/log.ts'
import { callingNumber, type CallingNumber } from './cloud-world.ts'
import { acceptOn, answerOn, heardOn, launchPeer, offerOn } from './peer-page.ts'

/** WhatsApp calls over the simulated Graph API, with a browser as the person's phone. */

const ANA = '12025550141'
const SPEECH = 0.01
const lines: Record<string, any>[] = []
const keep = (fields: Record<string, unknown>) => void lines.push(fields)
const log: Log = { debug() {}, info: keep, warn: keep, error: keep }

let made: CallingNumber
let browser: Browser
beforeAll(async () => {
  browser = await launchPeer()
  made = await callingNumber(log)
})
afterAll(async () => {
  await browser.close()
  await made.w.close()
})

const blank = async (): Promise<Page> => {
  const page = await (await browser.newContext()).newPage()
  // A page of loopback may use the microphone.
  await page.goto(`${made.w.service.url}/healthz`)
  return page
}
const voice = () => `/v1/instances/${made.id}/voice`
const call = (to_number: string, more: object = {}) =>
  made.w.api('POST', `${voice()}/calls`, { to_number, agent_id: 'agent-1', ...more })
const read = async (callId: string) => (await made.w.api('GET', `${voice()}/calls/${callId}`)).body

async function until(callId: string, isDone: (call: any) => boolean): Promise<any> {
  for (const startedAt = performance.now(); ; await systemClock.sleep(50)) {
    const found = await read(callId)
    if (isDone(found)) return found
    if (performance.now() - startedAt > 60_000) throw new Error(`It did not happen: ${JSON.stringify(found)}`)
  }
}
const countsOf = (callId: string) =>
  lines.find(({ event, callId: of }) => event === 'voice.call_ended' && of === callId)

test('a person is asked once, and called after they agreed', async () => {
  expect((await call(ANA)).body.error.code).toBe('call_permission_required')
  expect((await call(ANA)).body.error.code, 'asked once a day').toBe('call_permission_required')
  const asked = await made.w.rows<any>('SELECT requests FROM sandbox_graph_permissions WHERE user_number = :ANA', {
    ANA,
  })
  expect(JSON.parse(asked[0].requests)).toHaveLength(1)
  await made.graph.grantCalls(made.phoneNumberId, ANA, false)

  const phone = await blank()
  let networkId = ''
  made.graph.calls.addPhone(ANA, {
    async onCall({ id, offer }) {
      networkId = id
      await systemClock.sleep(300)
      return answerOn(phone, offer)
    },
  })
  const placed = await call(ANA)
  expect(placed.status).toBe(201)
  const talking = await until(placed.body.id, ({ status }) => status === 'in_progress')
  expect(talking).toMatchObject({ gateway: 'cloud', from_number: '12025550200', direction: 'outbound' })
  await expect.poll(() => heardOn(phone)).toBeGreaterThan(SPEECH)
  await phone.waitForTimeout(3_000)
  // Meta says so: the phone need not close its connection.
  await made.graph.calls.hangUp(networkId)
  const done = await until(placed.body.id, ({ status }) => status === 'completed')
  expect(done.end_reason).toBe('person_hung_up')
  expect(countsOf(done.id)).toMatchObject({ framesLost: 0 })
  expect(countsOf(done.id)?.['framesIn']).toBeGreaterThan(100)
  const recording = (await made.w.api('GET', `${voice()}/recordings/${done.recording_id}`)).body
  expect(recording).toMatchObject({ has_audio: true, sandbox: false })
  // oxlint-disable-next-line no-console -- what was measured is shown
  console.info(`cloud, outbound: ${countsOf(done.id)?.['framesIn']} frames in, 0 lost`)
  await phone.context().close()
})

test('a person who calls is answered by the agent if the instance receives calls, and rejected if not', async () => {
  const caller = await blank()
  const ended: string[] = []
  const answers: string[] = []
  made.graph.calls.addPhone(ANA, {
    onCall: async () => null,
    onAnswer: (_id, answer) => answers.push(answer),
    onEnded: (id) => ended.push(id),
  })
  const refused = await made.graph.callFrom(ANA, made.phoneNumberId, await offerOn(caller, true))
  await expect.poll(() => ended).toEqual([refused])
  expect(answers).toEqual([])

  await made.w.api('PATCH', `${voice()}/settings`, { receive_enabled: true })
  await made.graph.callFrom(ANA, made.phoneNumberId, await offerOn(caller, true))
  await expect.poll(() => answers.length).toBe(1)
  await acceptOn(caller, answers[0] ?? '')
  await expect.poll(() => heardOn(caller)).toBeGreaterThan(SPEECH)
  const [running] = (await made.w.api('GET', `${voice()}/calls`)).body.data
  expect(running).toMatchObject({
    direction: 'inbound',
    source: 'phone',
    gateway: 'cloud',
    from_number: ANA,
    status: 'in_progress',
  })
  await made.w.api('POST', `${voice()}/calls/${running.id}/cancel`)
  await until(running.id, ({ status }) => status === 'canceled')
  await expect.poll(() => ended.length).toBe(2)
  await caller.context().close()
})

test('a call that is rejected, not answered or not possible ends as such', async () => {
  const [rejects, gone] = ['12025550142', '12025550404']
  for (const number of [rejects, gone]) await made.graph.grantCalls(made.phoneNumberId, number, true)
  made.graph.calls.addPhone(rejects, { onCall: async () => null })
  const rejected = await call(rejects)
  expect(await until(rejected.body.id, ({ ended_at }) => ended_at !== null)).toMatchObject({ status: 'rejected' })
  const impossible = await call(gone)
  expect(await until(impossible.body.id, ({ ended_at }) => ended_at !== null)).toMatchObject({
    ...{ status: 'failed', end_reason: 'number_not_callable', recording_id: null },
  })
})

test('below the messaging limit for calls, no call is made and the reason is said', async () => {
  const bob = '12025550143'
  await made.graph.grantCalls(made.phoneNumberId, bob, true)
  await made.graph.limit(made.phoneNumberId, 'TIER_250')
  const limit = async () => (await made.w.api('GET', `/v1/instances/${made.id}/safety`)).body.messaging_limit?.tier
  await expect.poll(limit).toBe('TIER_250')
  const refused = await call(bob)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state'])
  expect(refused.body.error.message).toContain('at least 2000 people in 24 hours. The limit of this one is 250')
  const soon = new Date(systemClock.now() + 1_500).toISOString()
  const scheduled = (await call(bob, { scheduled_at: soon })).body
  expect(await until(scheduled.id, ({ ended_at }) => ended_at !== null)).toMatchObject({
    ...{ status: 'failed', end_reason: 'calls_not_offered', attempt: 0 },
  })
  await made.graph.limit(made.phoneNumberId, 'TIER_2K')
  await expect.poll(limit).toBe('TIER_2K')
})
