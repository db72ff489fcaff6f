import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createOutbound, type Outbound } from '../../main/outbound/outbound.ts'
import { startRawServer, type RawServer } from '../support/raw-server.ts'
import { outside, startReceiver } from '../support/receiver.ts'

const STORE = 'https://receiver.example'
/** Longer than a busy machine takes for any of this. */
const PATIENT = { connectTimeoutMs: 60_000, idleTimeoutMs: 60_000 }

let outbound: Outbound | undefined
let server: RawServer | undefined
afterEach(async () => {
  await outbound?.close()
  await server?.close()
  outbound = undefined
  server = undefined
})

/** As a library fetches that was given a dispatcher. */
async function get(
  url: string,
  where: { readonly outside: RawServer['outside'] },
  patience = PATIENT,
): Promise<Response> {
  outbound ??= createOutbound({ clock: systemClock, trustedRanges: [], ...where.outside })
  return fetch(url, { dispatcher: outbound.dispatcher(STORE, patience) } as RequestInit)
}

test('a library can fetch from one origin only, whatever URL it requests', async () => {
  const store = await startReceiver({ name: 'receiver.example', address: '93.184.216.34' })
  const other = await startReceiver({ name: 'receiver.example.other.example', address: '93.184.216.35' })
  const where = { outside: outside(store, other) }
  for (const url of [`${STORE}/a`, `${STORE}.other.example/b`, 'http://127.0.0.1/c', 'http://receiver.example/d'])
    expect((await get(url, where)).status).toBe(200)
  expect(store.received.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d'])
  expect(store.received.map(({ headers }) => headers['host'])).toEqual(Array(4).fill('receiver.example'))
  expect(other.received).toEqual([])
  await Promise.all([store.close(), other.close()])
})

test('does not connect to an address that is not public', async () => {
  const inside = { resolve: async () => ['10.0.0.1'], dial: () => expect.unreachable('it was dialled') }
  await expect(get(`${STORE}/a`, { outside: inside })).rejects.toMatchObject({ cause: { stage: 'blocked' } })
})

test.each([
  ['says nothing', () => {}],
  ['begins to answer and stops', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')],
] as const satisfies readonly (readonly [string, Parameters<typeof startRawServer>[0]])[])(
  'a store that %s is given up',
  async (_, speak) => {
    server = await startRawServer((socket) => socket.once('data', () => speak(socket)))
    const whole = get(`${STORE}/a`, server, { ...PATIENT, idleTimeoutMs: 300 }).then((answer) => answer.text())
    await expect(whole).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^UND_ERR_(HEADERS|BODY)_TIMEOUT/) },
    })
    await vi.waitFor(() => expect(server?.open).toBe(0))
  },
)

test('a store to which no connection can be made is given up', async () => {
  server = await startRawServer(() => {}, { layer: 'tcp' })
  const whole = get(`${STORE}/a`, server, { ...PATIENT, connectTimeoutMs: 300 })
  await expect(whole).rejects.toMatchObject({ cause: { stage: 'timeout' } })
})

test('requests in progress end with the service', async () => {
  server = await startRawServer(() => {})
  const ended = expect(get(`${STORE}/a`, server)).rejects.toThrow('fetch')
  await vi.waitFor(() => expect(server?.open).toBe(1))
  await outbound?.close()
  await ended
})
