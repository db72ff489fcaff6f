import { expect, test } from 'vitest'
import { createTokens } from '../../../main/capabilities/crm/ghl/tokens.ts'
import { BridgeError } from '../../../main/capabilities/crm/bridge.ts'
import type { GhlClients } from '../../../main/capabilities/crm/ghl/client.ts'
import { GhlFailure } from '../../../main/capabilities/crm/ghl/http.ts'
import type { Sides } from '../../../main/capabilities/crm/ghl/sides.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { StorageError } from '../../../main/kernel/db.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { ghlWorldOfTest, until } from './ghl-world.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as never

/** The token endpoint: a refresh token works once. */
function tokenEndpoint() {
  let minted = 0
  const used: string[] = []
  const app = {
    async forRefresh(refresh: string) {
      if (used.includes(refresh)) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        throw new GhlFailure('invalid_grant', 400)
      }
      used.push(refresh)
      await new Promise((resolve) => setImmediate(resolve))
      minted++
      return { access_token: `access-${minted}`, refresh_token: `refresh-${minted}`, expires_in: 86_399 }
    },
  }
  return {
    clients: { withApp: () => app } as unknown as GhlClients,
    minted: () => minted,
  }
}

const sides = {
  get: () => ({ app: () => ({ clientId: 'id', clientSecret: new Secret('secret') }) }),
} as unknown as Sides

async function tokensOfTest() {
  const { db } = await testDatabase()
  const clock = fakeClock()
  const random = seededRandom(1)
  const seal = createSeal({ masterKey: { key: () => Buffer.alloc(32, 7) }, random })
  const endpoint = tokenEndpoint()
  let isBroken = false
  const flaky: Db = {
    ...db,
    commit: (work) => (isBroken ? Promise.reject(new StorageError('full', 'no room')) : db.commit(work)),
  }
  const make = () => createTokens({ db: flaky, clock, seal, clients: endpoint.clients, sides })
  const tokens = make()
  const put = (into: ReturnType<typeof make>) =>
    db.commit((tx) =>
      into.put(tx, {
        ...{ resourceId: 'LOC', accountId: ACCOUNT, side: 'sandbox', userType: 'Location', companyId: null },
        tokens: { access_token: 'access-0', refresh_token: 'refresh-0', expires_in: 86_399 },
      }),
    )
  await put(tokens)
  return { db, clock, tokens, make, endpoint, put, breakStorage: (broken: boolean) => void (isBroken = broken) }
}

test('fifty concurrent callers renew the token once', async () => {
  const { clock, tokens, endpoint } = await tokensOfTest()
  await clock.advance(86_400_000)
  const given = await Promise.all(Array.from({ length: 50 }, () => tokens.access('LOC')))
  expect(new Set(given.map((token) => token.open()))).toEqual(new Set(['access-1']))
  expect(endpoint.minted()).toBe(1)
  // Those who were refused with the old token get the new one, and mint nothing.
  const later = await Promise.all(Array.from({ length: 50 }, () => tokens.renew('LOC', new Secret('access-0'))))
  expect(later.map((token) => token.open())).toEqual(Array.from({ length: 50 }, () => 'access-1'))
  expect(endpoint.minted()).toBe(1)
})

test('a renewed token pair is stored before it is used, so it survives a crash', async () => {
  const { clock, tokens, make, endpoint } = await tokensOfTest()
  await clock.advance(86_400_000)
  expect((await tokens.access('LOC')).open()).toBe('access-1')
  const afterCrash = make()
  expect((await afterCrash.access('LOC')).open()).toBe('access-1')
  await clock.advance(86_400_000)
  expect((await afterCrash.access('LOC')).open()).toBe('access-2')
  expect(endpoint.minted()).toBe(2)
})

test('a renewed token pair that could not be stored is stored at the next call, before it is used', async () => {
  const { clock, tokens, make, endpoint, breakStorage } = await tokensOfTest()
  await clock.advance(86_400_000)
  breakStorage(true)
  await expect(tokens.access('LOC')).rejects.toThrow(StorageError)
  breakStorage(false)
  expect((await tokens.access('LOC')).open()).toBe('access-1')
  expect(endpoint.minted()).toBe(1)
  expect((await make().access('LOC')).open()).toBe('access-1')
})

test('a refresh token that was already used requires reconnecting', async () => {
  const { clock, tokens, make, endpoint, put } = await tokensOfTest()
  await clock.advance(86_400_000)
  await tokens.access('LOC')
  // As if an older copy of the database had been restored: what is stored now was used already.
  await put(tokens)
  await clock.advance(86_400_000)
  const refused = await make()
    .access('LOC')
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(BridgeError)
  expect((refused as BridgeError).fault).toEqual({ kind: 'reconnect', code: 'reconnect_required' })
  expect(endpoint.minted()).toBe(1)
})

