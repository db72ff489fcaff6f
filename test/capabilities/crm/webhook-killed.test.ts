import { createHmac } from 'node:crypto'
import { cpSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Tx } from '../../../main/kernel/db.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { startReceiver, type Receiver } from '../../support/receiver.ts'
import { newHome } from '../../support/restores.ts'
import { sized } from '../../support/sized.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

const LINE = '12025556400'
const PERSON = '12025556401'

/** When the service is killed: before or after the commit of a unit that runs this statement, the first time or a later one. */
interface KillPoint {
  readonly sql: RegExp
  readonly when: 'before' | 'after'
  readonly time?: number
}

const OUT: Readonly<Record<string, KillPoint>> = {
  'between the commit and the request': { sql: /UPDATE crm_outbox SET attempted = 1/, when: 'after' },
  'between the request and recording its result': { sql: /DELETE FROM crm_outbox WHERE seq = :seq/, when: 'before' },
  'after recording the result': { sql: /DELETE FROM crm_outbox WHERE seq = :seq/, when: 'after' },
  'between the second request and recording its result': {
    sql: /DELETE FROM crm_outbox WHERE seq = :seq/,
    when: 'before',
    time: 2,
  },
  'before a sent status is recorded': { sql: /UPDATE crm_statuses SET pushed = :status/, when: 'before' },
  'after a sent status is recorded': { sql: /UPDATE crm_statuses SET pushed = :status/, when: 'after' },
  'before a sent opt-out is recorded': { sql: /UPDATE crm_contacts SET dnd_pushed = :dnd/, when: 'before' },
  'after a sent opt-out is recorded': { sql: /UPDATE crm_contacts SET dnd_pushed = :dnd/, when: 'after' },
  'before a removed opt-out is recorded as sent': {
    ...{ sql: /UPDATE crm_contacts SET dnd_pushed = :dnd/, when: 'before', time: 2 },
  },
}

const IN: Readonly<Record<string, KillPoint>> = {
  'before it is stored': { sql: /INSERT INTO crm_inbox/, when: 'before' },
  'between the commit and the send': { sql: /INSERT INTO crm_inbox/, when: 'after' },
  'between the send and recording its result': { sql: /UPDATE crm_inbox SET state = :state/, when: 'before' },
  'after recording the result': { sql: /UPDATE crm_inbox SET state = :state/, when: 'after' },
}

/** The home as it is on disk when the service is killed, and how much the receiver had seen by then. */
interface Kill {
  image: string
  seen: number
}

/** Watches the commits of a service for the moment at which it would be killed. */
function killer({ sql, when, time = 1 }: KillPoint, receiver: Receiver) {
  let home = ''
  let left = time
  let kill: Kill | undefined
  const die = () => {
    if (kill !== undefined || home === '' || --left > 0) return
    const image = newHome()
    cpSync(home, image, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    kill = { image, seen: receiver.received.length }
  }
  const observeStorage = (storage: Storage): Storage => ({
    ...storage,
    async commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const reached = new Set<string>()
      const result = await storage.commit((tx) => {
        const note: Tx['run'] = (statement, params) => {
          // What a transaction has written is on no disk before its commit.
          if (sql.test(statement.text) && when === 'before' && !reached.has(statement.text)) die()
          if (sql.test(statement.text)) reached.add(statement.text)
          return tx.run(statement, params)
        }
        return work({ ...tx, run: note })
      })
      if (reached.size > 0 && when === 'after') die()
      return result
    },
  })
  return { observeStorage, arm: (of: string) => void (home = of), killed: () => kill }
}

async function scene(point: KillPoint) {
  const receiver = await startReceiver({ name: 'crm.example' })
  onTestFinished(() => receiver.close())
  const kill = killer(point, receiver)
  const w = await world({ home: newHome(), receivers: [receiver], observeStorage: kill.observeStorage })
  const { id } = await w.pair(LINE)
  const made = await w.api('PUT', `/v1/instances/${id}/crm-webhook`, { url: receiver.url('/hook') })
  expect(made.status, made.text).toBe(201)
  const { secret, inbound_url: inbound } = made.body
  const post = async (of: World, body: object) => {
    const [at, payload] = [String(Math.floor(of.clock.now() / 1_000)), JSON.stringify(body)]
    const signature = createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')
    const headers = {
      ...{ host: of.host, 'content-type': 'application/json' },
      ...{ 'x-service-timestamp': at, 'x-service-signature': `sha256=${signature}` },
    }
    const request = { method: 'POST', url: new URL(inbound).pathname, headers, payload } as const
    return (await of.service.door.app.inject(request)).statusCode
  }
  const events = () => receiver.received.map(({ body }) => JSON.parse(body.toString()))
  return { w, id, receiver, kill, post, events }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** Lets time pass until it holds; requests take real time. */
const until = (w: World, holds: () => unknown) =>
  vi.waitFor(
    async () => {
      await w.clock.advance(1_000)
      await holds()
    },
    { timeout: 60_000, interval: 5 },
  )

const say = (w: World, text: string) => w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: LINE, text })

