import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
})
afterAll(() => w.close())

test('the list of agents says whose answers wait because Meta keeps the number from sending', async () => {
  const [held, limited, free] = [
    await officialNumber(w, '12025550441'),
    await officialNumber(w, '12025550442'),
    await officialNumber(w, '12025550443'),
  ]
  const template = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
  for (const line of [held, limited, free]) {
    const at = `/v1/instances/${line.id}/ai`
    expect((await w.api('POST', `${at}/agents`, { name: 'Reception', provider: 'builtin' })).status).toBe(201)
    expect((await w.api('PATCH', `${at}/settings`, { enabled: true })).status).toBe(200)
  }
  await held.cause('payment_missing')
  // Who writes to a number that was reported as spam is still answered.
  await limited.cause('number_limited')
  for (const { id } of [held, limited])
    await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550101', cloud_api: template })
  const waiting = async () => {
    const { data } = (await asConsole(w)('GET', '/v1/ai-instances')).body
    const byId = new Map(data.map((row: { instance_id: string; is_held: boolean }) => [row.instance_id, row.is_held]))
    return [held, limited, free].map(({ id }) => byId.get(id))
  }
  expect(await waiting()).toEqual([true, false, false])
  await w.api('PATCH', `/v1/instances/${held.id}/ai/settings`, { answer_over_linked_number: true })
  expect(await waiting()).toEqual([false, false, false])
})
