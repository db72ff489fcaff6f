import { afterAll, beforeAll, expect, test } from 'vitest'
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

const OURS = '12025550200'
const PEOPLE = Array.from({ length: 10 }, (_, i) => `1202555110${i}`)
const EACH_WAY = 1_000
const KILLS = 5
/** In one life of the service no more: each makes the next wait for a connection longer. */
const DROPS_PER_LIFE = 2
const BETWEEN_FAULTS_MS = 700

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string

const api: Api = (...asked) => service.api(key)(...asked)

/** A thousand messages at the pace of a careful person would take half an hour. */
const environment = () => ({ ...whatsapp.environment, SWITCHBOARD_PACE_PER_MINUTE: '0' })

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Crash')).key
  service = await home.start(environment())
  instance = await pairedLive(api, whatsapp, OURS)
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})

test('1,000 messages each way over ten dropped connections and five kills: each acknowledged message arrives exactly once and in order', async () => {
  const answered = new Map<string, string>()
  const said = new Map<string, string[]>(PEOPLE.map((person) => [person, []]))

  await Promise.all([
    breakThings(),
    ...PEOPLE.map((person, lane) => sendTo(person, lane, answered)),
    ...PEOPLE.map((person) => sayFrom(person, said)),
  ])

  // What was said was heard once each, in the order of each person, although receipts were lost and the service died.
  const total = [...said.values()].flat()
  expect(total).toHaveLength(EACH_WAY)
  const heard = await until('all was heard', () => heardOnce(total), 60_000)
  for (const [person, mine] of said) expect(heard.filter((text) => text.startsWith(`in ${person} `))).toEqual(mine)

  // What was answered arrived once, and nothing arrived twice.
  expect(answered.size).toBeGreaterThan(EACH_WAY - 50)
  const arrived = PEOPLE.flatMap((person) =>
    whatsapp
      .phone(person)
      .received(OURS)
      .map(({ text, times }) => ({ text: text ?? '', times })),
  )
  expect(arrived.filter(({ times }) => times > 1)).toEqual([])
  expect(new Set(arrived.map(({ text }) => text)).size).toBe(arrived.length)
  const texts = new Set(arrived.map(({ text }) => text))
  expect([...answered.keys()].filter((text) => !texts.has(text))).toEqual([])

  // Every one that arrived is known as read in the end, also where the answer to the send was lost.
  for (const text of texts) {
    const asked = `/v1/instances/${instance}/messages?idempotency_key=${encodeURIComponent(text)}`
    await until(`${text} is read`, async () => (await api('GET', asked)).body.status === 'read' || undefined, 90_000)
  }
  expect(whatsapp.phone(OURS).device.waiting).toEqual([])
})

/** Links are cut, receipts and acks with them, and the service is killed. */
async function breakThings(): Promise<void> {
  const { device } = whatsapp.phone(OURS)
  for (let kills = 0; kills <= KILLS; kills++) {
    for (let drops = 0; drops < (kills === KILLS ? 0 : DROPS_PER_LIFE); drops++) {
      await connected(api, instance)
      await pause(BETWEEN_FAULTS_MS)
      if (drops % 2 === 0) whatsapp.faults.onMessage({ kind: 'cut_before_ack' })
      else whatsapp.faults.onReceipt(1)
      const logins = device.logins
      await until('the link is cut and stands again', () => device.logins > logins || undefined, 60_000)
    }
    if (kills === KILLS) return connected(api, instance).then(() => {})
    await service.end('SIGKILL')
    service = await home.start(environment())
  }
}

/**
 * Asks until somebody answers. A send that a fault cut off is neither repeated nor forgotten: its key stays busy until
 * the network says what became of it, which for one that never left is never.
 */
async function insist(ask: () => Promise<Reply>): Promise<Reply | undefined> {
  for (let busy = 0; busy < 40;) {
    const answer = await ask().catch(() => undefined)
    if (answer?.status === 201) return answer
    if (answer !== undefined && !WAITS.has(answer.body.error.code)) busy++
    await pause(50)
  }
  return undefined
}

/** The link or the service is away; nothing of the message has left. */
const WAITS = new Set(['not_ready', 'upstream_unavailable', 'rate_limited'])

async function sendTo(person: string, lane: number, answered: Map<string, string>): Promise<void> {
  for (let i = lane; i < EACH_WAY; i += PEOPLE.length) {
    const text = `out ${i}`
    const body = { to: person, text }
    const answer = await insist(() =>
      api('POST', `/v1/instances/${instance}/messages`, body, { 'idempotency-key': text }),
    )
    if (answer?.body.sent === true) answered.set(text, answer.body.message_id)
  }
}

async function sayFrom(person: string, said: Map<string, string[]>): Promise<void> {
  for (let i = 0; i < EACH_WAY / PEOPLE.length; i++) {
    const text = `in ${person} ${i}`
    await whatsapp.phone(person).say(OURS, text)
    said.get(person)?.push(text)
    // About as long as the faults take, so that each fault meets messages in flight.
    await pause(200)
  }
}

/** @returns what was heard, oldest first; undefined while something is missing. @throws when something came twice. */
async function heardOnce(expected: readonly string[]): Promise<string[] | undefined> {
  const texts = await heardTexts()
  expect(new Set(texts).size).toBe(texts.length)
  const known = new Set(texts)
  return expected.every((text) => known.has(text)) ? texts : undefined
}

/** Oldest first. */
async function heardTexts(): Promise<string[]> {
  const events = await everyPage<{ type: string; data: Record<string, any> }>(api, '/v1/events')
  const received = events.filter(({ type }) => type === 'message.received')
  return received.map(({ data }) => data['text'] as string).toReversed()
}
