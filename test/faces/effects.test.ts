import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { createEntitlements } from '../../main/capabilities/entitlements/index.ts'
import {
  EFFECTS,
  effectsOf,
  isClosedWhenFrozen,
  isClosedWhenSuspended,
  isDestructive,
  type Effect,
} from '../../main/contract/effects.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { clientOf, type Client as SubAccount } from '../capabilities/agency/agency-world.ts'
import { asConsole } from '../support/console.ts'
import { createEffectRecorder } from '../support/effect-recorder.ts'
import { lineOf } from '../support/operations.ts'
import { sized } from '../support/sized.ts'
import { world, type Reply, type World } from '../support/world.ts'
import { act, askOf, type Words } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

/**
 * Calls every operation, and records what that did to people, destinations, access, connections and money. Made from
 * the contracts: an operation that is new is in it.
 */

const recorder = createEffectRecorder()
/** More than any call takes on a busy machine. */
const REAL_MS = 120_000
const FEATURES = { features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] }

/** An account that has something of everything, and what a person left in it. */
interface House {
  readonly accountId: string
  readonly key: string
  readonly side: Side
  /** Shows a QR code. */
  readonly waiting: string
  /** A person has disconnected it. */
  readonly disconnected: string
  /** Official, and still without a number. */
  readonly unclaimed: string
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Pick<Reply, 'status' | 'body'>>
}

let w: World
let open: House
let suspended: House
let frozen: House

beforeAll(async () => {
  w = await world({ observeEngine: recorder.observeEngine, settings: { graphBaseUrl: 'sandbox', slots: 100 } })
  open = await houseOf(w.account.id, w.allScopes, 'Quillhaven', '31')
  const clients: [SubAccount, SubAccount] = [await client(), await client()]
  suspended = await houseOf(clients[0].id, clients[0].key, 'Brackmoor', '32')
  frozen = await houseOf(clients[1].id, clients[1].key, 'Thornwick', '33')
  await w.api('POST', `/v1/agency/accounts/${suspended.accountId}/suspend`)
  await freeze(frozen.accountId)
})
afterAll(() => w.close())

const client = () => clientOf(w, { ...FEATURES, slots_allocated: 12 })

async function houseOf(accountId: string, key: string, name: string, digits: string): Promise<House> {
  const side = await sideOf(w, key, name, digits)
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await w.api(method, path, body, { key })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  // Otherwise every event would be a request to its catcher.
  await must('PATCH', `/v1/webhooks/${side.webhook}`, { events: ['message.failed'] })
  const waiting = (await must('POST', '/v1/instances', { name: 'Waiting' })).id
  await must('GET', `/v1/instances/${waiting}/qr`)
  const disconnected = (await must('POST', '/v1/instances', { name: 'Disconnected' })).id
  const { pairing_code } = await must('GET', `/v1/instances/${disconnected}/qr`)
  await must('POST', `/v1/sandbox/phones/120255${digits}400/scan`, { pairing_code })
  await w.quiet()
  await must('POST', `/v1/instances/${disconnected}/disconnect`, {})
  const unclaimed = (await must('POST', '/v1/instances', { engine: 'official', name: 'Unclaimed' })).id
  const ask = asConsole({ ...w, account: { ...w.account, id: accountId as AccountId } })
  return { accountId, key, side, waiting, disconnected, unclaimed, ask }
}

/** As billing does it when a grace period has passed. */
async function freeze(id: string): Promise<void> {
  const { grant } = createEntitlements({ db: w.service.db, clock: w.clock, config: { slots: 10 } })
  await w.service.db.commit((tx) =>
    grant(tx, { accountId: id as AccountId, source: 'billing', sourceKey: 'sub_1', frozen: true }),
  )
  // The service looks again when something was granted through it.
  const changed = await w.api('PUT', `/v1/agency/accounts/${id}/slots`, { slots_allocated: 13 })
  expect(changed.status, changed.text).toBe(200)
}

const OPERATIONS = CONTRACTS.flatMap(({ operations }) => Object.values<Operation>(operations))
const operationOf = (wanted: string): Operation => {
  const found = OPERATIONS.find(({ id }) => id === wanted)
  if (found === undefined) throw new Error(`there is no operation ${wanted}`)
  return found
}

/** Not called: each would end what the others need. */
const ENDS_THE_WORLD: Readonly<Record<string, string>> = {
  restoreBackup: 'replaces the database',
  restartService: 'ends the service',
  updateBillingProvider: 'switches billing of every account to live',
}

interface Sample {
  readonly name: string
  readonly operation: Operation
  readonly words?: Words
  /** In place of the instance of the side. */
  readonly instance?: string
}

