import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { createSessions } from '../../main/capabilities/account/sessions.ts'
import { isDestructive } from '../../main/contract/effects.ts'
import { LIMITS } from '../../main/contract/limits.ts'
import type { ConsoleRole, Operation } from '../../main/contract/operation.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../main/kernel/key-derivation.ts'
import { listenTo } from '../support/event-stream.ts'
import { lineOf } from '../support/operations.ts'
import { browserOf, builtConsole, signedIn, type Browser } from '../support/panel.ts'
import { seededRandom } from '../support/random.ts'
import { world, type Reply, type World } from '../support/world.ts'
import { askOf, harmless, ownedIn } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

/**
 * Two accounts in one home. Made from the contracts: an operation that is new is in it. `north` is the account of the
 * person who owns the computer; both are used by members, and by programs with a key that may do everything.
 */
interface House {
  readonly accountId: AccountId
  readonly side: Side
  readonly member: Browser
  readonly assistant: Client
  /** What only the console names. */
  readonly keyId: string
  readonly approvalId: string
  readonly sessionId: string
  readonly evaluationId: string
  readonly runId: string
  /** Words that only this account may read. */
  readonly words: readonly string[]
}

type Name = 'north' | 'south'
const DIRECTIONS = [
  { mine: 'north', theirs: 'south' },
  { mine: 'south', theirs: 'north' },
] as const satisfies readonly { mine: Name; theirs: Name }[]

const OPERATIONS = CONTRACTS.flatMap(({ operations }) => Object.values<Operation>(operations))
const operationOf = (wanted: string): Operation => {
  const found = OPERATIONS.find(({ id }) => id === wanted)
  if (found === undefined) throw new Error(`there is no operation ${wanted}`)
  return found
}
const LINES = OPERATIONS.map((operation) => ({ line: lineOf(operation), operation }))

let w: World
let operator: Browser
let houses: Readonly<Record<Name, House>>

beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole(), settings: { graphBaseUrl: 'sandbox' } })
  operator = await signedIn(w)
  const stranger = await w.stranger()
  houses = {
    north: await houseOf(w.account.id, w.allScopes, 'Quillhaven', '31'),
    south: await houseOf(stranger.account.id, stranger.key, 'Thornwick', '33'),
  }
})
afterAll(async () => {
  for (const { assistant } of Object.values(houses)) await assistant.close()
  await w.close()
})

const isRemoval = ({ operation }: { operation: Operation }) => isDestructive(operation)
const REMOVALS_LAST = [...LINES.filter((line) => !isRemoval(line)), ...LINES.filter(isRemoval)]

const seeds = seededRandom(77)

/** A browser signed in without the service's own sign-in page, which gives members no link yet. */
async function signedInAs(accountId: AccountId, role: ConsoleRole): Promise<Browser> {
  const sessions = createSessions({
    ...{ db: w.service.db, clock: w.clock, random: seeds, keyDerivation: createKeyDerivation() },
  })
  const token = await sessions.signIn({ code: sessions.newSignInCode({ accountId, role }).open() })
  const browser = browserOf(w)
  browser.cookie = `switchboard_${w.host.split(':')[1] ?? ''}=${token?.open() ?? ''}`
  return browser
}

async function houseOf(accountId: AccountId, key: string, name: string, digits: string): Promise<House> {
  const side = await sideOf(w, key, name, digits)
  const member = await signedInAs(accountId, 'member')
  await member.ask('PATCH', '/panel/v1/account', { name: `${name}-account` })
  const scopes = SCOPES.filter((scope) => scope !== 'agency:manage')
  const wish = { name: `${name}-key`, scopes, approval: 'destructive' }
  const made = (await member.ask('POST', '/panel/v1/keys', wish)).body
  const assistant = await connect(made.key, `${name}-assistant`)
  const { tool, ...removal } = operationOf('deleteWebhook')
  await assistant.callTool({ name: tool?.name ?? '', arguments: askOf({ ...removal, tool }, side).given })
  const [approval] = (await member.ask('GET', '/panel/v1/approvals')).body.data
  const [session] = (await member.ask('GET', '/panel/v1/account/sessions')).body.data
  const evaluations = `/panel/v1/instances/${side.smv2.id}/ai/evaluations`
  const cases = [{ question: `${name}-asked`, expects: 'handoff', facts: [] }]
  const evaluation = (await member.ask('POST', evaluations, { name: `${name}-evaluation`, cases })).body
  const run = (await member.ask('POST', `${evaluations}/${evaluation.id}/runs`, {})).body
  const own = {
    keyId: made.id,
    approvalId: approval.id,
    sessionId: session.id,
    evaluationId: evaluation.id,
    runId: run.id,
  }
  return { accountId, side, member, assistant, ...own, words: [...side.words, ...Object.values(own), accountId] }
}

