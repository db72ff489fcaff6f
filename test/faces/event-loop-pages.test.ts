import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { asConsole } from '../support/console.ts'
import { sized } from '../support/sized.ts'
import { statusOf } from '../support/wire.ts'
import { inPassing, world, type World } from '../support/world.ts'
import { offendersOf, type LoopRequest } from './loop-offenders.ts'

// @isolated: what other files have left on the heap makes every garbage collection of a measured request longer.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const ROWS = sized(60, LIMITS.pageSize)
const PHONE = '12025550177'
/** Three bytes each: the longest form of the longest text. */
const VALUE = 'é'.repeat(LIMITS.campaignValueLength)
const TEXT = '漢'.repeat(LIMITS.textLength - 10)

let w: World
let line: any
let campaign: string
beforeAll(async () => {
  w = await world()
  line = await w.pair()
  const messages = Array.from({ length: 9 }, () => ({ text: TEXT }))
  for (let at = 0; at < ROWS; at++)
    await made('/v1/campaigns', { name: `Offer ${at}`, instance_ids: [line.id], messages })
  const short = { name: 'Many values', instance_ids: [line.id], messages: [{ text: 'Hello' }] }
  campaign = (await made('/v1/campaigns', short)).campaign_id
  for (let at = 0; at < ROWS; at += 20) await importRecipients(at, 20)
  await made('/v1/sandbox/phones', { number: PHONE })
  await made('/v1/webhooks', { url: 'https://catcher.sandbox/pages', events: ['message.received'] })
  for (let at = 0; at < ROWS; at++) {
    await made(`/v1/sandbox/phones/${PHONE}/messages`, { to: line.phone_number, text: `${at} ${TEXT}` })
    if (at % 20 === 0) await w.quiet()
  }
  await w.quiet()
  await askForApprovals()
})
afterAll(() => w.close())

/** Calls of an assistant that wait, each with arguments of megabytes. */
async function askForApprovals(): Promise<void> {
  const { key } = (
    await asConsole(w)('POST', '/v1/keys', { name: 'Assistant', scopes: ['dispatch:manage'], approval: 'sending' })
  ).body
  const asked = async (method: string, params: object, session: Record<string, string> = {}) => {
    const headers = { accept: 'application/json, text/event-stream', ...session }
    return w.wire('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params }, { key, headers })
  }
  const version = '2025-06-18'
  const begun = await asked('initialize', {
    ...{ protocolVersion: version, capabilities: {} },
    clientInfo: { name: 'test', version: '1' },
  })
  const session = { 'mcp-session-id': begun.headers['mcp-session-id'] ?? '', 'mcp-protocol-version': version }
  const messages = Array.from({ length: 9 }, () => ({ text: TEXT }))
  for (let at = 0; at < LIMITS.approvalsPendingPerKey; at++) {
    const given = { name: `Offer ${at}`, instance_ids: [line.id], messages, start: true }
    const { text } = await asked('tools/call', { name: 'create_campaign', arguments: given }, session)
    expect(text).toContain('Approval pending')
  }
}

/** With as many and as long values as there can be. */
async function importRecipients(from: number, count: number): Promise<void> {
  const values = Array.from({ length: 50 }, (_, at) => `v${at}`)
  const rows = Array.from({ length: count }, (_, at) => [12_025_561_000 + from + at, ...values.map(() => VALUE)])
  const csv = [['phone', ...values], ...rows].map((row) => row.join(',')).join('\n')
  const path = `/v1/campaigns/${campaign}/recipients/import`
  const { status, text } = await w.wire('POST', path, csv, { headers: { 'content-type': 'text/csv' } })
  expect([status, text]).toEqual([200, expect.stringContaining(`"accepted":${count}`)])
}

async function made(path: string, body: object): Promise<any> {
  const answer = await w.api('POST', path, body)
  expect([answer.status, path, answer.status < 300 ? '' : answer.text]).toEqual([201, path, ''])
  return answer.body
}

test('A-06 pages of the largest rows do not block the event loop', async () => {
  const paths = [
    `/v1/campaigns?limit=${LIMITS.pageSize}`,
    `/v1/campaigns?limit=${LIMITS.pageSize}&status=draft`,
    `/v1/campaigns/${campaign}/recipients?limit=${LIMITS.pageSize}`,
    `/v1/campaigns/${campaign}/recipients?search=nobody`,
    `/v1/events?limit=${LIMITS.pageSize}`,
    `/v1/events?limit=${LIMITS.pageSize}&type=message.received`,
    `/v1/sandbox/phones/${PHONE}/messages?limit=${LIMITS.pageSize}`,
    `/v1/sandbox/catcher/pages?limit=${LIMITS.pageSize}`,
    `/v1/webhooks/deliveries?limit=${LIMITS.pageSize}`,
  ]
  const ofWindow = [
    '/v1/approvals',
    `/v1/instances/${line.id}/conversations?limit=${LIMITS.pageSize}`,
    `/v1/instances/${line.id}/conversations/${PHONE}/messages?limit=${LIMITS.pageSize}`,
  ]
  const read = (name: string, ask: () => Promise<{ status: number }>): LoopRequest => ({
    name,
    send: async () => {
      const { status } = await inPassing(w.clock, ask())
      expect([name, status]).toEqual([name, 200])
    },
  })
  expect(
    await offendersOf([
      ...paths.map((path) => read(path, () => w.wire('GET', path))),
      read('20 pages of events in parallel', async () => {
        const path = `/v1/events?limit=${LIMITS.pageSize}`
        const all = { authorization: `Bearer ${w.allScopes}` }
        const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(w.service.url, path, all)))
        return { status: Math.max(...statuses) }
      }),
      ...ofWindow.map((path) => read(path, () => asConsole(w)('GET', path))),
    ]),
  ).toEqual([])
})

test.each([
  ['/v1/events?type=message.received', 'event_id'],
  ['/v1/sandbox/catcher/pages?', 'body'],
])('pages of very long rows are shorter, and together return every row exactly once: %s', async (path, id) => {
  const ids: string[] = []
  const sizes: number[] = []
  for (let cursor = ''; ;) {
    const { body } = await w.api('GET', `${path}&limit=${ROWS}${cursor}`)
    ids.push(...body.data.map((row: Record<string, string>) => row[id]))
    sizes.push(JSON.stringify(body).length)
    expect(body.has_more).toBe(body.next_cursor !== null)
    if (!body.has_more) break
    expect(body.data.length).toBeGreaterThan(0)
    cursor = `&cursor=${body.next_cursor}`
  }
  expect([ids.length, new Set(ids).size]).toEqual([ROWS, ROWS])
  expect(Math.max(...sizes)).toBeLessThan(2_000_000)
})
