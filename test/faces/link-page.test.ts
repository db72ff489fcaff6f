import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LinkView } from '../../main/capabilities/links/index.ts'
import { linkContent } from '../../main/faces/link-page/page.ts'
import { wordsFor, type LinkWords } from '../../main/faces/link-page/words.ts'
import { decodeQr } from '../support/qr.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'
import { clientOf, pairedIn } from '../capabilities/agency/agency-world.ts'

const HTML = { accept: 'text/html' }

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

async function linkTo(house: World, id: string, wish: object = {}): Promise<{ path: string; id: string }> {
  const { body } = await house.api('POST', `/v1/instances/${id}/access-links`, wish)
  return { path: new URL(body.url).pathname, id: body.id }
}
const open = (house: World, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  house.api('GET', path, undefined, { key: null, headers: { ...HTML, ...headers } })

/** What a visitor can tell two answers apart by. */
const seen = ({ status, text, headers }: Reply) => {
  const { 'x-request-id': _id, 'x-ratelimit-remaining': _left, date: _date, ...rest } = headers
  return { status, text, rest }
}

/** The picture of the code on the page, and what a phone reads in it. */
const codeOn = (text: string) => decodeQr(/class="qr" src="([^"]+)"/.exec(text)?.[1] ?? '')

describe('a link that does not open', () => {
  test('shows the same page byte for byte, whatever the reason', async () => {
    const own = await worldOfTest()
    const unknown = seen(await open(own, `/link/${'x'.repeat(43)}`))
    expect(unknown.status).toBe(404)
    expect(unknown.text).toContain('This link does not work')
    expect(unknown.rest).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
    expect(unknown.rest['set-cookie']).toBeUndefined()

    const line = await own.instance()
    const revoked = await linkTo(own, line.id)
    expect((await open(own, revoked.path)).status).toBe(200)
    await own.api('DELETE', `/v1/instances/${line.id}/access-links/${revoked.id}`)
    expect((await own.api('DELETE', `/v1/instances/${line.id}/access-links/${revoked.id}`)).status).toBe(204)

    const used = await linkTo(own, line.id)
    await open(own, used.path)
    const { pairing_code } = (await own.api('GET', `/v1/instances/${line.id}/qr`)).body
    await own.api('POST', '/v1/sandbox/phones/12025551111/scan', { pairing_code })
    await own.quiet()

    const client = await clientOf(own)
    const theirs = (await client.api('POST', '/v1/instances', {})).body
    const { url } = (await client.api('POST', `/v1/instances/${theirs.id}/access-links`, { permanent: true })).body
    const suspended = new URL(url).pathname
    expect((await open(own, suspended)).status).toBe(200)
    await own.api('POST', `/v1/agency/accounts/${client.id}/suspend`)

    const gone = await own.instance()
    const deleted = await linkTo(own, gone.id, { permanent: true })
    await own.api('DELETE', `/v1/instances/${gone.id}?confirm=true`)

    const expired = await linkTo(own, line.id, { expires_in: 300 })
    own.clock.suspend(300_000)

    const reasons = { revoked: revoked.path, used: used.path, suspended, deleted: deleted.path, expired: expired.path }
    for (const [reason, path] of Object.entries({ ...reasons, short: '/link/x', odd: '/link/%F0%9F%92%8C' }))
      expect(seen(await open(own, path)), reason).toEqual(unknown)
    for (const path of Object.values(reasons))
      for (const [method, rest] of [
        ['GET', '/events'],
        ['POST', ''],
      ] as const)
        expect(
          seen(
            await own.api(method, `${path}${rest}`, method === 'POST' ? {} : undefined, { key: null, headers: HTML }),
          ),
        ).toEqual(unknown)
    expect(seen(await open(own, suspended, { host: 'elsewhere.example' }))).toEqual(unknown)

    await own.api('POST', `/v1/agency/accounts/${client.id}/activate`)
    expect((await open(own, suspended)).status).toBe(200)
  })

  test('200 guesses a minute find nothing, and change nothing', async () => {
    const own = await worldOfTest({ settings: { anonymousRatePerMinute: 60 } })
    const line = await own.instance()
    const { path } = await linkTo(own, line.id)
    const before = await own.rows('SELECT uses, last_used_at, revoked_at FROM access_links')
    const statuses = new Set<number>()
    for (let n = 0; n < 200; n++) statuses.add((await open(own, `/link/${String(n).padStart(43, 'g')}`)).status)
    expect(statuses).toEqual(new Set([404, 429]))
    expect(await own.rows('SELECT uses, last_used_at, revoked_at FROM access_links')).toEqual(before)
    await own.pass(60_000)
    expect((await open(own, path)).status).toBe(200)
  })
})

