import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkContent } from '../../main/faces/link-page/page.ts'
import { wordsFor } from '../../main/faces/link-page/words.ts'
import { localeFor } from '../../main/faces/onboarding/language.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { clientOf, freeze, pairedIn, type Client } from '../capabilities/agency/agency-world.ts'
import { ghlWorld, until, type GhlWorld } from '../capabilities/crm/ghl-world.ts'
import { OFFER } from '../capabilities/voice/offers.ts'
import { scriptedVoice } from '../support/scripted-voice.ts'
import { testAgents } from '../support/voice.ts'
import { worldOfTest } from '../support/world.ts'

const STATES = ['active', 'suspended', 'frozen'] as const
type State = (typeof STATES)[number]

const ORIGIN = 'https://www.example.com'
const HTML = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }

let w: GhlWorld
const voice = scriptedVoice((it, { callId }) => it.say({ kind: 'local_sdp', callId, sdp: 'v=0' }))
beforeAll(async () => {
  w = await ghlWorld({ startVoice: voice.start, voiceAgents: testAgents() })
})
afterAll(() => w.close())

/** What a public page or callback says: the status, and the sentence that explains a refusal. */
const said = (status: number, text: string): string => {
  const error = /"message":"([^"]+)"/.exec(text)?.[1] ?? /<p class="problem"[^>]*>([^<]+)</.exec(text)?.[1]
  return error === undefined ? String(status) : `${status} ${error}`
}

async function visit(method: 'GET' | 'POST', url: string, form?: object): Promise<string> {
  const payload = form === undefined ? {} : { payload: new URLSearchParams({ ...form }).toString() }
  const answer = await w.service.door.app.inject({ method, url, headers: { host: w.host, ...HTML }, ...payload })
  return said(answer.statusCode, answer.body)
}

async function act(url: string, payload: object): Promise<string> {
  const answer = await w.service.door.app.inject({ method: 'POST', url, headers: { host: w.host }, payload })
  return said(answer.statusCode, answer.body)
}

let numbers = 12_025_558_100
const nextNumber = () => String(++numbers)

async function must(client: Client, method: string, path: string, body?: object): Promise<any> {
  const answer = await client.api(method, path, body)
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}
const pathOf = (url: string) => new URL(url).pathname