/** Calls that the examples of the contract do not make. */
function specialsOf({ side: { smv2, phone }, waiting, disconnected }: House): Sample[] {
  const call = operationOf('callEngine')
  const bodies: readonly (readonly [string, object])[] = [
    ['message/forward', { message_id: smv2.heard, to: phone }],
    ['message/pin', { message_id: smv2.heard, pinned: true }],
    ['message/react', { message_id: smv2.heard, emoji: '👍' }],
    ['message/edit', { message_id: smv2.message, text: 'Edited' }],
    ['message/markread', { message_id: smv2.heard }],
    ['message/delete', { message_id: smv2.message }],
    ['send/text', { to: phone, text: 'Hello' }],
    ['send/poll', { to: phone, question: 'Which?', options: ['A', 'B'] }],
    ['send/location', { to: phone, latitude: 1, longitude: 1 }],
    ['user/check', { numbers: [phone] }],
    ['user/info', { number: phone }],
    ['user/avatar', { number: phone }],
    ['user/block', { number: phone }],
    ['user/unblock', { number: phone }],
    ['group/list', {}],
    ['group/info', { group_id: smv2.group }],
    ['group/create', { name: 'Team', participants: [phone] }],
    ['group/participant', { group_id: smv2.group, change: 'add', participants: ['12025550147'] }],
    ['group/subject', { group_id: smv2.group, name: 'Renamed' }],
    ['group/description', { group_id: smv2.group, description: 'About' }],
    ['group/settings', { group_id: smv2.group, announce: true }],
    ['group/invitelink', { group_id: smv2.group }],
    ['group/leave', { group_id: smv2.group }],
    ['chat/typing', { to: phone, state: 'typing' }],
    ['account/online', { online: true }],
  ]
  const acts = bodies.map(([name, body]) => {
    const [group = '', action = ''] = name.split('/')
    return { name, operation: call, words: act(group, action, body) }
  })
  return [
    ...acts,
    { name: 'a pairing code', operation: operationOf('getInstanceQr'), instance: waiting, words: { query: { phone } } },
    { name: 'a QR code', operation: operationOf('getInstanceQr'), instance: waiting },
    { name: 'refresh', operation: operationOf('refreshInstanceQr'), instance: waiting },
    { name: 'reconnect', operation: operationOf('restartInstance'), instance: disconnected },
    { name: 'official', operation: operationOf('createInstance'), words: { body: { engine: 'official' } } },
    { name: 'smv2', operation: operationOf('createInstance'), words: { body: { name: 'Another' } } },
  ]
}

/** What ends something comes after what needs it. */
function samplesOf(house: House): Sample[] {
  const rank = ({ operation }: Sample) => {
    if (operation.method === 'GET') return 0
    // The next send would wait for its deadline.
    if (operation.id === 'causeSandboxFault') return 2.5
    if (['deleteInstance', 'deleteSubAccount', 'transferInstance'].includes(operation.id)) return 4
    return isDestructive(operation) ? (operation.id === 'callEngine' ? 2 : 3) : 1
  }
  // The caller in this process reads JSON only.
  const isReadable = ({ audience, reply, bodyFile }: Operation) =>
    audience !== 'console' || (reply.file !== true && bodyFile === undefined)
  const all = OPERATIONS.filter((one) => ENDS_THE_WORLD[one.id] === undefined && isReadable(one)).map((operation) => ({
    name: lineOf(operation),
    operation,
  }))
  return [...specialsOf(house), ...all].toSorted((a, b) => rank(a) - rank(b))
}

async function callOf(house: House, { operation, words, instance }: Sample) {
  const asked = askOf(operation, house.side, words)
  const path = instance === undefined ? asked.path : asked.path.replace(house.side.smv2.id, instance)
  const args = { ...asked.given, ...words?.path }
  const [group, action] = /\/engine\/smv2\/(\w+)\/(\w+)/.exec(path)?.slice(1) ?? []
  let answer: Pick<Reply, 'status' | 'body'> & { readonly headers?: object } = { status: 0, body: undefined }
  const isForConsole = operation.audience === 'console'
  const done = await recorder.during(w, async () => {
    const asking = isForConsole
      ? house.ask(operation.method, path, asked.body)
      : w.api(operation.method, path, asked.body, { key: house.key })
    answer = await withoutWaiting(asking)
    return JSON.stringify([answer.body, answer.headers])
  })
  return { answer, done, declared: effectsOf(operation, group === undefined ? args : { group, action }) }
}

/**
 * The clock stands still meanwhile: if it went on, as it did for calls that were slow on a busy machine, what other calls
 * left to be tried again later would happen in this one.
 */
