import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { world, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Upload {
  readonly path: string
  readonly length: string
}

/** Sends the head of a request, and nothing of its body. */
function begin({ path, length }: Upload) {
  const [hostname = '', port] = w.host.split(':')
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => (heard += chunk.toString()))
  socket.write([`POST ${path} HTTP/1.1`, `Host: ${w.host}`, length, '', ''].join('\r\n'))
  return { heard: () => heard.split('\r\n', 1)[0] ?? '', end: () => socket.destroy() }
}

const answered = async ({ heard }: ReturnType<typeof begin>) => {
  for (let waits = 0; heard() === '' && waits < 20; waits++) await systemClock.sleep(20)
  return heard()
}

const REFUSED = 'HTTP/1.1 503 Service Unavailable'
const MEGABYTE = 1024 * 1024
const of = (megabytes: number) => `Content-Length: ${megabytes * MEGABYTE}`
/** In megabytes: half of the memory. */
const SHARE = LIMITS.bodyBytesInFlight / MEGABYTE / 2

test.each([
  ['of one size', { path: '/sandbox/ghl/nobody/inbox', length: of(16) }, SHARE / 16],
  ['without a length', { path: '/callbacks/stripe', length: 'Transfer-Encoding: chunked' }, SHARE / 4],
])('callers without a key on one network get half of the memory for bodies %s', async (_, upload, fitting) => {
  const waiting = Array.from({ length: fitting }, () => begin(upload))
  expect(await Promise.all(waiting.map(answered))).toEqual(waiting.map(() => ''))
  expect(await answered(begin(upload))).toBe(REFUSED)

  // Small ones are never refused, and neither are those of an account.
  expect(await answered(begin({ ...upload, length: 'Content-Length: 0' }))).not.toBe(REFUSED)
  const campaign = { name: 'x'.repeat(100_000), instance_ids: [], messages: [], recipients: [] }
  expect((await w.api('POST', '/v1/campaigns', campaign)).status).toBe(400)

  waiting[0]?.end()
  await systemClock.sleep(50)
  expect(await answered(begin(upload))).toBe('')
})
