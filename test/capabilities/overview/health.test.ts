import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

/** What Meta says of numbers, from its callback to the overview, the API and an assistant. */
let w: World
let graph: GraphSimulator
let numbers: readonly OfficialNumber[]
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  numbers = [await officialNumber(w, '12025550481'), await officialNumber(w, '12025550482')]
})
afterAll(() => w.close())

const attention = async (as = asConsole(w), query = '') =>
  (await as('GET', `/v1/overview/attention${query}`)).body.data as readonly { readonly code: string }[]
const line = async (code: string) => (await attention()).find((each) => each.code === code)
const first = () => numbers[0]?.id ?? ''
const callBack = (at: number, field: string, value: object) =>
  graph.callBack(numbers[at]?.phoneNumberId ?? '', { field, value })

/** What the tool of a number's health answers. */
async function toldToAssistant(): Promise<string> {
  const accept = { accept: 'application/json, text/event-stream' }
  const asked = (method: string, params: object, headers: Record<string, string> = {}) =>
    w.wire('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params }, { headers: { ...accept, ...headers } })
  const protocolVersion = '2025-06-18'
  const clientInfo = { name: 'test', version: '1' }
  const begun = await asked('initialize', { protocolVersion, capabilities: {}, clientInfo })
  const session = { 'mcp-session-id': begun.headers['mcp-session-id'] ?? '', 'mcp-protocol-version': protocolVersion }
  const call = { name: 'get_instance_health', arguments: { instance_id: first() } }
  return (await asked('tools/call', call, session)).text.replaceAll('\\"', '"')
}

test('a changed PIN is an issue in the overview, in the API and in an assistant’s answers', async () => {
  await callBack(0, 'security', { event: 'PIN_CHANGED', requester: '61555' })
  await until('told', async () => (await line('pin_changed')) !== undefined)
  expect(await line('pin_changed')).toEqual({
    ...{ room: 'instances', code: 'pin_changed', severity: 'warning', count: 1, text: null, detail: null },
    ...{ subject: { id: first(), name: '12025550481' }, since: expect.any(String), issue: { requester_id: '61555' } },
  })
  const { issues } = (await w.api('GET', `/v1/instances/${first()}/health`)).body
  expect(issues).toContainEqual(expect.objectContaining({ code: 'pin_changed', requester_id: '61555' }))
  expect(await toldToAssistant()).toContain('"requester_id":"61555"')
  const document = (await w.api('GET', '/openapi.yaml')).text
  for (const field of ['requester_id', 'group_ids', 'next_retry_at']) expect(document).toContain(`${field}:`)
})

test('the same report about two numbers is one issue, with the shared facts', async () => {
  for (const at of [0, 1])
    await callBack(at, 'phone_number_name_update', { decision: 'REJECTED', rejection_reason: 'NAME_TOO_SHORT' })
  await until(
    'both',
    async () => ((await line('display_name_rejected')) as { count?: number } | undefined)?.count === 2,
  )
  expect(await line('display_name_rejected')).toMatchObject({ subject: null, issue: { reason: 'NAME_TOO_SHORT' } })
  const withIds = (await attention(undefined, '?include=ids')).find(({ code }) => code === 'display_name_rejected')
  expect(withIds).toMatchObject({ ids: numbers.map(({ id }) => id) })
  expect(await attention(undefined, '?network=sandbox')).toEqual([])
})

test('a payment problem at Meta is an issue, and not before', async () => {
  expect(await line('held_payment')).toBeUndefined()
  await numbers[0]?.cause('payment_missing', 1)
  await w.api('POST', `/v1/instances/${first()}/messages`, { to: '12025550101', text: 'Hi' })
  await until('held', async () => (await line('held_payment')) !== undefined)
  expect(await line('held_payment')).toMatchObject({ severity: 'error', room: 'instances' })
})

test('a client sees nothing of the numbers of its agency', async () => {
  const client = await clientOf(w)
  expect(await attention(asConsole(w, { accountId: client.id as AccountId }))).toEqual([])
})
