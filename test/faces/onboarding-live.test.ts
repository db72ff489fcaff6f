import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localeFor } from '../../main/faces/onboarding/language.ts'
import { liveDone, livePage, liveProblem } from '../../main/faces/onboarding/live-page.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { asConsole } from '../support/console.ts'
import { until } from '../support/service-process.ts'
import { world, type World } from '../support/world.ts'

const en = localeFor('en')
let w: World
beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
})
afterAll(() => w.close())

interface Credentials {
  readonly number: string
  readonly phone_number_id: string
  readonly waba_id: string
  readonly access_token: string
  readonly app_secret: string
}

const opened = async (name = 'Main line'): Promise<{ id: string; page: string }> => {
  const { id, onboarding_url: url } = (await w.api('POST', '/v1/instances', { engine: 'official', name })).body
  return { id, page: new URL(url).pathname }
}
const credentials = async (number: string, more: object = {}): Promise<Credentials> =>
  (await w.api('POST', '/v1/sandbox/graph/numbers', { number, ...more })).body
const look = (page: string) => w.wire('GET', page, undefined, { key: null })
const submit = (page: string, form: object, headers: Record<string, string> = {}) =>
  w.wire('POST', page, new URLSearchParams({ ...form }).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

describe('the page behind the onboarding_url of a live number', () => {
  test('asks for the credentials, and shows which callback URL to give Meta', async () => {
    const { id, page } = await opened('Café <b>“Olé”</b>')
    const { status, headers, text } = await look(page)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(text).toContain('Café &lt;b&gt;“Olé”&lt;/b&gt;')
    for (const field of ['access_token', 'app_secret', 'phone_number_id', 'waba_id', 'pin']) {
      expect(text).toContain(`<label for="${field}">`)
    }
    expect(text.match(/type="password"/g)).toHaveLength(2)
    expect(text).toContain(`/callbacks/meta/${id}</dd>`)
    expect(text).toMatch(/Verify token<\/dt><dd>[\w-]{32}<\/dd>/)
    expect(text).not.toContain('Sandbox')
  })

  test('runs no script, loads nothing, and sends its form only to the service', async () => {
    const { page } = await opened()
    const { headers, text } = await look(page)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script|<link|<img|onclick|src=|javascript:/i)
  })

  test('connects the number, confirms that once, and stops working', async () => {
    const { id, page } = await opened()
    const given = await credentials('12025550401', { name: 'Garden shop' })
    const mark = await w.mark()
    const done = await submit(page, given, { origin: `http://${w.host}` })
    expect([done.status, done.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(done.text).toContain('+12025550401')
    expect(done.text).toContain('Meta now sends incoming messages to this service')
    for (const secret of [given.access_token, given.app_secret]) expect(done.text).not.toContain(secret)
    expect(await w.typesSince(mark)).toEqual(['instance.connecting', 'instance.connected'])
    const record = (await w.api('GET', `/v1/instances/${id}`)).body
    expect(record).toMatchObject({ status: 'connected', phone_number: '12025550401', profile_name: 'Garden shop' })
    expect(record).not.toHaveProperty('onboarding_url')
    for (const answer of [await look(page), await submit(page, given)]) expect(answer.status).toBe(404)
  })

  test('says what is wrong, marks the field, and does not return any secret', async () => {
    const { page } = await opened()
    const given = await credentials('12025550402')
    const answer = await submit(page, { ...given, access_token: 'EAAGsomebodyelsestokenaltogether' })
    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(/role="alert">Meta rejected this access token/)
    expect(answer.text).toMatch(/id="access_token"[^>]* aria-invalid="true"/)
    expect(answer.text).toContain(`value="${given.phone_number_id}"`)
    expect(answer.text).not.toContain('EAAGsomebody')
    expect(answer.text).not.toContain(given.app_secret)
    expect((await submit(page, { ...given, app_secret: 'f'.repeat(32) })).text).toMatch(
      /app secret does not match the app/,
    )
    expect((await submit(page, given)).status).toBe(200)
  })

  test('ignores white space around pasted values', async () => {
    const { page } = await opened()
    const given = await credentials('12025550403')
    const padded = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, `  ${String(value)}\n`]))
    expect((await submit(page, padded)).status).toBe(200)
  })

  test('asks for a PIN if the number is new to the Cloud API', async () => {
    const { page } = await opened()
    const given = await credentials('12025550404', { registered: false })
    expect((await submit(page, given)).text).toMatch(/role="alert">This number is not registered with the Cloud API/)
    expect((await submit(page, { ...given, pin: '123456' })).status).toBe(200)
  })

  test.each(['{"access_token":5}', '[]', 'null', '"x"'])('asks again when a client sends %s', async (json) => {
    const { page } = await opened()
    const answer = await w.wire('POST', page, json, { key: null, headers: { 'content-type': 'application/json' } })
    expect(answer.status).toBe(400)
  })

  test('offers Meta’s own signup only if a Meta app is configured', async () => {
    const { page } = await opened()
    expect((await look(page)).text).not.toContain('Continue with Meta')
    expect((await look(`${page}/signup`)).status).toBe(404)
    expect((await look('/onboard/signup?code=x&state=y')).status).toBe(404)
  })

  test('is removed with its instance, and replaced when the instance is recreated', async () => {
    const { id, page } = await opened()
    await w.api('POST', `/v1/instances/${id}/recreate?confirm=true`)
    const next = await until(
      'a new page',
      async () => (await asConsole(w)('GET', `/v1/instances/${id}`)).body.onboarding_url as string | undefined,
    )
    expect(new URL(next).pathname).not.toBe(page)
    expect((await look(page)).status).toBe(404)
    await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    expect((await look(new URL(next).pathname)).status).toBe(404)
  })
})

