import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPage, pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'

const PEOPLE = 2_000
const KILLS = 20
const LINES = ['12025550201', '12025550202', '12025550203']

/** Sandbox numbers without a meaning of their own. */
const PHONES = Array.from({ length: PEOPLE }, (_, i) => String(13_105_550_000 + i)).map((phone) =>
  /(0463|0404|0410|0502|0504|0007)$/.test(phone)
    ? phone.replace(/^1310555/, '1310777').replace(/\d{4}$/, '9999')
    : phone,
)

let home: TestHome
let service: RunningService
let key: string
const instances: string[] = []

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.timeline_ms': [1, 3, 6, 9] })
  key = (await home.key('Crash')).key
  service = await home.start()
  for (const number of LINES) instances.push(await pairedInstance(api, number))
})
afterAll(() => home.remove())

test('a campaign of 2,000 over twenty kills: each phone gets its text exactly once, or its recipient is not counted as sent', async () => {
  const phones = [...new Set(PHONES)]
  const made = await api('POST', '/v1/campaigns', {
    ...{ instance_ids: instances, name: 'Crash', messages: [{ text: 'For {{phone}}' }], start: true },
    recipients: phones.map((phone) => ({ phone })),
    config: {
      minDelay: 0.005,
      maxDelay: 0.02,
      checkNumbers: false,
      maxFailuresInRow: null,
      stopOnErrorPercent: null,
    },
  })
  expect(made.status).toBe(201)
  const id: string = made.body.campaign_id

  let kills = 0
  let isRunning = true
  while (kills < KILLS && isRunning) {
    await pause(150 + 60 * (kills % 5))
    await service.end('SIGKILL')
    kills++
    service = await home.start()
    isRunning = (await api('GET', `/v1/campaigns/${id}`)).body.status === 'running'
  }
  expect(kills).toBe(KILLS)
  const isOver = async () => (await api('GET', `/v1/campaigns/${id}`)).body.status === 'completed'
  await until('the end of the campaign', isOver, 120_000)

  const found = await everyPage<{ phone: string; status: string }>(api, `/v1/campaigns/${id}/recipients`)
  const statuses = new Map(found.map(({ phone, status }) => [phone, status]))
  expect(statuses.size).toBe(phones.length)
  const wrong: string[] = []
  let cutOff = 0
  for (const phone of phones) {
    const { body } = await api('GET', `/v1/sandbox/phones/${phone}/messages`)
    const texts = body.data.map(({ text }: { text: string }) => text)
    const status = statuses.get(phone) ?? ''
    const isOnce = texts.length === 1 && texts[0] === `For ${phone}`
    // A minute later the network may say that it never had the message: then it failed, and is not sent again either.
    const isCutOff = texts.length === 0 && (status === 'unknown' || status === 'failed')
    if (isCutOff) cutOff++
    else if (!isOnce) wrong.push(`${phone} is ${status} and has ${texts.length}`)
  }
  expect(wrong).toEqual([])
  // At most what was under way at a kill.
  expect(cutOff).toBeLessThanOrEqual(KILLS * LINES.length)
  const { counts } = (await api('GET', `/v1/campaigns/${id}`)).body
  expect(counts).toMatchObject({ total: phones.length, pending: 0 })
})
