import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CONSOLE_CSP } from '../../main/faces/panel/csp.ts'
import { tempFolder } from '../support/database.ts'
import { browserOf, builtConsole, newCode, PAGE, signedIn, type Browser } from '../support/panel.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'

let w: World
let browser: Browser
let port: string
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
  browser = await signedIn(w)
  port = w.host.split(':')[1] ?? ''
})
afterAll(() => w.close())

const code = ({ status, body }: Pick<Reply, 'status' | 'body'>) => `${status} ${body?.error?.code ?? ''}`.trim()

describe('signing in', () => {
  test('accepts a code once, and sets a restricted cookie that pages cannot read', async () => {
    const other = browserOf(w)
    const one = newCode(w)
    const answer = await other.signIn({ code: one })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers['set-cookie']).toMatch(
      new RegExp(`^switchboard_${port}=[\\w-]{43}; Path=/panel/; Max-Age=2592000; HttpOnly; SameSite=Strict$`),
    )
    expect((await other.ask('GET', '/panel/session')).body).toEqual({
      signed_in: true,
      account: w.account,
      role: 'operator',
      member: null,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      home: 'headless',
      password_set: false,
    })
    await w.clock.advance(60_000)
    expect(code(await browserOf(w).signIn({ code: one }))).toBe('401 unauthorized')
  })

  test('stores a hash of the session and never its token', async () => {
    const token = browser.cookie.split('=')[1] ?? ''
    const rows = await w.rows<{ hash: Uint8Array }>('SELECT * FROM console_sessions')
    expect(rows.length).toBeGreaterThan(0)
    for (const { hash } of rows) expect([Buffer.from(hash).toString('base64url'), hash.length]).not.toContain(token)
  })

  test('refuses a code that was not used within 15 minutes', async () => {
    const late = newCode(w)
    await w.clock.advance(15 * 60_000)
    expect(code(await browserOf(w).signIn({ code: late }))).toBe('401 unauthorized')
  })

  test('uses cookie names over TLS that only a secure page can set', async () => {
    await w.clock.advance(60_000)
    const secure = browserOf(w)
    const answer = await secure.ask('POST', '/panel/session', { code: newCode(w) }, { origin: `https://${w.host}` })
    expect(answer.headers['set-cookie']).toMatch(new RegExp(`^__Secure-switchboard_${port}=.*; Secure$`))
    secure.cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
    expect((await secure.ask('GET', '/panel/session')).status).toBe(200)
  })

  test.each([
    ['nothing', {}],
    ['both', { code: 'a', password: 'b' }],
    ['an unknown field', { code: 'a', remember: true }],
    ['a number', { code: 1 }],
  ])('with %s is a validation error', async (_what, body) => {
    await w.clock.advance(60_000)
    expect(code(await browserOf(w).ask('POST', '/panel/session', body))).toBe('400 validation_error')
  })

  test('is slowed down after five wrong passwords in a minute, then for the right one too', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const right = { password: 'correct horse battery' }
    const mine = await signedIn(own)
    await mine.ask('PUT', '/panel/v1/service/password', right)
    const guesser = browserOf(own)
    for (let attempt = 0; attempt < 5; attempt++)
      expect(code(await guesser.signIn({ password: `wrong horse battery ${attempt}` }))).toBe('401 unauthorized')
    const refused = await guesser.signIn(right)
    expect(code(refused)).toBe('429 rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    // Links have a limit of their own, because they cannot be guessed.
    expect((await browserOf(own).signIn({ code: newCode(own) })).status).toBe(204)
    await own.clock.advance(12_000)
    expect((await guesser.signIn(right)).status).toBe(204)
  })

  test('is not slowed down for an office where many people sign in together', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const right = { password: 'correct horse battery' }
    await (await signedIn(own)).ask('PUT', '/panel/v1/service/password', right)
    for (let person = 0; person < 12; person++) {
      expect((await browserOf(own).signIn({ code: newCode(own) })).status).toBe(204)
      expect((await browserOf(own).signIn(right)).status).toBe(204)
    }
  })

  test('with used links is refused 60 times a minute, and then rate-limited', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const guesser = browserOf(own)
    for (let attempt = 0; attempt < 60; attempt++)
      expect(code(await guesser.signIn({ code: `wrong${attempt}` }))).toBe('401 unauthorized')
    expect(code(await guesser.signIn({ code: newCode(own) }))).toBe('429 rate_limited')
  })
})