/** Everything of an account that somebody without a key can open. */
async function pagesOf(client: Client): Promise<Record<string, () => Promise<string>>> {
  const line = await pairedIn(w, client, nextNumber())
  const waiting = await must(client, 'POST', '/v1/instances', {})
  const link = pathOf((await must(client, 'POST', `/v1/instances/${waiting.id}/access-links`, {})).url)
  const official = await must(client, 'POST', '/v1/instances', { engine: 'official' })

  const secured = await must(client, 'POST', '/v1/instances', {})
  const phone = nextNumber()
  await must(client, 'POST', '/v1/sandbox/phones', { number: phone, passkey: true })
  const { pairing_code } = await must(client, 'GET', `/v1/instances/${secured.id}/qr`)
  await must(client, 'POST', `/v1/sandbox/phones/${phone}/scan`, { pairing_code })
  const passkey = pathOf(
    await until(async () => (await must(client, 'POST', `/v1/instances/${secured.id}/passkey/link`)).url),
  )

  const consent = await must(client, 'POST', `/v1/instances/${line.id}/ghl/connect`, { mode: 'oauth' })
  await must(client, 'POST', `/v1/instances/${line.id}/voice/enable`)
  const widgets = `/v1/instances/${line.id}/voice/widgets`
  const widget = await must(client, 'POST', widgets, { name: 'Site', allowed_origins: [ORIGIN] })
  const bridge = await must(client, 'PUT', `/v1/instances/${line.id}/crm-webhook`, {
    url: 'https://catcher.sandbox/crm',
  })
  const fromCrm = async (event: object) => {
    const at = String(Math.floor(w.moving.now() / 1_000))
    const payload = JSON.stringify(event)
    const signed = createHmac('sha256', bridge.secret).update(`${at}.${payload}`).digest('hex')
    const headers = {
      ...{ host: w.host, 'content-type': 'application/json' },
      ...{ 'x-service-timestamp': at, 'x-service-signature': `sha256=${signed}` },
    }
    return (await w.service.door.app.inject({ method: 'POST', url: pathOf(bridge.inbound_url), headers, payload }))
      .statusCode
  }
  const ofWidget = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const headers = { host: w.host, origin: ORIGIN }
    const url = `/widget/${widget.public_key}${path}`
    const answer = await w.service.door.app.inject({ method, url, headers, ...(payload && { payload }) })
    return said(answer.statusCode, answer.body)
  }

  return {
    'the page of an access link': () => visit('GET', link),
    'a new QR code': () => act(link, { act: 'refresh' }),
    'a pairing code, which rings a phone': () => act(link, { act: 'code', phone: nextNumber() }),
    'an onboarding page': () => visit('GET', pathOf(official.onboarding_url)),
    'connecting a number there': () => visit('POST', pathOf(official.onboarding_url), { number: nextNumber() }),
    'a passkey page': () => visit('GET', passkey),
    'a passkey that is not one': () => visit('POST', passkey, { attempt: '1', credential: 'none' }),
    'a consent to a CRM': async () => {
      const page = await w.consent(consent.authorization_url)
      return said(page.status, page.text)
    },
    'a widget on a web page': () => ofWidget('GET', ''),
    'a call from it': () => ofWidget('POST', '/sessions', { offer: OFFER }),
    'an opt-out from a CRM': async () =>
      String(await fromCrm({ id: 'o1', type: 'opt_out', phone: '12025558001', opted_out: true })),
    'a message from a CRM': async () => {
      const to = nextNumber()
      const status = await fromCrm({ id: 'm1', type: 'message', to, text: 'Hello' })
      const [first] = await until(async () => {
        const found = await w.rows<{ state: string }>(
          'SELECT i.state FROM crm_inbox i JOIN crm_links l ON l.seq = i.link_seq WHERE l.instance_id = :id AND external_id = :m',
          { id: line.id, m: 'm1' },
        )
        expect(found[0]?.state).not.toBe('waiting')
        return found
      })
      const got = await client.api('GET', `/v1/sandbox/phones/${to}/messages`)
      return `${status} ${first?.state} ${got.body.data?.length ?? 0}`
    },
    'the way back from paying': () => visit('GET', '/callbacks/stripe/return'),
  }
}

const NOBODY = '503 Nobody can answer here at the moment.'
const NO_PASSKEY = expect.stringMatching(/^400 /)
const CLOSED = '404'
const words = wordsFor('en')

/** Invitations close with a suspension, what reaches people with both; receiving, reading and paying stay open. */
const TABLE: Record<string, Record<State, unknown>> = {
  'the page of an access link': { active: '200', suspended: CLOSED, frozen: '200' },
  'a new QR code': { active: '200', suspended: CLOSED, frozen: '200' },
  'a pairing code, which rings a phone': { active: '200', suspended: CLOSED, frozen: `409 ${words.noCode}` },
  'an onboarding page': { active: '200', suspended: CLOSED, frozen: '200' },
  'connecting a number there': { active: '200', suspended: CLOSED, frozen: '200' },
  'a passkey page': { active: '200', suspended: CLOSED, frozen: '200' },
  'a passkey that is not one': { active: NO_PASSKEY, suspended: CLOSED, frozen: NO_PASSKEY },
  'a consent to a CRM': {
    active: '200',
    suspended: expect.stringContaining('Ask your agency to activate it'),
    frozen: '200',
  },
  'a widget on a web page': { active: '200', suspended: '200', frozen: '200' },
  'a call from it': { active: '201', suspended: NOBODY, frozen: '201' },
  'an opt-out from a CRM': { active: '202', suspended: '202', frozen: '202' },
  'a message from a CRM': { active: '202 done 1', suspended: '202 failed 0', frozen: '202 failed 0' },
  'the way back from paying': { active: '200', suspended: '200', frozen: '200' },
}

