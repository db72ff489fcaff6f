import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '../../main/kernel/sql.ts'
import { assistantOf } from '../capabilities/approvals/assistant.ts'
import { clientOf, pairedIn } from '../capabilities/agency/agency-world.ts'
import { until, voiceOf } from '../capabilities/voice/calls.ts'
import { OFFER } from '../capabilities/voice/offers.ts'
import { listenTo } from '../support/event-stream.ts'
import { scriptedVoice } from '../support/scripted-voice.ts'
import { browserOf, builtConsole, newCode, signedIn, type Browser } from '../support/panel.ts'
import { sized } from '../support/sized.ts'
import { testAgents } from '../support/voice.ts'
import { world, type World } from '../support/world.ts'

let w: World
const voice = scriptedVoice((it, plan) => {
  if (plan.consoleOffer !== null) it.say({ kind: 'console_answer', callId: plan.callId, sdp: 'v=0' })
  it.answer(plan)
})
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole(), startVoice: voice.start, voiceAgents: testAgents() })
})
afterAll(() => w.close())

/** As a key is that was created by an earlier version. */
const forgetCreator = sql<{ id: string }>('UPDATE api_keys SET created_by = NULL WHERE id = :id')
const PASSWORD = 'correct horse battery'
const WAIT = { timeout: 60_000, interval: 20 }
const codeIn = (url: string) => /#code=([\w-]+)$/.exec(url)?.[1] ?? ''

/** Whether a stream of the service has ended. */
function watch(stream: { readonly ended: Promise<unknown> }): () => boolean {
  let isOver = false
  void stream.ended.finally(() => (isOver = true))
  return () => isOver
}

async function streamOf(path: string, headers: Record<string, string>) {
  const answer = await fetch(`${w.service.url}${path}`, { headers })
  expect(answer.status).toBe(200)
  return watch({ ended: answer.text().catch(() => {}) })
}

/** A listening MCP stream of a legacy session, which stays open for hours. */
async function mcpStream(key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const opened = await fetch(`${w.service.url}/mcp`, { method: 'POST', headers, body })
  await opened.text()
  const id = opened.headers.get('mcp-session-id') ?? ''
  return streamOf('/mcp', { authorization: headers.authorization, accept: 'text/event-stream', 'mcp-session-id': id })
}

const linkFor = async (url: string) => {
  const path = new URL(url).pathname
  return {
    page: async () => (await w.api('GET', path, undefined, { key: null })).status === 404,
    stream: await streamOf(`${path}/events`, {}),
  }
}

/** Whether the voice process was told to end the call. */
const isHungUp = (callId: string) => voice.received.some((one) => one.kind === 'hang_up' && one.callId === callId)

let lastNumber = 12_025_554_000

