import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../main/config.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { asConsole } from '../../support/console.ts'
import { tempFolder } from '../../support/database.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const list = async (w: World) => (await asConsole(w)('GET', '/v1/service/settings')).body
const one = async (w: World, name: string) =>
  (await list(w)).data.find((setting: { name: string }) => setting.name === name)
const change = (w: World, changes: object) => asConsole(w)('PATCH', '/v1/service/settings', { changes })
const fileOf = (w: World) => JSON.parse(readFileSync(join(w.home, 'settings.json'), 'utf8'))

/** As a person would have started it: with a flag, a variable and a file. */
async function started(file: object, argv: readonly string[] = [], env: Record<string, string> = {}): Promise<World> {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'settings.json'), JSON.stringify(file))
  const readFile = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  const machine = {
    argv: ['--home', home, '--port', '0', ...argv],
    env,
    platform: process.platform,
    homedir: home,
    readFile,
  }
  return worldOfTest({ home, settings: readConfig(machine) })
}

describe('the settings', () => {
  test('are listed with their source, and when a change takes effect', async () => {
    const w = await started({ slots: 5, send_timeout_ms: 9_000 }, ['--network=live'], {
      SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '77',
    })
    expect(await one(w, 'network')).toEqual({
      ...{ name: 'network', value: 'live', usual: 'sandbox', place: 'flag', where: '--network', next: null },
      ...{ change: null, range: null, choices: ['sandbox', 'live'] },
    })
    expect(await one(w, 'rate_limit_per_minute')).toMatchObject({
      ...{ value: 77, place: 'environment', where: 'SWITCHBOARD_RATE_LIMIT_PER_MINUTE', change: null },
    })
    expect(await one(w, 'slots')).toMatchObject({
      ...{ value: 5, usual: 10_000, place: 'file', where: expect.stringContaining('"slots" in '), change: 'now' },
    })
    expect(await one(w, 'send_timeout_ms')).toMatchObject({ value: 9_000, place: 'file', change: 'restart' })
    expect(await one(w, 'log_level')).toMatchObject({ place: 'default', where: null, change: 'restart' })
    expect(await one(w, 'host')).toMatchObject({ value: '127.0.0.1', change: null })
  })

  test('never show a secret', async () => {
    const w = await worldOfTest({
      settings: { vaultPassphrase: new Secret('correct horse battery'), metaAppSecret: new Secret('0123456789abcdef') },
    })
    const { data } = await list(w)
    for (const shown of ['correct', '0123456789', 'attery', '[secret'])
      expect(JSON.stringify(data)).not.toContain(shown)
    for (const secret of ['vault_passphrase', 'official.app_secret']) {
      expect(data.find(({ name }: { name: string }) => name === secret).value).toBeNull()
    }
  })
})