describe('a session', () => {
  test('ends when the person signs out', async () => {
    const own = await signedIn(await worldOfTest({ consoleFolder: builtConsole() }))
    const out = await own.ask('DELETE', '/panel/session')
    expect(out.status).toBe(204)
    expect(out.headers['set-cookie']).toContain('Max-Age=0')
    expect(code(await own.ask('GET', '/panel/session'))).toBe('401 unauthorized')
    expect((await own.ask('DELETE', '/panel/session')).status).toBe(204)
  })

  test('ends after twelve hours without use, and is extended by use', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const used = await signedIn(own)
    const left = await signedIn(own)
    own.clock.suspend(11 * 3_600_000)
    expect((await used.ask('GET', '/panel/session')).status).toBe(200)
    own.clock.suspend(2 * 3_600_000)
    expect((await used.ask('GET', '/panel/session')).status).toBe(200)
    expect((await left.ask('GET', '/panel/session')).status).toBe(401)
  })

  test('ends after thirty days, however much it is used', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const used = await signedIn(own)
    for (let hours = 0; hours < 30 * 24 - 11; hours += 11) {
      own.clock.suspend(11 * 3_600_000)
      expect((await used.ask('GET', '/panel/session')).status).toBe(200)
    }
    own.clock.suspend(11 * 3_600_000)
    expect((await used.ask('GET', '/panel/session')).status).toBe(401)
  })

  test('outlives a restart of the service', async () => {
    const home = tempFolder()
    onTestFinished(() => rmSync(home, { recursive: true }))
    const first = await worldOfTest({ home, consoleFolder: builtConsole() })
    const there = await signedIn(first)
    const token = there.cookie.split('=')[1] ?? ''
    await first.close()
    const second = await worldOfTest({ home, vault: first.vault, clock: first.clock, seed: 7 })
    const again = browserOf(second)
    again.cookie = `switchboard_${second.host.split(':')[1] ?? ''}=${token}`
    expect((await again.ask('GET', '/panel/session')).status).toBe(200)
  })
})