async function connect(key: string, name: string): Promise<Client> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${w.service.url}/mcp`), { requestInit }))
  return client
}

/** The operation asked of what is in this house, in full. */
function askFor(operation: Operation, { side, keyId, approvalId, sessionId, evaluationId, runId }: House) {
  const ask = askOf(operation, side)
  const path = ask.path
    .replace('/keys/unknown', `/keys/${keyId}`)
    .replace('/approvals/unknown', `/approvals/${approvalId}`)
    .replace('/sessions/unknown', `/sessions/${sessionId}`)
    .replace('/evaluations/unknown', `/evaluations/${evaluationId}`)
    .replace('/runs/unknown', `/runs/${runId}`)
  return { ...ask, path }
}

type Ask = ReturnType<typeof askFor>

const isForConsole = ({ audience }: Operation) => audience === 'console'

/** Everybody of a house who can ask for the operation: the person in the window, and a program if it may. */
async function everyAnswer(operation: Operation, { side, member }: House, { method, path, body }: Ask) {
  const answers: Reply[] = [await member.ask(method, `/panel${path}`, body)]
  if (!isForConsole(operation)) answers.push(await w.api(method, path, body, { key: side.owner }))
  return answers
}

/** Whether the path names something that another account cannot see. Ending a session that is over is no error. */
function namesWhatIsOwned(operation: Operation): boolean {
  if (operation.id === 'endSession') return false
  if (isForConsole(operation) && operation.reach !== 'instance') return operation.path.includes('{')
  return operation.reach === 'instance' || ownedIn(operation).length > 0
}

/** Values that differ between two answers to the same question. */
const steady = (text: string) => text.replaceAll(/"(request_id|last_seen_at|last_used_at|ms)":("[^"]*"|\d+)/g, '')

/** All that an account can see of itself. */
async function pictureOf(house: House): Promise<Record<string, string>> {
  await w.quiet()
  const picture: Record<string, string> = {}
  for (const operation of OPERATIONS.filter(({ method, role }) => method === 'GET' && role !== 'operator')) {
    const ask = askFor(operation, house)
    const answer = await house.member.ask('GET', `/panel${ask.path}`)
    picture[lineOf(operation)] = `${answer.status} ${steady(answer.text)}`
  }
  picture['GET /metrics'] = (await w.api('GET', '/metrics', undefined, { key: house.side.owner })).text
    .split('\n')
    // Those of the computer change with every request.
    .filter((line) => /^switchboard_(instances|webhooks|deliveries_open|messages_queued|approvals)/.test(line))
    .join('\n')
  return picture
}

const isFree = (text: string, { words }: House) => words.filter((word) => text.includes(word))

describe.each(DIRECTIONS)('resources of $theirs, requested by $mine', ({ mine, theirs }) => {
  test('are not found, and not changed by the request', async () => {
    const [me, other] = [houses[mine], houses[theirs]]
    const before = await pictureOf(other)
    const wrong: string[] = []
    let refusals = 0
    for (const { line, operation } of LINES) {
      if (operation.role === 'operator' || !namesWhatIsOwned(operation)) continue
      for (const answer of await everyAnswer(operation, me, askFor(operation, other))) {
        refusals++
        // Members are refused what is the agency's before anybody looks for it.
        const isForMembers = operation.scope === 'agency:manage' && answer.status === 403
        if (!isForMembers && (answer.status !== 404 || answer.body.error.code !== 'not_found'))
          wrong.push(`${line}: ${answer.status} ${answer.text}`)
      }
    }
    expect(wrong).toEqual([])
    expect(refusals).toBeGreaterThan(80)
    await me.member.ask('DELETE', `/panel/v1/account/sessions/${other.sessionId}`)
    expect(await pictureOf(other)).toEqual(before)
    // It asks every operation several times.
  })

  test('appear in no list, count or record', async () => {
    const [me, other] = [houses[mine], houses[theirs]]
    for (const { line, operation } of LINES) {
      if (operation.role === 'operator' || operation.method !== 'GET') continue
      // Asks a provider, which has given nobody a key here.
      if (operation.id === 'listProviderModels') continue
      for (const answer of await everyAnswer(operation, me, askFor(operation, me))) {
        expect(answer.status, `${line}: ${answer.text}`).toBe(operation.reply.status)
        expect(isFree(answer.text, other), line).toEqual([])
      }
    }
    const { body } = await me.member.ask('GET', '/panel/v1/console/overview')
    const instances = (await me.member.ask('GET', '/panel/v1/instances?limit=200')).body.data
    expect(body.instances.total).toBe(instances.length)
    expect([body.webhooks.total, body.approvals.pending]).toEqual([1, 1])
  })

  test('are not found by its assistants', async () => {
    const [me, other] = [houses[mine], houses[theirs]]
    const before = await pictureOf(other)
    let calls = 0
    for (const { line, operation } of LINES) {
      if (operation.tool === null) continue
      const isAboutOther = namesWhatIsOwned(operation)
      if (!isAboutOther && operation.method !== 'GET') continue
      const { given } = askFor(operation, isAboutOther ? other : me)
      const answer = await me.assistant.callTool({ name: operation.tool.name, arguments: given })
      const text = JSON.stringify(answer.structuredContent)
      calls++
      expect(answer.isError === true, `${line}: ${text}`).toBe(isAboutOther)
      if (isAboutOther) expect(text, line).toContain('not_found')
      else expect(isFree(text, other), line).toEqual([])
    }
    expect(calls).toBeGreaterThan(30)
    expect(await pictureOf(other)).toEqual(before)
  })
})

describe('resources of the whole computer', () => {
  const forOperators = LINES.filter(({ operation }) => operation.role === 'operator')
  const ofAgency = LINES.filter(({ operation }) => operation.scope === 'agency:manage')

  test.each(forOperators)('$line is refused to members', async ({ operation }) => {
    const ask = askFor(operation, houses.north)
    for (const { member } of Object.values(houses)) {
      const answer = await member.ask(ask.method, `/panel${ask.path}`, ask.body)
      expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope'])
      expect(answer.body.error.message).toMatch(/agency/)
    }
    const { method, path, body } = harmless(operation, ask)
    expect((await operator.ask(method, `/panel${path}`, body)).status).not.toBe(403)
  })

  test.each(ofAgency)('$line, of an agency, is refused to members as well', async ({ operation }) => {
    const ask = askFor(operation, houses.north)
    const answer = await houses.north.member.ask(ask.method, `/panel${ask.path}`, ask.body)
    expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope'])
  })

  test('include backups, settings, restarts, logs and sessions', () => {
    expect(forOperators.map(({ operation }) => operation.id).toSorted()).toEqual(
      [
        ...['cancelRestore', 'createBackup', 'exportInstanceSession', 'getDiagnostics', 'importInstanceSession'],
        ...['listBackups', 'listSettings', 'previewRestore', 'restartService', 'restoreBackup', 'unlockService'],
        ...['getMemberAccess', 'updateSettings'],
        ...['listMessageRates', 'removeMessageRate', 'setMessageRate'],
        ...['createMemberLink', 'findLocalModels', 'inviteMember', 'listClients', 'listMembers', 'removeMember'],
        ...['checkBillingProvider', 'getBillingProvider', 'putConsolePassword', 'updateBillingProvider'],
      ].toSorted(),
    )
  })

  test('are left out of what members see of the service', async () => {
    const { home } = (await operator.ask('GET', '/panel/v1/service')).body
    expect(home).toBe(w.home)
    for (const { member, side } of Object.values(houses)) {
      const { text, body } = await member.ask('GET', '/panel/v1/service')
      expect(text).not.toContain(w.home)
      expect(body).toMatchObject({ home: '', database_bytes: 0, mcp_bridge: null, warnings: [], troubles: [] })
      const metrics = (await w.api('GET', '/metrics', undefined, { key: side.owner })).text
      expect(metrics.includes('switchboard_database_bytes')).toBe(side === houses.north.side)
      expect(metrics.includes('switchboard_http_request')).toBe(side === houses.north.side)
    }
  })

  test('a member of the operator’s account can neither see nor end the operator’s session, nor set the password', async () => {
    const { member } = houses.north
    expect((await member.ask('GET', '/panel/v1/account/sessions')).body.data).toHaveLength(1)
    expect((await operator.ask('GET', '/panel/v1/account/sessions')).body.data).toHaveLength(2)
    expect((await member.ask('DELETE', '/panel/v1/account/sessions')).body).toEqual({ ended: 0 })
    const wish = { password: 'correct horse battery' }
    expect((await member.ask('PUT', '/panel/v1/service/password', wish)).status).toBe(403)
    expect((await operator.ask('GET', '/panel/session')).body).toMatchObject({ role: 'operator', password_set: false })
  })
})

describe('the event stream', () => {
  const listen = async ({ cookie }: Browser) => {
    const stream = await listenTo(w, cookie)
    onTestFinished(() => stream.stop())
    return stream
  }
  const notices = ({ heard }: Awaited<ReturnType<typeof listen>>) =>
    heard.filter(({ event }) => event === 'notice').map(({ data }) => data)

  /** Something of everything that is published. */
  const beBusy = async ({ side, member, assistant }: House, number: string) => {
    const send = (method: string, path: string, body?: object) => w.api(method, path, body, { key: side.owner })
    await member.ask('POST', '/panel/v1/keys', { name: 'Busy', scopes: ['ai:read'] })
    await send('PATCH', `/v1/instances/${side.smv2.id}`, { name: 'Busy' })
    await send('POST', `/v1/instances/${side.smv2.id}/messages`, { to: number, text: 'Busy' })
    await send('POST', `/v1/sandbox/phones/${side.phone}/messages`, { to: side.smv2.number, text: 'Busy' })
    await assistant.callTool({ name: 'list_instances', arguments: {} })
    await member.ask('POST', `/panel/v1/approvals/unknown/refuse`)
    await send('POST', `/v1/sandbox/instances/${side.smv2.id}/faults`, { kind: 'drop' })
    await w.quiet()
    await w.clock.advance(1_000)
    await w.quiet()
  }

  test.each(DIRECTIONS)('of $mine contains nothing of $theirs', async ({ mine, theirs }) => {
    await w.clock.advance(1_000)
    const [own, member, busy] = [
      await listen(mine === 'north' ? operator : houses[mine].member),
      await listen(houses[mine].member),
      await listen(houses[theirs].member),
    ]
    await beBusy(houses[theirs], '12025550123')
    await busy.next(({ data }) => data?.topic === 'deliveries')
    const topics = new Set(notices(busy).map(({ topic }) => topic))
    for (const topic of ['keys', 'instances', 'messages', 'events', 'deliveries', 'sandbox', 'tool-calls'])
      expect(topics, topic).toContain(topic)
    // What follows has come by the time this has.
    await houses[mine].member.ask('PATCH', '/panel/v1/account', { first_run: false })
    for (const stream of [own, member]) {
      await stream.next(({ data }) => data?.topic === 'account')
      expect(notices(stream)).toEqual([{ topic: 'account' }])
    }
  })

  test('has ids that reveal nothing about another account, and replays none of its notices', async () => {
    const { north, south } = houses
    const [before, busy] = [await listen(north.member), await listen(south.member)]
    const { id = '' } = await before.next((heard) => heard.id !== undefined)
    before.stop()
    await before.ended
    await south.member.ask('POST', '/panel/v1/keys', { name: 'Away', scopes: ['ai:read'] })
    await busy.next(({ data }) => data?.topic === 'keys')
    const again = await listenTo(w, north.member.cookie, id)
    onTestFinished(() => again.stop())
    expect(await again.next((heard) => heard.id !== undefined)).toMatchObject({ id, event: undefined })
  })

  test('sends notices about the computer only to operators', async () => {
    await w.clock.advance(1_000)
    const [own, ...members] = [
      await listen(operator),
      ...(await Promise.all([listen(houses.north.member), listen(houses.south.member)])),
    ]
    await operator.ask('DELETE', '/panel/v1/service/restore')
    await own.next(({ data }) => data?.topic === 'service')
    for (const { member } of Object.values(houses)) await member.ask('PATCH', '/panel/v1/account', { first_run: false })
    for (const stream of members) {
      await stream.next(({ data }) => data?.topic === 'account')
      expect(notices(stream)).toEqual([{ topic: 'account' }])
    }
  })

  test('of one account leaves room for those of another', async () => {
    const open = await Promise.all(Array.from({ length: LIMITS.liveStreams + 1 }, () => listen(houses.south.member)))
    expect(open.map(({ status }) => status).filter((status) => status !== 200).length).toBeGreaterThan(0)
    expect((await listen(houses.north.member)).status).toBe(200)
  })
})

describe.each(DIRECTIONS)('every operation that $mine can call', ({ mine, theirs }) => {
  test('on its own resources leaves $theirs unchanged', async () => {
    const [me, other] = [houses[mine], houses[theirs]]
    const before = await pictureOf(other)
    let done = 0
    for (const { line, operation } of REMOVALS_LAST) {
      // Whoever ends their own session can do nothing more.
      if (operation.role === 'operator' || operation.method === 'GET' || operation.id === 'endSession') continue
      for (const { status, text } of await everyAnswer(operation, me, askFor(operation, me))) {
        if (status < 300) done++
        expect(status, `${line}: ${text}`).toBeLessThan(500)
        expect(isFree(text, other), line).toEqual([])
      }
    }
    expect(done).toBeGreaterThan(40)
    expect(await pictureOf(other)).toEqual(before)
  })
})

describe('signing in', () => {
  test('with a password opens only the operator’s account', async () => {
    const { north, south } = houses
    const password = 'correct horse battery'
    await operator.ask('PUT', '/panel/v1/service/password', { password })
    const signIn = async (credential: object) => {
      const browser = browserOf(w)
      // Attempts are limited by the minute.
      await w.clock.advance(15_000)
      const { status } = await browser.signIn(credential)
      if (status !== 204) return status
      const { account, role } = (await browser.ask('GET', '/panel/session')).body
      await browser.ask('DELETE', '/panel/session')
      return [account.id, role]
    }
    expect(await signIn({ password })).toEqual([north.accountId, 'operator'])
    expect(await signIn({ password, account_id: north.accountId })).toEqual([north.accountId, 'operator'])
    expect(await signIn({ password, account_id: south.accountId })).toBe(401)
    expect(await signIn({ password, account_id: 'nobody' })).toBe(401)
    expect(await signIn({ code: 'a', account_id: south.accountId })).toBe(400)
    expect((await operator.ask('GET', '/panel/session')).status).toBe(200)
  })

  test('often ends only sessions of the same account and role', async () => {
    const { north, south } = houses
    const others = [await signedInAs(north.accountId, 'operator'), await signedInAs(south.accountId, 'member')]
    const first = await signedInAs(north.accountId, 'member')
    await w.clock.advance(1_000)
    for (let i = 0; i < LIMITS.sessions; i++) await signedInAs(north.accountId, 'member')
    expect((await first.ask('GET', '/panel/session')).status).toBe(401)
    for (const browser of others) expect((await browser.ask('GET', '/panel/session')).status).toBe(200)
  })
})
