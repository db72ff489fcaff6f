import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { browserOf, builtConsole, signedIn } from '../../support/panel.ts'
import { until } from '../../support/service-process.ts'
import { SCOPES } from '../../../main/contract/scopes.ts'
import { memoryVault } from '../../support/vault.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { assistantOf } from '../approvals/assistant.ts'

let w: World
let ask: ReturnType<typeof asConsole>
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
  ask = asConsole(w)
})
afterAll(() => w.close())

test('the service reports its version and the paths of its data', async () => {
  const { body } = await ask('GET', '/v1/service')
  expect(body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    network: 'sandbox',
    address: w.service.url,
    mcp_address: `${w.service.url}/mcp`,
    vault: { kind: 'memory', state: 'open', asking: null, notice: null, problem: null },
    home: w.home,
    database_bytes: expect.any(Number),
    started_at: '2026-01-05T12:00:00.000Z',
    warnings: [],
    troubles: [],
    notices: [],
    scopes: SCOPES,
    password_set: false,
    // Nothing was built here that could be started.
    mcp_bridge: null,
    limits: {
      slots: 10_000,
      rate_limit_per_minute: 1_000_000,
      anonymous_rate_limit_per_minute: 1_000_000,
      send_timeout_ms: 20_000,
      retry_schedule_s: [10, 60, 600, 2_700, 7_200, 21_600, 43_200],
    },
  })
  expect(body.database_bytes).toBeGreaterThan(10_000)
})

test('a vault that does not open is a notice, which says what waits and what to do', async () => {
  const vault = memoryVault()
  vault.lock()
  const own = await world({ vault })
  const { body } = await asConsole(own)('GET', '/v1/service')
  expect(body.vault).toMatchObject({ state: 'sealed', problem: 'The vault of this test is locked.' })
  expect(body.troubles).toEqual([
    expect.stringMatching(/^The vault of this test is locked\. Unlock it\. .* events wait .* Nothing is lost\.$/),
  ])
  expect(body.warnings).toEqual(body.troubles)
  // The doctor says it in the line of the vault.
  const facts = await own.service.carryOut({ command: 'doctor.facts', input: {} })
  expect(facts).toMatchObject({ warnings: [], vault: { state: 'sealed', asking: 'repeated' } })

  vault.unlock()
  expect((await asConsole(own)('POST', '/v1/service/unlock')).status).toBe(202)
  const open = { state: 'open', asking: null, problem: null }
  await until('the key', async () => (await asConsole(own)('GET', '/v1/service')).body.vault.state === 'open')
  expect((await asConsole(own)('GET', '/v1/service')).body).toMatchObject({ vault: open, troubles: [] })
  await own.close()
})

test('a version of Meta that ends soon is a notice, with the day and what to set', async () => {
  const own = await worldOfTest({ settings: { graphVersion: 'v20.0', graphBaseUrl: 'https://graph.facebook.com' } })
  await own.clock.advance(0)
  const said = async () => (await asConsole(own)('GET', '/v1/service')).body
  expect((await said()).troubles).toEqual([])
  own.clock.suspend(Date.parse('2026-07-01') - own.clock.now())
  const { troubles, notices } = await said()
  expect(troubles).toEqual([
    'Meta ends version v20.0 of its Graph API on 2026-09-24; official numbers may then fail. ' +
      'Set official.graph_version to v26.0, which Switchboard was tested with, and restart it.',
  ])
  expect(notices).toContainEqual({ code: 'graph_version', text: troubles[0], fault: true })
})