describe('below /panel/', () => {
  test('operations answer as under /v1, including those that only the console has', async () => {
    const instance = await w.instance({ name: 'Front desk' })
    expect((await browser.ask('GET', `/panel/v1/instances/${instance.id}`)).body).toMatchObject({ name: 'Front desk' })
    const made = await browser.ask('POST', '/panel/v1/keys', { name: 'CRM', scopes: ['ai:read'] })
    expect([made.status, made.body.name]).toEqual([201, 'CRM'])
    expect((await browser.ask('DELETE', `/panel/v1/keys/${made.body.id}`)).status).toBe(204)
    expect((await browser.ask('PATCH', `/panel/v1/instances/${instance.id}`, { name: 'Desk' })).body.name).toBe('Desk')
    expect((await browser.ask('GET', '/panel/v1/me')).body.key).toBeNull()
  })

  test('an answer carries one request id, the one that was sent', async () => {
    const { headers, body } = await browser.ask('GET', '/panel/v1/nothing', undefined, { 'x-request-id': 'mine-1' })
    expect([headers['x-request-id'], body.error.request_id, body.error.code]).toEqual(['mine-1', 'mine-1', 'not_found'])
  })

  test('a replayed send is marked as a replay', async () => {
    const { id } = await w.pair('12025550901')
    const send = () =>
      browser.ask(
        'POST',
        `/panel/v1/instances/${id}/messages`,
        { to: '12025550123', text: 'Hi' },
        { 'idempotency-key': 'k1' },
      )
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(second.text).toBe(first.text)
  })

  test('a body that is too large or not JSON is refused as everywhere else', async () => {
    expect(code(await browser.ask('POST', '/panel/v1/instances', `{"name":"${'x'.repeat(2_100_000)}"}`))).toBe(
      '413 payload_too_large',
    )
    expect(code(await browser.ask('POST', '/panel/v1/instances', '{'))).toBe('400 invalid_json')
  })

  test.each(['/panel/v1/instances', '/panel/session', '/panel/v1/keys', '/panel/nothing'])(
    '%s without a cookie, or with one for another port, is refused',
    async (path) => {
      const token = browser.cookie.split('=')[1] ?? ''
      for (const cookie of [
        '',
        `switchboard_1=${token}`,
        `switchboard=${token}`,
        `switchboard_${port}=${'A'.repeat(43)}`,
      ]) {
        const answer = await w.api('GET', path, undefined, { key: null, headers: cookie === '' ? {} : { cookie } })
        expect(code(answer), cookie).toBe('401 unauthorized')
      }
    },
  )

  test('an API key gives no access, whatever its scopes', async () => {
    for (const path of ['/panel/v1/instances', '/panel/session', '/panel/nothing'])
      expect(code(await w.api('GET', path)), path).toBe('401 unauthorized')
  })

  test('outside of it the session gives no access', async () => {
    for (const path of ['/v1/instances', '/v1/keys', '/mcp'])
      expect(code(await browser.ask('GET', path)), path).toBe('401 unauthorized')
    expect(code(await browser.ask('GET', '/panel/nothing'))).toBe('404 not_found')
    expect((await browser.ask('GET', '/panel/v1')).status).toBe(404)
  })

  test.each([
    '/panel/v1/../../mcp',
    '/panel/v1/%2e%2e/%2e%2e/mcp',
    '/panel/v1/..%2f..%2fmcp',
    '/panel/v1//evil.example/x',
  ])('%s is 404', async (path) => {
    const headers = { cookie: browser.cookie }
    expect((await w.wire('GET', path, undefined, { key: null, headers })).status).toBe(404)
    const inside = await w.service.askAsConsole({ method: 'GET', path, headers: {} })
    expect(inside.status).toBe(404)
  })

  test('a change requires the Origin of our own page', async () => {
    const count = (await browser.ask('GET', '/panel/v1/instances')).body.count
    const headers = { cookie: browser.cookie }
    expect(code(await w.api('POST', '/panel/v1/instances', {}, { key: null, headers }))).toBe('403 forbidden_origin')
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:1`]) {
      const answer = await w.api('POST', '/panel/v1/instances', {}, { key: null, headers: { ...headers, origin } })
      expect(code(answer), origin).toBe('403 forbidden_origin')
    }
    expect((await browser.ask('GET', '/panel/v1/instances')).body.count).toBe(count)
  })

  test('a request from a page of another site is refused, reads too', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie: browser.cookie, 'sec-fetch-site': site }
      const answer = await w.api('GET', '/panel/v1/instances', undefined, { key: null, headers })
      expect(code(answer), site).toBe('403 forbidden_origin')
    }
  })

  test('a change requires JSON, also without a body', async () => {
    const { id } = await w.instance()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const answer = await browser.ask('POST', `/panel/v1/instances/${id}/restart`, undefined, { 'content-type': type })
      expect(code(answer), type).toBe('415 unsupported_media_type')
    }
    expect((await w.api('GET', `/v1/instances/${id}`)).body.status).toBe('created')
  })

  test('a text file can be uploaded, in the own account and in a client account', async () => {
    const { id: own } = await w.instance()
    const client = (await w.api('POST', '/v1/agency/accounts', { name: 'Bakery', slots_allocated: 1 })).body.id
    const inClient = `/panel/accounts/${client}`
    const { id: theirs } = (await browser.ask('POST', `${inClient}/v1/instances`, {})).body
    for (const [account, id] of [
      ['/panel', own],
      [inClient, theirs],
    ])
      for (const type of ['text/plain', 'text/markdown', 'application/octet-stream']) {
        const headers = { 'content-type': type, 'sec-fetch-site': 'same-origin' }
        const path = `${account}/v1/instances/${id}/ai/documents?name=parking.txt`
        const answer = await browser.ask('POST', path, Buffer.from('Parking is behind the shop.'), headers)
        expect(answer.status, `${account} ${type} ${answer.text}`).toBe(201)
      }
  })

  test('the console has a rate limit of its own', async () => {
    const own = await worldOfTest({
      consoleFolder: builtConsole(),
      settings: { ratePerMinute: 1, anonymousRatePerMinute: 3 },
    })
    const there = await signedIn(own)
    for (let i = 0; i < 20; i++) {
      const answer = await there.ask('GET', '/panel/v1/instances')
      expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '6000'])
    }
  })
})

describe('the console page', () => {
  const get = (path: string, headers = {}) => w.api('GET', path, undefined, { key: null, headers })

  test('needs no login, and has its own content security policy', async () => {
    const { status, headers, text } = await get('/console/')
    expect([status, text]).toEqual([200, PAGE])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONSOLE_CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    expect(CONSOLE_CSP).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
        "font-src 'self'; connect-src 'self'; media-src 'self' blob:; frame-src 'none'; object-src 'none'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })

  test('redirects to the trailing slash', async () => {
    const { status, headers } = await get('/console')
    expect([status, headers['location']]).toEqual([308, '/console/'])
  })

  test('caches files named by their hash', async () => {
    const { headers, text } = await get('/console/assets/index-abc.js')
    expect(text).toBe('export {}')
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(headers['cache-control']).toContain('immutable')
    expect((await w.api('HEAD', '/console/', undefined, { key: null })).status).toBe(200)
  })

  test.each([
    '/console/../secret.json',
    '/console/%2e%2e/secret.json',
    '/console/..%2fsecret.json',
    '/console/%252e%252e/secret.json',
    '/console/assets/../../secret.json',
    '/console/..%5csecret.json',
    '/console//etc/passwd',
    '/console/assets',
    '/console/nothing',
    '/console/index.html%00.js',
    '/console/__proto__',
  ])('%s serves nothing', async (path) => {
    const overSocket = await w.wire('GET', path, undefined, { key: null })
    expect([(await get(path)).status, overSocket.status].every((status) => status === 404 || status === 401)).toBe(true)
    expect(overSocket.text).not.toContain('secret"')
  })

  test('allows only reads', async () => {
    expect((await w.api('POST', '/console/', {}, {})).status).toBe(405)
  })

  test('does not count against the anonymous rate limit of the API', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole(), settings: { anonymousRatePerMinute: 2 } })
    for (let i = 0; i < 40; i++) expect((await own.api('GET', '/console/', undefined, { key: null })).status).toBe(200)
    expect((await own.api('GET', '/openapi.yaml', undefined, { key: null })).status).toBe(200)
  })

  test('may be missing: then there is no console URL, and the API still works', async () => {
    const own = await worldOfTest()
    expect(own.service.newConsoleAddress()).toBeNull()
    expect((await own.api('GET', '/console/', undefined, { key: null })).status).toBe(404)
    expect((await own.api('GET', '/v1/me')).status).toBe(200)
  })
})

describe('inside the desktop app', () => {
  const ask = async (method: string, path: string, payload?: object) => {
    const answer = await w.service.askAsConsole({
      method,
      path,
      headers: { 'content-type': 'application/json', authorization: 'Bearer x', cookie: 'y', host: 'evil.example' },
      ...(payload && { payload: Buffer.from(JSON.stringify(payload)) }),
    })
    const text = answer.body === null ? '' : await new Response(answer.body).text()
    return { ...answer, body: text === '' ? undefined : JSON.parse(text) }
  }

  test('nobody has to sign in', async () => {
    expect((await ask('GET', '/panel/session')).body).toMatchObject({ signed_in: true, home: 'desktop' })
    expect((await ask('POST', '/panel/session', {})).status).toBe(204)
    const out = await ask('DELETE', '/panel/session')
    expect([out.status, out.headers]).toEqual([204, expect.not.objectContaining({ 'set-cookie': expect.anything() })])
  })

  test('operations are carried out as the console', async () => {
    const made = await ask('POST', '/panel/v1/instances', { name: 'From the window' })
    expect([made.status, made.body.name]).toEqual([201, 'From the window'])
    expect((await ask('GET', '/panel/v1/keys')).status).toBe(200)
    expect((await ask('HEAD', '/panel/v1/keys')).body).toBeUndefined()
  })

  test('only paths below /panel/ can be reached', async () => {
    for (const path of ['/v1/instances', '/mcp', '/console/', '/healthz', 'nonsense://x', ''])
      expect((await ask('GET', path)).status, path).toBe(404)
  })
})