async function withoutWaiting<T>(asking: Promise<T>): Promise<T> {
  const stopped = new AbortController()
  const late = sleep(REAL_MS, undefined, { signal: stopped.signal }).then(() => {
    throw new Error('The call waits for time to pass. Let it pass before the call.')
  })
  return Promise.race([asking, late]).finally(() => stopped.abort())
}

const codeOf = ({ body }: Pick<Reply, 'body'>): string | undefined => body?.error?.code

describe('an account without restrictions', () => {
  test('has no effects from any operation beyond those that its contract declares', async () => {
    const wrong: string[] = []
    const seen = new Set<Effect>()
    let succeeded = 0
    for (const sample of samplesOf(open)) {
      const { answer, done, declared } = await callOf(open, sample)
      if (answer.status < 400) succeeded++
      for (const [effect, what] of done) {
        seen.add(effect)
        if (!declared.includes(effect))
          wrong.push(`${sample.operation.id} (${sample.name}): ${effect}, because ${what}`)
      }
    }
    expect(wrong).toEqual([])
    // The recorders work: each has recorded something, and most calls were carried out.
    expect([...seen].toSorted()).toEqual([
      'access',
      'connection',
      'destination',
      'invitation',
      'money',
      'outbound',
      'people',
    ])
    expect(succeeded).toBeGreaterThan(200)
  })
})

describe.each([
  { state: 'suspended', house: () => suspended, isClosed: isClosedWhenSuspended, code: 'account_suspended' },
  { state: 'frozen', house: () => frozen, isClosed: isClosedWhenFrozen, code: 'invalid_state' },
] as const)('a $state account', ({ state, house, isClosed, code }) => {
  const isForbidden = (effect: Effect) =>
    state === 'suspended' ? EFFECTS[effect].closedWhenSuspended : EFFECTS[effect].closedWhenFrozen

  test('A-09 has no forbidden effects from any operation, and is refused where the contract says so', async () => {
    const wrong: string[] = []
    let refused = 0
    for (const sample of samplesOf(house())) {
      const { operation, words } = sample
      const { answer, done } = await callOf(house(), sample)
      const args = { ...words?.query, ...words?.body, ...actionOf(words) }
      for (const [effect, what] of done)
        if (isForbidden(effect)) wrong.push(`${operation.id} (${sample.name}): ${effect}, because ${what}`)
      const isRefused = codeOf(answer) === code && /suspended|frozen/.test(answer.body.error.message)
      if (isRefused) refused++
      const mustBe = isClosed(
        operation,
        words === undefined ? ((operation.examples.body ?? {}) as Record<string, unknown>) : args,
      )
      if (isRefused && !mustBe && !isClosed(operation)) wrong.push(`${operation.id} (${sample.name}): refused`)
      if (mustBe && answer.status < 400) wrong.push(`${operation.id} (${sample.name}): ${answer.status}`)
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(15)
  })
})

const actionOf = (words: Words | undefined) =>
  words?.path === undefined ? {} : { group: words.path['smv2'], action: words.path['action'] }

describe.each(sized(['destructive'] as const, ['destructive', 'sending'] as const))(
  'an assistant whose key requires approval under %s',
  (policy) => {
    test('A-09 causes no effects with any tool that requires approval, and sees no link', async () => {
      const name = policy === 'sending' ? 'Fernlow' : 'Marrowby'
      const sub = await client()
      const house = await houseOf(sub.id, sub.key, name, policy === 'sending' ? '34' : '35')
      const made = await house.ask('POST', '/v1/keys', { name, scopes: [...SCOPES], approval: policy })
      const assistant = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      const requestInit = { headers: { authorization: `Bearer ${made.body.key}` } }
      await assistant.connect(new StreamableHTTPClientTransport(new URL(`${w.service.url}/mcp`), { requestInit }))
      const wrong: string[] = []
      const asks = (effect: Effect) => EFFECTS[effect].asksUnder !== 'sending' || policy === 'sending'
      for (const { operation, words, instance, name: sample } of samplesOf(house)) {
        if (operation.tool === null || operation.bodyFile !== undefined) continue
        const { given } = askOf(operation, house.side, words)
        const named = instance === undefined ? {} : { instance_id: instance }
        const args = { ...given, ...named, ...(operation.id === 'callEngine' ? actionOf(words) : {}) }
        const tool = operation.tool.name
        const done = await recorder.during(w, async () =>
          JSON.stringify(await withoutWaiting(assistant.callTool({ name: tool, arguments: args }))),
        )
        for (const [effect, what] of done)
          if (asks(effect)) wrong.push(`${tool} (${sample}): ${effect}, because ${what}`)
      }
      await assistant.close()
      expect(wrong).toEqual([])
    })
  },
)
