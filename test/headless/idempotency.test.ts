import { afterAll, beforeAll, expect, test } from 'vitest'
import { catchEverything, caught, everyPage, pairedInstance } from '../support/sandbox.ts'
import {
  pause,
  testHome,
  until,
  type Api,
  type Reply,
  type RunningService,
  type TestHome,
} from '../support/service-process.ts'

const CLIENTS = 100
const OURS = '12025550100'
const CUSTOMER = '12025550101'
const UNREACHABLE = '12025550502'
const SILENT = '12025550504'
const SEND_TIMEOUT_MS = 500

let home: TestHome
let service: RunningService
let api: Api
let instance: string

beforeAll(async () => {
  home = testHome()
  home.write({ send_timeout_ms: SEND_TIMEOUT_MS, 'sandbox.timeline_ms': [20, 40, 80, 120] })
  const { key } = await home.key('Idempotency')
  service = await home.start()
  api = service.api(key)
  instance = await pairedInstance(api, OURS)
})

afterAll(() => home.remove())

test('of 100 concurrent requests with one key exactly one sends', async () => {
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => send('one', { to: CUSTOMER, text: 'Once' })))

  const kinds = answers.map(kindOf)
  expect(kinds.filter((kind) => kind === '201')).toHaveLength(1)
  for (const kind of kinds) expect(['201', '201 replayed', '409 in progress']).toContain(kind)
  for (const busy of answers.filter(({ status }) => status === 409)) {
    expect(busy.headers.get('retry-after')).toBe('1')
    expect(busy.body.error.retryable).toBe(false)
  }
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.message_id)
  expect(new Set(ids).size).toBe(1)
  expect(await arrivals(CUSTOMER, 'Once')).toBe(1)

  const later = await send('one', { text: 'Once', to: CUSTOMER })
  expect([kindOf(later), later.body]).toEqual(['201 replayed', { engine: 'smv2', sent: true, message_id: ids[0] }])
})

test('a send with an unknown outcome is never repeated, and is replayed once the network confirms it', async () => {
  await catchEverything(api, 'silence')
  const message = { to: SILENT, text: 'Are you there?' }

  const first = await send('silent', message)
  expect([first.status, first.body.error.code, first.body.error.retryable]).toEqual([504, 'upstream_timeout', true])
  const record = (await api('GET', `/v1/instances/${instance}/messages?idempotency_key=silent`)).body
  expect([record.status, record.engine_message_id]).toEqual(['queued', null])

  const repeats = await Promise.all(Array.from({ length: 50 }, () => send('silent', message)))
  for (const repeat of repeats) {
    expect([kindOf(repeat), repeat.headers.get('retry-after')]).toEqual(['409 in progress', '5'])
  }

  const replayed = await until('the network shows the message', async () => {
    const repeat = await send('silent', message)
    return repeat.status === 201 ? repeat : undefined
  })
  expect([kindOf(replayed), replayed.body]).toEqual([
    '201 replayed',
    { engine: 'smv2', sent: true, message_id: record.message_id },
  ])
  await until('delivered', async () => (await statusOf(record.message_id)) !== 'sent')
  expect(await arrivals(SILENT, 'Are you there?')).toBe(1)
  const told = await until('the events', async () => {
    const types = (await caught(api, 'silence')).map(({ body }) => JSON.parse(body).type)
    return types.includes('message.delivered') ? types : undefined
  })
  expect(told.filter((type) => type === 'message.sent')).toHaveLength(1)
  expect(told).not.toContain('message.failed')
})

test('a repeat with another body is refused both while the outcome is unknown and afterwards', async () => {
  const answer = await send('silent', { to: SILENT, text: 'Something else' })

  expect([answer.status, answer.body.error.code]).toEqual([409, 'idempotency_conflict'])
})

test('if the send never left the machine, the key is free and the repeat is sent once', async () => {
  const message = { to: UNREACHABLE, text: 'Hello' }

  const first = await send('unreachable', message)
  expect([first.status, first.body.error.code, first.body.error.retryable]).toEqual([502, 'upstream_unavailable', true])
  const gone = await api('GET', `/v1/instances/${instance}/messages?idempotency_key=unreachable`)
  expect(gone.status).toBe(404)
  // The key is free for any request, as if it had never been used.
  const other = { to: CUSTOMER, text: 'Reached after all' }
  const second = await send('unreachable', other)
  expect(kindOf(second)).toBe('201')
  expect(kindOf(await send('unreachable', other))).toBe('201 replayed')
  expect(await arrivals(CUSTOMER, other.text)).toBe(1)
})

test('after a temporary network fault, the same repeat is sent once', async () => {
  await api('POST', `/v1/sandbox/instances/${instance}/faults`, { kind: 'unreachable', times: 2 })
  const message = { to: CUSTOMER, text: 'Third time lucky' }

  const answers = [await send('fault', message), await send('fault', message), await send('fault', message)]
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 201])
  expect(kindOf(await send('fault', message))).toBe('201 replayed')
  expect(await arrivals(CUSTOMER, message.text)).toBe(1)
})

test('K-08 a send interrupted by kill -9 stays unknown: repeats send nothing until the network confirms it', async () => {
  const message = { to: '12025560504', text: 'Cut off' }
  const cut = send('cut', message).catch(() => null)
  await until('the message', async () => {
    const { status } = await api('GET', `/v1/instances/${instance}/messages?idempotency_key=cut`)
    return status === 200
  })
  // The network has it in its journal a moment after the service has.
  await pause(100)
  await service.end('SIGKILL')
  // On a busy machine the service has said by then that it does not know.
  expect([undefined, 504]).toContain((await cut)?.status)
  const { key } = await home.key('After the kill')
  service = await home.start()
  api = service.api(key)

  const repeats = await Promise.all(Array.from({ length: 20 }, () => send('cut', message)))
  for (const repeat of repeats) expect(['409 in progress', '201 replayed']).toContain(kindOf(repeat))
  const replayed = await until('the network shows the message', async () => {
    const repeat = await send('cut', message)
    return repeat.status === 201 ? repeat : undefined
  })
  expect(kindOf(replayed)).toBe('201 replayed')
  expect(await arrivals('12025560504', 'Cut off')).toBe(1)
})

const send = (key: string, message: object) =>
  api('POST', `/v1/instances/${instance}/messages`, message, { 'idempotency-key': key })

/** Waits until the text is on the phone, and a little longer. @returns how often it is there. */
async function arrivals(number: string, text: string): Promise<number> {
  const count = async () => {
    const messages = await everyPage<{ text: string }>(api, `/v1/sandbox/phones/${number}/messages`)
    return messages.filter((message) => message.text === text).length
  }
  await until(`“${text}” on the phone`, async () => (await count()) > 0)
  await pause(300)
  return count()
}

async function statusOf(id: string): Promise<string> {
  return (await api('GET', `/v1/instances/${instance}/messages/${id}`)).body.status
}

function kindOf({ status, headers, body }: Reply): string {
  if (status === 201) return headers.get('idempotent-replayed') === 'true' ? '201 replayed' : '201'
  return body.error.code === 'idempotency_in_progress' ? '409 in progress' : `${status} ${body.error.code}`
}
