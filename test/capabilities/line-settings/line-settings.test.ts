import { expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../support/proxy.ts'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { decodeQr } from '../../support/qr.ts'
import { until } from '../../support/service-process.ts'
import { startWhatsApp } from '../../support/whatsapp/index.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const NO_PACE = { per_minute: null, burst: null, chat_per_minute: null, chat_burst: null, spacing_ms: null }
const USERNAME = 'line-one-user'
const PASSWORD = 'line-one-password'

const settingsOf = async (w: World, body: object = {}) => {
  const { id } = await w.instance(body)
  return `/v1/instances/${id}/line-settings`
}

test('an instance uses the defaults of the service except for its own settings, and null restores a default', async () => {
  const w = await worldOfTest({ settings: { pacePerMinute: 25 } })
  const path = await settingsOf(w)
  const before = (await w.api('GET', path)).body
  expect(before).toMatchObject({ pace: NO_PACE, default_pace: { per_minute: 25 }, online: false, proxy: null })

  const changed = await w.api('PATCH', path, { pace: { per_minute: 10, spacing_ms: 2_000 }, online: true })
  expect(changed.body).toMatchObject({ pace: { ...NO_PACE, per_minute: 10, spacing_ms: 2_000 }, online: true })
  await w.api('PATCH', path, { pace: { per_minute: null, burst: 2 } })
  expect((await w.api('GET', path)).body).toEqual({
    ...changed.body,
    pace: { ...NO_PACE, burst: 2, spacing_ms: 2_000 },
  })

  const other = await settingsOf(w)
  expect((await w.api('GET', other)).body).toEqual(before)
})

test.each([
  { pace: { per_minute: 0 } },
  { pace: { per_minute: 121 } },
  { pace: { spacing_ms: 199 } },
  { pace: { speed: 1 } },
  { proxy: { type: 'ftp', host: 'proxy.example', port: 1080 } },
  { proxy: { type: 'http', host: 'http://proxy.example', port: 1080 } },
  { proxy: { type: 'http', host: 'proxy.example', port: 0 } },
])('%o is invalid', async (body) => {
  const w = await worldOfTest()
  const answer = await w.api('PATCH', await settingsOf(w), body)
  expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
})

test('a proxy is refused for a sandbox instance, at a private address, or if it does not answer', async () => {
  const w = await worldOfTest()
  const proxy = { type: 'socks5', host: '192.168.7.2', port: 1080 }
  const live = await settingsOf(w, { network: 'live' })
  const answers = [
    await w.api('PATCH', await settingsOf(w), { proxy }),
    await w.api('PATCH', live, { proxy }),
    await w.api('PATCH', live, { proxy: { ...proxy, password: 'alone' } }),
    await w.api('PATCH', live, { proxy: { ...proxy, type: 'http', username: 'a:b' } }),
    await w.api('PATCH', live, { proxy: { ...proxy, host: '93.184.216.34' }, online: true }),
  ]
  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [409, 'invalid_state'],
    [400, 'invalid_url'],
    [400, 'validation_error'],
    [400, 'validation_error'],
    [502, 'upstream_unavailable'],
  ])
  expect(answers[1]?.body.error.message).toContain('egress.trusted_ranges')
  // What comes with a refused proxy is not stored either.
  expect((await w.api('GET', live)).body).toMatchObject({ online: false, proxy: null })
})

test.each(['localhost', 'localhost.', 'LocalHost', '127.1', '2130706433', '[::ffff:127.0.0.1]', '127.0.0.1.'])(
  'a proxy at %s is refused as a private address, and nothing is changed',
  async (host) => {
    const w = await worldOfTest()
    const live = await settingsOf(w, { network: 'live' })
    const { status, body } = await w.api('PATCH', live, { proxy: { type: 'socks5', host, port: 1080 } })
    expect([status, body.error.code]).toEqual([400, 'invalid_url'])
    expect(body.error.message).toMatch(/egress\.trusted_ranges in settings\.json\. Nothing was changed\.$/)
    expect((await w.api('GET', live)).body.proxy).toBeNull()
  },
)

