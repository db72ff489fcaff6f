import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { webPages } from '../../support/whatsapp/web-pages.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const pages = webPages()
let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  for (const host of ['web.whatsapp.com', 'connect.facebook.net']) pages.fail(host, 503)
  world = await lineWorld({ pages })
  shop = await world.connect('12025550291')
})
afterAll(() => world.close())

const issueOf = (instance: EngineInstance) =>
  world.smv2.engine.evidence(instance).issues?.find(({ code }) => code === 'version_unknown')

test('a failed look-up of the version is shown in the health of each connecting number, with what to do', () => {
  const { message = '', sinceMs } = issueOf(shop) ?? {}
  expect(message).toContain('web.whatsapp.com: 503, connect.facebook.net: 503')
  expect(message).toMatch(/connects as version 2\.3000\.\d+, the one this release came with\./)
  expect(message).toContain('Allow https requests to web.whatsapp.com')
  expect(sinceMs).toBeGreaterThan(0)
  expect(issueOf(world.instance())).toBeUndefined()
})

test('the issue about the version ends once a page returns a version', async () => {
  for (const host of ['web.whatsapp.com', 'connect.facebook.net']) pages.fail(host, null)
  await world.restart(shop)
  await world.heard(shop, 'connected')
  expect(issueOf(shop)).toBeUndefined()
})
