import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../main/contract/scopes.ts'
import { sql } from '../../main/kernel/sql.ts'
import { browserOf, builtConsole, newCode, signedIn, type Browser } from '../support/panel.ts'
import { world, worldOfTest, type World } from '../support/world.ts'
import { clientOf, pairedIn, type Client } from '../capabilities/agency/agency-world.ts'

let w: World
let operator: Browser
let client: Client
let sibling: Client
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
  operator = await signedIn(w)
  client = await clientOf(w, { name: 'Bakery' })
  sibling = await clientOf(w, { name: 'Florist' })
})
afterAll(() => w.close())

/** The panel of the operator, working in the account of a client. */
const inside = (accountId: string) => (method: string, path: string, body?: unknown) =>
  operator.ask(method, `/panel/accounts/${accountId}${path}`, body)

const codeIn = (url: string) => /#code=([\w-]+)$/.exec(url)?.[1] ?? ''

async function invited(account: Client, email: string, name = 'Ana'): Promise<{ id: string; url: string }> {
  const answer = await inside(account.id)('POST', '/v1/members', { name, email })
  expect(answer.status, answer.text).toBe(201)
  return { id: answer.body.member.id, url: answer.body.url }
}
async function memberOf(account: Client, email: string): Promise<Browser> {
  const { url } = await invited(account, email)
  const browser = browserOf(w)
  expect((await browser.signIn({ code: codeIn(url) })).status).toBe(204)
  return browser
}

describe('an operator', () => {
  test('works inside the account of a client, and sees what the client sees', async () => {
    const line = await pairedIn(w, client, '12025551111', { name: 'Front desk' })
    const ask = inside(client.id)
    expect((await ask('GET', '/v1/instances')).body.data.map(({ id }: any) => id)).toEqual([line.id])
    expect((await ask('GET', '/session')).body).toMatchObject({
      account: { id: client.id, name: 'Bakery' },
      role: 'operator',
    })
    const { body: made } = await ask('POST', '/v1/instances', { name: 'Made by the agency' })
    expect((await client.api('GET', `/v1/instances/${made.id}`)).body.name).toBe('Made by the agency')
    expect((await operator.ask('GET', `/panel/v1/instances/${made.id}`)).status).toBe(404)
    expect((await inside(sibling.id)('GET', `/v1/instances/${made.id}`)).status).toBe(404)
  })

  test.each(['0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', 'x', '%2e', '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60/accounts/x'])(
    'gets a 404 in the account %s',
    async (id) => {
      expect((await operator.ask('GET', `/panel/accounts/${id}/v1/instances`)).status).toBe(404)
    },
  )

  test('cannot enter a client account with an API key', async () => {
    const answer = await w.api('GET', `/panel/accounts/${client.id}/v1/instances`)
    expect(answer.status).toBe(401)
  })

  test('receives the events of the client’s account there, and no others', async () => {
    const stop = new AbortController()
    const answer = await fetch(`${w.service.url}/panel/accounts/${client.id}/events`, {
      headers: { cookie: operator.cookie },
      signal: stop.signal,
    })
    expect(answer.status).toBe(200)
    let text = ''
    const reading = (async () => {
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
    })().catch(() => {})
    await sibling.api('POST', '/v1/instances', {})
    await client.api('POST', '/v1/instances', { name: 'New' })
    for (let n = 0; n < 50 && !text.includes('instance.created'); n++) await w.clock.advance(100)
    expect(text).toContain('"type":"instance.created"')
    expect(text.match(/instance\.created/g)).toHaveLength(1)
    stop.abort()
    await reading
  })
})