describe('an open link', () => {
  test('shows the brand and a code that pairs a phone; then it confirms that and stops working', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    const brand = {
      display_name: 'Bäckerei <Nord>',
      colors: { primary: '#777777' },
      allowed_origins: ['https://app.example'],
    }
    await client.api('PATCH', '/v1/agency/branding', brand)
    const { id } = (await client.api('POST', '/v1/instances', { name: 'Front desk' })).body
    const at = `/v1/instances/${id}/access-links`
    const { url, reachable } = (await client.api('POST', at, {})).body
    expect(reachable).toBe('computer')
    const path = new URL(url).pathname
    const page = await open(own, path)
    expect(page.text).toContain('Bäckerei &lt;Nord&gt;')
    expect(page.headers['content-security-policy']).toContain('frame-ancestors https://app.example')
    expect(page.headers['content-security-policy']).not.toContain("script-src 'unsafe-inline'")
    expect(page.headers['referrer-policy']).toBe('no-referrer')
    expect(page.headers['set-cookie']).toBeUndefined()
    // Nothing but the connection and the name of the number is in it.
    for (const word of [id, client.id, 'swb_']) expect(page.text).not.toContain(word)

    await client.api('POST', '/v1/sandbox/phones/12025551111/scan', { qr: codeOn(page.text) })
    await own.quiet()
    expect((await client.api('GET', `/v1/instances/${id}`)).body.status).toBe('connected')
    expect((await open(own, path)).status).toBe(404)
    const [link] = (await client.api('GET', at)).body.data
    expect(link).toMatchObject({ state: 'used', uses: 1, url_last4: path.slice(-4) })
  })

  test('that is permanent shows the state before and after pairing', async () => {
    const line = await w.instance()
    const { path } = await linkTo(w, line.id, { permanent: true })
    const before = await open(w, path)
    await w.api('POST', '/v1/sandbox/phones/12025551211/scan', { qr: codeOn(before.text) })
    await w.quiet()
    const after = await open(w, path)
    expect(after.text).toContain('Your number is connected')
    expect(after.text).toContain('+12025551211')
    expect(after.text).not.toContain('class="qr"')
    await w.api('POST', `/v1/instances/${line.id}/disconnect`)
    await w.quiet()
    expect((await open(w, path)).text).toContain('The number is not connected')
  })

  test.each([
    ['en', 'en-GB,en;q=0.9', 'Connect your WhatsApp number'],
    ['pt-BR', 'pt-PT,pt;q=0.9', 'Conecte seu número do WhatsApp'],
    ['es', 'es-MX', 'Conecte su número de WhatsApp'],
  ])('shows %s to a browser that requests %s', async (language, accepted, title) => {
    const line = await w.instance()
    const { path } = await linkTo(w, line.id)
    const { text } = await open(w, path, { 'accept-language': accepted })
    expect(text).toContain(`<html lang="${language}">`)
    expect(text).toContain(title)
  })

  test('renews the code, issues a pairing code for a phone, and refuses an invalid number', async () => {
    const line = await w.instance()
    const { path } = await linkTo(w, line.id)
    await open(w, path)
    const act = (body: object) =>
      w.api('POST', path, body, { key: null, headers: { ...HTML, 'accept-language': 'es' } })
    expect((await act({ act: 'refresh' })).status).toBe(200)
    expect((await act({ act: 'code', phone: '+1 (202) 555-0100' })).status).toBe(200)
    expect((await act({ act: 'code', phone: 'no' })).body.error.message).toContain('código de país')
    expect((await act({ act: 'delete' })).status).toBe(400)
    expect((await open(w, path)).text).toMatch(/class="code">[A-Z0-9-]{8,9}</)
  })

  test('notifies the page when the code changes, and when pairing is done', async () => {
    const own = await worldOfTest()
    const line = await own.instance()
    const { path } = await linkTo(own, line.id)
    const page = await open(own, path)
    const stop = new AbortController()
    const answer = await fetch(`${own.service.url}${path}/events`, { signal: stop.signal })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    let text = ''
    const reading = (async () => {
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
    })()
    const until = async (sign: string) => {
      for (let n = 0; n < 200 && !text.includes(sign); n++) await own.quiet()
      expect(text).toContain(sign)
    }
    await until('event: view')
    await own.api('POST', '/v1/sandbox/phones/12025551111/scan', { qr: codeOn(page.text) })
    await until('event: done')
    expect(text).toContain('Your number is connected')
    await reading
    stop.abort()
  })

  test('keeps the ten most recently opened pages up to date, and tells the others that they are not', async () => {
    const own = await worldOfTest()
    const line = await own.instance()
    const { path } = await linkTo(own, line.id)
    const stop = new AbortController()
    const pages: { text: string; isOver: boolean }[] = []
    for (let nth = 0; nth < 12; nth++) {
      const answer = await fetch(`${own.service.url}${path}/events`, { signal: stop.signal })
      expect(answer.status, `page ${nth}`).toBe(200)
      const page = { text: '', isOver: false }
      pages.push(page)
      void (async () => {
        for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) page.text += chunk
        page.isOver = true
      })().catch(() => {})
    }
    const replaced = () => pages.map(({ text, isOver }) => isOver && text.endsWith('event: replaced\ndata: {}\n\n'))
    await vi.waitFor(() => expect(replaced()).toEqual(pages.map((_, nth) => nth < 2)))
    stop.abort()
  })

  test('for an official number leads to its onboarding page', async () => {
    const line = await w.instance({ engine: 'official' })
    const { path } = await linkTo(w, line.id)
    expect((await open(w, path)).text).toContain(`href="${line.onboarding_url}"`)
  })

  test('is logged: when and with which browser and address it was opened; never the link itself', async () => {
    const own = await worldOfTest()
    const line = await own.instance()
    const { path, id } = await linkTo(own, line.id)
    const token = path.slice('/link/'.length)
    await open(own, path, { 'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36' })
    const rows = await own.rows<{ kind: string; browser: string; address: string }>(
      'SELECT kind, browser, address FROM access_link_uses',
    )
    expect(rows).toEqual([{ kind: 'opened', browser: 'Chrome on Android', address: '127.0.0.1' }])
    for (const { name } of await own.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
      const all = JSON.stringify(await own.rows(`SELECT * FROM "${name}"`))
      expect(all.includes(token), name).toBe(false)
    }
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the links of an instance', () => {
  test('a repeat with the same key returns the same link', async () => {
    const line = await w.instance()
    const make = (body: object = {}) =>
      w.api('POST', `/v1/instances/${line.id}/access-links`, body, { headers: { 'idempotency-key': 'link-1' } })
    const [first, again] = [await make(), await make()]
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
    expect((await make({ permanent: true })).body.error.code).toBe('idempotency_conflict')
    expect((await w.api('GET', `/v1/instances/${line.id}/access-links`)).body.data).toHaveLength(1)
  })

  test.each([
    [{ expires_in: 299 }],
    [{ expires_in: 2_592_001 }],
    [{ permanent: true, expires_in: 300 }],
    [{ permanent: 'yes' }],
  ])('%j is refused', async (wish) => {
    const line = await w.instance()
    expect((await w.api('POST', `/v1/instances/${line.id}/access-links`, wish)).body.error.code).toBe(
      'validation_error',
    )
  })

  test('state whether they can be reached from everywhere', async () => {
    const wide = await worldOfTest({ settings: { publicBaseUrl: 'https://connect.north.example' } })
    const line = await wide.instance()
    const { body } = await wide.api('POST', `/v1/instances/${line.id}/access-links`, {})
    expect(body.url).toMatch(/^https:\/\/connect\.north\.example\/link\/[\w-]{43}$/)
    expect(body.reachable).toBe('everywhere')
  })

  test('a client’s link stops working after pairing, and not after a reconnect', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    const line = await pairedIn(own, client, '12025551111')
    const { url } = (await client.api('POST', `/v1/instances/${line.id}/access-links`, {})).body
    await open(own, new URL(url).pathname)
    await client.api('POST', `/v1/sandbox/instances/${line.id}/faults`, { kind: 'drop' })
    await own.pass(12_000)
    expect((await client.api('GET', `/v1/instances/${line.id}`)).body.status).toBe('connected')
    expect((await open(own, new URL(url).pathname)).status).toBe(200)
  })
})

