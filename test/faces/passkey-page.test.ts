import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instancesContract } from '../../main/capabilities/instances/contract.ts'
import { wordsFor } from '../../main/faces/passkey-page/words.ts'
import { world, type World } from '../support/world.ts'

const OURS = '12025550100'
const credential = JSON.stringify(instancesContract.answerInstancePasskey.examples.body.credential)
const en = wordsFor('en')

let w: World
let id: string
beforeEach(async () => {
  w = await world()
  id = (await w.api('POST', '/v1/instances', { name: 'Secret client' })).body.id
  await w.api('POST', '/v1/sandbox/phones', { number: OURS, passkey: true })
})
afterEach(() => w.close())

async function scan(): Promise<void> {
  const { pairing_code } = (await w.api('GET', `/v1/instances/${id}/qr`)).body
  await w.api('POST', `/v1/sandbox/phones/${OURS}/scan`, { pairing_code })
  await w.quiet()
}
const link = () => w.api('POST', `/v1/instances/${id}/passkey/link`)
const opened = async () => new URL((await link()).body.url).pathname
const look = (page: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  w.wire('GET', page, undefined, { key: null, headers })
const submit = (page: string, form: object) =>
  w.wire('POST', page, new URLSearchParams({ ...form }).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
  })
const status = async () => (await w.api('GET', `/v1/instances/${id}`)).body.status

describe('the link for the owner of an account', () => {
  test('is created only while a passkey is required, is shown once, and is valid for 15 minutes', async () => {
    expect((await link()).body.error.message).toContain('passkey_not_asked')
    await scan()
    const { status: code, body, headers } = await link()
    expect([code, headers['cache-control'], Date.parse(body.expires_at) - w.clock.now()]).toEqual([
      ...[201, 'no-store', 900_000],
    ])
    expect(body.url).toMatch(new RegExp(`^http://${w.host}/passkey/[\\w-]{43}$`))
    const page = new URL(body.url).pathname
    expect((await look(page)).status).toBe(200)
    await w.clock.advance(600_000 - 1_000)
    expect((await look(page)).status).toBe(200)
  })

  test('shows neither number nor name, runs only its own script and cannot be embedded', async () => {
    await scan()
    const { text, headers } = await look(await opened())
    expect(text).not.toMatch(/12025550100|Secret client|<script.*src|onclick|javascript:/i)
    const scripts = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script)
    const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    expect(/script-src ([^;]*);/.exec(headers['content-security-policy'] ?? '')?.[1]).toBe(hashes.join(' '))
    expect(hashes).toHaveLength(1)
    expect(text).toContain('navigator.credentials.get')
    expect(text).toContain('https://web.whatsapp.com/robots.txt')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers['cache-control']).toBe('no-store')
  })

  test('leads through every step to a linked account', async () => {
    await scan()
    const page = await opened()
    const sent = await submit(page, { attempt: '1', credential })
    expect([sent.status, sent.headers['location']]).toEqual([303, page])
    expect((await look(page)).text).toContain(en.phone.title)
    await w.clock.advance(1_000)
    const { text } = await look(page)
    const { code } = (await w.api('GET', `/v1/instances/${id}/qr`)).body.passkey
    expect(text).toContain(code)
    expect((await submit(page, { attempt: '1', match: 'yes' })).status).toBe(303)
    await w.clock.advance(2_000)
    await w.quiet()
    expect(await status()).toBe('connected')
    expect((await look(page)).text).toContain(en.linked.title)
  })

  test('says what is wrong with pasted text, and stays open', async () => {
    await scan()
    const page = await opened()
    for (const [pasted, why] of [
      ['undefined', en.notJson],
      ['{"id":"x"}', en.notJson],
      [credential.replaceAll('c2FuZGJveC1wYXNza2V5', 'AAAA'), en.problem.wrong],
    ] as const) {
      const { status: code, text } = await submit(page, { attempt: '1', credential: pasted })
      expect([code, text.includes(why)]).toEqual([400, true])
    }
    const late = await submit(page, { attempt: '9', credential })
    expect([late.status, late.text.includes(en.problem.superseded)]).toEqual([409, true])
    expect(await status()).toBe('passkey_required')
  })

  test('stops working after the confirmation or a newer link, and tells a stranger nothing', async () => {
    await scan()
    const first = await opened()
    const second = await opened()
    expect((await look(first)).status).toBe(404)
    await w.api('POST', `/v1/instances/${id}/qr/refresh`)
    await scan()
    const { status: code, text } = await look(second)
    expect([code, text.includes(en.gone.title)]).toEqual([404, true])
    expect((await look('/passkey/AAAA', { accept: 'application/json' })).body).toMatchObject({
      error: { code: 'not_found' },
    })
    expect((await submit(second, { attempt: '1', credential })).status).toBe(404)
    expect(await status()).toBe('passkey_required')
  })
})

test.each(['pt-PT', 'es-MX', 'de'])('the page is in the language for %s, or else in English', async (language) => {
  await scan()
  const { text } = await look(await opened(), { 'accept-language': language, accept: 'text/html' })
  const words = wordsFor(language)
  expect(text).toContain(`<html lang="${words.language}">`)
  expect(text).toContain(words.send)
})
