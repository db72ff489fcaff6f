import { expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber } from '../../support/official-number.ts'
import { pause, until } from '../../support/service-process.ts'
import { worldOfTest } from '../../support/world.ts'

const PERSON = '12025550161'
const NUMBER = '12025550441'

test('an agent waits while Meta takes no payment, and answers once a message of a person has gone through', async () => {
  const w = await worldOfTest({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
  const line = await officialNumber(w, NUMBER)
  const ai = async (method: string, path: string, body: object) => {
    const answer = await w.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true, debounce_seconds: 1 })
  await line.cause('payment_missing', 1)
  const hello = {
    to: PERSON,
    cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
  }
  expect((await w.api('POST', `/v1/instances/${line.id}/messages`, hello)).body.error.code).toBe('not_ready')

  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Are you open today?' })
  await until('a turn', async () => (await w.rows('SELECT seq FROM ai_turns')).length === 1)
  await pause(2_500)
  const turn = 'SELECT state, tries FROM ai_turns'
  expect(await w.rows(turn)).toEqual([{ state: 'waiting', tries: 0 }])

  expect((await w.api('POST', `/v1/instances/${line.id}/messages`, hello)).status).toBe(201)
  const heard = async () =>
    (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data.map(({ text }: { text: string }) => text)
  await until('answered', async () => (await heard()).includes('Until six.'), 20_000)
})
