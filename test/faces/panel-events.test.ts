import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { noticeOf } from '../../main/faces/operation-notice.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { listenTo } from '../support/event-stream.ts'
import { slowness } from '../support/loop-stretch.ts'
import { browserOf, builtConsole, signedIn, type Browser } from '../support/panel.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

let w: World
let browser: Browser
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
  browser = await signedIn(w)
})
afterAll(() => w.close())

async function listening(lastId?: string) {
  const stream = await listenTo(w, browser.cookie, lastId)
  onTestFinished(() => stream.stop())
  return stream
}

const about = (topic: string, more: object = {}) => expect.objectContaining({ topic, ...more })

describe('a change is published', () => {
  test.each<[string, () => Promise<unknown>, object]>([
    ['an instance made with a key', () => w.instance(), { topic: 'instances' }],
    [
      'a key made in the console',
      () => browser.ask('POST', '/panel/v1/keys', { name: 'A', scopes: ['ai:read'] }),
      { topic: 'keys' },
    ],
    [
      'a key made at the terminal',
      () =>
        w.service.carryOut({
          command: 'keys.create',
          input: { name: 'B', scopes: ['ai:read'], allowed_instance_ids: null },
        }),
      { topic: 'keys' },
    ],
    [
      'a webhook',
      () => w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/live', events: ['*'] }),
      { topic: 'webhooks' },
    ],
    ['an event', () => w.instance(), { topic: 'events', type: 'instance.created' }],
  ])('%s, within 300 ms', async (_what, change, notice) => {
    // Once before: the first request of a kind compiles its checks. Then the same notice may be told again.
    await change()
    await w.clock.advance(1_000)
    const stream = await listening()
    const startedAt = performance.now()
    await change()
    const { data, atMs } = await stream.next(
      (heard) => heard.event === 'notice' && heard.data.topic === Reflect.get(notice, 'topic'),
    )
    expect(data).toMatchObject(notice)
    expect((atMs - startedAt) / slowness()).toBeLessThan(300)
  })

  test('a message, with its instance and without its content', async () => {
    const { id } = await w.pair('12025550801')
    await w.clock.advance(1_000)
    const stream = await listening()
    await w.api('POST', '/v1/sandbox/phones/12025550802/messages', { to: '12025550801', text: 'a secret word' })
    await w.quiet()
    const { data } = await stream.next((heard) => heard.data?.topic === 'messages')
    expect(data).toEqual({ topic: 'messages', instance_id: id })
    await w.quiet()
    const all = JSON.stringify(stream.heard)
    for (const word of ['secret', '12025550801', '12025550802', 'swb_']) expect(all).not.toContain(word)
  })

  test('a delivery, with the id of its webhook', async () => {
    const made = await w.api('POST', '/v1/webhooks', {
      url: 'https://catcher.sandbox/deliveries',
      events: ['instance.created'],
    })
    await w.clock.advance(1_000)
    const stream = await listening()
    await w.instance()
    await w.quiet()
    const { data } = await stream.next((heard) => heard.data?.topic === 'deliveries' && heard.data.id === made.body.id)
    expect(data).toEqual({ topic: 'deliveries', id: made.body.id })
  })

  test('a lost connection, although it is not an event yet', async () => {
    const { id } = await w.pair('12025550811')
    await w.clock.advance(1_000)
    const stream = await listening()
    await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'drop' })
    await w.quiet()
    expect((await stream.next((heard) => heard.data?.topic === 'instances' && heard.data.id === id)).data).toEqual(
      about('instances', { id }),
    )
  })

  test('a refused call or a read publishes nothing', async () => {
    await w.clock.advance(1_000)
    const stream = await listening()
    await browser.ask('GET', '/panel/v1/instances')
    await browser.ask('POST', '/panel/v1/keys', { name: '' })
    await w.quiet()
    expect(stream.heard.filter(({ event }) => event === 'notice')).toEqual([])
  })
})