test('two processes that renew at the same time both use the token pair that was stored', async () => {
  const { clock, tokens, make, endpoint } = await tokensOfTest()
  await clock.advance(86_400_000)
  const given = await Promise.all([tokens.access('LOC'), make().access('LOC')])
  expect(given.map((token) => token.open())).toEqual(['access-1', 'access-1'])
  expect(endpoint.minted()).toBe(1)
})

const sessionOf = { text: 'SELECT account_id AS accountId, user_type AS userType, version FROM crm_sessions' }

test('a token pair that is renewed while the location is disconnected is not stored', async () => {
  const { db, clock, tokens } = await tokensOfTest()
  await clock.advance(86_400_000)
  const renewing = tokens.access('LOC').catch((error: unknown) => error)
  await db.commit((tx) => tx.run({ text: 'DELETE FROM crm_sessions' }, {}))
  expect(await renewing).toBeInstanceOf(BridgeError)
  expect(await db.read<object, object>(sessionOf, {})).toEqual([])
})

test('a token pair that is renewed while another account connects the location does not replace that account’s token', async () => {
  const { db, clock, tokens } = await tokensOfTest()
  await clock.advance(86_400_000)
  const renewing = tokens.access('LOC')
  const other = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b61' as never
  await db.commit((tx) =>
    tokens.put(tx, {
      ...{ resourceId: 'LOC', accountId: other, side: 'sandbox', userType: 'Private', companyId: null },
      tokens: { access_token: 'pit-theirs' },
    }),
  )
  expect((await renewing).open()).toBe('pit-theirs')
  expect(await db.read<object, object>(sessionOf, {})).toEqual([{ accountId: other, userType: 'Private', version: 2 }])
  expect((await tokens.access('LOC')).open()).toBe('pit-theirs')
})

test('stored tokens are encrypted', async () => {
  const { db } = await tokensOfTest()
  const rows = await db.read<object, { tokens: Uint8Array }>(
    { text: 'SELECT tokens_enc AS tokens FROM crm_sessions' },
    {},
  )
  const text = Buffer.from(rows[0]?.tokens ?? []).toString('latin1')
  expect(text).not.toContain('access-0')
  expect(text).not.toContain('refresh-0')
})

test('an expired token is renewed, and the sync continues a day later', async () => {
  const w = await ghlWorldOfTest()
  const instance = await w.connected('12025550300')
  const before = (await w.ghl(instance.id)).token_expires_at
  w.moving.move(25 * 3_600_000)
  await w.say('12025550377', '12025550300', 'A day later')
  await until(async () => expect(await w.thread('12025550377')).toHaveLength(1))
  const { token_expires_at: after, last_error } = await w.ghl(instance.id)
  expect(Date.parse(after)).toBeGreaterThan(Date.parse(before))
  expect(last_error).toBeNull()
})

test('after the app is uninstalled, messages wait and are delivered once a person reconnects it', async () => {
  const w = await ghlWorldOfTest()
  const instance = await w.connected('12025550301')
  await w.say('12025550378', '12025550301', 'One')
  await until(async () => expect(await w.thread('12025550378')).toHaveLength(1))
  const { inbox_url, location_id } = await w.ghl(instance.id)
  const answer = await w.service.door.app.inject({
    method: 'POST',
    url: new URL(inbox_url).pathname.replace('/inbox', '/uninstall'),
    headers: { host: w.host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: `location=${location_id}`,
  })
  expect(answer.statusCode).toBe(303)
  await until(async () =>
    expect(await w.ghl(instance.id)).toMatchObject({
      connected: false,
      state: 'reconnect_required',
      last_error: { code: 'uninstalled' },
    }),
  )
  await w.say('12025550378', '12025550301', 'Two')
  await until(async () => expect((await w.ghl(instance.id)).waiting.to_crm).toBe(1))
  const attention = await w.rows('SELECT state FROM crm_links')
  expect(attention).toEqual([{ state: 'reconnect_required' }])
  const { authorization_url } = await w.must('POST', `/v1/instances/${instance.id}/ghl/connect`, { mode: 'oauth' })
  w.moving.move(2_000)
  expect((await w.consent(authorization_url)).status).toBe(200)
  await until(async () => expect((await w.thread('12025550378')).map(({ text }) => text)).toEqual(['One', 'Two']))
  expect(await w.ghl(instance.id)).toMatchObject({ connected: true, last_error: null })
})