describe('a change', () => {
  test('never sends the mail server’s password to another server', async () => {
    const mail = { smtp: { host: 'mail.example.com' } }
    const w = await started(mail, [], { SWITCHBOARD_SMTP_PASSWORD: 'correct horse' })
    for (const changes of [{ 'smtp.host': 'elsewhere.example' }, { 'smtp.port': 2_525 }, { 'smtp.security': 'none' }]) {
      const { status, body } = await change(w, changes)
      expect([status, body.error.code, body.error.message]).toEqual([
        ...[409, 'invalid_state', expect.stringContaining('SWITCHBOARD_SMTP_PASSWORD')],
      ])
    }
    expect(fileOf(w)).toEqual(mail)
    expect(await one(w, 'smtp.host')).toMatchObject({ value: 'mail.example.com', change: null })
    expect((await change(w, { 'smtp.from': 'desk@example.com' })).status).toBe(200)

    const without = await started(mail)
    expect((await change(without, { 'smtp.host': 'elsewhere.example' })).status).toBe(200)
  })

  test('of a limit takes effect immediately, also for keys used before, and is saved in settings.json', async () => {
    const w = await started({ log_level: 'warn' })
    const limit = async () => Number((await w.api('GET', '/v1/me')).headers['x-ratelimit-limit'])
    const stranger = async () => (await w.api('GET', '/healthz', undefined, { key: null })).headers['x-ratelimit-limit']
    expect(await limit()).toBe(600)
    const { status, body } = await change(w, { rate_limit_per_minute: 1_200, anonymous_rate_limit_per_minute: 99 })
    expect(status).toBe(200)
    expect(body.data.find(({ name }: { name: string }) => name === 'rate_limit_per_minute')).toMatchObject({
      ...{ value: 1_200, place: 'file', next: null },
    })
    expect(await limit()).toBe(1_200)
    expect(await stranger()).toBe('99')
    expect(fileOf(w)).toEqual({ log_level: 'warn', rate_limit_per_minute: 1_200, anonymous_rate_limit_per_minute: 99 })
    expect((await asConsole(w)('GET', '/v1/service')).body.limits.rate_limit_per_minute).toBe(1_200)
  })

  test('of slots and network applies to the next instance', async () => {
    const w = await worldOfTest({ settings: { slots: 1 } })
    await w.instance()
    expect((await w.api('POST', '/v1/instances', {})).body.error.code).toBe('no_free_slot')
    await change(w, { slots: 2 })
    expect((await w.instance()).network).toBe('sandbox')
    await change(w, { slots: 3, network: 'live' })
    expect((await asConsole(w)('GET', '/v1/service')).body.network).toBe('live')
  })

  test('of a setting that needs a restart is saved and waits for it', async () => {
    const w = await started({})
    await change(w, { send_timeout_ms: 5_000, retry_schedule_s: [1, 1, 1, 1, 1, 1, 1] })
    expect(await one(w, 'send_timeout_ms')).toMatchObject({ value: 20_000, next: { value: 5_000 } })
    expect(fileOf(w)).toEqual({ send_timeout_ms: 5_000, retry_schedule_s: [1, 1, 1, 1, 1, 1, 1] })
    await change(w, { send_timeout_ms: null })
    expect(await one(w, 'send_timeout_ms')).toMatchObject({ value: 20_000, next: null, place: 'default' })
    expect(fileOf(w)).toEqual({ retry_schedule_s: [1, 1, 1, 1, 1, 1, 1] })
  })

  test('to the default removes it from the file', async () => {
    const w = await started({ slots: 5 })
    await change(w, { slots: null })
    expect(await one(w, 'slots')).toMatchObject({ value: 10_000, place: 'default', where: null })
    expect(fileOf(w)).toEqual({})
  })

  test.each([
    ['a number out of range', { slots: -1 }, 'slots must be an integer from 0'],
    ['another kind', { network: 'moon' }, 'network must be one of sandbox, live'],
    ['one that is not changed here', { host: '0.0.0.0' }, 'host cannot be changed here'],
    ['the vault', { vault: 'file' }, 'vault cannot be changed here'],
    ['what the guard of outgoing requests trusts', { 'egress.trusted_ranges': ['10.0.0.0/8'] }, 'cannot be changed'],
    ['one that does not exist', { speed: 9 }, 'speed cannot be changed here'],
    ['a name of every object', { constructor: 9 }, 'constructor cannot be changed here'],
  ])('to %s is refused, and of several changes none is made', async (_what, wrong, words) => {
    const w = await started({})
    const { status, body } = await change(w, { rate_limit_per_minute: 5, ...wrong })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.message).toContain(words)
    expect(fileOf(w)).toEqual({})
    expect((await one(w, 'rate_limit_per_minute')).value).toBe(600)
  })

  test('of a setting given by a flag or variable is refused, because it would have no effect', async () => {
    const w = await started({}, [], { SWITCHBOARD_SLOTS: '4' })
    const { status, body } = await change(w, { slots: 9 })
    expect([status, body.error.code]).toEqual([409, 'invalid_state'])
    expect(body.error.message).toContain('SWITCHBOARD_SLOTS')
  })

  test.each([{}, { changes: {} }])('are unchanged by an empty PATCH: %j', async (body) => {
    const w = await started({ slots: 5 })
    const before = await list(w)
    expect(await asConsole(w)('PATCH', '/v1/service/settings', body)).toMatchObject({ status: 200, body: before })
    expect(fileOf(w)).toEqual({ slots: 5 })
  })

  test('made twice at the same time loses neither', async () => {
    const w = await started({})
    await Promise.all([change(w, { slots: 7 }), change(w, { log_level: 'error' })])
    expect(fileOf(w)).toEqual({ slots: 7, log_level: 'error' })
  })
})

test('if the service cannot restart itself, a restart request says what to do instead', async () => {
  const w = await worldOfTest()
  expect((await list(w)).can_restart).toBe(false)
  const { status, body } = await asConsole(w)('POST', '/v1/service/restart')
  expect([status, body.error.code]).toEqual([409, 'invalid_state'])
})