describe('a member', () => {
  test('signs in with a link that works once, and sees only that account', async () => {
    const { url, id } = await invited(client, 'once@bakery.example')
    const browser = browserOf(w)
    expect((await browser.signIn({ code: codeIn(url) })).status).toBe(204)
    expect((await browserOf(w).signIn({ code: codeIn(url) })).status).toBe(401)
    expect((await browser.ask('GET', '/panel/session')).body).toMatchObject({
      account: { id: client.id },
      role: 'member',
      member: { id, name: 'Ana' },
    })
    for (const other of [sibling.id, w.account.id])
      expect((await browser.ask('GET', `/panel/accounts/${other}/v1/instances`)).status).toBe(404)
    expect((await browser.ask('GET', `/panel/accounts/${client.id}/v1/instances`)).status).toBe(200)
    for (const path of ['/panel/v1/agency/clients', '/panel/v1/members', '/panel/v1/service/backups'])
      expect((await browser.ask('GET', path)).status, path).toBe(403)
    const renamed = await browser.ask('PATCH', '/panel/v1/agency/branding', { display_name: 'Mine' })
    expect([renamed.status, renamed.body.error.code]).toEqual([403, 'insufficient_scope'])
  })

  test('sets a password, and signs in with it from then on; other browsers are signed out', async () => {
    const first = await memberOf(client, 'pass@bakery.example')
    const again = inside(client.id)
    const { data } = (await again('GET', '/v1/members')).body
    const { id } = data.find(({ email }: any) => email === 'pass@bakery.example')
    const second = browserOf(w)
    await second.signIn({ code: codeIn((await again('POST', `/v1/members/${id}/links`)).body.url) })
    const password = 'correct horse battery'
    expect((await first.ask('PUT', '/panel/v1/member-password', { password })).status).toBe(204)
    expect((await second.ask('GET', '/panel/v1/instances')).status).toBe(401)
    expect((await first.ask('GET', '/panel/v1/instances')).status).toBe(200)
    await w.clock.advance(60_000)
    const third = browserOf(w)
    expect((await third.signIn({ email: 'Pass@Bakery.example', password })).status).toBe(204)
    expect((await browserOf(w).signIn({ email: 'pass@bakery.example', password: 'wrong wrong wrong' })).status).toBe(
      401,
    )
    expect((await browserOf(w).signIn({ email: 'nobody@bakery.example', password })).status).toBe(401)
    expect((await operator.ask('PUT', '/panel/v1/member-password', { password })).body.error.code).toBe('invalid_state')
  })

  test('needs the current password to set another, and none after signing in with a link', async () => {
    await w.clock.advance(60_000)
    const byLink = await memberOf(client, 'again@bakery.example')
    const put = (browser: typeof byLink, body: object) => browser.ask('PUT', '/panel/v1/member-password', body)
    const password = 'correct horse battery'
    expect((await put(byLink, { password })).status).toBe(204)
    expect((await put(byLink, { password: 'another one, and longer' })).status).toBe(204)
    await w.clock.advance(60_000)
    const byPassword = browserOf(w)
    await byPassword.signIn({ email: 'again@bakery.example', password: 'another one, and longer' })
    for (const wrong of [{}, { current_password: '' }, { current_password: password }]) {
      const { status, body } = await put(byPassword, { ...wrong, password })
      expect([status, body.error.code, body.error.reason?.code ?? body.error.message]).toEqual([
        409,
        'invalid_state',
        expect.stringContaining('current_password is not your password'),
      ])
    }
    expect((await put(byPassword, { current_password: 'another one, and longer', password })).status).toBe(204)
    await w.clock.advance(60_000)
    expect((await browserOf(w).signIn({ email: 'again@bakery.example', password })).status).toBe(204)
  })

  test('is listed with sessions that show who, where and with what, and is signed out when removed', async () => {
    await w.clock.advance(60_000)
    const { url, id } = await invited(client, 'gone@bakery.example', 'Bia')
    const browser = browserOf(w)
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/130.0' }
    const answer = await browser.ask('POST', '/panel/session', { code: codeIn(url) }, agent)
    browser.cookie = (answer.headers['set-cookie'] ?? '').split(';')[0] ?? ''
    const { data } = (await inside(client.id)('GET', '/v1/account/sessions')).body
    expect(data.find(({ member }: any) => member === 'Bia')).toMatchObject({
      address: '127.0.0.1',
      browser: 'Firefox on Windows',
    })
    expect((await inside(client.id)('DELETE', `/v1/members/${id}`)).status).toBe(204)
    expect((await browser.ask('GET', '/panel/v1/instances')).status).toBe(401)
  })

  test('cannot set a password of the account and return with it, and neither can the operator', async () => {
    await w.clock.advance(60_000)
    const browser = await memberOf(client, 'back@bakery.example')
    const password = 'correct horse battery'
    expect((await browser.ask('PUT', '/panel/v1/service/password', { password })).body.error.code).toBe(
      'insufficient_scope',
    )
    const ofOperator = await inside(client.id)('PUT', '/v1/service/password', { password })
    expect([ofOperator.status, ofOperator.body.error.code]).toEqual([409, 'invalid_state'])
    expect((await browserOf(w).signIn({ password, account_id: client.id })).status).toBe(401)
  })

  test('who sets a new password invalidates the unused sign-in link', async () => {
    await w.clock.advance(60_000)
    const browser = await memberOf(client, 'unused@bakery.example')
    const { data } = (await inside(client.id)('GET', '/v1/members')).body
    const { id } = data.find(({ email }: any) => email === 'unused@bakery.example')
    const { url } = (await inside(client.id)('POST', `/v1/members/${id}/links`)).body
    await browser.ask('PUT', '/panel/v1/member-password', { password: 'correct horse battery' })
    expect((await browserOf(w).signIn({ code: codeIn(url) })).status).toBe(401)
  })

  test('who is removed while signing in is not signed in', async () => {
    await w.clock.advance(60_000)
    const browser = await memberOf(client, 'race@bakery.example')
    const password = 'correct horse battery'
    await browser.ask('PUT', '/panel/v1/member-password', { password })
    const { data } = (await inside(client.id)('GET', '/v1/members')).body
    const { id } = data.find(({ email }: any) => email === 'race@bakery.example')
    const again = browserOf(w)
    // Deriving the password takes longer than removing the member.
    const [signIn] = await Promise.all([
      again.signIn({ email: 'race@bakery.example', password }),
      inside(client.id)('DELETE', `/v1/members/${id}`),
    ])
    expect(signIn.status).toBe(401)
    expect(await w.rows('SELECT 1 FROM console_sessions WHERE member_id = :id', { id })).toEqual([])
  })

  test('cannot give a key scopes that only an operator may use', async () => {
    const browser = await memberOf(client, 'keys@bakery.example')
    const create = (scopes: readonly string[]) => browser.ask('POST', '/panel/v1/keys', { name: 'Mine', scopes })
    for (const wanted of [['agency:manage'], [...SCOPES]]) {
      const { status, body } = await create(wanted)
      expect([status, body.error?.code, body.error?.detail?.reason]).toEqual([403, 'insufficient_scope', 'agency_only'])
    }
    expect((await create(SCOPES.filter((scope) => scope !== 'agency:manage'))).status).toBe(201)
  })

  test('cannot have the same email address as another member, in any account', async () => {
    await invited(client, 'twice@bakery.example')
    const again = await inside(sibling.id)('POST', '/v1/members', { name: 'B', email: 'TWICE@bakery.example' })
    expect(again.body.error.code).toBe('invalid_state')
  })

  test('cannot use a sign-in link after seven days', async () => {
    const own = await worldOfTest({ consoleFolder: builtConsole() })
    const wish = { name: 'Ana', email: 'late@bakery.example' }
    const { url } = (await (await signedIn(own)).ask('POST', '/panel/v1/members', wish)).body
    own.clock.suspend(7 * 86_400_000)
    expect((await browserOf(own).signIn({ code: codeIn(url) })).status).toBe(401)
  })
})

