import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createOutbound, type Outbound } from '../../main/outbound/outbound.ts'
import { outside, startReceiver, type Receiver } from '../support/receiver.ts'

const ACCOUNT = { accountId: '0197f0c2-0000-7000-8000-000000000009' as never }

let graph: Receiver
let files: Receiver
let other: Receiver
let outbound: Outbound
beforeAll(async () => {
  graph = await startReceiver({ name: 'graph.example', address: '93.184.216.34' })
  files = await startReceiver({ name: 'lookaside.files.example', address: '93.184.216.35' })
  other = await startReceiver({ name: 'other.example', address: '93.184.216.36' })
  const only = () => ['https://graph.example', '.files.example']
  outbound = createOutbound({ clock: systemClock, trustedRanges: [], only, ...outside(graph, files, other) })
})
afterAll(async () => {
  await outbound.close()
  await Promise.all([graph, files, other].map((one) => one.close()))
})

const ask = (url: string, method: 'GET' | 'DELETE' = 'GET') =>
  outbound.request({ url, method, headers: { authorization: 'Bearer secret' }, from: ACCOUNT })

test('listed hosts are reached: an origin, and every name of a zone', async () => {
  expect(await ask('https://graph.example/v26.0/me')).toMatchObject({ kind: 'response', status: 200 })
  expect(await ask('https://lookaside.files.example/x')).toMatchObject({ kind: 'response', status: 200 })
  expect(await ask('https://graph.example/x', 'DELETE')).toMatchObject({ status: 200 })
  expect(graph.received.map(({ method }) => method)).toEqual(['GET', 'DELETE'])
})

test.each([
  'https://other.example/',
  'https://graph.example.other.example/',
  'https://evilfiles.example/',
  'https://files.example/',
  'http://graph.example/',
  'http://lookaside.files.example/',
  'https://graph.example:8443/',
  'https://lookaside.files.example:8443/',
  'https://catcher.sandbox/x',
])('%s is not listed and is blocked, and no byte of the token is sent', async (url) => {
  expect(await ask(url)).toMatchObject({ kind: 'failure', stage: 'blocked', code: 'not_listed', sent: false })
  expect(other.received).toEqual([])
})
