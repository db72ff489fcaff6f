import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { listenTo } from '../../support/event-stream.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { builtConsole, signedIn, type Browser } from '../../support/panel.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'

let w: World
let graph: GraphSimulator
let browser: Browser
let line: OfficialNumber
let path: string
let id: string
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' }, consoleFolder: builtConsole() },
    onGraph: (made) => (graph = made),
  })
  browser = await signedIn(w)
  line = await officialNumber(w, '12025550471')
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const list = `/v1/instances/${line.id}/templates`
  id = (await w.api('POST', list, { name: 'open_again', language: 'en', category: 'UTILITY', components })).body.id
  path = `${list}/${id}`
  await until('approved', async () => (await w.api('GET', path)).body.status === 'APPROVED')
})
afterAll(() => w.close())

type Act = (at: ReturnType<GraphSimulator['templates']>) => Promise<unknown>

test.each<[string, Act, object]>([
  ['another quality', (at) => at.rate(id, 'YELLOW'), { quality: 'YELLOW' }],
  ['another category', (at) => at.changeCategory(id, 'MARKETING'), { category: 'MARKETING' }],
  [
    'other words',
    (at) => at.edit(id, 'The shop is open again.'),
    { components: [{ text: 'The shop is open again.' }] },
  ],
  ['a pause', (at) => at.pause(id, 'FIRST_PAUSE'), { status: 'PAUSED', paused_until: expect.any(String) }],
])('%s, reported by Meta, reaches the window without a reload', async (_what, change, record) => {
  const stream = await listenTo(w, browser.cookie)
  onTestFinished(() => stream.stop())
  await change(graph.templates(line.phoneNumberId))
  const { data } = await stream.next((heard) => heard.data?.topic === 'templates')
  expect(data).toEqual({ topic: 'templates', instance_id: line.id })
  expect((await w.api('GET', path)).body).toMatchObject(record)
})