/** A number of the client with a call that runs; people at the console can listen, and call themselves. */
async function callsOf(account: Awaited<ReturnType<typeof clientOf>>) {
  const phone = await pairedIn(w, account, String(++lastNumber))
  const path = voiceOf(phone.id)
  expect((await account.api('POST', `${path}/enable`)).status).toBe(200)
  const made = await account.api('POST', `${path}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  expect(made.status, made.text).toBe(201)
  const callId: string = made.body.id
  const read = async () => (await account.api('GET', `${path}/calls/${callId}`)).body.status
  await until(w, read, (status) => status === 'in_progress', 100)
  return {
    phone,
    async listen(ask: Browser['ask'], base: string) {
      const answer = await ask('POST', `${base}${path}/calls/${callId}/listen`, { offer: OFFER })
      expect(answer.status, answer.text).toBe(201)
      const id = voice.received.findLast((one) => one.kind === 'listen')?.requestId
      return () =>
        isHungUp(callId) || voice.received.some((one) => one.kind === 'stop_listening' && one.requestId === id)
    },
    async call(ask: Browser['ask'], base: string) {
      const answer = await ask('POST', `${base}${path}/softphone`, { to_number: '12025550124', offer: OFFER })
      expect(answer.status, answer.text).toBe(201)
      return () => isHungUp(answer.body.call.id)
    },
  }
}

/** Two members of a client and the agency, with everything that can be open at the same time; each case checks it all. */
async function scene() {
  await w.clock.advance(60_000)
  const operator = await signedIn(w)
  const account = await clientOf(w, { name: 'Bakery', features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] })
  const inside = (method: string, path: string, body?: unknown) =>
    operator.ask(method, `/panel/accounts/${account.id}${path}`, body)
  const must = async (asking: Promise<{ status: number; text: string; body: any }>) => {
    const answer = await asking
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const memberOf = async (name: string) => {
    const email = `${name}@${account.id}.example`
    const { member, url } = await must(inside('POST', '/v1/members', { name, email }))
    const browser = browserOf(w)
    expect((await browser.signIn({ code: codeIn(url) })).status).toBe(204)
    return { id: member.id as string, browser, email }
  }
  const grantsOf = async (ask: Browser['ask'], base: string, instanceId: string) => {
    const key = await must(
      ask('POST', `${base}/v1/keys`, {
        name: 'Made',
        scopes: ['instances:read', 'instances:write', 'links:generate', 'webhooks:write', 'ghl:manage'],
        approval: 'destructive',
      }),
    )
    const link = await must(ask('POST', `${base}/v1/instances/${instanceId}/access-links`, { permanent: true }))
    const ofKey = await must(
      w.api('POST', `/v1/instances/${instanceId}/access-links`, { permanent: true }, { key: key.key }),
    )
    const assistant = await assistantOf(w, 'destructive', 'modern', key.key)
    const approval = await assistant.callAndWait('delete_instance', { instance_id: instanceId })
    return {
      key,
      link: await linkFor(link.url),
      ofKey: await linkFor(ofKey.url),
      approval,
      mcp: await mcpStream(key.key),
    }
  }

  const [ana, bia] = [await memberOf('ana'), await memberOf('bia')]
  const again = browserOf(w)
  const { url: second } = await must(inside('POST', `/v1/members/${ana.id}/links`))
  await again.signIn({ code: codeIn(second) })
  const { url: invitation } = await must(inside('POST', `/v1/members/${ana.id}/links`))
  const line = await must(account.api('POST', '/v1/instances', { name: 'Front desk' }))
  const official = await must(account.api('POST', '/v1/instances', { engine: 'official' }))
  const shown = await must(account.api('POST', '/v1/instances', { engine: 'official' }))
  const hers = await grantsOf(ana.browser.ask, '/panel', line.id)
  const ours = await grantsOf(operator.ask, `/panel/accounts/${account.id}`, line.id)
  const other = await signedIn(w)
  const calls = await callsOf(account)
  const withHerKey = (method: string, path: string, body?: object) =>
    must(w.api(method, path, body, { key: hers.key.key }))
  const ofHerKey = await withHerKey('POST', '/v1/instances', { engine: 'official' })
  // The page of an access link leads on to the onboarding page, which a key is not shown otherwise.
  await withHerKey('POST', `/v1/instances/${shown.id}/access-links`, {})
  const begun = async (asking: Promise<any>): Promise<string> => {
    const state = new URL((await asking).authorization_url).searchParams.get('state') ?? ''
    return createHash('sha256').update(state).digest('hex')
  }
  const consentPath = `/v1/instances/${line.id}/ghl/connect`
  const consents = {
    hers: await begun(must(ana.browser.ask('POST', `/panel${consentPath}`, { mode: 'oauth' }))),
    ofHerKey: await begun(withHerKey('POST', consentPath, { mode: 'oauth' })),
    ours: await begun(must(inside('POST', consentPath, { mode: 'oauth' }))),
  }
  const { authorization_url: consentPage } = await must(inside('POST', consentPath, { mode: 'oauth' }))
  const inbox = new URL(consentPage).pathname.replace('oauth/chooselocation', 'inbox')
  const widgets = `${voiceOf(calls.phone.id)}/widgets`
  const widget = await must(inside('POST', widgets, { name: 'Site', allowed_origins: ['https://www.example.com'] }))
  const { path: testPage } = await must(inside('POST', `${widgets}/${widget.id}/test-page`))
  const bridge = (id: string) => `/v1/instances/${id}/crm-webhook`
  const receiver = { url: 'https://catcher.sandbox/crm' }
  await must(ana.browser.ask('PUT', `/panel${bridge(line.id)}`, receiver))
  await withHerKey('PUT', bridge(calls.phone.id), receiver)
  await must(inside('PUT', bridge(official.id), receiver))
  const code = newCode(w)

  const isOut = async (browser: Browser) => (await browser.ask('GET', '/panel/v1/instances')).status === 401
  const isDead = async (key: string) => (await w.api('GET', '/v1/me', undefined, { key })).status === 401
  const isRefused = async (id: string) => {
    const rows = await w.rows<{ state: string }>('SELECT state FROM approvals WHERE id = :id', { id })
    return rows[0]?.state === 'refused'
  }
  const isClosed = async ({ onboarding_url: url }: { onboarding_url: string }) =>
    (await w.api('GET', new URL(url).pathname, undefined, { key: null })).status === 404
  const isForgotten = async (hash: string) =>
    (await w.rows('SELECT 1 FROM crm_states WHERE hash = :hash', { hash })).length === 0
  const hasNoSecret = async (id: string) =>
    (await w.rows('SELECT 1 FROM crm_links WHERE instance_id = :id AND secret_enc IS NOT NULL', { id })).length === 0
  const things: Record<string, () => boolean | Promise<boolean>> = {
    'her session': () => isOut(ana.browser),
    'her other session': () => isOut(again),
    'what she listens to': await calls.listen(ana.browser.ask, '/panel'),
    'the call she makes in her other session': await calls.call(again.ask, '/panel'),
    'her event stream': watch(await listenTo(w, ana.browser.cookie)),
    'her other event stream': watch(await listenTo(w, again.cookie)),
    'her link': hers.link.page,
    'the stream of her link': hers.link.stream,
    'her key': () => isDead(hers.key.key),
    'the MCP stream of her key': hers.mcp,
    'the approval of her key': () => isRefused(hers.approval),
    'the link of her key': hers.ofKey.page,
    'the stream of the link of her key': hers.ofKey.stream,
    'an onboarding page': () => isClosed(official),
    'the onboarding page of her key': () => isClosed(ofHerKey),
    'the onboarding page that a link of her key leads to': () => isClosed(shown),
    'the signed link to a test page': async () =>
      (await w.api('GET', testPage, undefined, { key: null })).status === 404,
    'the inbox of the simulated CRM': async () => (await w.api('GET', inbox, undefined, { key: null })).status === 404,
    'her consent to a CRM': () => isForgotten(consents.hers),
    'the consent to a CRM of her key': () => isForgotten(consents.ofHerKey),
    'our consent to a CRM': () => isForgotten(consents.ours),
    'her CRM secret': () => hasNoSecret(line.id),
    'the CRM secret of her key': () => hasNoSecret(calls.phone.id),
    'our CRM secret': () => hasNoSecret(official.id),
    'what a colleague listens to': await calls.listen(bia.browser.ask, '/panel'),
    'the session of a colleague': () => isOut(bia.browser),
    'the event stream of a colleague': watch(await listenTo(w, bia.browser.cookie)),
    'our link': ours.link.page,
    'the stream of our link': ours.link.stream,
    'our key': () => isDead(ours.key.key),
    'the MCP stream of our key': ours.mcp,
    'the approval of our key': () => isRefused(ours.approval),
    'the link of our key': ours.ofKey.page,
    'the stream of the link of our key': ours.ofKey.stream,
    'the session of the operator': () => isOut(operator),
    'what the other session of the operator listens to': await calls.listen(other.ask, `/panel/accounts/${account.id}`),
    'another session of the operator': () => isOut(other),
    'the event stream of the other session': watch(await listenTo(w, other.cookie)),
    // Last: it uses them up where they work.
    'her invitation': async () => {
      // Attempts are limited by the minute.
      await w.clock.advance(60_000)
      return (await browserOf(w).signIn({ code: codeIn(invitation) })).status !== 204
    },
    'the sign-in code of the operator': async () => (await browserOf(w).signIn({ code })).status !== 204,
  }
  const streams = Object.entries(things).filter(([name]) => / stream/.test(name))
  /** @param ends the streams among them are waited for: their ends arrive over sockets. */
  const ended = async (ends: readonly string[]) => {
    // No time passes: what ends, ends with the commit, and not when somebody looks the next time.
    await w.quiet()
    for (const [name, isOver] of streams)
      if (ends.includes(name)) await vi.waitFor(() => expect(isOver(), name).toBe(true), WAIT)
    await new Promise((done) => setTimeout(done, 300))
    const names: string[] = []
    for (const [name, isOver] of Object.entries(things)) if (await isOver()) names.push(name)
    return names.toSorted()
  }
  const instances = [line, official, shown, ofHerKey, calls.phone]
  return { ...{ account, operator, ana, again, instances, hers, ours, inside, must, ended } }
}
type Scene = Awaited<ReturnType<typeof scene>>

const HER_OTHER_SESSION = ['her other session', 'her other event stream', 'the call she makes in her other session']
const HER_SESSIONS = ['her session', 'her event stream', 'what she listens to', ...HER_OTHER_SESSION]
const HER_KEY = ['her key', 'the MCP stream of her key', 'the approval of her key']
const LINKS_OF_HER_KEY = ['the link of her key', 'the stream of the link of her key']
const HER_LINK = ['her link', 'the stream of her link']
/** They do not say who made them. */
const SIGNED = ['the signed link to a test page', 'the inbox of the simulated CRM']
const HER_CRM = ['her consent to a CRM', 'her CRM secret']
const CREATED_WITH_HER_KEY = [
  ...LINKS_OF_HER_KEY,
  ...['the onboarding page of her key', 'the onboarding page that a link of her key leads to'],
  ...['the consent to a CRM of her key', 'the CRM secret of her key', ...SIGNED],
]
const COLLEAGUE = ['the session of a colleague', 'the event stream of a colleague', 'what a colleague listens to']
/** Of the account; calls end with its suspension, and those who listen to them hear no more. */
const CALLS = [
  ...['the call she makes in her other session', 'what she listens to', 'what a colleague listens to'],
  'what the other session of the operator listens to',
]
const OUR_KEY = ['our key', 'the MCP stream of our key', 'the approval of our key']
const LINKS = ['our link', 'the stream of our link', 'the link of our key', 'the stream of the link of our key']
/** Everybody who worked in the account may have kept their addresses. */
const ONBOARDING = [
  ...['an onboarding page', 'the onboarding page of her key', 'the onboarding page that a link of her key leads to'],
]
const REMOVED = [...HER_SESSIONS, ...HER_LINK, ...HER_CRM, ...ONBOARDING, 'her invitation', ...SIGNED]

const WAYS: Record<string, { act: (s: Scene) => Promise<unknown>; ends: readonly string[] }> = {
  'removing a member': {
    act: ({ inside, must, ana }) => must(inside('DELETE', `/v1/members/${ana.id}`)),
    ends: [...new Set([...REMOVED, ...HER_KEY, ...CREATED_WITH_HER_KEY])],
  },
  'removing a member whose keys stay': {
    act: ({ inside, must, ana }) => must(inside('DELETE', `/v1/members/${ana.id}?revoke_keys=`)),
    ends: REMOVED,
  },
  'a new password of a member': {
    act: ({ must, ana }) => must(ana.browser.ask('PUT', '/panel/v1/member-password', { password: PASSWORD })),
    ends: [...HER_OTHER_SESSION, 'her invitation'],
  },
  'ending a session': {
    act: async ({ must, ana }) => must(ana.browser.ask('DELETE', '/panel/v1/account/sessions')),
    ends: [...HER_OTHER_SESSION, ...COLLEAGUE],
  },
  'revoking a key': {
    act: ({ must, ana, hers }) => must(ana.browser.ask('DELETE', `/panel/v1/keys/${hers.key.id}`)),
    ends: [...HER_KEY, ...CREATED_WITH_HER_KEY],
  },
  'revoking a key whose links stay': {
    act: ({ must, ana, hers }) => must(ana.browser.ask('DELETE', `/panel/v1/keys/${hers.key.id}?created=keep`)),
    ends: HER_KEY,
  },
  'revoking a key of a client': {
    act: ({ must, account, hers }) => must(w.api('DELETE', `/v1/agency/accounts/${account.id}/keys/${hers.key.id}`)),
    ends: [...HER_KEY, ...CREATED_WITH_HER_KEY],
  },
  'suspending the account, where people may still read': {
    act: ({ must, account }) => must(w.api('POST', `/v1/agency/accounts/${account.id}/suspend`)),
    ends: [...HER_LINK, ...LINKS_OF_HER_KEY, ...LINKS, ...ONBOARDING, ...CALLS],
  },
  'taking MCP from the account': {
    async act({ must, account }) {
      await must(w.api('PATCH', `/v1/agency/accounts/${account.id}`, { features: [] }))
      await w.clock.advance(1_000)
    },
    ends: ['the MCP stream of her key', 'the MCP stream of our key'],
  },
  'deleting the account': {
    async act({ must, account, instances }) {
      for (const { id } of instances) await must(account.api('DELETE', `/v1/instances/${id}?confirm=true`))
      await must(w.api('DELETE', `/v1/agency/accounts/${account.id}?confirm=true`))
    },
    ends: [
      ...new Set([...REMOVED, ...HER_KEY, ...CREATED_WITH_HER_KEY, ...COLLEAGUE, ...OUR_KEY, ...LINKS]),
      ...['our consent to a CRM', 'our CRM secret'],
      'what the other session of the operator listens to',
    ],
  },
  'a new password of the operator': {
    act: ({ must, operator }) => must(operator.ask('PUT', '/panel/v1/service/password', { password: PASSWORD })),
    ends: [
      ...['another session of the operator', 'the event stream of the other session'],
      ...['the sign-in code of the operator', 'what the other session of the operator listens to'],
    ],
  },
}

/** Each makes the whole scene anew, which takes seconds: the short run tries those that people use most. */
const OFTEN = ['removing a member', 'revoking a key', 'suspending the account, where people may still read']
const tried = Object.entries(WAYS).filter(([name]) => sized(OFTEN.includes(name), true))

describe('A-08 exactly the access that depends on it ends immediately after', () => {
  test.each(tried)('%s', async (_name, { act, ends }) => {
    const made = await scene()
    // Notices of a moment ago are sent together with those that follow.
    await w.clock.advance(1_000)
    await act(made)
    expect(await made.ended(ends)).toEqual(ends.toSorted())
  })
})

describe('the keys of a member', () => {
  test('are listed before the member is removed, with those of unknown creators; each can be kept', async () => {
    const { account, ana, inside, hers, ours, must } = await scene()
    await w.service.db.commit((tx) => tx.run(forgetCreator, { id: ours.key.id }))
    const found = await must(inside('GET', `/v1/members/${ana.id}/access`))
    expect(found).toMatchObject({
      sessions: 2,
      has_invitation: true,
      links: [{ instance_name: 'Front desk', permanent: true }],
      crm_secrets: [{ instance_name: 'Front desk', last4: expect.stringMatching(/^.{4}$/) }],
    })
    const unknown = found.keys.filter((key: any) => key.created_by === null).map((key: any) => key.id)
    expect(found.keys.filter((key: any) => key.created_by === 'member').map((key: any) => key.id)).toEqual([
      hers.key.id,
    ])
    expect(unknown).toContain(ours.key.id)
    const foreign = await inside(
      'DELETE',
      `/v1/members/${ana.id}?revoke_keys=${'0'.repeat(8)}-0000-7000-8000-000000000000`,
    )
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found'])
    await must(inside('DELETE', `/v1/members/${ana.id}?revoke_keys=${ours.key.id}`))
    const works = async (key: string) => (await w.api('GET', '/v1/me', undefined, { key })).status
    expect([await works(hers.key.key), await works(ours.key.key), await works(account.key)]).toEqual([200, 401, 200])
  })

  test('of an agency in the accounts of its clients end with the key that created them', async () => {
    const account = await clientOf(w)
    const agency = await w.key()
    const path = `/v1/agency/accounts/${account.id}/keys`
    const made = (await w.api('POST', path, { name: 'Theirs', scopes: ['instances:read'] }, { key: agency.key })).body
    await w.clock.advance(60_000)
    const operator = await signedIn(w)
    expect((await operator.ask('DELETE', `/panel/v1/keys/${agency.id}`)).status).toBe(204)
    expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).status).toBe(401)
    expect((await account.api('GET', '/v1/me')).status).toBe(200)
  })
})
