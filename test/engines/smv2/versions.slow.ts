import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { webPages } from '../../support/whatsapp/web-pages.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const LINES = 40
const pages = webPages()
let world: LineWorld
const lines: EngineInstance[] = []

beforeAll(async () => {
  world = await lineWorld({ pages })
  for (let i = 0; i < LINES; i++) lines.push(await world.connect(String(12_025_557_100 + i)))
})
afterAll(() => world.close())

const refusedOf = (line: EngineInstance) =>
  world.of(line, 'link_lost').filter(({ reason }) => reason === 'client_outdated')

test('forty numbers whose version is refused reconnect within ten seconds of its look-up', async () => {
  pages.publish(2_000_000_000)
  pages.delay(500)
  world.whatsapp.faults.demandVersion(1_999_999_999)
  const asked = pages.asked.length
  await world.restartAll(lines)
  await until('the look-up', () => pages.asked.length > asked)
  const since = performance.now()
  await until('all lines', () => lines.every((line) => world.of(line, 'connected').length > 0))
  expect(performance.now() - since).toBeLessThan(10_000)
  expect(lines.flatMap(refusedOf)).toEqual([])
  expect(pages.asked.length - asked).toBeLessThanOrEqual(2)
})
