import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDurations, exposition } from '../../main/kernel/metrics.ts'
import { world, type World } from '../support/world.ts'

let w: World
let instance: string

beforeAll(async () => {
  w = await world()
  instance = (await w.pair()).id
})
afterAll(() => w.close())

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`
/** A line of the text format, as Prometheus' documentation has it. */
const SAMPLE = new RegExp(String.raw`^(${NAME})(?:\{(${LABEL}(?:,${LABEL})*)\})? (-?[0-9.e+-]+|\+Inf|NaN)$`)

/** Reads the text as a scraper would, and objects to what it would not understand. */
function read(text: string): Map<string, number> {
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.trimEnd().split('\n')) {
    const declared = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (declared?.[1] !== undefined && declared[2] !== undefined) types.set(declared[1], declared[2])
    if (line.startsWith('#')) {
      expect(line).toMatch(/^# (HELP|TYPE) \S+ \S/)
      continue
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? expect.fail(`no sample: ${line}`)
    const family = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''))
    expect(family, `${name} is declared before it is used`).toBeDefined()
    const key = labels === '' ? name : `${name}{${labels}}`
    expect(samples.has(key), `${key} stands once`).toBe(false)
    samples.set(key, Number(value))
  }
  return samples
}

const scrape = async () => read((await w.wire('GET', '/metrics')).text)

test('reports instances, queue, deliveries, and requests by operation and status', async () => {
  await w.api('POST', '/v1/instances', { name: 'new' })
  const { id: hook } = (await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/x', events: ['*'] })).body
  await w.api('PATCH', `/v1/webhooks/${hook}`, { active: false })
  // Accepted, and never confirmed.
  await w.wire('POST', `/v1/instances/${instance}/messages`, { to: '12025550101', text: 'Hello' })
  await w.wire('GET', '/v1/me')
  await w.wire('GET', '/v1/me')
  await w.wire('GET', '/v1/me', undefined, { key: null })
  await w.wire('GET', `/v1/instances/none`)
  await w.wire('GET', '/nowhere')
  const found = await scrape()
  const requests = (operation: string, status: number) =>
    found.get(`switchboard_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`)
  expect(found.get('switchboard_instances{status="connected"}')).toBe(1)
  expect(found.get('switchboard_instances{status="created"}')).toBe(1)
  expect(found.get('switchboard_webhooks')).toBe(1)
  expect(found.get('switchboard_deliveries_open{status="pending"}')).toBeGreaterThan(0)
  // A paused webhook is owed nothing now.
  expect(found.get('switchboard_delivery_lag_seconds')).toBe(0)
  expect(requests('getMe', 200)).toBe(2)
  expect(requests('getMe', 401)).toBe(1)
  expect(requests('getInstance', 404)).toBe(1)
  expect(requests('sendMessage', 201)).toBe(1)
  expect(requests('other', 404)).toBe(1)
  expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(found.get('switchboard_build_info{version="0.1.0",node="' + process.versions.node + '"}')).toBe(1)
})

test('delivery lag grows while a receiver is slow, and is 0 once everything is delivered', async () => {
  const lag = async () => (await scrape()).get('switchboard_delivery_lag_seconds')
  await w.api('PUT', '/v1/sandbox/catcher/slow', { delay_ms: 8_000 })
  const hook = { url: 'https://catcher.sandbox/slow', events: ['instance.created'], max_in_flight: 1 }
  const { id } = (await w.api('POST', '/v1/webhooks', hook)).body
  for (const name of ['first', 'second']) await w.api('POST', '/v1/instances', { name })
  expect(await lag()).toBeLessThan(1)
  await w.clock.advance(7_000)
  expect(await lag()).toBeGreaterThanOrEqual(6)
  await w.clock.advance(20_000)
  await w.quiet()
  expect(await lag()).toBe(0)
  await w.api('DELETE', `/v1/webhooks/${id}`)
})

test('a key that may not read instances, or only some, is refused', async () => {
  const lacks = await w.wire('GET', '/metrics', undefined, await w.key({ scopes: ['messages:send'] }))
  expect([lacks.status, lacks.body.error.code]).toEqual([403, 'insufficient_scope'])
  const restricted = await w.wire('GET', '/metrics', undefined, await w.key({ instances: [instance] }))
  expect([restricted.status, restricted.body.error.code]).toEqual([403, 'key_restricted'])
})

test('contains no personal data: no name, no number, no id', async () => {
  const { text } = await w.wire('GET', '/metrics')
  for (const word of [instance, 'catcher', '12025550', 'swb_', 'Hello']) expect(text).not.toContain(word)
})

test('buckets are cumulative, and a value on a bound belongs to its bucket', () => {
  const durations = createDurations()
  for (const ms of [0.5, 1, 1.1, 30_000]) durations.observe(ms)
  const samples = durations.samples({ operation: 'x' })
  const bucket = (le: string) => samples.find(({ labels }) => labels?.['le'] === le)?.value
  expect([bucket('0.001'), bucket('0.0025'), bucket('20'), bucket('+Inf')]).toEqual([2, 3, 3, 4])
  expect(samples.find(({ suffix }) => suffix === '_sum')?.value).toBeCloseTo(30.0026)
})

test('labels and help texts are escaped', () => {
  const labels = { odd: 'a "quote", a \\ and a\nline' }
  const text = exposition([{ name: 'x', help: 'two\nlines \\', type: 'gauge', samples: [{ labels, value: 1 }] }])
  expect(text).toBe('# HELP x two\\nlines \\\\\n# TYPE x gauge\nx{odd="a \\"quote\\", a \\\\ and a\\nline"} 1\n')
  expect(read(text).size).toBe(1)
})
