import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPage } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/whatsapp/index.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import type { Stanza } from '../support/whatsapp/stanza.ts'
import { connected, pairedLive } from '../support/whatsapp/paired.ts'

/** A live number asks about 20 numbers in 10 seconds: five portions. */
const NUMBERS = Array.from({ length: 100 }, (_, nth) => String(13_105_550_000 + nth))
/** The stand-in has nobody at a number that ends so. */
const NOBODY = ['13107770404', '13108880404']
const ALL = [...NUMBERS, ...NOBODY]
const PORTION = 20

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Crash')).key
  service = await home.start(whatsapp.environment)
  instance = await pairedLive(api, whatsapp, '12025550200')
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})

test('a number check over three kills asks about every number, about a few twice, and counts each once', async () => {
  const path = `/v1/instances/${instance}/number-checks`
  const { check_id } = (await api('POST', path, { numbers: ALL })).body
  const read = async () => (await api('GET', `${path}/${check_id}`)).body
  const kills = 3
  for (let kill = 0; kill < kills; kill++) {
    const before = askedAbout().length
    // The start asks before the number is connected, and again 30 seconds later.
    await until('a portion is asked about', () => askedAbout().length > before || undefined, 60_000)
    // Immediately, while the answer is on its way, and once it is stored.
    await pause(kill * 150)
    await service.end('SIGKILL')
    service = await home.start(whatsapp.environment)
    await connected(api, instance)
  }
  await until('the end', async () => (await read()).ended_at ?? undefined, 120_000)

  expect(await read()).toMatchObject({
    ...{ state: 'completed', total: ALL.length, asked: ALL.length },
    ...{ on_whatsapp: NUMBERS.length, not_on_whatsapp: NOBODY.length, waiting: null },
  })
  const found = await everyPage<{ number: string; state: string }>(api, `${path}/${check_id}/numbers`)
  expect(found.map(({ number }) => number)).toEqual(ALL)
  expect(found.filter(({ state }) => state !== 'on_whatsapp').map(({ number }) => number)).toEqual(NOBODY)

  const times = new Map<string, number>()
  for (const number of askedAbout()) times.set(number, (times.get(number) ?? 0) + 1)
  expect(ALL.filter((number) => !times.has(number))).toEqual([])
  // Only a portion whose answer was not stored is asked about again.
  const again = [...times.values()].reduce((sum, count) => sum + count - 1, 0)
  expect(again).toBeLessThanOrEqual(kills * PORTION)
})

/** Numbers in the questions that the network got, as often as they were asked about. */
function askedAbout(): string[] {
  const of = new Set(ALL)
  return whatsapp
    .phone('12025550200')
    .device.heard.flatMap(textsIn)
    .map((text) => text.replace(/^\+/, ''))
    .filter((text) => of.has(text))
}

/** What stands in the contacts of a stanza. */
function textsIn({ tag, content }: Stanza): string[] {
  if (tag === 'contact' && content !== undefined && !Array.isArray(content)) return [Buffer.from(content).toString()]
  return Array.isArray(content) ? content.flatMap(textsIn) : []
}