test('a proxy that reaches WhatsApp is stored with its credentials encrypted and never shown', async () => {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  const login = { username: USERNAME, password: PASSWORD }
  const server = await startProxy('socks5', { to: whatsapp.route.port, login })
  onTestFinished(() => server.close())
  const logged: unknown[] = []
  const log = { debug: note, info: note, warn: note, error: note }
  function note(...line: unknown[]): void {
    logged.push(line)
  }
  const w = await worldOfTest({
    log,
    settings: { trustedRanges: ['127.0.0.1/32'] },
    dial: (address, port) => ({ address, port }),
  })
  const path = await settingsOf(w, { network: 'live' })
  const proxy = { type: 'socks5', host: '127.0.0.1', port: server.port }

  const wrong = await w.api('PATCH', path, { proxy: { ...proxy, username: USERNAME, password: 'wrong-password' } })
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'validation_error'])
  expect(wrong.body.error.message).toBe('The proxy 127.0.0.1 refused the user name or password. Nothing was changed.')
  const right = await w.api('PATCH', path, { proxy: { ...proxy, ...login } })
  expect(right.body.proxy).toEqual({ ...proxy, has_credentials: true })
  expect(server.carried).toContain('web.whatsapp.com:443')

  const rows = await w.rows<object>('SELECT * FROM instance_line_settings')
  const events = await w.events()
  const shown = JSON.stringify([wrong, right, logged, events, (await w.api('GET', path)).body])
  for (const secret of [USERNAME, PASSWORD, 'wrong-password']) {
    expect(shown).not.toContain(secret)
    expect(rows.some((row) => Object.values(row).some((value) => String(value).includes(secret)))).toBe(false)
  }
  await w.api('PATCH', path, { proxy: null })
  expect((await w.api('GET', path)).body.proxy).toBeNull()
})

test('line settings exist only on smv2 and are deleted with the instance', async () => {
  const w = await worldOfTest()
  const official = await w.official()
  const refused = await w.api('GET', `/v1/instances/${official.id}/line-settings`)
  expect([refused.status, refused.body.error.code]).toEqual([400, 'engine_mismatch'])
  const { id } = await w.instance()
  await w.api('PATCH', `/v1/instances/${id}/line-settings`, { online: true })
  await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
  expect(await w.rows('SELECT 1 FROM instance_line_settings')).toEqual([])
})

test('a transferred number loses its settings and its proxy, and reconnects without the proxy', async () => {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  const server = await startProxy('socks5', { to: whatsapp.route.port })
  onTestFinished(() => server.close())
  const w = await worldOfTest({
    ...{ resolve: systemResolve, dial: (address, port) => ({ address, port }) },
    settings: { trustedRanges: ['127.0.0.1/32'] },
  })
  const { id } = await w.instance({ network: 'live' })
  const path = `/v1/instances/${id}/line-settings`
  const proxy = { type: 'socks5', host: '127.0.0.1', port: server.port }
  const set = await w.api('PATCH', path, { pace: { per_minute: 3 }, online: true, proxy })
  expect(set.body.proxy).toEqual({ ...proxy, has_credentials: false })
  const qr = await until('a code', async () => (await w.api('GET', `/v1/instances/${id}/qr`)).body.qr ?? undefined)
  await whatsapp.phone('12025550200').scan(decodeQr(qr))
  const connection = async (api: World['api']) => {
    await w.pass(100)
    return (await api('GET', `/v1/instances/${id}/connection`)).body.connected === true || undefined
  }
  await until('the connection', () => connection(w.api))
  expect(server.connections()).toBeGreaterThan(0)

  const to = await clientOf(w)
  const carried = server.carried.length
  const moved = await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to.id })
  expect(moved.status, moved.text).toBe(200)
  const read = await to.api('GET', path)
  expect(read.body).toMatchObject({ pace: NO_PACE, online: false, proxy: null })
  expect(await w.rows('SELECT 1 FROM instance_line_settings')).toEqual([])

  await until('the end of the connection through the proxy', () => server.connections() === 0)
  await until('the connection', () => connection(to.api))
  expect([server.carried.length, server.connections()]).toEqual([carried, 0])
})