test('a number that was never paired shows its name and a new code once the code has expired', async () => {
  const own = await worldOfTest()
  const { id } = (await own.api('POST', '/v1/instances', { name: 'Front desk' })).body
  const { path } = await linkTo(own, id, { permanent: true })
  expect((await open(own, path)).text).toContain('<p class="name">Front desk</p>')
  for (let minutes = 0; minutes < 15; minutes++) await own.pass(60_000)
  const expired = (await open(own, path)).text
  expect(expired).toContain('nobody scanned it')
  expect(expired).toContain('data-auto')
  expect(expired).not.toContain('connected before')
  const answer = await own.api('POST', path, { act: 'refresh' }, { key: null })
  expect(answer.status).toBe(200)
  await own.quiet()
  expect(codeOn((await open(own, path)).text)).toBeDefined()
})

describe('a number that was connected before', () => {
  const says: readonly [string, keyof LinkWords, keyof LinkWords | null][] = [
    ['stream_error', 'lost', 'again'],
    ['user', 'stopped', 'reconnect'],
    ['logout', 'unpaired', 'again'],
    ['session_lost', 'unpaired', 'again'],
    ['moved', 'moved', null],
    ['banned', 'banned', 'again'],
    ['temporary_ban', 'bannedForNow', null],
    ['qr_expired', 'expired', 'again'],
    ['passkey_refused', 'unconfirmed', 'again'],
    ['passkey_too_often', 'tooOften', 'again'],
  ]
  // Only a code that nobody scanned is replaced by the page itself.
  test.each(says)('and disconnected because of %s shows `%s`', (reason, sentence, button) => {
    for (const language of ['en', 'pt-BR', 'es']) {
      const words = wordsFor(language)
      const html = linkContent(words, disconnectedFor(reason), 0)
      expect(html).toContain(words[sentence])
      expect(html.includes('<button>')).toBe(button !== null)
      expect(html.includes('data-auto')).toBe(sentence === 'expired')
      if (button !== null) expect(html).toContain(words[button])
    }
  })

  test('and is official shows whether it reconnects automatically', () => {
    const words = wordsFor('en')
    const said = (reason: string) => {
      const view = disconnectedFor(reason)
      return linkContent(words, { ...view, instance: { ...view.instance, engine: 'official' }, qr: null }, 0)
    }
    expect(said('user')).toContain(words.stopped)
    expect(said('unreachable')).toContain(words.lost)
  })

  test('and was disconnected by its agency can be reconnected with the button on its page', async () => {
    const own = await worldOfTest()
    const { id } = await own.instance()
    const { pairing_code } = (await own.api('GET', `/v1/instances/${id}/qr`)).body
    await own.api('POST', '/v1/sandbox/phones/12025551112/scan', { pairing_code })
    await own.quiet()
    const { path } = await linkTo(own, id, { permanent: true })
    await own.api('POST', `/v1/instances/${id}/disconnect`)
    const words = wordsFor('en')
    expect((await open(own, path)).text).toContain(words.stopped)
    await own.api('POST', path, { act: 'refresh' }, { key: null, headers: HTML })
    await own.quiet()
    expect((await open(own, path)).text).toContain(words.connected)
  })

  const disconnectedFor = (reason: string): LinkView => ({
    brand: {} as LinkView['brand'],
    instance: {
      ...{ id: 'i', name: 'Line', status: 'disconnected', phone_number: '12025551111', engine: 'smv2' },
      ...{ last_connected_at: '2026-03-01T10:00:00.000Z', last_disconnect_reason: reason },
    },
    ...{ permanent: true, isDone: false, canRequestCode: true },
    qr: { state: 'expired', qr: null, pairing_code: null, expires_at: null, attempt: 0 },
  })
})
