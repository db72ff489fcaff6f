import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { everyPage } from '../support/sandbox.ts'
import {
  pause,
  testHome,
  until,
  type Api,
  type Reply,
  type RunningService,
  type TestHome,
} from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, pairedLive } from '../support/whatsapp/paired.ts'

const PER_KILL = 50
/** The service answers a send after its pace and two commits; the kill comes while most sends wait. */
const KILL_AFTER_MS = [80, 400, 1_500]
const KILLS = KILL_AFTER_MS.length
/** Between the mark and the network a number has one message at a time, and each chat may have one more. */
const MARKED_PER_KILL = 2

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string
let numbers = 200

const api: Api = (...asked) => service.api(key)(...asked)

const environment = () => ({
  ...whatsapp.environment,
  SWITCHBOARD_PACE_PER_MINUTE: '600',
  SWITCHBOARD_PACE_SPACING_MS: '50',
  SWITCHBOARD_SAFETY_FIRST_CONTACTS_NEW: '1000',
  SWITCHBOARD_SAFETY_SPACING_S: '0',
})

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('In flight')).key
  service = await home.start(environment())
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})
beforeEach(async () => {
  instance = await pairedLive(api, whatsapp, ours())
})

const ours = () => `12025550${numbers}`

/** @returns when the service answers again; sends may still find the number unconnected. */
async function kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await service.end(signal)
  service = await home.start(environment())
}

const received = (person: string) => whatsapp.phone(person).received(ours())

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'C-11 %s during sends with keys: a repeat sends what never left, and nothing is sent twice',
  async (signal) => {
    const unknown: string[] = []
    const early: string[] = []
    const people: string[] = []
    for (const [round, afterMs] of KILL_AFTER_MS.entries()) {
      const names = Array.from(
        { length: PER_KILL },
        (_, i) => `1${signal === 'SIGKILL' ? 303 : 304}555${round}${100 + i}`,
      )
      people.push(...names)
      await connected(api, instance)
      const sending = Promise.all(names.map((person) => repeat(person)))
      await pause(afterMs)
      const killed = service
      await kill(signal)
      for (const { person, answer } of await sending) {
        if (answer === 'unknown') unknown.push(person)
        if (answer === 'early') early.push(person)
      }
      expect(killed).not.toBe(service)
    }
    // The first request is over with its process: nobody has to wait for it.
    expect(early).toEqual([])
    expect(unknown.length).toBeLessThanOrEqual(KILLS * MARKED_PER_KILL)
    await until('the last message', () =>
      people.every((person) => unknown.includes(person) || received(person).length > 0),
    )
    for (const person of people) {
      const times = received(person).map((message) => message.times)
      expect([person, times]).toEqual([person, unknown.includes(person) ? expect.toSatisfy(atMostOnce) : [1]])
    }
    const failed = await everyPage<{ type: string }>(api, '/v1/events')
    expect(failed.filter(({ type }) => type === 'message.failed')).toEqual([])
    numbers++
  },
)

const atMostOnce = (times: number[]) => times.length === 0 || (times.length === 1 && times[0] === 1)

/** Repeats a keyed send until it is answered for good, as a program does that got no answer. */
async function repeat(person: string): Promise<{ person: string; answer: 'sent' | 'unknown' | 'early' }> {
  const path = `/v1/instances/${instance}/messages`
  for (;;) {
    const asked = service
    const answer = await api('POST', path, { to: person, text: `To ${person}` }, { 'idempotency-key': person }).catch(
      (): Reply | undefined => undefined,
    )
    if (answer?.status === 201) return { person, answer: 'sent' }
    if (answer?.status === 409 && answer.body.error.code === 'idempotency_in_progress') {
      if (answer.headers.get('retry-after') === '1') return { person, answer: 'early' }
      const { body } = await api('GET', `${path}?idempotency_key=${person}`)
      expect(['queued', 'sent', 'delivered', 'read']).toContain(body.status)
      return { person, answer: 'unknown' }
    }
    if (answer !== undefined && !LATER.has(answer.body.error.code))
      throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    await pause(asked === service ? 100 : 20)
  }
}

/** Nothing was sent: the number is not connected yet, or busy, or the service stops. */
const LATER = new Set(['not_ready', 'rate_limited', 'service_unavailable', 'upstream_unavailable', 'upstream_timeout'])

test('C-11 a campaign over kills: each recipient gets the message once, or is marked unknown', async () => {
  const phones = Array.from({ length: 12 }, (_, i) => `13055550${100 + i}`)
  const made = await api('POST', '/v1/campaigns', {
    ...{ instance_ids: [instance], name: 'In flight', messages: [{ text: 'For {{phone}}' }], start: true },
    recipients: phones.map((phone) => ({ phone })),
    config: { window: null, minDelay: 2, maxDelay: 2, checkNumbers: false, typing: false },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const campaign = `/v1/campaigns/${made.body.campaign_id}`
  for (let kills = 0; kills < KILLS; kills++) {
    const before = phones.filter((phone) => received(phone).length > 0).length
    await until('some more', () => phones.filter((phone) => received(phone).length > 0).length > before, 60_000)
    // Between two messages, and about when the next one is on its way.
    await pause(1_000 + 500 * kills)
    await kill('SIGKILL')
  }
  await until('the end', async () => (await api('GET', campaign)).body.status === 'completed', 120_000)
  const found = await everyPage<{ phone: string; status: string }>(api, `${campaign}/recipients`)
  const statuses = new Map(found.map(({ phone, status }) => [phone, status]))
  const wrong = phones.filter((phone) => {
    const times = received(phone).map((message) => message.times)
    return statuses.get(phone) === 'unknown' ? !atMostOnce(times) : JSON.stringify(times) !== '[1]'
  })
  expect(wrong.map((phone) => `${phone} is ${statuses.get(phone)}`)).toEqual([])
  expect([...statuses.values()].filter((status) => status === 'unknown').length).toBeLessThanOrEqual(KILLS)
})
