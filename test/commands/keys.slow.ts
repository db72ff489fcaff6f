import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { SCOPES } from '../../main/contract/scopes.ts'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { slowness } from '../support/loop-stretch.ts'

const KEY = /^swb_[0-9A-Za-z]{36}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOBODY = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const STACK = /\n\s+at |node:internal|ApiError/

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

/** The same commands, through the control socket and without a service. */
for (const isRunning of [true, false]) {
  const when = isRunning ? 'while the service runs' : 'while no service runs'

  const start = async (): Promise<RunningService | undefined> => (isRunning ? home.start() : undefined)

  test(`create prints only the key, ${when}`, async () => {
    await start()

    const made = await home.command('keys', 'create', '--name', 'My program')

    expect(made.code).toBe(0)
    expect(made.out.trim()).toMatch(KEY)
    expect(made.err).toMatch(/^Key “My program” \([0-9a-f-]{36}\) created\. It won't be shown again\. .*\n$/)
    expect(made.err).not.toContain(made.out.trim())
  })

  test(`create --json has the documented format, ${when}`, async () => {
    const running = await start()

    const { code, out, err } = await home.command('keys', 'create', '--json', '--name', 'Program')

    expect([code, err, out.endsWith('\n'), out.trim().includes('\n')]).toEqual([0, '', true, false])
    const made = JSON.parse(out)
    expect(Object.keys(made)).toEqual(['id', 'key', 'name', 'scopes', 'allowed_instance_ids'])
    expect(made).toMatchObject({ name: 'Program', scopes: SCOPES, allowed_instance_ids: null })
    expect([made.id, made.key]).toEqual([expect.stringMatching(UUID), expect.stringMatching(KEY)])
    const service = running ?? (await home.start())
    expect((await service.api(made.key)('GET', '/v1/me')).body.scopes).toEqual(SCOPES)
  })

  test(`scopes are accepted under their names and synonyms, each once, ${when}`, async () => {
    const running = await start()

    const scopes = 'instances:manage, ai:manage,messages:read,instances:manage'
    const made = await home.key('Old names', '--scopes', scopes)

    expect(made).toMatchObject({ scopes: ['instances:manage', 'ai:manage', 'messages:read'] })
    const service = running ?? (await home.start())
    const api = service.api(made.key)
    expect((await api('POST', '/v1/instances', { name: 'Made with a synonym' })).status).toBe(201)
    expect((await api('GET', '/v1/instances')).body.error.code).toBe('insufficient_scope')
  })

  test(`an invalid request is a sentence, and no key is created, ${when}`, async () => {
    await start()
    const refusals: [string[], RegExp][] = [
      [['create'], /^Give the key a name with --name\.\nUsage: /],
      [['create', '--name', ' '], /^Give the key a name with --name\.\nUsage: /],
      [['create', '--name', 'x'.repeat(101)], /^name must have at most 100 characters\.\n$/],
      [
        ['create', '--name', 'A', '--scopes', 'read,messages:send,write'],
        /^Unknown scope: read, write\. Scopes: .*instances:read, .*ai:manage\.\n$/,
      ],
      [['create', '--name', 'A', '--scopes', ''], /^--scopes is empty\. Scopes: /],
      [
        ['create', '--name', 'A', '--instances', NOBODY],
        /^There is no instance 0197f0c2-.* in this account, so no key can be restricted to it\. Check the ids\.\n$/,
      ],
      [['create', '--name', 'A', '--instances', `desk,${NOBODY}`], /^There is no instance desk, 0197f0c2-/],
      [
        ['create', '--name', 'A', '--instances', ','],
        /^--instances is empty\. Omit it to give the key access to all instances\.\n$/,
      ],
      [['create', '--name', 'A', '--colour', 'red'], /^Unknown option '--colour'\.\nUsage: /],
      [['create', 'A'], /^Unknown argument: A\.\nUsage: /],
      [['revoke'], /^Give the ID of one key\. To see them, run: npm run keys -- list\nUsage: /],
      [['revoke', NOBODY], /^There is no API key with the id 0197f0c2-.*\.\n$/],
      [['revoke', 'desk'], /^There is no API key with the id desk\.\n$/],
      [['destroy'], /^Usage: /],
      [[], /^Usage: /],
    ]
    for (const [args, sentence] of refusals) {
      const refused = await home.command('keys', ...args)
      expect([args, refused.code, refused.out]).toEqual([args, 1, ''])
      expect(refused.err).toMatch(sentence)
      expect(refused.err).not.toMatch(STACK)
    }
    expect(JSON.parse((await home.command('keys', 'list', '--json')).out)).toEqual({ data: [] })
  })

  test(`list names every key and never shows one, ${when}`, async () => {
    await start()
    expect((await home.command('keys', 'list')).out).toBe(
      'No keys yet. Create one with: npm run keys -- create --name NAME\n',
    )
    const first = await home.key('First')
    const second = await home.key('Second', '--scopes', 'messages:send')
    await home.command('keys', 'revoke', first.id)

    const { data } = JSON.parse((await home.command('keys', 'list', '--json')).out)
    expect(data).toEqual([
      { id: second.id, name: 'Second', last4: second.key.slice(-4), scopes: ['messages:send'], ...untouched },
      {
        id: first.id,
        name: 'First',
        last4: first.key.slice(-4),
        scopes: SCOPES,
        ...untouched,
        revoked_at: expect.stringMatching(/Z$/),
      },
    ])
    const { out } = await home.command('keys', 'list')
    expect(out).toMatch(
      new RegExp(
        `^${second.id}  ….{4}  Second  \\(all instances; last used never\\)\n    messages:send\n${first.id}  ….{4}  First  \\(all instances; revoked .*Z\\)\n    all scopes\n$`,
      ),
    )
    for (const { key } of [first, second]) expect(out).not.toContain(key)
  })
}

const untouched = {
  allowed_instance_ids: null,
  approval: 'none',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

test('a revoked key gets 401 from the next request on, while the service runs', async () => {
  const service = await home.start()
  const { id, key } = await home.key('Short-lived')
  const api = service.api(key)
  expect((await api('GET', '/v1/me')).status).toBe(200)

  const revoked = await home.command('keys', 'revoke', id)
  const { status, headers, body } = await api('GET', '/v1/me')

  expect(revoked).toMatchObject({ code: 0, out: `Key ${id} revoked. It no longer works.\n`, err: '' })
  expect([status, body.error.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer'])
  expect((await home.command('keys', 'revoke', id, '--json')).out).toBe(`${JSON.stringify({ id, revoked: true })}\n`)
})

test('a key created or revoked without a service is known to the next one', async () => {
  const [kept, dropped] = [await home.key('Kept'), await home.key('Dropped')]
  await home.command('keys', 'revoke', dropped.id)

  const service = await home.start()

  expect((await service.api(kept.key)('GET', '/v1/me')).body.key).toMatchObject({ id: kept.id, name: 'Kept' })
  expect((await service.api(dropped.key)('GET', '/v1/me')).status).toBe(401)
})

test('a key restricted to instances has access to these and no others', async () => {
  const service = await home.start()
  const all = service.api((await home.key('All')).key)
  const [mine, other] = [await create(all, 'Mine'), await create(all, 'Other')]

  const made = await home.key('Restricted', '--instances', ` ${mine.toUpperCase()} ,${mine}`)

  expect(made).toMatchObject({ allowed_instance_ids: [mine] })
  const api = service.api(made.key)
  expect((await api('GET', `/v1/instances/${mine}`)).status).toBe(200)
  expect((await api('GET', `/v1/instances/${other}`)).status).toBe(404)
  expect((await home.command('keys', 'list')).out).toContain('Restricted  (1 instance; ')
})

test('only its owner can use the control socket, in a home folder of any length', async () => {
  for (const below of ['', join(...Array.from({ length: 12 }, (_, nth) => `a-rather-long-folder-name-${nth}`))]) {
    const place = testHome(below)
    onTestFinished(() => place.remove())
    const service = await place.start()

    const socket = join(place.dir, 'control.sock')
    expect((statSync(socket).mode & 0o777).toString(8)).toBe('600')
    const { key } = await place.key('Deep down')
    expect((await service.api(key)('GET', '/v1/me')).status).toBe(200)
    await service.end('SIGTERM')
    expect(existsSync(socket)).toBe(false)
  }
})

test('a command waits for a service that is just starting', async () => {
  const launched = home.launch()
  await until('the service has its home', () => existsSync(join(home.dir, 'lock.pid')))
  const made = await home.key('Early')
  const service = await launched.listening

  expect((await service.api(made.key)('GET', '/v1/me')).status).toBe(200)
})

test('ten concurrent commands all succeed, with a service and without', async () => {
  for (const isRunning of [false, true]) {
    if (isRunning) await home.start()
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => home.command('keys', 'create', '--name', `Key ${nth}`)),
    )
    expect(made.map(({ code, err }) => (code === 0 ? 0 : err))).toEqual(made.map(() => 0))
  }
  expect(JSON.parse((await home.command('keys', 'list', '--json')).out).data).toHaveLength(20)
})

test('a service that does not answer makes nobody wait forever', async () => {
  const service = await home.start()
  service.signal('SIGSTOP')

  const asked = await home.command('keys', 'list')

  expect([asked.code, asked.out]).toEqual([1, ''])
  expect(asked.err).toBe('The running service stopped or did not respond. Repeat the command.\n')
  expect(asked.ms / slowness()).toBeLessThan(7_000)
})

async function create(api: Api, name: string): Promise<string> {
  return (await api('POST', '/v1/instances', { name })).body.id
}