/** Kills the service, and starts it again with what it left. What the receiver was told after the kill was told by nobody. */
async function killed({ w, kill, receiver }: Scene): Promise<World> {
  const found = kill.killed()
  expect(found, 'the point was reached').toBeDefined()
  await w.close()
  const { image, seen } = found!
  ;(receiver.received as unknown[]).length = seen
  return worldOfTest({ home: image, vault: w.vault, clock: w.clock, seed: 2, receivers: [receiver] })
}

/** Each starts two services: the short run tries those that differ most. */
const OFTEN = [
  'between the commit and the request',
  'between the request and recording its result',
  'before a sent opt-out is recorded',
]
const tried = Object.entries(OUT).filter(([name]) => sized(OFTEN.includes(name), true))

const textOf = (event: any): string | undefined => event.message?.text
const inOrder = (found: readonly unknown[]) => [...new Set(found)]

describe('if the process is killed', () => {
  test.each(tried)('%s, every event reaches the CRM, and repeated events have the same id', async (_, point) => {
    const s = await scene(point)
    const { w, id, events } = s
    await say(w, 'Hello')
    await until(w, () => expect(events().some((event) => textOf(event) === 'Hello')).toBe(true))
    await w.quiet()
    s.kill.arm(w.home)
    await say(w, 'one')
    await say(w, 'two')
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: PERSON, text: 'Mine' })
    expect(sent.status, sent.text).toBe(201)
    await until(w, () => expect(inOrder(events().map(textOf))).toEqual(expect.arrayContaining(['one', 'two', 'Mine'])))
    await w.api('POST', '/v1/opt-outs', { phone: PERSON })
    await until(w, () => expect(events().some(({ opted_out: is }) => is === true)).toBe(true))
    await w.api('DELETE', `/v1/opt-outs/${PERSON}`)
    await until(w, () => expect(events().some(({ opted_out: is }) => is === false)).toBe(true))
    await until(w, () => expect(s.kill.killed()).toBeDefined())

    const after = await killed(s)
    // What was not yet done when it was killed is done now.
    for (const text of ['one', 'two']) if (!(await isKnown(after, text))) await say(after, text)
    await until(after, async () => {
      const { waiting } = (await after.api('GET', `/v1/instances/${id}/crm-webhook`)).body
      expect([waiting, inOrder(events().map(textOf))]).toMatchObject([
        { to_crm: 0 },
        expect.arrayContaining(['Hello', 'one', 'two']),
      ])
      expect(await after.rows('SELECT 1 FROM crm_contacts WHERE dnd <> dnd_pushed')).toEqual([])
      expect(await after.rows('SELECT 1 FROM crm_statuses WHERE dirty = 1')).toEqual([])
    })
    const said = events().filter((event) => textOf(event) !== undefined)
    expect(inOrder(said.map(textOf)).filter((text) => text !== 'Mine')).toEqual(['Hello', 'one', 'two'])
    // The same thing has the same id, and another thing another one.
    for (const event of events()) {
      const { message, status, opted_out: optedOut, id: eventId } = event
      const same = events().filter((other) => other.id === eventId)
      const thing = (of: any) => JSON.stringify([of.message?.text, of.status, of.opted_out])
      expect(new Set(same.map(thing)).size, JSON.stringify([message, status, optedOut])).toBe(1)
      const repeats = events().filter((other) => thing(other) === thing(event))
      expect(new Set(repeats.map((other) => other.id)).size, thing(event)).toBe(1)
    }
    expect(await after.rows("SELECT name FROM meta WHERE name LIKE 'crm_opt_out%'")).toEqual([])
  })

  test.each(Object.entries(IN))('%s, a message that the CRM posts repeatedly is sent once', async (_, point) => {
    const s = await scene(point)
    s.kill.arm(s.w.home)
    const body = { id: 'deal-7', type: 'message', to: PERSON, text: 'Your offer' }
    expect(await s.post(s.w, body)).toBe(202)
    await until(s.w, () => expect(s.kill.killed()).toBeDefined())

    const after = await killed(s)
    const received = async () =>
      (await after.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data?.map(({ text }: any) => text) ?? []
    // Without an answer the CRM posts it again, and perhaps with one.
    expect(await s.post(after, body)).toBe(202)
    await until(after, async () => expect(await received()).toEqual(['Your offer']))
    expect(await s.post(after, body)).toBe(202)
    await after.clock.advance(60_000)
    await after.quiet()
    expect(await received()).toEqual(['Your offer'])
    const state = await after.rows<{ state: string }>('SELECT state FROM crm_inbox')
    expect(state).toEqual([{ state: 'done' }])
  })
})

const isKnown = async (w: World, text: string) =>
  (await w.events()).some(({ type, data }) => type === 'message.received' && data['text'] === text)