describe('a shared password from an earlier version', () => {
  const password = 'correct horse battery'
  /** As migration 37 leaves it. */
  const shared = async (account: Client) => {
    await w.clock.advance(60_000)
    const browser = await memberOf(account, `${account.id}@made.example`)
    await browser.ask('PUT', '/panel/v1/member-password', { password })
    await w.service.db.commit((tx) =>
      tx.run(
        sql<{ id: string }>(
          'UPDATE members SET id = account_id, email = account_id, is_shared = 1 WHERE account_id = :id AND is_shared = 0',
        ),
        { id: account.id },
      ),
    )
  }
  const signIn = async (account: Client) => {
    await w.clock.advance(15_000)
    const browser = browserOf(w)
    return { browser, status: (await browser.signIn({ password, account_id: account.id })).status }
  }

  test('still works, is listed, and cannot be changed', async () => {
    const account = await clientOf(w, { name: 'Shared' })
    await shared(account)
    const { browser, status } = await signIn(account)
    expect(status).toBe(204)
    const listed = (await inside(account.id)('GET', '/v1/members')).body.data
    expect(listed).toMatchObject([{ id: account.id, shared: true, email: null, status: 'active', has_password: true }])
    for (const answer of [
      await browser.ask('PUT', '/panel/v1/member-password', { password: 'another one, and longer' }),
      await inside(account.id)('POST', `/v1/members/${account.id}/links`),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state'])
    expect((await inside(account.id)('DELETE', `/v1/members/${account.id}`)).status).toBe(204)
    expect((await browser.ask('GET', '/panel/v1/instances')).status).toBe(401)
    expect((await signIn(account)).status).toBe(401)
  })

  test('is removed when a member who may know it is removed', async () => {
    const account = await clientOf(w, { name: 'Shared too' })
    await shared(account)
    const { browser } = await signIn(account)
    const { id } = await invited(account, 'knows@shared.example')
    await inside(account.id)('DELETE', `/v1/members/${id}`)
    expect((await browser.ask('GET', '/panel/v1/instances')).status).toBe(401)
    expect((await signIn(account)).status).toBe(401)
  })
})

describe('the activity log', () => {
  test('records who did what to which resource and when, with its name as the only value', async () => {
    await w.clock.advance(60_000)
    const browser = await memberOf(sibling, 'log@florist.example')
    const { body: line } = await browser.ask('POST', '/panel/v1/instances', { name: 'Front desk' })
    await sibling.api('PATCH', `/v1/instances/${line.id}`, { metadata: { a: 'Secret value' } })
    await sibling.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550177', text: 'Hi' })
    await operator.ask('PUT', `/panel/v1/agency/accounts/${sibling.id}/slots`, { slots_allocated: 9 })
    const { data } = (await inside(sibling.id)('GET', '/v1/audit-log')).body
    expect(data.slice(0, 3)).toMatchObject([
      { actor: 'operator', operation: 'setSubAccountSlots', subject_id: sibling.id, fields: ['slots_allocated'] },
      { actor: 'key', actor_name: 'All', via: 'api', operation: 'updateInstance', subject_id: line.id },
      { actor: 'member', actor_name: 'Ana', via: 'window', operation: 'createInstance', subject_id: line.id },
    ])
    expect(data[1].subject_name).toBe('Front desk')
    expect(JSON.stringify(data)).not.toContain('Secret')
    expect(data.map(({ operation }: any) => operation)).not.toContain('sendMessage')
    const own = (await browser.ask('GET', '/panel/v1/audit-log?actor=key')).body.data
    expect(new Set(own.map(({ actor }: any) => actor))).toEqual(new Set(['key']))
    const csv = await browser.ask('GET', '/panel/v1/audit-log', undefined, { accept: 'text/csv' })
    expect(csv.text).toContain('at,actor,actor_id,actor_name,via,operation,summary,subject_id,fields,subject_name')
    expect(csv.text.trim().split('\r\n').length).toBeGreaterThan(3)
  })

  test('records what was created, and does not record a repeated request again', async () => {
    const line = await pairedIn(w, sibling, '12025551133')
    const draft = { name: 'Spring', instance_ids: [line.id], messages: [{ text: 'Hello' }] }
    const path = `/panel/accounts/${sibling.id}/v1/campaigns`
    const create = () => operator.ask('POST', path, draft, { 'idempotency-key': 'log' })
    const { status, body } = await create()
    expect([status, (await create()).body]).toEqual([201, body])
    const { data } = (await inside(sibling.id)('GET', '/v1/audit-log')).body
    const made = data.filter(({ operation }: any) => operation === 'createCampaign')
    expect(made).toMatchObject([{ actor: 'operator', subject_id: body.campaign_id }])
  })

  test('keeps the name of a deleted resource', async () => {
    const line = await pairedIn(w, sibling, '12025551134', { name: 'Front desk' })
    const at = `/v1/instances/${line.id}`
    const agent = (await sibling.api('POST', `${at}/ai/agents`, { name: 'Reception', provider: 'builtin' })).body
    const url = 'https://catcher.sandbox/orders?token=hidden'
    const webhook = (await sibling.api('POST', '/v1/webhooks', { url, events: ['*'] })).body
    const draft = { name: 'Spring sale', instance_ids: [line.id], messages: [{ text: 'Hello' }], start: false }
    const campaign = (await sibling.api('POST', '/v1/campaigns', draft)).body
    const client = (await operator.ask('POST', '/panel/v1/agency/accounts', { name: 'Kiosk', slots_allocated: 0 })).body
    const gone = [
      `${at}/ai/agents/${agent.id}`,
      `/v1/webhooks/${webhook.id}`,
      `/v1/campaigns/${campaign.campaign_id}`,
      at,
    ]
    for (const path of gone)
      expect((await sibling.api('DELETE', `${path}?confirm=true`)).status, path).toBeLessThan(300)
    const closed = await operator.ask('DELETE', `/panel/v1/agency/accounts/${client.id}?confirm=true`)
    expect(closed.status, closed.text).toBeLessThan(300)
    const { body, text } = await inside(sibling.id)('GET', '/v1/audit-log?limit=4')
    expect(body.data.map(({ subject_name }: any) => subject_name)).toEqual([
      'Front desk',
      'Spring sale',
      'catcher.sandbox',
      'Reception',
    ])
    expect(text).not.toContain('hidden')
    const own = (await operator.ask('GET', '/panel/v1/audit-log?limit=1')).body.data
    expect(own).toMatchObject([{ operation: 'deleteSubAccount', subject_name: 'Kiosk' }])
  })

  test('in the account of a client names no person or key of the agency', async () => {
    const path = `/v1/agency/accounts/${sibling.id}/slots`
    expect((await w.api('PUT', path, { slots_allocated: 9 })).status).toBe(200)
    const [act] = (await inside(sibling.id)('GET', '/v1/audit-log?limit=1')).body.data
    expect(act).toMatchObject({ actor: 'operator', actor_id: null, actor_name: '', operation: 'setSubAccountSlots' })
    const [own] = (await operator.ask('GET', '/panel/v1/audit-log?limit=1')).body.data
    expect(own).toMatchObject({ actor: 'key', operation: 'setSubAccountSlots', subject_id: sibling.id })
    expect(own.actor_name).not.toBe('')
  })

  test('records only what took effect, and not refused calls', async () => {
    const before = (await inside(sibling.id)('GET', '/v1/audit-log?limit=1')).body.data
    const refused: [string, string, object?][] = [
      ['PATCH', '/v1/agency/billing', { enabled: true }],
      ['POST', '/v1/agency/accounts', { name: 'Below', slots_allocated: 0 }],
      ['PUT', `/v1/agency/accounts/${client.id}/slots`, { slots_allocated: 1 }],
      ['POST', '/v1/instances', { engine: 'unknown' }],
      ['DELETE', '/v1/webhooks/019b8d40-3c1e-7a52-8f63-1d2c3b4a5968'],
    ]
    for (const [method, path, body] of refused) {
      const { status } = await sibling.api(method, path, body)
      expect([path, status >= 400]).toEqual([path, true])
    }
    const member = await memberOf(sibling, 'refused@florist.example')
    expect((await member.ask('PATCH', '/panel/v1/agency/billing', { enabled: true })).status).toBe(403)
    const { data } = (await inside(sibling.id)('GET', '/v1/audit-log')).body
    const since = data.slice(
      0,
      data.findIndex(({ id }: any) => id === before[0].id),
    )
    expect(since.map(({ operation }: any) => operation)).not.toContain('updateAgencyBilling')
    expect(since.filter(({ actor }: any) => actor === 'key')).toEqual([])
    expect((await w.api('GET', '/v1/agency/billing')).body.enabled).toBe(false)
  })

  test('of one account does not appear in the log of another', async () => {
    const { id } = (await client.api('POST', '/v1/instances', { name: 'Mine' })).body
    const log = (await inside(sibling.id)('GET', '/v1/audit-log')).text
    expect(log).not.toContain(id)
    expect((await operator.ask('GET', '/panel/v1/audit-log')).text).not.toContain(id)
  })
})

describe('the client list', () => {
  test('shows connected numbers, messages sent today and problems by name, and can be searched', async () => {
    await pairedIn(w, client, '12025551118')
    const line = await pairedIn(w, client, '12025551119')
    await client.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550177', text: 'Hi' })
    await client.api('POST', `/v1/sandbox/instances/${line.id}/faults`, { kind: 'logout' })
    await w.quiet()
    const { data } = (await operator.ask('GET', '/panel/v1/agency/clients')).body
    expect(data.map(({ name }: any) => name)).toEqual(['Bakery', 'Florist', 'Shared', 'Shared too'])
    expect(data[0]).toMatchObject({ sends_today: 1, trouble: { signed_out: 1 }, slots_allocated: 10, status: 'active' })
    expect(data[0].connected).toBeGreaterThanOrEqual(1)
    const first = (await operator.ask('GET', '/panel/v1/agency/clients?limit=1')).body
    expect(first.has_more).toBe(true)
    const next = await operator.ask('GET', `/panel/v1/agency/clients?limit=1&cursor=${first.next_cursor}`)
    expect(next.body.data.map(({ name }: any) => name)).toEqual(['Florist'])
    expect((await operator.ask('GET', '/panel/v1/agency/clients?q=FLOR')).body.data).toHaveLength(1)
  })
})

test('a link and a URL whose sign-in fails for a temporary reason work on a retry', async () => {
  const { url } = await invited(client, 'retry@bakery.example')
  const credentials = [{ code: codeIn(url) }, { code: newCode(w) }]
  const run = (text: string) => w.service.db.commit((tx) => tx.run(sql(text), {}))
  await run(
    `CREATE TRIGGER no_sessions BEFORE INSERT ON console_sessions BEGIN SELECT RAISE(ABORT, 'no sessions'); END`,
  )
  for (const credential of credentials) expect((await browserOf(w).signIn(credential)).status).toBe(500)
  await run('DROP TRIGGER no_sessions')
  for (const credential of credentials) expect((await browserOf(w).signIn(credential)).status).toBe(204)
  for (const credential of credentials) expect((await browserOf(w).signIn(credential)).status).toBe(401)
})
