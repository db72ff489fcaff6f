import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { decodeQr } from '../../support/qr.ts'
import { pause, until } from '../../support/service-process.ts'
import { startWhatsApp } from '../../support/whatsapp/index.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550161'
const NUMBER = '12025550441'

const REAL_TIME = { clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } } as const
const HELLO = {
  to: PERSON,
  cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}

/** An agent that knows one answer, on a number that Meta takes no payment for. */
async function heldAgent(w: World, line: OfficialNumber, settings: object = {}): Promise<void> {
  const ai = async (method: string, path: string, body: object) => {
    const answer = await w.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true, debounce_seconds: 1, ...settings })
  await line.cause('payment_missing', 1)
  expect((await w.api('POST', `/v1/instances/${line.id}/messages`, HELLO)).body.error.code).toBe('not_ready')
}

const asks = (w: World) =>
  w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Are you open today?' })

test('an agent waits while Meta reports a payment problem, and answers once a message of a person was delivered', async () => {
  const w = await worldOfTest(REAL_TIME)
  const line = await officialNumber(w, NUMBER)
  await heldAgent(w, line)
  await asks(w)
  await until('a turn', async () => (await w.rows('SELECT seq FROM ai_turns')).length === 1)
  await pause(2_500)
  const turn = 'SELECT state, tries FROM ai_turns'
  expect(await w.rows(turn)).toEqual([{ state: 'waiting', tries: 0 }])

  expect((await w.api('POST', `/v1/instances/${line.id}/messages`, HELLO)).status).toBe(201)
  const heard = async () =>
    (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data.map(({ text }: { text: string }) => text)
  await until('answered', async () => (await heard()).includes('Until six.'))
})

test('an agent with the right to do so answers over the linked phone meanwhile, and itself afterwards', async () => {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  const dial = (address: string, port: number) => ({ address, port })
  const w = await worldOfTest({ ...REAL_TIME, resolve: systemResolve, dial })
  const line = await officialNumber(w, NUMBER)
  const { id: linked } = await w.instance({ network: 'live' })
  const qr = await until('a code', async () => (await w.api('GET', `/v1/instances/${linked}/qr`)).body.qr ?? undefined)
  await whatsapp.phone(NUMBER).scan(decodeQr(qr))
  const status = async () => (await w.api('GET', `/v1/instances/${linked}`)).body.status
  await until('the connection', async () => (await status()) === 'connected' || undefined)
  const fused = await w.api('POST', `/v1/instances/${line.id}/fusion`, { smv2_instance_id: linked })
  expect(fused.status, fused.text).toBeLessThan(300)
  expect((await w.api('PATCH', '/v1/ai-settings', { answer_over_linked_number: true })).status).toBe(200)
  await heldAgent(w, line)
  await asks(w)
  const sent = () =>
    w.rows<{ instance: string; source: string }>(
      "SELECT instance_id AS instance, source FROM messages WHERE direction = 'out' AND text = 'Until six.'",
    )
  await until('the answer', async () => (await sent()).length > 0 || undefined)
  expect(await sent()).toEqual([{ instance: linked, source: 'ai' }])
  const turns = 'SELECT state, sends_from FROM ai_turns ORDER BY seq'
  await until('the end of the turn', async () => (await w.rows<any>(turns))[0]?.state === 'answered' || undefined)
  expect(await w.rows(turns)).toEqual([{ state: 'answered', sends_from: linked }])

  expect((await w.api('POST', `/v1/instances/${line.id}/messages`, HELLO)).status).toBe(201)
  await asks(w)
  await until('a second answer', async () => (await sent()).length === 2 || undefined)
  expect((await sent()).map(({ instance }) => instance)).toEqual([linked, line.id])
})