test('a live number works through the API: it sends, gets read receipts, receives, and is healthy', async () => {
  const { id, page } = await opened()
  await submit(page, await credentials('12025550410'))
  await w.api('POST', '/v1/sandbox/phones/12025550101/messages', { to: '12025550410', text: 'Hi' })
  const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550101', text: 'Hello' })
  expect([sent.status, sent.body.sent]).toEqual([201, true])
  const read = await until('read', async () => {
    const { body } = await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)
    return body.status === 'read' ? body : undefined
  })
  expect(read.engine_message_id).toMatch(/^wamid\./)
  expect(
    (await w.api('GET', `/v1/instances/${id}/templates`)).body.data.map(({ name }: { name: string }) => name),
  ).toContain('hello_world')
  expect((await w.api('GET', `/v1/instances/${id}/health`)).body).toMatchObject({
    status: 'ok',
    quality: { rating: 'GREEN', messaging_limit: 'TIER_250', account_mode: 'SANDBOX' },
    issues: [],
  })
  expect((await w.api('GET', `/v1/instances/${id}/qr`)).body.error.code).toBe('engine_mismatch')
})

test('a person who hides their number is received under Meta’s id, and can be answered by it', async () => {
  const { id, page } = await opened()
  await submit(page, await credentials('12025550411'))
  await w.api('POST', '/v1/sandbox/phones/900000000000001/messages', { to: '12025550411', text: 'Guess who' })
  const heard = await until('heard', async () => (await w.events()).find(({ data }) => data['text'] === 'Guess who'))
  const { from } = heard.data
  // An id of this portfolio alone.
  expect(heard.data).toMatchObject({
    from: expect.stringMatching(/^US\.900000000000001P\d+$/),
    chat: from,
    from_lid: from,
  })
  const raw = `/v1/instances/${id}/engine/official/messages`
  const sent = await w.api('POST', raw, { recipient: from, type: 'text', text: { body: 'Hello there' } })
  expect([sent.status, sent.body.sent]).toEqual([201, true])
  await until('read', async () => {
    const { body } = await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)
    return body.status === 'read' && body.to === from ? body : undefined
  })
  const [arrived] = (await w.api('GET', '/v1/sandbox/phones/900000000000001/messages')).body.data
  expect(arrived).toMatchObject({ text: 'Hello there' })
  const odd = await w.api('POST', raw, { recipient: 'somebody', type: 'text', text: { body: 'x' } })
  expect(odd.body.error.code).toBe('validation_error')
})

test('an account can request faults of the simulated Meta only for its own numbers', async () => {
  const { phone_number_id: number } = await credentials('12025550420')
  const path = `/v1/sandbox/graph/numbers/${number}/faults`
  expect((await w.api('POST', path, { kind: 'slow_headers', times: 2 })).body).toEqual({
    phone_number_id: number,
    kind: 'slow_headers',
    times: 2,
  })
  const { key } = await w.stranger()
  expect((await w.api('POST', path, { kind: 'slow_headers' }, { key })).body.error.code).toBe('not_found')
  expect((await w.api('POST', '/v1/sandbox/graph/numbers/1/faults', { kind: 'slow_headers' })).body.error.code).toBe(
    'not_found',
  )
})

test('without a running simulator, the error says how to start it', async () => {
  const plain = await world()
  const answer = await plain.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550401' })
  expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state'])
  expect(answer.body.error.message).toContain('official.graph_base_url')
  await plain.close()
})

test('if Meta refuses our URL, the last page says what to enter, and that it is shown only once', () => {
  const view = {
    callbackAddress: 'https://x.example/callbacks/meta/1',
    verifyToken: new Secret('the-token'),
    selfTest: { kind: 'ok' },
    canSignUp: false,
  } as never
  const done = liveDone(en, 'Shop', { number: '1', callsBack: false, view, pin: '123456' })
  for (const words of [
    'Meta did not accept our URL',
    'https://x.example/callbacks/meta/1',
    'the-token',
    'not shown again',
    '<dd>123456</dd>',
  ]) {
    expect(done).toContain(words)
  }
  expect(liveDone(en, 'Shop', { number: '1', callsBack: true, view, pin: null })).not.toMatch(/the-token|PIN/)
})

test('user input is escaped in the page', () => {
  const evil = `"><script>alert('x')</script>&`
  const view = {
    callbackAddress: evil,
    verifyToken: new Secret(evil),
    selfTest: { kind: 'wrong', fault: { code: 'other', host: evil, detail: evil } },
    canSignUp: true,
  } as never
  for (const page of [
    livePage(en, evil, view, evil, {
      problem: { field: 'waba_id', reason: { code: 'refused', detail: evil } },
      values: { phoneNumberId: evil, wabaId: evil },
    }),
    liveDone(en, evil, { number: evil, callsBack: false, view, pin: evil }),
    liveProblem(en, evil, evil),
  ]) {
    expect(page).not.toContain('<script>')
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;')
  }
})