test('the overview counts objects and pending work', async () => {
  const own = await worldOfTest()
  const get = async () => (await asConsole(own)('GET', '/v1/console/overview')).body
  expect(await get()).toEqual({
    account: { ...own.account, first_run: true },
    instances: { total: 0, by_status: {} },
    webhooks: { total: 0, deactivated: 0 },
    deliveries: { pending: 0, failed: 0 },
    approvals: { pending: 0 },
  })
  expect((await own.api('PUT', '/v1/sandbox/catcher/broken', { status: 500 })).status).toBe(200)
  await own.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/broken', events: ['*'] })
  await own.pair()
  const gone = await own.instance()
  await own.instance()
  await own.api('DELETE', `/v1/instances/${gone.id}?confirm=true`)
  await own.quiet()
  const now = await get()
  expect(now.instances).toEqual({ total: 2, by_status: { connected: 1, created: 1 } })
  expect(now.webhooks).toEqual({ total: 1, deactivated: 0 })
  expect(now.deliveries.failed).toBeGreaterThan(0)
})

describe('a backup', () => {
  test('is an intact database of the current state, while sends continue', async () => {
    const { id } = await w.pair()
    const state = { isOver: false }
    const sending = (async () => {
      while (!state.isOver) await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550199', text: 'x' })
    })()
    const { status, body } = await ask('POST', '/v1/service/backups')
    state.isOver = true
    await sending
    expect(status).toBe(201)
    expect(body.file).toMatch(/backups.switchboard-20260105T\d{6}Z-manual\.db$/)
    const copy = new Database(body.file, { readonly: true })
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(copy.prepare('SELECT COUNT(*) AS n FROM instances').get()).toEqual({ n: 1 })
    copy.close()
    expect(body.bytes).toBeGreaterThan(10_000)
    expect(readdirSync(join(w.home, 'backups')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('is made once for all who ask at the same time', async () => {
    await w.clock.advance(2_000)
    const [one, other] = await Promise.all([ask('POST', '/v1/service/backups'), ask('POST', '/v1/service/backups')])
    expect(one.body).toEqual(other.body)
    expect(existsSync(one.body.file)).toBe(true)
  })
})

describe('connected assistants', () => {
  test.each(['modern', 'legacy'] as const)('a %s client is listed by its name, version and key', async (era) => {
    const own = await worldOfTest()
    const console = asConsole(own)
    const { key } = await own.key()
    expect((await console('GET', '/v1/service/assistants')).body.data).toEqual([])
    const assistant = await assistantOf(own, 'none', era, key)
    await assistant.call('list_instances', {})
    expect((await console('GET', '/v1/service/assistants')).body.data).toEqual([
      {
        key: { id: expect.any(String), name: 'Test', last4: key.slice(-4) },
        client: { name: 'test', version: '1' },
        last_seen_at: expect.any(String),
      },
    ])
  })
})

describe('the calls of assistants', () => {
  test('are listed by key, tool and outcome, and never with their content', async () => {
    const own = await worldOfTest()
    const { key } = await own.key()
    const assistant = await assistantOf(own, 'none', 'modern', key)
    await assistant.call('list_instances', {})
    await assistant.call('get_instance', { instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' })
    const { data } = (await asConsole(own)('GET', '/v1/service/tool-calls')).body
    expect(data).toEqual([
      {
        id: 2,
        at: expect.any(String),
        key: { id: expect.any(String), name: 'Test', last4: key.slice(-4) },
        tool: 'get_instance',
        status: 'refused',
        error_code: 'not_found',
        ms: expect.any(Number),
        approval_id: null,
      },
      expect.objectContaining({ id: 1, tool: 'list_instances', status: 'done', error_code: null }),
    ])
    expect(JSON.stringify(data)).not.toContain('0197f0c2')
  })

  test('say when approval is needed, and which approval it was', async () => {
    const own = await worldOfTest()
    const console = asConsole(own)
    const latest = async () => (await console('GET', '/v1/service/tool-calls')).body.data[0]
    const { id } = await own.pair()
    const assistant = await assistantOf(own, 'sending')
    const given = { instance_id: id, to: '12025550123', text: 'Hello' }
    const approval = await assistant.callAndWait('send_message', given)
    expect(await latest()).toMatchObject({
      tool: 'send_message',
      status: 'waiting',
      error_code: null,
      approval_id: approval,
    })
    await console('POST', `/v1/approvals/${approval}/approve`)
    await assistant.call('send_message', { approval_id: approval })
    expect(await latest()).toMatchObject({ status: 'done', approval_id: approval })
    const other = await assistant.callAndWait('send_message', { ...given, text: 'No' })
    await console('POST', `/v1/approvals/${other}/refuse`)
    await assistant.call('send_message', { approval_id: other })
    expect(await latest()).toMatchObject({ status: 'refused', error_code: 'invalid_state', approval_id: other })
  })
})

describe('the password of the console', () => {
  const put = (password: unknown) => ask('PUT', '/v1/service/password', { password })

  test('signs in as well as the codes, until it is removed', async () => {
    expect((await browserOf(w).signIn({ password: 'correct horse battery' })).status).toBe(401)
    expect((await put('correct horse battery')).status).toBe(204)
    expect((await ask('GET', '/v1/service')).body.password_set).toBe(true)
    const browser = browserOf(w)
    expect((await browser.signIn({ password: 'correct horse battery' })).status).toBe(204)
    expect((await browser.ask('GET', '/panel/session')).body.password_set).toBe(true)
    await w.clock.advance(60_000)
    expect((await browserOf(w).signIn({ password: 'Correct horse battery' })).status).toBe(401)
    expect((await put('another one, and longer')).status).toBe(204)
    expect((await browserOf(w).signIn({ password: 'correct horse battery' })).status).toBe(401)
    expect((await browserOf(w).signIn({ password: 'another one, and longer' })).status).toBe(204)
    expect((await put(null)).status).toBe(204)
    expect((await browserOf(w).signIn({ password: 'another one, and longer' })).status).toBe(401)
    expect((await browser.ask('GET', '/panel/session')).status).toBe(401)
  })

  test('is stored as a hash that does not reveal it', async () => {
    await put('a very secret password')
    const rows = await w.rows<Record<string, unknown>>('SELECT * FROM console_passwords')
    expect(rows).toHaveLength(1)
    for (const value of Object.values(rows[0] ?? {}))
      expect(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)).not.toContain(
        'secret',
      )
    await put(null)
    expect(await w.rows('SELECT * FROM console_passwords')).toEqual([])
  })

  test.each([['short'], [''], ['x'.repeat(1_025)], [12], [undefined]])('is refused when it is %s', async (password) => {
    const { status, body } = await put(password)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })
})

test('the account is renamed, for keys too', async () => {
  const { status, body } = await ask('PATCH', '/v1/account', { name: '  North agency ' })
  expect([status, body]).toEqual([200, { id: w.account.id, name: 'North agency' }])
  expect((await w.api('GET', '/v1/me')).body.account.name).toBe('North agency')
  const browser = await signedIn(w)
  expect((await browser.ask('GET', '/panel/session')).body.account.name).toBe('North agency')
  for (const name of ['', '   ', 'x'.repeat(101), null])
    expect((await ask('PATCH', '/v1/account', { name })).status, String(name)).toBe(400)
})

test('an API key finds none of it, and no document contains it', async () => {
  const yaml = (await w.api('GET', '/openapi.yaml')).text
  for (const [method, path] of [
    ['GET', '/v1/service'],
    ['POST', '/v1/service/backups'],
    ['GET', '/v1/service/backups'],
    ['POST', '/v1/service/backups/x/restore'],
    ['DELETE', '/v1/service/restore'],
    ['GET', '/v1/service/settings'],
    ['PATCH', '/v1/service/settings'],
    ['POST', '/v1/service/restart'],
    ['GET', '/v1/service/diagnostics'],
    ['GET', '/v1/account/sessions'],
    ['DELETE', '/v1/account/sessions'],
    ['DELETE', '/v1/account/sessions/3f6c1e0b9a27d458'],
    ['GET', '/v1/service/tool-calls'],
    ['GET', '/v1/service/assistants'],
    ['PUT', '/v1/service/password'],
    ['GET', '/v1/console/overview'],
    ['PATCH', '/v1/account'],
  ] as const) {
    expect((await w.api(method, path)).body.error.code, path).toBe('not_found')
    expect(yaml).not.toContain(path)
  }
})
