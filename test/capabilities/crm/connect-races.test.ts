import { expect, test } from 'vitest'
import type { Principal } from '../../../main/kernel/access.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { asConsole } from '../../support/console.ts'
import { clientOf, type Client } from '../agency/agency-world.ts'
import { ghlWorldOfTest, until, type GhlWorld } from './ghl-world.ts'

/** The simulated GoHighLevel takes its time over the first request with a token. */
function slowGhl() {
  const asked = Promise.withResolvers<undefined>()
  const released = Promise.withResolvers<undefined>()
  let isSlow = false
  return {
    observeStorage: (storage: Storage): Storage => ({
      ...storage,
      async readOne(statement, params) {
        if (isSlow && statement.text.includes('WHERE private_token = :token')) {
          asked.resolve(undefined)
          await released.promise
        }
        return storage.readOne(statement, params)
      },
    }),
    /** Until `meanwhile` has happened. */
    async during<T>(act: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
      isSlow = true
      const acting = act()
      await asked.promise
      await meanwhile()
      released.resolve(undefined)
      return acting
    },
  }
}

interface Scene {
  readonly w: GhlWorld
  readonly client: Client
  readonly id: string
  readonly member: { readonly id: string; readonly name: string }
  /** A request of the member. */
  ask(method: string, path: string, body?: object): Promise<{ status: number; body?: any }>
}

async function sceneOf(observeStorage: (storage: Storage) => Storage): Promise<Scene> {
  const w = await ghlWorldOfTest({ observeStorage })
  const client = await clientOf(w, { features: ['ghl'] })
  const { id } = (await client.api('POST', '/v1/instances', {})).body
  const inside = asConsole(w, { accountId: client.id as AccountId })
  const invited = await inside('POST', '/v1/members', { name: 'Ana', email: 'ana@client.example' })
  expect(invited.status, JSON.stringify(invited.body)).toBe(201)
  const { member } = invited.body
  const principal: Principal = {
    ...{ kind: 'console', role: 'member', accountId: client.id as AccountId, accountName: 'Client', key: null },
    ...{ scopes: [], allowedInstanceIds: null, ratePerMinute: 1_000, source: 'console', member },
  }
  const ask: Scene['ask'] = (method, path, body) =>
    w.service.door.call(principal, { method, path, ...(body === undefined ? {} : { body }) })
  return { w, client, id, member, ask }
}

const CHANGES: Readonly<Record<string, (scene: Scene) => Promise<{ status: number }>>> = {
  async 'the number is transferred'({ w, id }) {
    const to = await clientOf(w)
    return w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to.id })
  },
  async 'the number is transferred and comes back'({ w, id, client }) {
    const to = await clientOf(w)
    await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to.id })
    return w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: client.id })
  },
  'the number is deleted': ({ w, id, client }) =>
    w.api('DELETE', `/v1/instances/${id}?confirm=true`, undefined, { key: client.key }),
  'the member is removed': ({ w, client, member }) =>
    asConsole(w, { accountId: client.id as AccountId })('DELETE', `/v1/members/${member.id}?confirm=true`),
  'the account is suspended': ({ w, client }) => w.api('POST', `/v1/agency/accounts/${client.id}/suspend`),
}

const isConnected = async ({ w, id }: Scene) =>
  (await w.rows('SELECT 1 FROM crm_links WHERE instance_id = :id', { id })).length > 0
const sessions = async ({ w }: Scene) => (await w.rows('SELECT resource_id FROM crm_sessions')).length

/** With the token that the page of the simulated GoHighLevel shows. */
async function tokenOf({ w, id, client }: Scene) {
  const begun = await client.api('POST', `/v1/instances/${id}/ghl/connect`, { mode: 'oauth' })
  const inbox = new URL(begun.body.authorization_url).pathname.replace('oauth/chooselocation', 'inbox')
  const page = await w.api('GET', inbox, undefined, { key: null })
  const [, token] = /<code>(pit-[^<]+)<\/code>/.exec(page.text) ?? []
  const [location] = await w.rows<{ id: string }>('SELECT id FROM sandbox_ghl_locations WHERE private_token = :token', {
    token,
  })
  return { mode: 'token', token, location_id: location?.id }
}

/** Of a number that is back nothing has ended, and suspended accounts may connect. */
const ENDS = Object.keys(CHANGES).filter((name) => !/comes back|suspended/.test(name))

test.each(ENDS)(
  'A-08 no connection is created with a private token if %s while GoHighLevel checks the token',
  async (change) => {
    const slow = slowGhl()
    const scene = await sceneOf(slow.observeStorage)
    const body = await tokenOf(scene)
    const answer = await slow.during(
      () => scene.ask('POST', `/v1/instances/${scene.id}/ghl/connect`, body),
      async () => expect((await CHANGES[change]!(scene)).status).toBeLessThan(300),
    )
    expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(401)
    expect(answer.status).toBeLessThan(405)
    expect([await isConnected(scene), await sessions(scene)]).toEqual([false, 0])
  },
)

test.each(Object.keys(CHANGES).flatMap((change) => ['Main office', 'agency'].map((whose) => ({ change, whose }))))(
  'A-08 no connection is created by a consent for "$whose" if $change during the token exchange',
  async ({ change, whose }) => {
    const slow = slowGhl()
    const scene = await sceneOf(slow.observeStorage)
    const { location_id } = await tokenOf(scene)
    const body = { mode: 'oauth', ...(whose === 'agency' && { location_id }) }
    const begun = await scene.ask('POST', `/v1/instances/${scene.id}/ghl/connect`, body)
    const location = whose === 'agency' ? await agencyChoice(scene.w, begun.body.authorization_url) : whose
    const page = await slow.during(
      () => scene.w.consent(begun.body.authorization_url, { location }),
      async () => expect((await CHANGES[change]!(scene)).status).toBeLessThan(300),
    )
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect([await isConnected(scene), await sessions(scene)]).toEqual([false, 0])
  },
)

/** What the consent page calls all locations of the agency. */
async function agencyChoice(w: GhlWorld, url: string): Promise<string> {
  const { pathname, search } = new URL(url)
  const page = await w.api('GET', `${pathname}${search}`, undefined, { key: null })
  const names = [...page.text.matchAll(/<option value="[^"]*">([^<]+)</g)].map(([, name]) => name ?? '')
  return names.at(-1) ?? ''
}

test('no connection remains if the number is transferred while it is reconnected with a token', async () => {
  const slow = slowGhl()
  const scene = await sceneOf(slow.observeStorage)
  const body = await tokenOf(scene)
  const connect = () => scene.ask('POST', `/v1/instances/${scene.id}/ghl/connect`, body)
  expect((await connect()).status).toBe(201)
  expect([await isConnected(scene), await sessions(scene)]).toEqual([true, 1])
  const answer = await slow.during(connect, async () => {
    await CHANGES['the number is transferred']!(scene)
    await until(async () => expect(await isConnected(scene)).toBe(false))
  })
  expect(answer.status).toBe(404)
  expect([await isConnected(scene), await sessions(scene)]).toEqual([false, 0])
})
