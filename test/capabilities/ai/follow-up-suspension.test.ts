import { expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest } from '../../support/world.ts'

const PERSON = '12025550171'
const NUMBER = '12025550471'
const HOUR_MS = 3_600_000

test('a follow-up with a utility template waits while Meta suspends them, and is sent once when that ends', async () => {
  const made: { graph?: GraphSimulator } = {}
  const w = await worldOfTest({
    settings: { graphBaseUrl: 'sandbox', network: 'live' },
    onGraph: (simulator) => (made.graph = simulator),
  })
  const line = await officialNumber(w, NUMBER)
  const ai = async (method: string, path: string, body: object) => {
    const answer = await w.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  const followUp = { enabled: true, delays_minutes: [1_500], max_followups: 1, quiet_hours: null }
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true, debounce_seconds: 1 })
  await ai('PATCH', 'follow-up', { ...followUp, template: { name: 'hello_world', language: 'en_US' } })
  const heard = async () =>
    (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data.filter(
      ({ from }: { from: string }) => from === NUMBER,
    ).length
  const jump = async (ms: number) => {
    w.clock.suspend(ms)
    await w.pass(10_000)
  }

  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Are you open today?' })
  await w.pass(10_000)
  expect(await heard()).toBe(1)
  await made.graph?.restrict(line.phoneNumberId, [
    { type: 'RESTRICTED_UTILITY_TEMPLATES', untilMs: w.clock.now() + 200 * HOUR_MS },
  ])
  await jump(26 * HOUR_MS)
  await jump(26 * HOUR_MS)
  expect(await heard()).toBe(1)
  const due = 'SELECT follow_up_at AS dueAtMs FROM ai_conversations'
  expect((await w.rows<{ dueAtMs: number | null }>(due))[0]?.dueAtMs).toBeGreaterThan(w.clock.now())

  await made.graph?.liftUtility(line.phoneNumberId)
  await w.pass(1_000)
  await jump(HOUR_MS)
  expect(await heard()).toBe(2)
  await jump(60 * HOUR_MS)
  expect(await heard()).toBe(2)
})