describe('the event stream', () => {
  test('is sent as text/event-stream with no-store, and starts with the current id', async () => {
    const stream = await listening()
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(stream.headers.get('cache-control')).toBe('no-store')
    expect(stream.headers.get('x-request-id')).not.toBeNull()
    expect((await stream.next(({ id }) => id !== undefined)).event).toBeUndefined()
  })

  test('resumes after the last id', async () => {
    const first = await listening()
    const { id } = await first.next((heard) => heard.id !== undefined)
    first.stop()
    await first.ended
    await browser.ask('POST', '/panel/v1/keys', { name: 'While away', scopes: ['ai:read'] })
    const second = await listening(id)
    expect((await second.next(({ event }) => event === 'notice')).data).toMatchObject({ topic: 'keys' })
    expect(second.heard.some(({ event }) => event === 'reset')).toBe(false)
  })

  test('tells the reader to reload after too many missed notices, a restart or an invalid id', async () => {
    for (const lastId of ['1', '99999999999999', 'abc', '-1']) {
      const stream = await listening(lastId)
      expect((await stream.next(({ event }) => event === 'reset')).data).toEqual({})
    }
  })

  test('sends a heartbeat every 15 seconds', async () => {
    const stream = await listening()
    await stream.next(({ id }) => id !== undefined)
    const before = stream.heard.length
    await w.clock.advance(16_000)
    await stream.next(() => stream.heard.length > before)
    expect(stream.heard.at(-1)).toMatchObject({ id: undefined, event: undefined })
  })

  test('requires a session, and accepts no key', async () => {
    for (const headers of [{}, { authorization: `Bearer ${w.allScopes}` }])
      expect((await fetch(`${w.service.url}/panel/events`, { headers })).status).toBe(401)
    expect((await browser.ask('HEAD', '/panel/events')).status).toBe(404)
  })

  test('ends when the person signs out', async () => {
    const leaving = await signedIn(w)
    const stream = await listenTo(w, leaving.cookie)
    await leaving.ask('DELETE', '/panel/session')
    await stream.ended
    expect((await fetch(`${w.service.url}/panel/events`, { headers: { cookie: leaving.cookie } })).status).toBe(401)
  })

  test('ends when the session expires', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const { cookie } = await signedIn(own)
    const stream = await listenTo(own, cookie)
    own.clock.suspend(13 * 3_600_000)
    await own.clock.advance(16_000)
    await stream.ended
  })

  test('ends immediately when the service stops, which does not wait for it', async () => {
    const own = await world({ consoleFolder: builtConsole(), clock: systemClock })
    const { cookie } = await signedIn(own)
    const streams = await Promise.all([listenTo(own, cookie), listenTo(own, cookie)])
    const startedAt = performance.now()
    await own.close()
    // Waited for, they would take the fifteen seconds until the next sign of life.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    for (const { ended } of streams) expect((await ended) - startedAt).toBeLessThan(5_000)
  })

  test('is dropped when its reader does not read', async () => {
    const [host = '', port] = w.host.split(':')
    const socket = connect(Number(port), host)
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /panel/events HTTP/1.1\r\nHost: ${w.host}\r\nCookie: ${browser.cookie}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const open = () =>
      new Promise<number>((resolve) => w.service.door.app.server.getConnections((_error, n) => resolve(n)))
    const before = await open()
    for (let i = 0; i < 40 && (await open()) >= before; i++) {
      for (let n = 0; n < 5_000; n++) w.service.publish({ topic: 'keys', id: `${i}-${n}` })
      await w.clock.advance(1_000)
    }
    expect(await open()).toBeLessThan(before)
  })

  test('is refused when 32 streams are open', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const { cookie } = await signedIn(own)
    const streams = await Promise.all(Array.from({ length: 32 }, () => listenTo(own, cookie)))
    expect((await listenTo(own, cookie)).status).toBe(503)
    for (const stream of streams) stream.stop()
  })
})

describe('inside the desktop app', () => {
  const open = async (signal: AbortSignal) => {
    const { status, body } = await w.service.askAsConsole({ method: 'GET', path: '/panel/events', headers: {}, signal })
    return { status, reader: (body ?? new Blob([]).stream()).getReader() }
  }

  test('notices arrive one by one, and cancelling ends the stream', async () => {
    const { status, reader } = await open(new AbortController().signal)
    expect(status).toBe(200)
    const decode = async () => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await decode()).toMatch(/^id: \d+\n\n$/)
    await w.clock.advance(1_000)
    await browser.ask('POST', '/panel/v1/keys', { name: 'Seen', scopes: ['ai:read'] })
    expect(await decode()).toContain('"topic":"keys"')
    const waiting = w.clock.waiting()
    await reader.cancel()
    await w.clock.advance(1_000)
    expect(w.clock.waiting()).toBeLessThan(waiting)
  })

  test('a reader that does not read is dropped', async () => {
    const { reader } = await open(new AbortController().signal)
    for (let n = 0; n < 5_000; n++) w.service.publish({ topic: 'keys', id: `inside-${n}` })
    const drain = async () => {
      while (!(await reader.read()).done);
    }
    await expect(drain()).rejects.toThrow()
    await w.clock.advance(1_000)
  })
})

test('every operation that changes something publishes its topic and id, and no content', () => {
  const operations = CONTRACTS.flatMap((room) => Object.values<Operation>(room.operations))
  const told = operations
    .filter(({ method }) => method !== 'GET')
    .map((operation) => [
      `${operation.method} ${operation.path}`,
      noticeOf(
        operation,
        operation.path.includes('{id}') ? { id: 'THE-ID', number: '12025550100' } : { number: '12025550100' },
      ),
    ])
  const line = Object.fromEntries(told) as Record<string, object>
  expect(line['POST /v1/instances']).toEqual({ topic: 'instances' })
  expect(line['PATCH /v1/instances/{id}']).toEqual({ topic: 'instances', id: 'the-id' })
  expect(line['POST /v1/instances/{id}/messages']).toEqual({ topic: 'messages', instance_id: 'the-id' })
  expect(line['POST /v1/instances/{id}/fusion']).toEqual({ topic: 'fusion', instance_id: 'the-id' })
  expect(line['PUT /v1/instances/{id}/webhook']).toEqual({ topic: 'instances', id: 'the-id' })
  expect(line['DELETE /v1/webhooks/{id}']).toEqual({ topic: 'webhooks', id: 'THE-ID' })
  expect(line['POST /v1/webhooks/deliveries/{id}/retry']).toEqual({ topic: 'deliveries', id: 'THE-ID' })
  expect(line['DELETE /v1/keys/{id}']).toEqual({ topic: 'keys', id: 'THE-ID' })
  expect(line['POST /v1/approvals/{id}/approve']).toEqual({ topic: 'approvals', id: 'THE-ID' })
  expect(line['POST /v1/sandbox/phones/{number}/messages']).toEqual({ topic: 'sandbox' })
  expect(JSON.stringify(line)).not.toMatch(/12025550100/)
})

test('a browser that is signed out gets no events', async () => {
  expect((await browserOf(w).ask('GET', '/panel/events')).status).toBe(401)
})
