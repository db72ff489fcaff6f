import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { Exchange } from '../../main/outbound/exchange.ts'
import type { AddressPolicy } from '../../main/outbound/public-address.ts'

const MEGABYTE = 1024 * 1024
const LIMITS = { headersTimeoutMs: 60_000, connectTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxBodyBytes: 2 * MEGABYTE }
const policy = { permits: () => true, revision: () => 0 } as unknown as AddressPolicy

/** Bytes that something still refers to. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function begin() {
  const aborted: Error[] = []
  const controller = { abort: (why: Error) => aborted.push(why) } as unknown as Dispatcher.DispatchController
  const exchange = new Exchange('receiver.example', LIMITS, { clock: systemClock, policy })
  exchange.line = { ip: '93.184.216.34', revision: 0 }
  exchange.onRequestStart(controller)
  return { exchange, controller, aborted }
}

test('a body that arrives byte by byte is read whole, and uses little more memory than its length', async () => {
  const { exchange, controller } = begin()
  exchange.onResponseStart(controller, 200, {})
  const before = memoryInUse()
  for (let i = 0; i < MEGABYTE; i++) exchange.onResponseData(controller, Buffer.from([i % 251]))
  const taken = memoryInUse() - before
  exchange.onResponseEnd()
  const answer = await exchange.answer
  expect(answer).toMatchObject({ kind: 'response', truncated: false })
  const { body } = answer as { body: Buffer }
  expect(body.equals(Buffer.from(Array.from({ length: MEGABYTE }, (_, i) => i % 251)))).toBe(true)
  expect(taken).toBeLessThan(20 * MEGABYTE)
})

test('small and large chunks of a body keep their order', async () => {
  const { exchange, controller } = begin()
  exchange.onResponseStart(controller, 200, {})
  const parts = Array.from({ length: 2_000 }, (_, i) => Buffer.alloc(i % 300 === 299 ? 3_000 : (i % 7) + 1, i % 256))
  for (const part of parts) exchange.onResponseData(controller, part)
  exchange.onResponseEnd()
  expect(await exchange.answer).toMatchObject({ body: Buffer.concat(parts) })
})

test('endless 1xx responses are given up, and a few are accepted', async () => {
  const patient = begin()
  for (let i = 0; i < 10; i++) patient.exchange.onResponseStart(patient.controller, 103, {})
  patient.exchange.onResponseStart(patient.controller, 204, {})
  patient.exchange.onResponseEnd()
  expect(await patient.exchange.answer).toMatchObject({ status: 204 })
  const { exchange, controller, aborted } = begin()
  for (let i = 0; i < 1_000; i++) exchange.onResponseStart(controller, 103, {})
  expect(await exchange.answer).toMatchObject({ kind: 'failure', stage: 'protocol', code: 'too_many_1xx', sent: true })
  expect(aborted).toHaveLength(1)
})
