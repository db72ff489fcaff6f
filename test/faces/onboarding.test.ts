import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localeFor } from '../../main/faces/onboarding/language.ts'
import { sandboxDone, sandboxPage } from '../../main/faces/onboarding/sandbox-page.ts'
import { world, type World } from '../support/world.ts'

const en = localeFor('en')
let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** The path of the page behind `onboarding_url`, and the instance it belongs to. */
async function opened(name = 'Main line'): Promise<{ id: string; page: string }> {
  const made = (await w.api('POST', '/v1/instances', { engine: 'official', name })).body
  expect(made.onboarding_url).toMatch(new RegExp(`^http://${w.host}/onboard/[\\w-]+$`))
  return { id: made.id, page: new URL(made.onboarding_url).pathname }
}
const look = (page: string) => w.wire('GET', page, undefined, { key: null })
const submit = (page: string, form: string | object, headers: Record<string, string> = {}) =>
  w.wire('POST', page, typeof form === 'string' ? form : new URLSearchParams({ ...form }).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

describe('the page behind onboarding_url', () => {
  test('needs no key, names the instance and asks for one number', async () => {
    const { page } = await opened('Café <b>“Olé”</b> & Co')
    const { status, headers, text } = await look(page)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(text).toContain('Café &lt;b&gt;“Olé”&lt;/b&gt; &amp; Co')
    expect(text).not.toContain('<b>“')
    expect(text).toContain('Sandbox')
    expect(text.match(/<input/g)?.length).toBe(1)
    expect(text).toMatch(/<label for="number">/)
    expect(text).toMatch(/<html lang="en">/)
  })

  test('runs no script, cannot be embedded, and may send its form only to the service', async () => {
    const { page } = await opened()
    const { headers, text } = await look(page)
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src|unsafe-eval|\*/)
    expect(text).not.toMatch(/<script|onclick|javascript:/i)
    // With no-referrer, browsers send `Origin: null` with the form, and the door would refuse its own page.
    expect(headers['referrer-policy']).toBe('same-origin')
  })

  test.each([
    [undefined, 'en', 'Connect a number to'],
    ['de-DE,de;q=0.9', 'en', 'Connect a number to'],
    ['pt-PT', 'pt-BR', 'Conectar um número a'],
    ['fr, es-419;q=0.8, en;q=0.7', 'es', 'Conectar un número a'],
    ['en;q=0.5, pt;q=0.9', 'pt-BR', 'Conectar um número a'],
    ['es;q=0, en', 'en', 'Connect a number to'],
  ])('for Accept-Language %s is in %s', async (accepted, language, heading) => {
    const { page } = await opened('Luz')
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-language': accepted }
    const { text } = await w.wire('GET', page, undefined, { key: null, headers })
    expect(text).toContain(`<html lang="${language}">`)
    expect(text).toContain(`<h1>${heading} “Luz”</h1>`)
  })

  test('shows a browser a 404 page in its language', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml', 'accept-language': 'es' }
    const { status, headers: sent, text } = await w.wire('GET', '/onboard/unknown', undefined, { key: null, headers })
    expect([status, sent['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(sent['content-security-policy']).toContain("default-src 'none'")
    expect(text).toContain('Esta página ya no está disponible')
  })

  test('connects the number that a person types, with any separators, and confirms it', async () => {
    const { id, page } = await opened()
    const mark = await w.mark()
    const done = await submit(page, { number: ' +1 (202) 555-0150 ' }, { origin: `http://${w.host}` })
    expect([done.status, done.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(done.text).toContain('12025550150')
    expect(await w.typesSince(mark)).toEqual(['instance.connecting', 'instance.connected'])
    const record = (await w.api('GET', `/v1/instances/${id}`)).body
    expect(record).toMatchObject({ status: 'connected', connected: true, phone_number: '12025550150' })
    expect(record).not.toHaveProperty('onboarding_url')
  })

  test.each([
    '',
    'number=',
    'number=123',
    'number=call+me',
    'number=1234567890123456',
    'other=12025550151',
    'number=١٢٠٢٥٥٥٠١٥١',
  ])('asks again when the input is not a number (%s), and nothing happens', async (form) => {
    const { page } = await opened()
    const mark = await w.mark()
    const answer = await submit(page, form)
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    expect(answer.text).toMatch(/role="alert">Enter the number/)
    expect(await w.typesSince(mark)).toEqual([])
  })

  test.each([
    '{"number":12025550152}',
    '{"number":["12025550152"]}',
    '{"number":null}',
    'null',
    '5',
    '"12025550152"',
    '[]',
  ])('asks again when a client sends %s', async (json) => {
    const { page } = await opened()
    expect((await submit(page, json, { 'content-type': 'application/json' })).status).toBe(400)
  })

  test('works once: a connected number cannot be replaced through the same page', async () => {
    const { page } = await opened()
    expect((await submit(page, { number: '12025550153' })).status).toBe(200)
    const mark = await w.mark()
    for (const answer of [await look(page), await submit(page, { number: '12025550154' })]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('connects only one of two numbers that are submitted concurrently', async () => {
    const { page } = await opened()
    const answers = await Promise.all([
      submit(page, { number: '12025550155' }),
      submit(page, { number: '12025550156' }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
  })

  test.each(['unknown', '%00', 'x'.repeat(100), '..%2f..', "'%20OR%201=1"])(
    'is 404 for the token %s, which was never issued',
    async (token) => {
      for (const answer of [
        await look(`/onboard/${token}`),
        await submit(`/onboard/${token}`, { number: '12025550157' }),
      ]) {
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
      }
    },
  )

  test('is removed with its instance', async () => {
    const { id, page } = await opened()
    await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    expect((await look(page)).status).toBe(404)
  })

  test('refuses a form from a page of another origin, and one of 5 KB', async () => {
    const { page } = await opened()
    expect((await submit(page, { number: '12025550158' }, { origin: 'https://evil.example' })).body.error.code).toBe(
      'forbidden_origin',
    )
    expect((await submit(page, { number: '1'.repeat(5_000) })).body.error.code).toBe('payload_too_large')
  })

  test('is the only place that accepts forms', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await w.wire('POST', '/v1/instances', 'name=x', { headers })).status).toBe(415)
  })
})

test('user input is escaped in the page', () => {
  const evil = `"><script>alert('x')</script>&`
  for (const page of [sandboxPage(en, evil, evil), sandboxDone(en, evil, evil)]) {
    expect(page).not.toContain('<script>')
    expect(page).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;')
  }
})