test.each(STATES)(
  'public pages and callbacks of an account that is %s allow only what the table permits',
  async (state) => {
    const client = await clientOf(w, { features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] })
    const pages = await pagesOf(client)
    if (state === 'suspended') await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
    if (state === 'frozen') await freeze(w, client)
    const answers: Record<string, string> = {}
    for (const [name, ask] of Object.entries(pages)) answers[name] = await ask()
    expect(answers).toEqual(Object.fromEntries(Object.entries(TABLE).map(([name, row]) => [name, row[state]])))
  },
  60_000,
)

test('a suspended account cannot finish a pending consent or start a new one', async () => {
  const client = await clientOf(w, { features: ['ghl'] })
  const { id } = await pairedIn(w, client, nextNumber())
  const path = `/v1/instances/${id}/ghl`
  const { authorization_url } = await must(client, 'POST', `${path}/connect`, { mode: 'oauth' })
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  await w.consent(authorization_url)
  expect((await must(client, 'GET', path)).connected).toBe(false)
  const again = await client.api('POST', `${path}/connect`, { mode: 'oauth' })
  expect([again.status, again.body.error.code]).toEqual([403, 'account_suspended'])
  await w.api('POST', `/v1/agency/accounts/${client.id}/activate`)
  const next = await must(client, 'POST', `${path}/connect`, { mode: 'oauth' })
  expect((await w.consent(next.authorization_url)).status).toBe(200)
})

test('a message that was refused while the account was suspended is sent later with the same key', async () => {
  const client = await clientOf(w)
  const { id } = await pairedIn(w, client, nextNumber())
  const headers = { 'idempotency-key': 'kept-by-the-window' }
  const send = () => client.api('POST', `/v1/instances/${id}/messages`, { to: '12025550123', text: 'Hi' }, headers)
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const refused = await send()
  expect([refused.status, refused.body.error.code]).toEqual([403, 'account_suspended'])
  await w.api('POST', `/v1/agency/accounts/${client.id}/activate`)
  expect((await send()).status).toBe(201)
})

test.each(['en', 'pt-BR', 'es'])(
  'the page of a link of a frozen account offers no code, and explains why, in %s',
  (language) => {
    const its = wordsFor(language)
    const view = {
      brand: {} as Parameters<typeof linkContent>[1]['brand'],
      instance: {
        id: 'i',
        name: 'Line',
        status: 'connecting',
        phone_number: null,
        engine: 'smv2',
        last_connected_at: null,
        last_disconnect_reason: null,
      },
      ...{ permanent: true, isDone: false },
      qr: { state: 'ready', qr: 'data:', pairing_code: null, expires_at: null, attempt: 1 },
    } as const
    const open = linkContent(its, { ...view, canRequestCode: true }, 0)
    const frozen = linkContent(its, { ...view, canRequestCode: false }, 0)
    expect([open.includes(its.getCode), open.includes(its.noCode)]).toEqual([true, false])
    expect([frozen.includes(its.getCode), frozen.includes(its.noCode)]).toEqual([false, true])
  },
)

test('a return from Meta signup connects no number of a suspended account, and can be retried later', async () => {
  const own = await worldOfTest({
    clock: systemClock,
    settings: {
      ...{ graphBaseUrl: 'sandbox', publicBaseUrl: 'https://switchboard.example' },
      ...{ metaAppId: '900900900', metaAppSecret: new Secret('a'.repeat(32)), metaConfigId: '77777' },
    },
  })
  const client = await clientOf(own)
  const made = await client.api('POST', '/v1/instances', { engine: 'official', network: 'live' })
  const look = (path: string) => own.wire('GET', path, undefined, { key: null, headers: { accept: 'text/html' } })
  const { headers } = await look(`${pathOf(made.body.onboarding_url)}/signup`)
  const state = new URL(headers['location'] ?? '').searchParams.get('state') ?? ''
  const comeBack = () => look(`/onboard/signup?code=nobodys&state=${state}`)

  await own.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const refused = await comeBack()
  expect([refused.status, refused.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
  expect(refused.text).toContain(localeFor('en').suspended.text)

  await own.api('POST', `/v1/agency/accounts/${client.id}/activate`)
  const tried = await comeBack()
  expect([tried.status, tried.text.includes(localeFor('en').live.again)]).toEqual([400, true])
  expect((await comeBack()).status).toBe(404)
})
